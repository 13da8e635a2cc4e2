// One panel's conversation with its host: answers what the panel asks and pushes what the record adds. Independent of
// how the panel came to be (opened, restored, or put in the place of an orphan).
import * as vscode from 'vscode';
import type { LiveState } from '../core/team/live-state.js';
import { transcriptOf, type TranscriptEntry } from '../core/team/transcript.js';
import { MAX_POST_LENGTH, parsePanelMessage, type HostMessage, type PanelMessage } from '../protocol/messages.js';
import type { EngineDirectory } from '../runtime/ports/engines.js';
import type { RecordChange } from '../runtime/live-record.js';
import { readTranscriptPage, type TranscriptPlace } from '../runtime/transcript-pages.js';
import { COMMANDS, MEMENTO } from './contributions.js';
import { Drafts } from './drafts.js';
import { PictureOrder } from './picture-order.js';
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
  readonly #drafts: Drafts;
  readonly #order = new PictureOrder();
  #lastProblem: unknown = null;
  /** A room that was chosen outside, until the panel has opened one: while it is hidden it hears nothing. */
  #wanted: string | null = null;
  /** Nothing is pushed before the panel has asked for its first picture. */
  #isReady = false;
  #isDisposed = false;

  constructor(webview: vscode.Webview, options: PanelHostOptions) {
    this.#webview = webview;
    this.#options = options;
    this.#drafts = new Drafts(options.memento);
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

  /** A room that was to be shown and was not yet. */
  get wanted(): string | null {
    return this.#wanted;
  }

  /** Shows a room: now, or as soon as the panel can be seen. */
  showRoom(roomId: string): void {
    this.#wanted = roomId;
    if (this.#isReady) this.#send({ type: 'show', roomId });
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
    const { session } = this.#options;
    switch (message.type) {
      case 'ready':
        this.#isReady = true;
        if (this.#wanted !== null) this.#send({ type: 'show', roomId: this.#wanted });
        return this.#snapshot(this.#wanted ?? message.roomId);
      case 'openRoom':
        this.#wanted = null;
        return this.#snapshot(message.roomId);
      case 'older':
        return this.#page(message.roomId, message.before);
      case 'post': {
        const tooLong = message.text.length - MAX_POST_LENGTH;
        if (tooLong > 0) {
          throw new Error(vscode.l10n.t('This post is {count} characters too long.', { count: tooLong }));
        }
        const postId = await (await session.openToAct()).post(message);
        this.#send({ type: 'posted', requestId: message.requestId, postId });
        return;
      }
      case 'draft': {
        const conversation = session.open().then((open) => open.conversation);
        return this.#drafts.write(conversation, message.roomId, message.text);
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
        // What is open may be at work: then only the picture was missing.
        return this.#options.session.current === null ? this.#options.session.reopen() : this.#snapshot(null);
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
    try {
      await this.#order.send(
        () => this.#picture(wanted),
        (picture) => {
          this.#lastProblem = null;
          this.#send(picture);
        },
      );
    } catch (error) {
      this.#options.log.error(messageOf(error));
      this.#lastProblem = error;
      this.#send({ type: 'problem', hostEpoch: this.#options.hostEpoch, problem: describeProblem(error) });
    }
  }

  async #picture(wanted: string | null): Promise<Extract<HostMessage, { type: 'snapshot' }>> {
    const { session, memento, hostEpoch } = this.#options;
    const open = await session.open();
    const { runId, team } = open.conversation;
    const { state } = await open.conversation.status();
    const known = [wanted, memento.get<string>(MEMENTO.room), team.rooms[0]?.id];
    const roomId = known.find((id) => team.rooms.some((room) => room.id === id)) ?? '';
    await memento.update(MEMENTO.room, roomId);
    const page = await this.#readPage(open, roomId, { revision: state.revision + 1, index: 0 });
    return {
      type: 'snapshot',
      hostEpoch,
      revision: state.revision,
      conversation: this.#view(open, state),
      roomId,
      drafts: this.#drafts.of(runId),
      ...page,
    };
  }

  #push(change: RecordChange): void {
    const open = this.#options.session.current;
    if (!this.#isReady || open === null) return;
    this.#order.pushed(open.conversation.runId, change.to);
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
    const { session, engines } = this.#options;
    return conversationView(state, { runId, team, runner: session.runnerPlace(), engines });
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
