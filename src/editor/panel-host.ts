// One panel's conversation with its host: answers what the panel asks and pushes what the record adds. Independent of
// how the panel came to be (opened, restored, or put in the place of an orphan).
import * as vscode from 'vscode';
import type { LiveState } from '../core/team/live-state.js';
import { transcriptOf, type TranscriptEntry } from '../core/team/transcript.js';
import { parsePanelMessage, type HostMessage, type PanelMessage } from '../protocol/messages.js';
import type { EngineDirectory } from '../runtime/ports/engines.js';
import type { RecordChange } from '../runtime/live-record.js';
import { readTranscriptPage, type TranscriptPlace } from '../runtime/transcript-pages.js';
import { COMMANDS, MEMENTO } from './contributions.js';
import { conversationView, postView } from './conversation-view.js';
import { describeProblem, messageOf, TeamFileProblem } from './errors.js';
import type { OpenConversation, TeamSession } from './team-session.js';
import type { WorkspaceStorage } from './workspace-storage.js';

const PAGE = 50;

export interface PanelHostOptions {
  readonly session: TeamSession;
  readonly storage: () => Promise<WorkspaceStorage>;
  readonly engines: EngineDirectory;
  readonly memento: vscode.Memento;
  /** New at each activation. */
  readonly hostEpoch: string;
  readonly log: vscode.LogOutputChannel;
}

export class PanelHost implements vscode.Disposable {
  readonly #options: PanelHostOptions;
  readonly #webview: vscode.Webview;
  readonly #disposables: vscode.Disposable[] = [];
  #lastProblem: unknown = null;
  /** Nothing is pushed before the panel has asked for its first picture. */
  #isReady = false;
  #isDisposed = false;

  constructor(webview: vscode.Webview, options: PanelHostOptions) {
    this.#webview = webview;
    this.#options = options;
    const { session } = options;
    this.#disposables.push(
      webview.onDidReceiveMessage((message: unknown) => void this.#receive(message)),
      session.onDidChange((change) => this.#push(change)),
      session.onDidReopen(() => void this.#snapshot(null)),
      vscode.workspace.onDidGrantWorkspaceTrust(() => void this.#snapshot(null)),
    );
  }

  /** True once the panel has said that it is there. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Shows the room that the memento names. */
  showRoom(): void {
    void this.#snapshot(null);
  }

  dispose(): void {
    this.#isDisposed = true;
    for (const disposable of this.#disposables) disposable.dispose();
  }

  async #receive(raw: unknown): Promise<void> {
    const message = parsePanelMessage(raw);
    if (message === null) {
      this.#options.log.warn('The panel sent a message that is not part of the protocol; it was dropped.');
      return;
    }
    try {
      await this.#handle(message);
    } catch (error) {
      this.#options.log.error(`${message.type}: ${messageOf(error)}`);
      const requestId = message.type === 'post' ? message.requestId : null;
      this.#send({ type: 'refused', requestId, message: messageOf(error) });
    }
  }

  async #handle(message: PanelMessage): Promise<void> {
    const { session, memento } = this.#options;
    switch (message.type) {
      case 'ready':
        this.#isReady = true;
        return this.#snapshot(message.roomId);
      case 'openRoom':
        return this.#snapshot(message.roomId);
      case 'older':
        return this.#page(message.roomId, message.before);
      case 'post': {
        const postId = await (await session.openToAct()).post(message);
        this.#send({ type: 'posted', requestId: message.requestId, postId });
        return;
      }
      case 'draft': {
        const drafts = memento.get<Record<string, string>>(MEMENTO.drafts, {});
        const key = await this.#draftKey(message.roomId);
        const rest = Object.fromEntries(Object.entries(drafts).filter(([room]) => room !== key));
        await memento.update(MEMENTO.drafts, message.text === '' ? rest : { ...rest, [key]: message.text });
        return;
      }
      case 'resumeTeam':
        return (await session.openToAct()).resumeTeam();
      case 'takeOver':
        return (await session.openToAct()).takeOver();
      case 'resumeTurn':
        return (await session.openToAct()).resumeTurn(message.position);
      case 'skipTurn':
        return (await session.openToAct()).skipTurn(message.position);
      case 'openRoomFile':
        await vscode.commands.executeCommand(COMMANDS.openRoomFile, message.roomId);
        return;
      case 'revealRoomFile':
        await vscode.commands.executeCommand(COMMANDS.revealRoomFile, message.roomId);
        return;
      case 'problemAction':
        return this.#act(message.action);
    }
  }

  async #act(action: Extract<PanelMessage, { type: 'problemAction' }>['action']): Promise<void> {
    switch (action) {
      case 'retry':
        return this.#options.session.reopen();
      case 'newConversation':
        return this.#options.session.startNew();
      case 'showLog':
        this.#options.log.show();
        return;
      case 'openFolder':
        await vscode.commands.executeCommand('workbench.action.files.openFolder');
        return;
      case 'manageTrust':
        await vscode.commands.executeCommand('workbench.trust.manage');
        return;
      case 'openTeamFile':
        if (this.#lastProblem instanceof TeamFileProblem) await openAtProblem(this.#lastProblem);
    }
  }

  /** Sends the whole picture, with the newest page of a room. */
  async #snapshot(wanted: string | null): Promise<void> {
    if (!this.#isReady) return;
    const { session, memento, hostEpoch } = this.#options;
    try {
      const open = await session.open();
      const { team } = open.conversation;
      const { state } = await open.conversation.status();
      const known = [wanted, memento.get<string>(MEMENTO.room), team.rooms[0]?.id];
      const roomId = known.find((id) => team.rooms.some((room) => room.id === id)) ?? '';
      await memento.update(MEMENTO.room, roomId);
      const page = await this.#readPage(open, roomId, { revision: state.revision + 1, index: 0 });
      this.#lastProblem = null;
      this.#send({
        type: 'snapshot',
        hostEpoch,
        revision: state.revision,
        conversation: this.#view(open, state),
        roomId,
        drafts: this.#drafts(open),
        ...page,
      });
    } catch (error) {
      this.#options.log.error(messageOf(error));
      this.#lastProblem = error;
      this.#send({ type: 'problem', hostEpoch, problem: describeProblem(error) });
    }
  }

  #push(change: RecordChange): void {
    const open = this.#options.session.current;
    if (!this.#isReady || open === null) return;
    const posts = change.events.flatMap(transcriptOf).map((entry) => postView(entry, open.conversation.team));
    this.#send({
      type: 'changes',
      hostEpoch: this.#options.hostEpoch,
      from: change.from,
      to: change.to,
      conversation: this.#view(open, change.state),
      posts,
    });
  }

  async #page(roomId: string, before: TranscriptPlace): Promise<void> {
    const open = await this.#options.session.open();
    this.#send({ type: 'page', roomId, ...(await this.#readPage(open, roomId, before)) });
  }

  async #readPage({ conversation }: OpenConversation, roomId: string, before: TranscriptPlace) {
    const { storage } = await this.#options.storage();
    const page = await readTranscriptPage(storage, conversation.runId, { roomId, before, limit: PAGE });
    const view = (entry: TranscriptEntry) => postView(entry, conversation.team);
    return { posts: page.entries.map(view), hasOlder: page.hasOlder };
  }

  #view({ conversation }: OpenConversation, state: LiveState) {
    const { runId, team } = conversation;
    return conversationView(state, { runId, team, runner: conversation.runnerPlace(), engines: this.#options.engines });
  }

  /** Drafts are kept by conversation and room. */
  async #draftKey(roomId: string): Promise<string> {
    return `${(await this.#options.session.open()).conversation.runId}/${roomId}`;
  }

  #drafts({ conversation }: OpenConversation): Record<string, string> {
    const drafts = this.#options.memento.get<Record<string, string>>(MEMENTO.drafts, {});
    const own = `${conversation.runId}/`;
    return Object.fromEntries(
      Object.entries(drafts)
        .filter(([key]) => key.startsWith(own))
        .map(([key, text]) => [key.slice(own.length), text]),
    );
  }

  /** Never relied on: a hidden panel hears nothing and asks again when it is shown. */
  #send(message: HostMessage): void {
    if (this.#isDisposed) return;
    this.#webview.postMessage(message).then(undefined, (error: unknown) => this.#options.log.debug(messageOf(error)));
  }
}

async function openAtProblem({ uri, error }: TeamFileProblem): Promise<void> {
  const [issue] = error.issues;
  const at = new vscode.Position(Math.max(0, (issue?.line ?? 1) - 1), Math.max(0, (issue?.column ?? 1) - 1));
  await vscode.window.showTextDocument(uri, {
    selection: new vscode.Range(at, at),
    viewColumn: vscode.ViewColumn.Beside,
  });
}
