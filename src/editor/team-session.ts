// The conversation that this window has open: found again or begun, followed, and closed. Everything that shows it
// (panel, sidebar, room documents, room files) listens here.
import * as vscode from 'vscode';
import type { TeamFile } from '../core/team/team-file.js';
import { Conversation, type ConversationHost, type RunnerPlace } from '../runtime/conversation.js';
import { LiveRoomFiles, readRoomText } from '../runtime/live-room-files.js';
import type { RecordChange } from '../runtime/live-record.js';
import { MEMENTO } from './contributions.js';
import { messageOf, RestrictedError, TeamFileProblem } from './errors.js';
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

export class TeamSession implements vscode.Disposable {
  readonly #options: TeamSessionOptions;
  readonly #changed = new vscode.EventEmitter<RecordChange>();
  readonly #reopened = new vscode.EventEmitter<void>();
  #open: Promise<OpenConversation> | null = null;
  #current: OpenConversation | null = null;

  /** A change of the open conversation's record. */
  readonly onDidChange = this.#changed.event;
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

  /** Closes what is open, or what failed to open, and tells everybody to look again. */
  async reopen(): Promise<void> {
    await this.#close();
    this.#reopened.fire();
  }

  /** Begins a fresh conversation; the one before stays in the store. */
  async startNew(): Promise<void> {
    await this.#close();
    await this.#options.context.workspaceState.update(MEMENTO.conversation, undefined);
    const storage = await this.#options.storage();
    await this.#remember(await this.#begin(storage));
    this.#reopened.fire();
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
    this.#reopened.dispose();
  }

  async #find(): Promise<OpenConversation> {
    const storage = await this.#options.storage();
    const remembered = this.#options.context.workspaceState.get<string>(MEMENTO.conversation);
    const stored = await storage.storage.runs.list();
    const runId = stored.find((run) => run.runId === remembered)?.runId ?? stored[0]?.runId;
    const conversation =
      runId === undefined ? await this.#begin(storage) : await Conversation.open(this.#host(storage), runId);
    this.#current = this.#attach(conversation, storage);
    await this.#remember(conversation);
    return this.#current;
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
    return { conversation, files };
  }

  async #remember(conversation: Conversation): Promise<void> {
    await this.#options.context.workspaceState.update(MEMENTO.conversation, conversation.runId);
  }

  async #close(): Promise<void> {
    const opening = this.#open;
    this.#open = null;
    this.#current = null;
    const open = await opening?.catch(() => null);
    await open?.conversation.close();
  }
}
