// One live conversation in this window: what a person does in it, what is shown of it, and whether its turns run here.
// Rules: docs/rules.md § The live conversation.
import { randomUUID } from 'node:crypto';
import type { ChainLimit, NewRecordEvent, TurnUsage } from '../core/record/catalogue.js';
import { attemptId } from '../core/team/identifiers.js';
import { decidePost } from '../core/team/live-decide.js';
import {
  decideContinue,
  decideInterrupt,
  decideRetry,
  decideSkip,
  decideStop,
  interruptedAt,
} from '../core/team/live-person.js';
import { decideDirectRoom, decideRoom, type NewRoom } from '../core/team/live-room.js';
import { PERSON, type LiveState } from '../core/team/live-state.js';
import { parseMentions } from '../core/team/mentions.js';
import { parseTeamFile, type TeamFile } from '../core/team/team-file.js';
import { isStorageError } from '../storage/error.js';
import type { LocalRunStorage } from '../storage/port.js';
import { findPost, NO_SETTINGS, readTeamOf, startEvent, type ConversationSettings } from './conversation-start.js';
import { LiveRecord, newDomainEvent, type Draft, type RecordChange } from './live-record.js';
import { LiveRunner } from './live-runner.js';
import { readLiveTeam } from '../core/team/live-team.js';
import { LiveTexts, type LiveText, type LiveTextPiece } from './live-texts.js';
import type { Clock } from './ports/clock.js';
import type { EngineDirectory } from './ports/engines.js';
import { openWithCare } from './record-care.js';
import { rosterEvents } from './roster-events.js';
import { RunControl } from './run-control.js';
import type { StepPiece } from './step-pieces.js';
import { systemClock } from './system-clock.js';
import { decideTeamChange } from './team-change.js';
import { Tenure, type RunnerPlace } from './tenure.js';
import { readRoomChannel } from './tools/read-room-channel.js';
import { roomRoster } from './turn-outcome.js';
import { readFinals, recoveryDrafts } from './turn-recovery.js';

/** Why the turn of a host that went away is reconciled by a person. */
const INTERRUPTED = 'The window that ran this turn went away before its outcome was saved.';

export interface ConversationHost {
  readonly storage: LocalRunStorage;
  readonly engines: EngineDirectory;
  /** This window's runner id: new at every start of the host. */
  readonly runnerId: string;
  readonly clock?: Clock;
  readonly settings?: () => ConversationSettings;
  /** US dollars by the price table in force; null when the model is not in it. */
  readonly price?: (usage: TurnUsage) => number | null;
  /** Called with what went wrong where no caller waits for it. */
  readonly onError: (error: unknown) => void;
}

/** What is shown of a conversation now. */
export interface ConversationStatus {
  readonly state: LiveState;
  readonly runner: RunnerPlace;
}

export interface NewPost {
  /** Chosen by who asks; the same request is written once, however often it is made. */
  readonly requestId: string;
  readonly roomId: string;
  readonly text: string;
}

/** A piece of a step that this window's runner is writing. */
export interface StepReport {
  readonly position: string;
  readonly piece: StepPiece & { readonly at: string };
}

export class Conversation {
  readonly runId: string;
  readonly #host: ConversationHost;
  readonly #record: LiveRecord;
  readonly #runner: LiveRunner;
  readonly #control: RunControl;
  readonly #watch: Disposable;
  readonly #tenure: Tenure;
  readonly #texts: LiveTexts;
  readonly #stepListeners = new Set<(report: StepReport) => void>();
  #team: TeamFile;

  private constructor(host: ConversationHost, runId: string, team: TeamFile) {
    const { storage, engines, runnerId, clock = systemClock, price = () => null, onError } = host;
    this.runId = runId;
    this.#team = team;
    this.#host = host;
    this.#tenure = new Tenure({ runs: storage.runs, runId, runnerId });
    const dropState = process.env['TEAMROOM_DROP_STATE'] === '1';
    const snapshots = storage.runs.cache(runId);
    const record = new LiveRecord({ storage, runId, clock, dropState, readTeam: readLiveTeam, onError, snapshots });
    this.#record = record;
    this.#texts = new LiveTexts(onError);
    const tools = [readRoomChannel({ storage, runId, state: () => record.refresh() })];
    this.#runner = new LiveRunner({
      ...{ storage, runId, clock, engines, runnerId, onError, record, tools, price },
      texts: this.#texts,
      team: (state) => this.#teamOf(state),
      onPiece: (position, piece, at) => this.#tellStep({ position, piece: { ...piece, at } }),
    });
    this.#control = new RunControl({
      ...{ record, runner: this.#runner, tenure: this.#tenure, clock, runnerId, onError },
      recover: () => this.#recover(),
    });
    this.#watch = storage.runs.watch(runId, () => void this.#follow().catch(onError));
  }

  /**
   * Starts a conversation with a team: the record begins, with every member but the lead provisioned and active.
   * Nothing runs until a person posts.
   * @param folders - URIs of the workspace folders.
   */
  static async start(host: ConversationHost, team: TeamFile, folders: readonly string[]): Promise<Conversation> {
    const runId = randomUUID();
    const { storage, clock = systemClock } = host;
    const events = [startEvent(host, team, folders), ...rosterEvents(runId, team)];
    const stream = { namespace: storage.record.namespace, streamId: runId };
    await storage.eventStore.append(
      stream,
      0,
      events.map((event) => newDomainEvent({ runId, clock }, { event })),
    );
    return new Conversation(host, runId, team);
  }

  /**
   * Opens a stored conversation. Opening starts nothing; a turn whose answer was saved before its window went away gets
   * it as its outcome.
   * @throws StorageError, RecordError or TeamFileError when the record cannot be read.
   */
  static open(host: ConversationHost, runId: string): Promise<Conversation> {
    return openWithCare(host, runId, () => Conversation.#open(host, runId));
  }

  static async #open(host: ConversationHost, runId: string): Promise<Conversation> {
    const conversation = new Conversation(host, runId, await readTeamOf(host.storage, runId));
    try {
      conversation.#teamOf(await conversation.#record.refresh());
      if (conversation.runnerPlace() === 'nobody') await conversation.#recover().catch(host.onError);
      return conversation;
    } catch (error) {
      await conversation.close();
      throw error;
    }
  }

  /** The team file in force. */
  get team(): TeamFile {
    return this.#team;
  }

  onDidChange(listener: (change: RecordChange) => void): Disposable {
    return this.#record.onDidChange((change) => {
      this.#teamOf(change.state);
      listener(change);
    });
  }

  /** Calls `listener` with what turns of this window say, as they say it. */
  onDidStream(listener: (piece: LiveTextPiece) => void): Disposable {
    return this.#texts.onDidGrow(listener);
  }

  /** What running turns of this window have said so far. */
  liveTexts(): readonly LiveText[] {
    return this.#texts.all;
  }

  /** Calls `listener` with the steps of turns of this window, as they go into the record. */
  onDidStep(listener: (report: StepReport) => void): Disposable {
    this.#stepListeners.add(listener);
    return { [Symbol.dispose]: () => void this.#stepListeners.delete(listener) };
  }

  async status(): Promise<ConversationStatus> {
    return { state: await this.#record.refresh(), runner: this.runnerPlace() };
  }

  /** Who runs the conversation now. */
  runnerPlace(): RunnerPlace {
    return this.#tenure.place();
  }

  /**
   * Writes a post of the person and, unless another window runs the conversation, starts what it wakes.
   * @returns the id of the post.
   * @throws TeamError `ROOM_NOT_FOUND`, `POST_EMPTY`.
   */
  async post({ requestId, roomId, text: given }: NewPost): Promise<string> {
    const text = given.toWellFormed();
    const eventId = `post/${requestId}`;
    let id = '';
    try {
      await this.#control.act((state) => {
        const { mentions, unresolved } = parseMentions(text, roomRoster(this.#teamOf(state), state, roomId));
        const event = decidePost(state, { roomId, text, mentions, unresolved });
        id = event.payload.id;
        return [{ event, correlationId: id, eventId }];
      });
    } catch (error) {
      // Said before, by a window that went away or an append whose end was not heard: it counts once, and it runs.
      const earlier = isStorageError(error) ? await findPost(this.#host.storage, this.runId, eventId) : null;
      if (earlier === null) throw error;
      id = earlier;
      await this.#control.act(() => []);
    }
    return id;
  }

  /** Starts the queued turns that wait since nobody runs the conversation. */
  async resumeTeam(): Promise<void> {
    await this.#control.act(() => this.#control.onlyHere([]));
  }

  /**
   * Runs an interrupted turn again, at its position; one that was stopped is tried again at the next position.
   * @throws TeamError `TURN_NOT_INTERRUPTED`, `RUNS_ELSEWHERE`.
   */
  async resumeTurn(position: string): Promise<void> {
    const { namespace } = this.#host.storage.record;
    let memberId = '';
    const state = await this.#control.act((before) => {
      memberId = interruptedAt(before, position, this.#control.isRunnerAlive(before)).id;
      const attempt = attemptId({ namespace, streamId: this.runId, nodeId: memberId, position });
      const request = { kind: 'reconcile-attempt', attemptId: attempt };
      return this.#control.onlyHere([
        { event: { type: 'graph:node-paused', payload: { nodeId: memberId, position, reason: INTERRUPTED, request } } },
        { event: { type: 'graph:node-resumed', payload: { nodeId: memberId, position } } },
      ]);
    });
    this.#runner.resume(memberId, state);
  }

  /**
   * Tries a failed or stopped turn again: the next position, the same triggers.
   * @throws TeamError `TURN_NOT_LEFT`.
   */
  async retryTurn(position: string): Promise<void> {
    await this.#control.act((state) => [{ event: decideRetry(state, position) }]);
  }

  /**
   * Gives up a turn that was interrupted, stopped or failed; who was to answer after an interrupted one is woken.
   * @throws TeamError `TURN_NOT_INTERRUPTED`, `TURN_NOT_LEFT`.
   */
  async skipTurn(position: string): Promise<void> {
    await this.#control.act((state) => [{ event: decideSkip(state, position, this.#control.isRunnerAlive(state)) }]);
  }

  /** Stop: what waits never runs, and what runs is ended. From any window; a second one finds nothing to stop. */
  async stop(): Promise<void> {
    await this.#control.note((state) => drafts(decideStop(state, this.#control.isRunnerAlive(state), PERSON)));
  }

  /**
   * Ends one running turn; the others go on.
   * @throws TeamError `TURN_NOT_RUNNING`.
   */
  async interruptTurn(position: string): Promise<void> {
    await this.#control.note((state) =>
      drafts(decideInterrupt(state, position, this.#control.isRunnerAlive(state), PERSON)),
    );
  }

  /**
   * Grants a chain that stopped at a limit as much again.
   * @throws TeamError `CHAIN_NOT_LIMITED`.
   */
  async continueChain(chain: string, limit: ChainLimit): Promise<void> {
    await this.#control.act((state) => [{ event: decideContinue(state, chain, limit), correlationId: chain }]);
  }

  /** @param name - trimmed; an empty one takes the name away. */
  async rename(name: string): Promise<void> {
    const wanted = name.toWellFormed().trim();
    await this.#control.note((state) =>
      (state.name ?? '') === wanted ? [] : drafts([{ type: 'conversation:renamed', payload: { name: wanted } }]),
    );
  }

  async setArchived(archived: boolean): Promise<void> {
    await this.#control.note((state) =>
      state.isArchived === archived ? [] : drafts([{ type: 'conversation:archived', payload: { archived } }]),
    );
  }

  /**
   * Makes a room.
   * @returns its id.
   * @throws TeamError `NAME_INVALID`, `ROOM_EXISTS`, `MEMBER_NOT_FOUND`.
   */
  async createRoom(room: NewRoom): Promise<string> {
    let roomId = '';
    await this.#control.note((state) => {
      const event = decideRoom(state, room);
      roomId = event.payload.id;
      return [{ event }];
    });
    return roomId;
  }

  /**
   * The room of the person with one member, made when there is none.
   * @returns its id.
   * @throws TeamError `MEMBER_NOT_FOUND`.
   */
  async directRoom(memberId: string): Promise<string> {
    let roomId = '';
    await this.#control.note((state) => {
      const member = this.#teamOf(state).members.find(({ id }) => id === memberId);
      const found = decideDirectRoom(state, memberId, member?.name ?? memberId);
      roomId = found.roomId;
      return drafts(found.events);
    });
    return roomId;
  }

  /**
   * Puts another team file in force from here on, with the limits that follow from it.
   * @throws TeamFileError for a text that is no team file; TeamError `MEMBER_BUSY` when a member that it leaves out has
   * a turn.
   */
  async changeTeam(text: string): Promise<void> {
    const { settings = () => NO_SETTINGS } = this.#host;
    await this.#control.act((state) =>
      drafts(decideTeamChange(state, parseTeamFile(text, state.teamId), settings(), this.runId)),
    );
  }

  /** Puts the limits in force that follow from the settings now. */
  async applySettings(): Promise<void> {
    const { settings = () => NO_SETTINGS } = this.#host;
    await this.#control.note((state) => drafts(decideTeamChange(state, this.#teamOf(state), settings(), this.runId)));
  }

  /** Makes this window the runner; see `RunControl.takeOver`. */
  takeOver(signal?: AbortSignal): Promise<void> {
    return this.#control.takeOver(signal);
  }

  /** Stops following and running. Settles nothing: what is open stays open in the record. */
  async close(): Promise<void> {
    this.#control.close();
    this.#watch[Symbol.dispose]();
    await this.#runner.stop();
    this.#tenure.close();
  }

  async #follow(): Promise<void> {
    if (this.#control.isClosed) return;
    await this.#record.refresh();
    this.#control.follow();
  }

  /** Closes what earlier runners left open and what needs no running: answers that were saved, turns that were stopped. */
  async #recover(): Promise<void> {
    const { storage } = this.#host;
    const before = await this.#record.refresh();
    if (![...before.members.values()].some(({ open }) => open !== null)) return;
    const finals = await readFinals(storage, this.runId, before);
    await this.#record.decide((state) =>
      this.#control.isRunnerAlive(state) ? [] : recoveryDrafts(state, this.#teamOf(state), finals),
    );
  }

  #teamOf(state: LiveState): TeamFile {
    if (state.team !== this.#team.canonicalText) this.#team = parseTeamFile(state.team, state.teamId);
    return this.#team;
  }

  #tellStep(report: StepReport): void {
    for (const listener of this.#stepListeners) {
      try {
        listener(report);
      } catch (error) {
        this.#host.onError(error);
      }
    }
  }
}

function drafts(events: readonly NewRecordEvent[]): readonly Draft[] {
  return events.map((event) => ({ event }));
}
