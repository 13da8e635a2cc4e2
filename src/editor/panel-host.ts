// One panel's conversation with its host: answers what the panel asks and pushes what the record adds. Independent of
// how the panel came to be (opened, restored, or put in the place of an orphan).
import * as vscode from 'vscode';
import type { RecordEvent } from '../core/record/catalogue.js';
import { parsePanelMessage, type HostMessage, type PanelMessage } from '../protocol/messages.js';
import type { RecordChange } from '../runtime/live-record.js';
import { systemClock } from '../runtime/system-clock.js';
import { BoardHost, isBoardMessage } from './board-host.js';
import { Drafts } from './drafts.js';
import { describeProblem, messageOf, openAtProblem, TeamFileProblem } from './errors.js';
import { LiveFeed } from './live-feed.js';
import { act, isPictureMessage, type PanelActionsOptions, type PictureMessage } from './panel-actions.js';
import { PanelPictures, type PanelPicturesOptions } from './panel-pictures.js';
import { PictureOrder } from './picture-order.js';
import { ReasoningDesk } from './reasoning-desk.js';
import type { OpenConversation } from './team-session.js';

export interface PanelHostOptions
  extends Omit<PanelActionsOptions, 'drafts' | 'send'>, Omit<PanelPicturesOptions, 'drafts'> {
  readonly log: vscode.LogOutputChannel;
}

export class PanelHost implements vscode.Disposable {
  readonly #options: PanelHostOptions;
  readonly #webview: vscode.Webview;
  readonly #disposables: vscode.Disposable[] = [];
  readonly #drafts: Drafts;
  readonly #pictures: PanelPictures;
  readonly #order = new PictureOrder();
  readonly #reasoning: ReasoningDesk;
  readonly #board: BoardHost;
  readonly #feed: LiveFeed;
  #stream: Disposable | null = null;
  #lastProblem: unknown = null;
  /** A room that was chosen outside, until the panel has opened one: while it is hidden it hears nothing. */
  #wanted: string | null = null;
  /** A text for the composer that the panel has not heard of yet. */
  #toInsert: string | null = null;
  /** The form of the team was asked for outside, and the panel has not heard of it yet. */
  #wantsForm = false;
  /** Nothing is pushed before the panel has asked for its first picture. */
  #isReady = false;
  #isDisposed = false;

  constructor(webview: vscode.Webview, options: PanelHostOptions) {
    this.#webview = webview;
    this.#options = options;
    this.#drafts = new Drafts(options.memento);
    this.#pictures = new PanelPictures({ ...options, drafts: this.#drafts });
    const { session, conversations } = options;
    const onError = (error: unknown): void => options.log.error(messageOf(error));
    this.#reasoning = new ReasoningDesk({
      storage: async () => (await options.storage()).storage,
      conversation: async () => (await session.open()).conversation,
      send: (message) => this.#send(message),
      clock: systemClock,
      onError,
    });
    this.#board = new BoardHost({ session, send: (message) => this.#send(message) });
    this.#feed = new LiveFeed(systemClock, (piece) => {
      const runId = session.current?.conversation.runId;
      if (this.#isReady && runId !== undefined) this.#send({ type: 'live', runId, ...piece });
    });
    this.#disposables.push(
      webview.onDidReceiveMessage((message: unknown) => void this.#receive(message)),
      session.onDidChange((change) => this.#push(change)),
      session.onDidOpen((open) => this.#follow(open)),
      session.onDidReopen(() => {
        this.#clear();
        void this.#snapshot(null);
      }),
      conversations.onDidChange(() => {
        if (this.#isReady) this.#send({ type: 'conversationsChanged' });
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => void this.#snapshot(null)),
    );
    if (session.current !== null) this.#follow(session.current);
  }

  /** True once the panel has said that it is there. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** What was to be shown and was not yet. */
  get wanted(): { readonly roomId: string | null; readonly text: string | null } {
    return { roomId: this.#wanted, text: this.#toInsert };
  }

  /** Shows a room: now, or as soon as the panel can be seen. */
  showRoom(roomId: string): void {
    this.#wanted = roomId;
    if (this.#isReady) this.#send({ type: 'show', roomId });
  }

  /**
   * Puts a text at the caret of the composer: now, or as soon as the panel has its next picture.
   * @param isShown - false for a panel that is only coming into view: it hears nothing until it has asked.
   */
  insert(text: string, isShown: boolean): void {
    this.#toInsert = text;
    if (isShown && this.#isReady) this.#sayInsert();
  }

  /** Opens the form of the team: now, or as soon as the panel has its next picture; see `insert`. */
  openTeamForm(isShown: boolean): void {
    this.#wantsForm = true;
    if (isShown && this.#isReady) this.#sayForm();
  }

  /** Opens the task board, at a task if one is named; see `insert`. */
  showBoard(taskId: string | null, isShown: boolean): void {
    this.#board.show(taskId, isShown && this.#isReady);
  }

  /** The panel hears nothing any more; when it comes back it asks for what it shows. */
  hidden(): void {
    this.#clear();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#stream?.[Symbol.dispose]();
    this.#reasoning[Symbol.dispose]();
    this.#feed[Symbol.dispose]();
    for (const disposable of this.#disposables) disposable.dispose();
  }

  async #receive(raw: unknown): Promise<void> {
    const message = parsePanelMessage(raw);
    if (message === null) {
      this.#options.log.warn('The panel sent a message that is not part of the protocol; it was dropped.');
      return;
    }
    await this.#answer(message);
  }

  async #answer(message: PanelMessage): Promise<void> {
    try {
      await this.#handle(message);
    } catch (error) {
      this.#options.log.error(`${message.type}: ${messageOf(error)}`);
      const requestId = message.type === 'post' ? message.requestId : null;
      this.#send({ type: 'refused', requestId, message: messageOf(error) });
    }
  }

  async #handle(message: PanelMessage): Promise<void> {
    if (isPictureMessage(message)) return this.#show(message);
    if (isBoardMessage(message)) return this.#board.handle(message);
    await act(message, { ...this.#options, drafts: this.#drafts, send: (answer) => this.#send(answer) });
  }

  async #show(message: PictureMessage): Promise<void> {
    switch (message.type) {
      case 'ready':
        this.#isReady = true;
        // Whatever it shows of reasoning and of the board it asks for again.
        this.#clear();
        if (this.#wanted !== null) this.#send({ type: 'show', roomId: this.#wanted });
        return this.#snapshot(this.#wanted ?? message.roomId);
      case 'openRoom':
        this.#wanted = null;
        return this.#snapshot(message.roomId);
      case 'older':
        this.#send(await this.#pictures.older(message.roomId, message.before));
        return;
      case 'reasoning':
        return this.#reasoning.ask(message.position, message.after);
      case 'reasoningClosed':
        this.#reasoning.close(message.position);
        return;
      case 'problemAction':
        return this.#mend(message.action);
    }
  }

  async #mend(action: Extract<PanelMessage, { type: 'problemAction' }>['action']): Promise<void> {
    switch (action) {
      case 'retry':
        // What is open may be at work: then only the picture was missing.
        return this.#options.session.current === null ? this.#options.session.reopen() : this.#snapshot(null);
      case 'newConversation':
        await this.#options.session.startNew();
        return;
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
        () => this.#pictures.whole(wanted),
        ({ open, ...picture }) => {
          this.#lastProblem = null;
          // As of this moment: the picture took a while, and what comes after it continues from here.
          this.#feed.clear();
          this.#send({ ...picture, live: open.conversation.liveTexts().map((live) => ({ ...live })) });
          if (this.#toInsert !== null) this.#sayInsert();
          if (this.#wantsForm) this.#sayForm();
          this.#board.sayWanted();
        },
      );
    } catch (error) {
      this.#options.log.error(messageOf(error));
      this.#lastProblem = error;
      this.#send({ type: 'problem', hostEpoch: this.#options.hostEpoch, problem: describeProblem(error) });
    }
  }

  #push(change: RecordChange): void {
    const open = this.#options.session.current;
    if (!this.#isReady || open === null) return;
    for (const position of change.events.flatMap(endedTurn)) this.#feed.end(position);
    this.#order.pushed(open.conversation.runId, change.to);
    this.#send(this.#pictures.changes(open, change));
    this.#board.changed(change);
    this.#reasoning.changed();
  }

  /** Passes on what running turns of a conversation say. */
  #follow({ conversation }: OpenConversation): void {
    this.#stream?.[Symbol.dispose]();
    this.#feed.clear();
    this.#stream = conversation.onDidStream((piece) => this.#feed.add(piece));
  }

  #clear(): void {
    this.#reasoning.clear();
    this.#board.clear();
  }

  #sayForm(): void {
    this.#wantsForm = false;
    void this.#answer({ type: 'configureTeam' });
  }

  #sayInsert(): void {
    const text = this.#toInsert;
    if (text === null) return;
    this.#toInsert = null;
    this.#send({ type: 'insert', text });
  }

  /** Never relied on: a hidden panel hears nothing and asks again when it is shown. */
  #send(message: HostMessage): void {
    if (this.#isDisposed) return;
    this.#webview.postMessage(message).then(undefined, (error: unknown) => this.#options.log.debug(messageOf(error)));
  }
}

/** The turn that ends with an event: what it said is in a post now, or nowhere. */
function endedTurn(event: RecordEvent): readonly string[] {
  const { type, payload } = event;
  const isEnd = type === 'graph:node-completed' || type === 'graph:node-failed' || type === 'turn:cancelled';
  return isEnd ? [payload.position] : [];
}
