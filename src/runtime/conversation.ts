// One live conversation in this window: what a person does in it, what is shown of it, and whether its turns run here.
// Rules: docs/rules.md § The live conversation.
import { randomUUID } from 'node:crypto';
import { parseRecordEvent, type NewRecordEvent } from '../core/record/catalogue.js';
import { TeamError } from '../core/team/error.js';
import { decidePost, decideRun, interruptedAt } from '../core/team/live-decide.js';
import { isRunning, type LiveState } from '../core/team/live-state.js';
import { attemptId } from '../core/team/identifiers.js';
import { parseMentions } from '../core/team/mentions.js';
import { parseTeamFile, type TeamFile } from '../core/team/team-file.js';
import { isStorageError, StorageError } from '../storage/error.js';
import type { LocalRunStorage } from '../storage/port.js';
import { LiveRecord, newDomainEvent, type Draft, type RecordChange } from './live-record.js';
import { LiveRunner, roomRoster } from './live-runner.js';
import { readLiveTeam } from './live-team.js';
import type { Clock } from './ports/clock.js';
import type { EngineDirectory } from './ports/engines.js';
import { openWithCare } from './record-care.js';
import { systemClock } from './system-clock.js';
import { Tenure, type RunnerPlace } from './tenure.js';
import { waitUntil } from './wait-until.js';

/** How long a window that was asked for its conversation may need, and how often it is looked at, in milliseconds. */
const TAKE_OVER = { timeoutMs: 10_000, everyMs: 100 } as const;

/** How long whoever asked for a conversation may take to begin, and how often it is looked at, in milliseconds. */
const ADOPT = { timeoutMs: 1_000, everyMs: 200 } as const;

/** Why the turn of a host that went away is reconciled by a person. */
const INTERRUPTED = 'The window that ran this turn went away before its outcome was saved.';

export interface ConversationHost {
  readonly storage: LocalRunStorage;
  readonly engines: EngineDirectory;
  /** This window's runner id: new at every start of the host. */
  readonly runnerId: string;
  readonly clock?: Clock;
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

export class Conversation {
  readonly runId: string;
  readonly team: TeamFile;
  readonly #host: ConversationHost;
  readonly #record: LiveRecord;
  readonly #runner: LiveRunner;
  readonly #watch: Disposable;
  readonly #tenure: Tenure;
  readonly #clock: Clock;
  readonly #closing = new AbortController();

  private constructor(host: ConversationHost, runId: string, team: TeamFile) {
    const { storage, engines, runnerId, clock = systemClock, onError } = host;
    this.runId = runId;
    this.team = team;
    this.#host = host;
    this.#clock = clock;
    this.#tenure = new Tenure({ runs: storage.runs, runId, runnerId });
    const dropState = process.env['TEAMROOM_DROP_STATE'] === '1';
    const snapshots = storage.runs.cache(runId);
    this.#record = new LiveRecord({ storage, runId, clock, dropState, readTeam: readLiveTeam, onError, snapshots });
    this.#runner = new LiveRunner({ storage, runId, clock, engines, runnerId, onError, team, record: this.#record });
    this.#watch = storage.runs.watch(runId, () => void this.#follow().catch(onError));
    this.#record.onDidChange(({ state }) => this.#yieldTo(state));
  }

  /**
   * Starts a conversation with a team: the record begins, with every member but the lead provisioned and active.
   * Nothing runs until a person posts.
   * @param folders - URIs of the workspace folders.
   */
  static async start(host: ConversationHost, team: TeamFile, folders: readonly string[]): Promise<Conversation> {
    const runId = randomUUID();
    const drafts: Draft[] = [
      {
        event: {
          type: 'conversation:started',
          payload: { teamId: team.id, team: team.canonicalText, limits: { ...team.limits }, folders },
        },
      },
      ...rosterEvents(runId, team).map((event) => ({ event })),
    ];
    const { storage, clock = systemClock } = host;
    const stream = { namespace: storage.record.namespace, streamId: runId };
    await storage.eventStore.append(
      stream,
      0,
      drafts.map((draft) => newDomainEvent({ runId, clock }, draft)),
    );
    return new Conversation(host, runId, team);
  }

  /**
   * Opens a stored conversation. Opening starts nothing.
   * @throws StorageError, RecordError or TeamFileError when the record cannot be read.
   */
  static open(host: ConversationHost, runId: string): Promise<Conversation> {
    return openWithCare(host, runId, () => Conversation.#open(host, runId));
  }

  static async #open(host: ConversationHost, runId: string): Promise<Conversation> {
    const conversation = new Conversation(host, runId, await readTeamOf(host.storage, runId));
    try {
      await conversation.#record.refresh();
      return conversation;
    } catch (error) {
      await conversation.close();
      throw error;
    }
  }

  onDidChange(listener: (change: RecordChange) => void): Disposable {
    return this.#record.onDidChange(listener);
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
    const { mentions, unresolved } = parseMentions(text, roomRoster(this.team, roomId));
    const eventId = `post/${requestId}`;
    let id = '';
    try {
      await this.#act((state) => {
        const event = decidePost(state, { roomId, text, mentions, unresolved });
        id = event.payload.id;
        return [{ event, correlationId: id, eventId }];
      });
    } catch (error) {
      // Said before, by a window that went away or an append whose end was not heard: it counts once, and it runs.
      const earlier = isStorageError(error) ? await this.#postOf(eventId) : null;
      if (earlier === null) throw error;
      id = earlier;
      await this.#act(() => []);
    }
    return id;
  }

  /** Starts the queued turns that wait since nobody runs the conversation. */
  async resumeTeam(): Promise<void> {
    await this.#act(() => this.#onlyHere([]));
  }

  /**
   * Runs an interrupted turn again, at its position.
   * @throws TeamError `TURN_NOT_INTERRUPTED`, `RUNS_ELSEWHERE`.
   */
  async resumeTurn(position: string): Promise<void> {
    const { namespace } = this.#host.storage.record;
    let memberId = '';
    const state = await this.#act((before) => {
      memberId = interruptedAt(before, position, this.#isRunnerAlive(before)).id;
      const attempt = attemptId({ namespace, streamId: this.runId, nodeId: memberId, position });
      const request = { kind: 'reconcile-attempt', attemptId: attempt };
      return this.#onlyHere([
        { event: { type: 'graph:node-paused', payload: { nodeId: memberId, position, reason: INTERRUPTED, request } } },
        { event: { type: 'graph:node-resumed', payload: { nodeId: memberId, position } } },
      ]);
    });
    this.#runner.resume(memberId, state);
  }

  /**
   * Gives an interrupted turn up; who was to answer after it is woken.
   * @throws TeamError `TURN_NOT_INTERRUPTED`.
   */
  async skipTurn(position: string): Promise<void> {
    await this.#act((state) => {
      const { id, open } = interruptedAt(state, position, this.#isRunnerAlive(state));
      const payload = { member: id, position, roomId: open.roomId, by: 'you' };
      return [{ event: { type: 'turn:skipped', payload }, correlationId: open.chain }];
    });
  }

  /** Stops following and running. Settles nothing: what is open stays open in the record. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#watch[Symbol.dispose]();
    await this.#runner.stop();
    this.#tenure.close();
  }

  /**
   * Makes this window the runner: at once when the conversation is free; else the window that runs it is asked, ends
   * the turns it has and lets go; one that does not answer is overruled after ten seconds.
   * @param signal - ends the waiting; nothing is taken then.
   */
  async takeOver(signal?: AbortSignal): Promise<void> {
    const { runnerId } = this.#host;
    if (!this.#tenure.take()) {
      await this.#record.decide((state) =>
        state.requestedBy === runnerId
          ? []
          : [{ event: { type: 'conversation:requested', payload: { runner: runnerId } } }],
      );
      const stop = signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]);
      const free = await waitUntil(() => this.#tenure.take(), { ...TAKE_OVER, clock: this.#clock, signal: stop });
      if (stop.aborted) return;
      if (!free) this.#tenure.force();
    }
    await this.#act(() => []);
  }

  /** Writes what a person did; this window becomes the runner when the conversation has none. */
  async #act(decide: (state: LiveState) => readonly Draft[]): Promise<LiveState> {
    if (this.#isClosed) throw new TeamError('CONVERSATION_CLOSED', 'This conversation was closed. Open it again.');
    this.#tenure.take();
    try {
      const state = await this.#record.decide((before) => {
        const isNew = this.#tenure.isHere && !this.#tenure.isAnnounced;
        const run = isNew ? [{ event: decideRun(before, this.#host.runnerId) }] : [];
        return [...run, ...decide(before)];
      });
      this.#tenure.announced();
      if (this.#tenure.isHere) this.#runner.drive();
      else void this.#adopt().catch(this.#host.onError);
      return state;
    } catch (error) {
      this.#tenure.cancel();
      throw error;
    }
  }

  /** A window that asked for the conversation and went away leaves it to nobody: what was written here runs here. */
  async #adopt(): Promise<void> {
    const isTaken = () => this.#tenure.place() !== 'nobody';
    const wait = { ...ADOPT, clock: this.#clock, signal: this.#closing.signal };
    if ((await waitUntil(isTaken, wait)) || this.#isClosed) return;
    await this.#act(() => []);
  }

  /** @throws TeamError `RUNS_ELSEWHERE` when this window does not run the conversation. */
  #onlyHere(drafts: readonly Draft[]): readonly Draft[] {
    if (this.#tenure.isHere) return drafts;
    throw new TeamError('RUNS_ELSEWHERE', 'This conversation is running in another window. Resume it there.');
  }

  /** True when the runner that the record names still runs: its open turns are not interrupted. */
  #isRunnerAlive({ runner }: LiveState): boolean {
    if (!this.#tenure.isHere) return this.runnerPlace() === 'elsewhere';
    return this.#tenure.isAnnounced && runner?.id === this.#host.runnerId;
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  async #follow(): Promise<void> {
    if (this.#isClosed) return;
    await this.#record.refresh();
    if (!this.#tenure.isHere) return;
    // A conversation that was taken by force: the hold follows as soon as it is free.
    this.#tenure.take();
    this.#runner.drive();
  }

  /** Lets go of a conversation that another window took, or asked for while nothing runs here. */
  #yieldTo(state: LiveState): void {
    if (this.#tenure.isLostIn(state)) {
      this.#tenure.release();
      void this.#runner.abandon();
      return;
    }
    const isAsked = state.requestedBy !== null && state.requestedBy !== this.#host.runnerId;
    // A tenure that the record does not know of yet began after the request, and ends it.
    if (isAsked && this.#tenure.isAnnounced && !hasRunning(state)) this.#tenure.release();
  }

  async #postOf(eventId: string): Promise<string | null> {
    const { storage } = this.#host;
    const stream = { namespace: storage.record.namespace, streamId: this.runId };
    for await (const envelope of storage.eventStore.read(stream)) {
      if (envelope.eventId !== eventId) continue;
      const event = parseRecordEvent(envelope);
      return event.type === 'post:written' ? event.payload.id : null;
    }
    return null;
  }
}

function hasRunning(state: LiveState): boolean {
  return [...state.members.values()].some((member) => isRunning(state, member));
}

/** Reads the team file that a conversation was started with. */
export async function readTeamOf(storage: LocalRunStorage, runId: string): Promise<TeamFile> {
  const stream = { namespace: storage.record.namespace, streamId: runId };
  for await (const envelope of storage.eventStore.read(stream)) {
    const event = parseRecordEvent(envelope);
    if (event.type === 'conversation:started') return parseTeamFile(event.payload.team, event.payload.teamId);
    break;
  }
  throw new StorageError('INVALID_STORED_VALUE', `The stored run ${runId} is not a conversation.`, { path: '/runId' });
}

function rosterEvents(runId: string, team: TeamFile): readonly NewRecordEvent[] {
  return team.members
    .filter(({ id }) => id !== team.lead)
    .flatMap(({ id, role, engine }): readonly NewRecordEvent[] => {
      const member = {
        id: randomUUID(),
        name: id,
        description: role,
        provider: engine.kind,
        context: 'fresh',
      } as const;
      return [
        { type: 'team/member', payload: { version: 1, teamId: runId, member: { ...member, phase: 'provisioning' } } },
        { type: 'team/member', payload: { version: 1, teamId: runId, member: { ...member, phase: 'active' } } },
      ];
    });
}
