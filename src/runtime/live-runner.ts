// Runs the turns of a live conversation while this window is its runner: free slots are refilled at once, each turn
// ends in one outcome, and a runner that lost the conversation stops.
import { randomUUID } from 'node:crypto';
import { attemptIdentity } from '../core/team/identifiers.js';
import { decideNext } from '../core/team/live-decide.js';
import { isRunning, type LiveState, type OpenTurn } from '../core/team/live-state.js';
import { givenPosts, turnFailure, turnResult } from '../core/team/live-turn.js';
import type { TeamFile } from '../core/team/team-file.js';
import { isStorageError } from '../storage/error.js';
import { keepTrying, RETRY_MS } from './keep-trying.js';
import type { Draft, LiveRecord, RecordContext } from './live-record.js';
import { MemberStream } from './member-stream.js';
import type { EngineTurn, GivenPost, TurnInput, TurnResult } from './ports/engine.js';
import type { EngineDirectory } from './ports/engines.js';
import { runWithinTime, type TimedOutcome } from './time-limit.js';

/** How long a turn may take and how long it may need to stop, in milliseconds. */
const TURN_LIMITS = { timeoutMs: 30 * 60_000, teardownGraceMs: 7_000 } as const;

export interface LiveRunnerOptions extends RecordContext {
  readonly runnerId: string;
  readonly record: LiveRecord;
  readonly team: TeamFile;
  readonly engines: EngineDirectory;
  /** Called with what went wrong where no caller waits for it. */
  readonly onError: (error: unknown) => void;
}

export class LiveRunner {
  readonly #options: LiveRunnerOptions;
  readonly #streams = new Map<string, MemberStream>();
  /** Ends with this window's time as the runner; another one begins with the next. */
  #stop = new AbortController();
  #isClosed = false;
  readonly #turns = new Set<Promise<void>>();
  #driving: Promise<void> | null = null;
  #again = false;
  #retryTimer: Disposable | null = null;

  constructor(options: LiveRunnerOptions) {
    this.#options = options;
  }

  /** Starts whatever can start now. Calls during a step make one more step after it. */
  drive(): void {
    this.#again = true;
    this.#driving ??= this.#drive().finally(() => (this.#driving = null));
  }

  /** Runs an open turn again, at its own position. */
  resume(memberId: string, state: LiveState): void {
    const turn = state.members.get(memberId)?.open;
    if (turn !== undefined && turn !== null) this.#launch(memberId, turn, state);
  }

  /** Ends all that runs and writes nothing more of it; resolves when it has ended. Turns can be started again. */
  async abandon(): Promise<void> {
    this.#stop.abort(new DOMException('The conversation is not run by this window any more.', 'AbortError'));
    this.#stop = new AbortController();
    await Promise.allSettled(this.#turns);
  }

  /** Ends all that runs, for good. */
  async stop(): Promise<void> {
    this.#isClosed = true;
    this.#retryTimer?.[Symbol.dispose]();
    await this.abandon();
    await this.#driving;
  }

  async #drive(): Promise<void> {
    try {
      while (this.#again && !this.#isClosed) {
        this.#again = false;
        await this.#step();
      }
    } catch (error) {
      this.#options.onError(error);
      // The store may be full or busy: what waits must not wait for the next post.
      this.#retryTimer ??= this.#options.clock.after(RETRY_MS, () => {
        this.#retryTimer = null;
        this.drive();
      });
    }
  }

  async #step(): Promise<void> {
    const { record, storage, runId } = this.#options;
    const { namespace } = storage.record;
    let started: readonly string[] = [];
    const state = await record.decide((before) => {
      started = [];
      if (!this.#isOurs(before) || this.#isClosed) return [];
      const { limited, starts } = decideNext(before);
      started = starts.map(({ memberId }) => memberId);
      const dispatches = starts.flatMap(({ memberId, position }): readonly Draft[] => {
        const identity = attemptIdentity({ namespace, streamId: runId, nodeId: memberId, position });
        const cause = causeOf(before, memberId);
        return [
          { event: { type: 'graph:node-dispatched', payload: { nodeId: memberId, position } }, ...cause },
          { event: { type: 'graph:node-attempt-started', payload: { identity, retrySafe: false } }, ...cause },
        ];
      });
      return [...limited.map((event) => ({ event, correlationId: event.payload.chain })), ...dispatches];
    });
    for (const memberId of started) this.resume(memberId, state);
  }

  #isOurs(state: LiveState): boolean {
    return state.runner?.id === this.#options.runnerId;
  }

  #launch(memberId: string, turn: OpenTurn, state: LiveState): void {
    const { signal } = this.#stop;
    const running = this.#run(memberId, turn, state, signal)
      .catch((error: unknown) => this.#options.onError(error))
      .finally(() => {
        this.#turns.delete(running);
        this.drive();
      });
    this.#turns.add(running);
  }

  async #run(memberId: string, turn: OpenTurn, state: LiveState, signal: AbortSignal): Promise<void> {
    const input = this.#input(memberId, turn, state);
    const stream = this.#stream(memberId);
    stream.begin(input, signal);
    const outcome = await this.#attempt(memberId, input, stream, signal);
    if (signal.aborted || outcome.kind === 'aborted') return;
    const drafts = this.#outcome(memberId, turn, await settleSteps(stream, outcome), state);
    await this.#recordOutcome(memberId, turn, drafts, signal);
  }

  #attempt(
    memberId: string,
    input: TurnInput,
    stream: MemberStream,
    stop: AbortSignal,
  ): Promise<TimedOutcome<TurnResult>> {
    const { engines, team, clock } = this.#options;
    const name = team.members.find(({ id }) => id === memberId)?.engine.kind ?? '';
    const engine = engines.find(name);
    if (engine === null) {
      const error = new Error(`The engine "${name}" is not available. Choose another one in the team file.`);
      return Promise.resolve({ kind: 'error', error });
    }
    let hasEnded = false;
    const step: EngineTurn['step'] = (what) => {
      // A step that comes after its turn's end, as of an engine that does not hear a time-out, belongs to nothing.
      if (!hasEnded) stream.step(input.position, what);
    };
    return runWithinTime((signal) => engine.runTurn(input, { signal, step }), {
      ...TURN_LIMITS,
      signal: stop,
      clock,
    }).finally(() => (hasEnded = true));
  }

  #outcome(memberId: string, turn: OpenTurn, outcome: TimedOutcome<TurnResult>, state: LiveState): readonly Draft[] {
    const context = { correlationId: turn.chain, causationId: turn.position };
    if (outcome.kind === 'value') {
      const roster = roomRoster(this.#options.team, turn.roomId);
      const result = turnResult(outcome.value, turn, { memberId, roster, hopCap: state.limits.hopCap });
      return [
        {
          event: { type: 'graph:node-completed', payload: { nodeId: memberId, position: turn.position, result } },
          ...context,
        },
      ];
    }
    return failureDrafts(memberId, turn, describeFailure(outcome));
  }

  async #recordOutcome(memberId: string, turn: OpenTurn, drafts: readonly Draft[], signal: AbortSignal): Promise<void> {
    const isOurs = (state: LiveState): boolean => {
      const member = state.members.get(memberId);
      return this.#isOurs(state) && member?.open?.position === turn.position && isRunning(state, member);
    };
    // The ids are fixed before the first try: a retry of an append that did succeed is recognised by the store.
    const fixed = drafts.map((draft) => ({ ...draft, eventId: randomUUID() }));
    try {
      await this.#keep(() => this.#options.record.record(fixed, isOurs), signal);
    } catch (error) {
      const failure = refusedOutcome(error);
      if (failure === null) throw error;
      const facts = failureDrafts(memberId, turn, failure);
      await this.#keep(() => this.#options.record.record(facts, isOurs), signal);
    }
  }

  /** Writes a fact until it is in, or this window stops. */
  async #keep(write: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
    const { clock, onError } = this.#options;
    await keepTrying(write, { clock, onError, signal });
  }

  #input(memberId: string, turn: OpenTurn, state: LiveState): TurnInput {
    const { team } = this.#options;
    const member = team.members.find(({ id }) => id === memberId);
    const previous = state.members.get(memberId)?.previous.get(turn.roomId);
    return {
      position: turn.position,
      member: {
        id: memberId,
        name: member?.name ?? memberId,
        role: member?.role ?? '',
        brief: member?.brief ?? '',
        script: member?.script ?? null,
      },
      team: {
        id: team.id,
        name: team.name,
        lead: team.lead,
        members: team.members.map(({ id, name, role }) => ({ id, name, role })),
      },
      roomId: turn.roomId,
      triggers: turn.triggers.map(({ post }) => given(post)),
      messages: givenPosts(state, turn).map(given),
      previous: previous === undefined ? null : { text: previous.summary, data: previous.data },
    };
  }

  #stream(memberId: string): MemberStream {
    const known = this.#streams.get(memberId);
    if (known !== undefined) return known;
    const stream = new MemberStream(this.#options, memberOrdinal(this.#options.team, memberId), (write, signal) =>
      this.#keep(write, signal),
    );
    this.#streams.set(memberId, stream);
    return stream;
  }
}

/** 1 for the lead, then the other members in the order of the team file. */
function memberOrdinal(team: TeamFile, memberId: string): number {
  if (memberId === team.lead) return 1;
  return 2 + team.members.filter(({ id }) => id !== team.lead).findIndex(({ id }) => id === memberId);
}

/** Who can be mentioned in a room: its members, with the names people see. */
export function roomRoster(team: TeamFile, roomId: string) {
  const inRoom = new Set(team.rooms.find(({ id }) => id === roomId)?.members ?? []);
  return {
    lead: team.lead,
    members: team.members.filter(({ id }) => inRoom.has(id)).map(({ id, name }) => ({ id, name })),
  };
}

function given({ id, sender, text, mentions }: GivenPost): GivenPost {
  return { id, sender, text, mentions };
}

function causeOf(state: LiveState, memberId: string) {
  const turn = state.members.get(memberId)?.queue[0];
  const newest = turn?.triggers.at(-1);
  return newest === undefined ? {} : { correlationId: newest.chain, causationId: newest.post.id };
}

/** Steps are durable before the outcome that ends their turn; a turn whose steps could not be saved has failed. */
async function settleSteps(stream: MemberStream, outcome: TimedOutcome<TurnResult>): Promise<TimedOutcome<TurnResult>> {
  try {
    await stream.flush();
    return outcome;
  } catch (error) {
    return { kind: 'error', error };
  }
}

interface Failure {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
}

function failureDrafts(memberId: string, turn: OpenTurn, failure: Failure): readonly Draft[] {
  const place = { memberId, position: turn.position, roomId: turn.roomId };
  return turnFailure(place, failure).map((event) => ({ event, correlationId: turn.chain, causationId: turn.position }));
}

function describeFailure(outcome: Exclude<TimedOutcome<TurnResult>, { kind: 'value' }>): Failure {
  switch (outcome.kind) {
    case 'timeout':
      return { code: 'TIMEOUT', message: 'The turn took longer than 30 minutes and was ended.', retryable: true };
    case 'aborted':
      return { code: 'ABORTED', message: 'The turn was stopped.', retryable: true };
    case 'error':
      return { code: 'EFFECT_FAILED', message: messageOf(outcome.error), retryable: true };
  }
}

/** An outcome that the store will never take becomes a failed turn; what may pass later is passed on. */
function refusedOutcome(error: unknown): Failure | null {
  if (isStorageError(error, 'STORAGE_LIMIT_EXCEEDED')) {
    return { code: 'RESULT_TOO_LARGE', message: 'The answer is too large to be saved.', retryable: true };
  }
  if (isStorageError(error, 'KNOWN_SECRET') || isStorageError(error, 'SENSITIVE_CONTENT')) {
    return { code: 'RESULT_INVALID', message: 'The answer contained a secret and was not saved.', retryable: true };
  }
  if (isStorageError(error, 'INVALID_STORED_VALUE')) {
    return { code: 'RESULT_INVALID', message: `The answer cannot be saved: ${error.message}`, retryable: true };
  }
  return null;
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message === '' ? 'The engine failed without a reason.' : message;
}
