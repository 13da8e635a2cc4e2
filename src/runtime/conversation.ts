// One live conversation in this window: what a person does in it, what is shown of it, and whether its turns run here.
// Rules: docs/rules.md § The live conversation.
import { randomUUID } from 'node:crypto';
import type { ChainLimit, NewRecordEvent, TurnUsage } from '../core/record/catalogue.js';
import { liveProfile, takenNames } from '../core/team/live-roster.js';
import { decidePost } from '../core/team/live-decide.js';
import {
  decideContinue,
  decideInterrupt,
  decideMail,
  decideRetry,
  decideSkip,
  decideStop,
  interruptedAt,
} from '../core/team/live-person.js';
import { decideArchived, decideDirectRoom, decideName, decideRoom, type NewRoom } from '../core/team/live-room.js';
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
import { systemClock } from './system-clock.js';
import { within } from './team-closing.js';
import { teamLimits, type TeamLimits } from './team-limits.js';
import { TeamService } from './team-service.js';
import { decideTeamChange } from './team-change.js';
import { Tenure, type RunnerPlace } from './tenure.js';
import { memberTools } from './tools/member-tools.js';
import { roomRoster } from './turn-outcome.js';
import { recover, resumeDrafts } from './turn-recovery.js';

export interface ConversationHost {
  readonly storage: LocalRunStorage;
  readonly engines: EngineDirectory;
  /** This window's runner id: new at every start of the host. */
  readonly runnerId: string;
  readonly clock?: Clock;
  readonly settings?: () => ConversationSettings;
  /** What a team may hold; a default for each that is not said. */
  readonly teamLimits?: Partial<TeamLimits>;
  /** US dollars by the price table in force; null when the model is not in it. */
  readonly price?: (usage: TurnUsage) => number | null;
  /** Called with what went wrong where no caller waits for it. */
  readonly onError: (error: unknown) => void;
}

/** How long turns may need to stop, in milliseconds. */
const TEARDOWN_MS = 7_000;

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

export class Conversation {
  readonly runId: string;
  /** Roster, mail and tasks, for whoever has a handle. */
  readonly service: TeamService;
  readonly #host: ConversationHost;
  readonly #record: LiveRecord;
  readonly #runner: LiveRunner;
  readonly #control: RunControl;
  readonly #watch: Disposable;
  readonly #tenure: Tenure;
  readonly #texts: LiveTexts;
  readonly #clock: Clock;
  readonly #limits: TeamLimits;
  #team: TeamFile;

  private constructor(host: ConversationHost, runId: string, team: TeamFile) {
    const { storage, engines, runnerId, clock = systemClock, price = () => null, onError } = host;
    this.runId = runId;
    this.#team = team;
    this.#host = host;
    this.#clock = clock;
    this.#tenure = new Tenure({ runs: storage.runs, runId, runnerId });
    const dropState = process.env['TEAMROOM_DROP_STATE'] === '1';
    const snapshots = storage.runs.cache(runId);
    const record = new LiveRecord({ storage, runId, clock, dropState, readTeam: readLiveTeam, onError, snapshots });
    this.#record = record;
    this.#texts = new LiveTexts(onError);
    const state = (): Promise<LiveState> => record.refresh();
    const limits = teamLimits(host.teamLimits);
    this.#limits = limits;
    this.service = new TeamService({
      ...{ storage, runId, clock, engines, record, limits },
      names: (now) => takenNames(this.#teamOf(now), now),
      drive: () => this.#runner.drive(),
      deliver: () => this.#runner.deliver(),
      isRunnerAlive: (now) => this.#control.isRunnerAlive(now),
    });
    this.#runner = new LiveRunner({
      ...{ storage, runId, clock, engines, runnerId, onError, record, price, limits },
      closing: this.service.closing,
      tools: memberTools({
        ...{ storage, runId, state, service: this.service },
        rest: (position) => this.#runner.rest(position),
        engineOf: (now, id) => liveProfile(this.#teamOf(now), now, id)?.engine ?? '',
      }),
      texts: this.#texts,
      team: (state) => this.#teamOf(state),
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
  liveTexts = (): readonly LiveText[] => this.#texts.all;

  async status(): Promise<ConversationStatus> {
    return { state: await this.#record.refresh(), runner: this.runnerPlace() };
  }

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
      return this.#control.onlyHere(resumeDrafts({ namespace, streamId: this.runId, nodeId: memberId, position }));
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

  /** Lets mail that a Stop holds go on its way. */
  async deliverMail(ids: readonly string[]): Promise<void> {
    await this.#control.act((state) => drafts(decideMail(state, 'mail:released', ids)));
  }

  /** Gives mail up that waits for its target. */
  async discardMail(ids: readonly string[]): Promise<void> {
    await this.#control.note((state) => drafts(decideMail(state, 'mail:discarded', ids)));
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
    await this.#control.note((state) => drafts(decideName(state, name)));
  }

  async setArchived(archived: boolean): Promise<void> {
    await this.#control.note((state) => drafts(decideArchived(state, archived)));
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

  /** See `RunControl.takeOver`. */
  takeOver(signal?: AbortSignal): Promise<void> {
    return this.#control.takeOver(signal);
  }

  /**
   * Stops following and running. Settles nothing: what is open stays open in the record. Ends within a time that is set
   * for each step, whatever goes wrong; that is reported as the host's errors are.
   */
  async close(): Promise<void> {
    const { onError } = this.#host;
    const closed = this.service.close();
    this.#control.close();
    this.#watch[Symbol.dispose]();
    await closed.catch(onError);
    const timeoutMs = this.#limits.disposalTimeoutMs + TEARDOWN_MS;
    await within(this.#runner.stop(), this.#clock, timeoutMs, 'What runs').catch(onError);
    this.#tenure.close();
  }

  async #follow(): Promise<void> {
    if (this.#control.isClosed) return;
    await this.#record.refresh();
    this.#control.follow();
  }

  #recover(): Promise<void> {
    return recover({
      ...{ storage: this.#host.storage, runId: this.runId, clock: this.#clock },
      ...{ record: this.#record, limits: this.#limits },
      isRunnerAlive: (state) => this.#control.isRunnerAlive(state),
      team: (state) => this.#teamOf(state),
    });
  }

  #teamOf(state: LiveState): TeamFile {
    if (state.team !== this.#team.canonicalText) this.#team = parseTeamFile(state.team, state.teamId);
    return this.#team;
  }
}

function drafts(events: readonly NewRecordEvent[]): readonly Draft[] {
  return events.map((event) => ({ event }));
}
