// The activity-bar view: a button to open the panel, the rooms with their files, and the roster.
import * as vscode from 'vscode';
import type { LiveState } from '../core/team/live-state.js';
import type { MemberView, RoomView } from '../protocol/view.js';
import type { EngineDirectory } from '../runtime/ports/engines.js';
import { COMMANDS, VIEWS } from './contributions.js';
import { conversationView } from './conversation-view.js';
import type { TeamSession } from './team-session.js';

/** A row of a tree. */
interface Row {
  readonly item: vscode.TreeItem;
}

export class Sidebar implements vscode.Disposable {
  readonly #session: TeamSession;
  readonly #engines: EngineDirectory;
  readonly #rooms: RowsProvider;
  readonly #members: RowsProvider;
  readonly #disposables: vscode.Disposable[] = [];

  constructor(session: TeamSession, engines: EngineDirectory) {
    this.#session = session;
    this.#engines = engines;
    this.#rooms = new RowsProvider();
    this.#members = new RowsProvider();
    this.#disposables.push(
      vscode.window.registerTreeDataProvider(VIEWS.home, new RowsProvider()),
      vscode.window.registerTreeDataProvider(VIEWS.rooms, this.#rooms),
      vscode.window.registerTreeDataProvider(VIEWS.members, this.#members),
      session.onDidChange(({ state }) => this.#show(state)),
    );
  }

  /** Fills the trees from a state of the open conversation. */
  #show(state: LiveState): void {
    const open = this.#session.current;
    if (open === null) return;
    const { runId, team } = open.conversation;
    const runner = open.conversation.runnerPlace();
    const view = conversationView(state, { runId, team, runner, engines: this.#engines });
    this.#rooms.set(view.rooms.map(roomRow));
    this.#members.set(view.members.map(memberRow));
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }
}

class RowsProvider implements vscode.TreeDataProvider<Row> {
  readonly #changed = new vscode.EventEmitter<void>();
  #rows: readonly Row[] = [];
  readonly onDidChangeTreeData = this.#changed.event;

  set(rows: readonly Row[]): void {
    this.#rows = rows;
    this.#changed.fire();
  }

  getTreeItem({ item }: Row): vscode.TreeItem {
    return item;
  }

  getChildren(parent?: Row): Row[] {
    return parent === undefined ? [...this.#rows] : [];
  }
}

function roomRow(room: RoomView): Row {
  const item = new vscode.TreeItem(room.name);
  item.id = room.id;
  item.iconPath = new vscode.ThemeIcon(room.kind === 'public' ? 'comment-discussion' : 'lock');
  item.contextValue = 'room';
  item.command = {
    command: COMMANDS.openPanel,
    title: vscode.l10n.t('Open Team Panel'),
    arguments: [{ roomId: room.id }],
  };
  return { item };
}

function memberRow(member: MemberView): Row {
  const item = new vscode.TreeItem(member.name);
  item.id = member.id;
  const words = statusWords(member.status);
  item.description = member.isLead ? vscode.l10n.t('Lead · {status}', { status: words }) : words;
  item.tooltip = `${member.name} — ${member.role}\n${member.engine}`;
  item.iconPath = new vscode.ThemeIcon(
    member.status === 'running' ? 'loading~spin' : member.icon.kind === 'codicon' ? member.icon.id : 'person',
  );
  item.command = { command: COMMANDS.openPanel, title: vscode.l10n.t('Open Team Panel') };
  return { item };
}

function statusWords(status: MemberView['status']): string {
  switch (status) {
    case 'idle':
      return vscode.l10n.t('idle');
    case 'queued':
      return vscode.l10n.t('queued');
    case 'running':
      return vscode.l10n.t('running');
    case 'interrupted':
      return vscode.l10n.t('interrupted');
    case 'failed':
      return vscode.l10n.t('failed');
  }
}
