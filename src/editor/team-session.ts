// The conversation that this window has open: found again or begun, followed, and closed. Everything that shows it
// (panel, sidebar, room documents, room files) listens here.
import * as vscode from 'vscode';
import type { TeamFile } from '../core/team/team-file.js';
import { Conversation, readTeamOf, type ConversationHost } from '../runtime/conversation.js';
import type { RunnerPlace } from '../runtime/tenure.js';
import { LiveRoomFiles, readRoomText } from '../runtime/live-room-files.js';
import type { RecordChange } from '../runtime/live-record.js';
import { turnToBegin } from './beginning.js';
import { MEMENTO } from './contributions.js';
import { DamagedError, messageOf, RestrictedError, TeamFileProblem } from './errors.js';
import { findTeams, readTeam, type FoundTeam } from './team-files.js';
import type { WorkspaceStorage } from './workspace-storage.js';

export interface OpenConversation {
  readonly conversation: Conversation;
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
  #open: Promise<OpenConversation> | null = null;
  #current: OpenConversation | null = null;
  #runnerCheck: NodeJS.Timeout | null = null;

  /** A change of the open conversation's record, or of who runs it: then without events. */
  readonly onDidChange = this.#changed.event;
  /** A conversation was opened. */
  readonly onDidOpen = this.#opened.event;
  /** Another conversation is open, or the one that failed to open may be tried again. */
  readonly onDidReopen = this.#reopened.event;

  constructor(options: TeamSessionOptions) {
    this.#options = options;
  }

  /** The open conversation, if it is open already. */
  get current(): OpenConversation | null {
    return this.#current;
  }

  runnerPlace(): RunnerPlace {
    return this.#current?.conversation.runnerPlace() ?? 'nobody';
  }

  /** The open conversation; opened now when it is not: the one this workspace had open, else the newest, else a new one. */
  async open(): Promise<OpenConversation> {
    this.#open ??= this.#find();
    try {
      return await this.#open;
    } catch (error) {
      this.#open = null;
      throw error;
    }
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
    await this.#close();
    this.#reopened.fire();
  }

  /** Begins a fresh conversation; the one before stays in the store. */
  async startNew(): Promise<void> {
    if (!vscode.workspace.isTrusted) throw new RestrictedError();
    await this.#close();
    await this.#options.context.workspaceState.update(MEMENTO.conversation, undefined);
    const begun = await this.#begin(await this.#options.storage());
    await this.#remember(begun);
    await begun.close();
    this.#reopened.fire();
  }

  /** Opens a stored conversation in the place of the one that is open. */
  async show(runId: string): Promise<void> {
    await this.#options.context.workspaceState.update(MEMENTO.conversation, runId);
    await this.reopen();
  }

  /** The team of a stored conversation as it was when that began; null when there is no such conversation. */
  async teamOf(runId: string): Promise<TeamFile | null> {
    if (this.#current?.conversation.runId === runId) return this.#current.conversation.team;
    const { storage } = await this.#options.storage();
    const stored = await storage.runs.list();
    return stored.some((run) => run.runId === runId) ? readTeamOf(storage, runId) : null;
  }

  /** The text of a room's file, from the record. */
  async roomText(runId: string, roomId: string): Promise<string> {
    const { storage } = await this.#options.storage();
    return readRoomText(storage, runId, roomId);
  }

  /** Ends what runs in this window and lets another one run the conversation. */
  close(): Promise<void> {
    return this.#close();
  }

  dispose(): void {
    void this.#close().catch((error: unknown) => this.#options.log.error(messageOf(error)));
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
    this.#current = this.#attach(conversation, storage);
    await this.#remember(conversation);
    this.#opened.fire(this.#current);
    return this.#current;
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
    const team = await this.#chooseTeam();
    const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.toString());
    return Conversation.start(this.#host(storage), team, folders);
  }

  async #chooseTeam(): Promise<TeamFile> {
    const teams = await findTeams(this.#options.context.extensionUri);
    const problems: TeamFileProblem[] = [];
    const usable: { readonly found: FoundTeam; readonly team: TeamFile }[] = [];
    for (const found of teams) {
      try {
        usable.push({ found, team: await readTeam(found) });
      } catch (error) {
        if (!(error instanceof TeamFileProblem)) throw error;
        problems.push(error);
      }
    }
    const [problem] = problems;
    if (problem !== undefined && usable.length === 0) throw problem;
    for (const other of problems) this.#options.log.warn(other.message);
    const [only] = usable;
    if (only === undefined) throw new Error(vscode.l10n.t('No team file was found.'));
    return only.team;
  }

  #host({ storage }: WorkspaceStorage): ConversationHost {
    return { ...this.#options.host, storage };
  }

  #attach(conversation: Conversation, { storage, rooms }: WorkspaceStorage): OpenConversation {
    const files = new LiveRoomFiles({ storage, runId: conversation.runId, directory: rooms });
    conversation.onDidChange((change) => {
      if (this.#current?.conversation !== conversation) return;
      this.#changed.fire(change);
      void files.follow(change).catch((error: unknown) => this.#options.log.error(messageOf(error)));
    });
    this.#checkRunner(conversation);
    return { conversation, files };
  }

  /** A window that dies writes no event: who runs the conversation is looked at again, and told when it has changed. */
  #checkRunner(conversation: Conversation): void {
    let told = conversation.runnerPlace();
    // Changes tell it too. What was told counts, not the last look: a window may come and go between two looks.
    conversation.onDidChange(() => (told = conversation.runnerPlace()));
    const look = async (): Promise<void> => {
      const now = conversation.runnerPlace();
      if (now === told || this.#current?.conversation !== conversation) return;
      told = now;
      const { state } = await conversation.status();
      this.#changed.fire({ from: state.revision, to: state.revision, events: [], state });
    };
    this.#runnerCheck = setInterval(() => {
      look().catch((error: unknown) => this.#options.log.error(messageOf(error)));
    }, RUNNER_CHECK_MS).unref();
  }

  async #remember(conversation: Conversation): Promise<void> {
    await this.#options.context.workspaceState.update(MEMENTO.conversation, conversation.runId);
  }

  async #close(): Promise<void> {
    const opening = this.#open;
    if (this.#runnerCheck !== null) clearInterval(this.#runnerCheck);
    this.#open = null;
    this.#current = null;
    const open = await opening?.catch(() => null);
    await open?.conversation.close();
  }
}
