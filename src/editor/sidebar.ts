// The activity-bar view: a button to open the panel, the rooms with their files, the roster, and the tasks.
import * as vscode from 'vscode';
import type { LiveState } from '../core/team/live-state.js';
import { isMarkedLead, type MemberView, type RoomView } from '../protocol/view.js';
import type { EngineDirectory } from '../runtime/ports/engines.js';
import { COMMANDS, VIEWS } from './contributions.js';
import { conversationView } from './conversation-view.js';
import { describeProblem } from './errors.js';
import { taskItems } from './task-view.js';
import { taskTreeItem } from './task-tree.js';
import type { TeamSession } from './team-session.js';

/** A row of a tree. */
interface Row {
  readonly item: vscode.TreeItem;
}

export class Sidebar implements vscode.Disposable {
  readonly #session: TeamSession;
  readonly #engines: EngineDirectory;
  readonly #rooms = new RowsProvider();
  readonly #members = new RowsProvider();
  readonly #tasks = new RowsProvider();
  readonly #views: readonly vscode.TreeView<Row>[];
  readonly #disposables: vscode.Disposable[];

  constructor(session: TeamSession, engines: EngineDirectory) {
    this.#session = session;
    this.#engines = engines;
    const rooms = vscode.window.createTreeView(VIEWS.rooms, { treeDataProvider: this.#rooms });
    const members = vscode.window.createTreeView(VIEWS.members, { treeDataProvider: this.#members });
    const tasks = vscode.window.createTreeView(VIEWS.tasks, { treeDataProvider: this.#tasks });
    this.#views = [rooms, members, tasks];
    this.#disposables = [
      vscode.window.registerTreeDataProvider(VIEWS.home, new RowsProvider()),
      ...this.#views,
      ...this.#views.map((view) => view.onDidChangeVisibility(() => void this.#look())),
      session.onDidOpen(() => void this.#look()),
      session.onDidReopen(() => void this.#look()),
      session.onDidChange(({ state }) => this.#show(state)),
      session.shownBy(() => this.#views.some(({ visible }) => visible)),
      vscode.workspace.onDidGrantWorkspaceTrust(() => void this.#look()),
    ];
    void this.#look();
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }

  /** Fills the trees while one of them is on screen, or says there why it cannot. */
  async #look(): Promise<void> {
    if (!this.#views.some(({ visible }) => visible)) return;
    try {
      const { conversation } = await this.#session.open();
      this.#show((await conversation.status()).state);
    } catch (error) {
      this.#fill([], [], [], describeProblem(error).title);
    }
  }

  #show(state: LiveState): void {
    const open = this.#session.current;
    if (open === null) return;
    const { conversation, forkOf } = open;
    const { runId, team } = conversation;
    const runner = this.#session.runnerPlace();
    const view = conversationView(state, { runId, forkOf, team, runner, engines: this.#engines });
    const nameOf = (id: string): string => view.members.find((member) => member.id === id)?.name ?? id;
    const tasks = taskItems(state).map((task) => ({ item: taskTreeItem(task, nameOf) }));
    this.#fill(view.rooms.map(roomRow), view.members.map(memberRow), tasks, '');
  }

  #fill(rooms: readonly Row[], members: readonly Row[], tasks: readonly Row[], message: string): void {
    this.#rooms.set(rooms);
    this.#members.set(members);
    this.#tasks.set(tasks);
    for (const view of this.#views) if ((view.message ?? '') !== message) view.message = message;
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

const ROOM_ICONS = { public: 'comment-discussion', private: 'lock', direct: 'comment' } as const;

function roomRow(room: RoomView): Row {
  const item = new vscode.TreeItem(room.name);
  item.id = room.id;
  item.iconPath = new vscode.ThemeIcon(ROOM_ICONS[room.kind]);
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
  item.description = isMarkedLead(member) ? vscode.l10n.t('Lead · {status}', { status: words }) : words;
  item.tooltip = [`${member.name} — ${member.role}`, member.engine, member.failure ?? '']
    .filter((line) => line !== '')
    .join('\n');
  item.iconPath = new vscode.ThemeIcon(memberIcon(member));
  item.contextValue = `member.${member.status}`;
  item.command = { command: COMMANDS.openPanel, title: vscode.l10n.t('Open Team Panel') };
  return { item };
}

function memberIcon({ status, icon }: MemberView): string {
  if (status === 'running' || status === 'stopping') return 'loading~spin';
  return icon.kind === 'codicon' ? icon.id : 'person';
}

function statusWords(status: MemberView['status']): string {
  switch (status) {
    case 'idle':
      return vscode.l10n.t('idle');
    case 'queued':
      return vscode.l10n.t('queued');
    case 'running':
      return vscode.l10n.t('running');
    case 'stopping':
      return vscode.l10n.t('stopping');
    case 'interrupted':
      return vscode.l10n.t('interrupted');
    case 'stopped':
      return vscode.l10n.t('stopped');
    case 'failed':
      return vscode.l10n.t('failed');
  }
}
