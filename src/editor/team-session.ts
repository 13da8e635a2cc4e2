// The conversation that this window has open: found again or begun, followed, and closed. Everything that shows it
// (panel, sidebar, room documents, room files) listens here.
import * as vscode from 'vscode';
import type { LiveState } from '../core/team/live-state.js';
import type { TeamFile } from '../core/team/team-file.js';
import { Conversation, type ConversationHost } from '../runtime/conversation.js';
import type { RunnerPlace } from '../runtime/tenure.js';
import { LiveRoomFiles, readRoomLines, type RoomLines } from '../runtime/live-room-files.js';
import type { RecordChange } from '../runtime/live-record.js';
import { readForkOf } from '../runtime/reasoning.js';
import { readStoredState } from '../runtime/stored-state.js';
import { turnToBegin } from './beginning.js';
import { MEMENTO } from './contributions.js';
import { DamagedError, messageOf, RestrictedError } from './errors.js';
import { OnlyOne } from './only-one.js';
import { RunnerWatch } from './runner-watch.js';
import { chooseTeam, firstTeam } from './team-choice.js';
import { readTeam, type FoundTeam } from './team-files.js';
import type { WorkspaceStorage } from './workspace-storage.js';

export interface OpenConversation {
  readonly conversation: Conversation;
  /** Run id of the conversation that it was forked from; null for a fresh one. */
  readonly forkOf: string | null;
  readonly files: LiveRoomFiles;
}

export interface TeamSessionOptions {
  readonly context: vscode.ExtensionContext;
  readonly storage: () => Promise<WorkspaceStorage>;
  readonly host: Omit<ConversationHost, 'storage'>;
  readonly log: vscode.LogOutputChannel;
}

/** How often it is looked whether the window that runs the conversation is still there, in milliseconds. */
const RUNNER_CHECK_MS = 5_000;

export class TeamSession implements vscode.Disposable {
  readonly #options: TeamSessionOptions;
  readonly #changed = new vscode.EventEmitter<RecordChange>();
  readonly #opened = new vscode.EventEmitter<OpenConversation>();
  readonly #reopened = new vscode.EventEmitter<void>();
  readonly #one: OnlyOne<OpenConversation>;
  readonly #runner: RunnerWatch;
  readonly #runnerCheck: NodeJS.Timeout;
  /** Each tells whether it is on screen. */
  readonly #viewers = new Set<() => boolean>();

  /** A change of the open conversation's record, or of who runs it: then without events. */
  readonly onDidChange = this.#changed.event;
  /** A conversation was opened. */
  readonly onDidOpen = this.#opened.event;
  /** Another conversation is open, or the one that failed to open may be tried again. */
  readonly onDidReopen = this.#reopened.event;

  constructor(options: TeamSessionOptions) {
    this.#options = options;
    const onError = (error: unknown): void => options.log.error(messageOf(error));
    this.#one = new OnlyOne({
      open: () => this.#find(),
      opened: (open) => {
        this.#opened.fire(open);
        adoptFiles(open).catch(onError);
      },
      close: ({ conversation }) => conversation.close(),
    });
    this.#runner = new RunnerWatch({
      place: () => this.current?.conversation.runnerPlace() ?? 'nobody',
      isShown: () => [...this.#viewers].some((isVisible) => isVisible()),
      onGone: () => void this.#tellRunner().catch(onError),
      onError,
    });
    this.#runnerCheck = setInterval(() => this.#runner.look(), RUNNER_CHECK_MS).unref();
  }

  /** The open conversation, if it is open already. */
  get current(): OpenConversation | null {
    return this.#one.current;
  }

  /** Who runs the open conversation now; what was seen last when that cannot be told. */
  runnerPlace(): RunnerPlace {
    return this.#runner.place();
  }

  /** While one of those that show who runs the conversation is on screen, this is looked at again and again. */
  shownBy(isVisible: () => boolean): vscode.Disposable {
    this.#viewers.add(isVisible);
    return new vscode.Disposable(() => this.#viewers.delete(isVisible));
  }

  /** The open conversation; opened now when it is not: the one this workspace had open, else the newest, else a new one. */
  open(): Promise<OpenConversation> {
    return this.#one.open();
  }

  /**
   * The open conversation, for what lets it go on. Every such way leads through here.
   * @throws RestrictedError in a folder that is not trusted.
   */
  async openToAct(): Promise<Conversation> {
    if (!vscode.workspace.isTrusted) throw new RestrictedError();
    return (await this.open()).conversation;
  }

  /** Closes what is open, or what failed to open, and tells everybody to look again. */
  async reopen(): Promise<void> {
    await this.#one.close();
    this.#reopened.fire();
  }

  /**
   * Begins a fresh conversation; the one before stays in the store, and stays open when none can be begun.
   * @param found - the team; the person is asked where there are several and none is named.
   * @returns false when they picked none.
   */
  async startNew(found?: FoundTeam): Promise<boolean> {
    if (!vscode.workspace.isTrusted) throw new RestrictedError();
    const { context, log } = this.#options;
    const team = found === undefined ? await chooseTeam(context.extensionUri, log) : await readTeam(found);
    if (team === null) return false;
    await this.#one.close(async () => {
      const begun = await this.#start(await this.#options.storage(), team);
      await this.#remember(begun.runId);
      await begun.close();
    });
    this.#reopened.fire();
    return true;
  }

  /** Opens a stored conversation in the place of the one that is open. */
  async show(runId: string): Promise<void> {
    await this.#one.close(() => this.#remember(runId));
    this.#reopened.fire();
  }

  /** Does something to a stored conversation: the open one, or another that is opened for as long as it takes. */
  async use<Result>(runId: string, work: (conversation: Conversation) => Promise<Result>): Promise<Result> {
    const { current } = this;
    if (current?.conversation.runId === runId) return work(current.conversation);
    const conversation = await Conversation.open(this.#host(await this.#options.storage()), runId);
    try {
      return await work(conversation);
    } finally {
      await conversation.close();
    }
  }

  /**
   * Closes the open conversation for good: nothing is opened before `remove` is done.
   * @param remove - returns the run id of what is to be opened instead; null for a fresh conversation.
   */
  async discard(remove: () => Promise<string | null>): Promise<void> {
    try {
      await this.#one.replace(async () => {
        const next = await remove();
        if (next !== null || !vscode.workspace.isTrusted) return this.#remember(next);
        await this.#remember(null);
        const begun = await this.#begin(await this.#options.storage());
        await this.#remember(begun.runId);
        await begun.close();
      });
    } finally {
      this.#reopened.fire();
    }
  }

  /** The rooms of a stored conversation by id; null when there is no such conversation. */
  async roomsOf(runId: string): Promise<LiveState['rooms'] | null> {
    const { current } = this;
    if (current?.conversation.runId === runId) return (await current.conversation.status()).state.rooms;
    const { storage } = await this.#options.storage();
    const stored = await storage.runs.list();
    return stored.some((run) => run.runId === runId) ? (await readStoredState(storage, runId)).rooms : null;
  }

  /** The lines of a room's file, from the record. */
  async roomLines(runId: string, roomId: string): Promise<RoomLines> {
    const { storage } = await this.#options.storage();
    return readRoomLines(storage, runId, roomId);
  }

  /** Ends what runs in this window and lets another one run the conversation. */
  close(): Promise<void> {
    return this.#one.close();
  }

  dispose(): void {
    clearInterval(this.#runnerCheck);
    void this.close().catch((error: unknown) => this.#options.log.error(messageOf(error)));
    this.#changed.dispose();
    this.#opened.dispose();
    this.#reopened.dispose();
  }

  async #find(): Promise<OpenConversation> {
    const storage = await this.#options.storage();
    const remembered = this.#options.context.workspaceState.get<string>(MEMENTO.conversation);
    const { runs } = storage.storage;
    const stored = await runs.list();
    const last = stored.find((run) => run.runId === remembered);
    // What was open last and is not to be had: no other conversation takes its place in silence.
    const damaged = last === undefined ? await runs.listDamaged() : [];
    if (damaged.length > 0 && (remembered !== undefined || stored.length === 0)) throw new DamagedError(damaged);
    const runId = (last ?? stored[0])?.runId;
    const conversation =
      runId === undefined ? await this.#beginFirst(storage) : await Conversation.open(this.#host(storage), runId);
    await this.#remember(conversation.runId);
    return this.#attach(conversation, storage);
  }

  /** Begins the workspace's first conversation, or opens the one that another window has begun meanwhile. */
  async #beginFirst(storage: WorkspaceStorage): Promise<Conversation> {
    if (!vscode.workspace.isTrusted) throw new RestrictedError();
    const { runs } = storage.storage;
    using _turn = await turnToBegin(runs);
    const [begun] = await runs.list();
    return begun === undefined ? await this.#begin(storage) : await Conversation.open(this.#host(storage), begun.runId);
  }

  async #begin(storage: WorkspaceStorage): Promise<Conversation> {
    if (!vscode.workspace.isTrusted) throw new RestrictedError();
    const { context, log } = this.#options;
    return this.#start(storage, await firstTeam(context.extensionUri, log));
  }

  #start(storage: WorkspaceStorage, team: TeamFile): Promise<Conversation> {
    const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.toString());
    return Conversation.start(this.#host(storage), team, folders);
  }

  #host({ storage }: WorkspaceStorage): ConversationHost {
    return { ...this.#options.host, storage };
  }

  async #attach(conversation: Conversation, { storage, rooms }: WorkspaceStorage): Promise<OpenConversation> {
    const isWriter = (): boolean => this.runnerPlace() !== 'elsewhere';
    const files = new LiveRoomFiles({ storage, runId: conversation.runId, directory: rooms, isWriter });
    conversation.onDidChange((change) => {
      if (this.current?.conversation !== conversation) return;
      this.#changed.fire(change);
      void files.follow(change).catch((error: unknown) => this.#options.log.error(messageOf(error)));
    });
    return { conversation, files, forkOf: await readForkOf(storage, conversation.runId) };
  }

  /** Who runs the conversation changed without an event: the window that ran it died. */
  async #tellRunner(): Promise<void> {
    const { current } = this;
    if (current === null) return;
    const { state } = await current.conversation.status();
    if (this.current === current) {
      this.#changed.fire({ from: state.revision, to: state.revision, events: [], state });
    }
  }

  async #remember(runId: string | null): Promise<void> {
    await this.#options.context.workspaceState.update(MEMENTO.conversation, runId ?? undefined);
  }
}

/** Writes the rooms' files on that an earlier window has begun. */
async function adoptFiles({ conversation, files }: OpenConversation): Promise<void> {
  const { state } = await conversation.status();
  await files.adopt([...state.rooms.keys()]);
}
