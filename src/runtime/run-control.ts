// Whether and how this window runs a conversation: it becomes the runner when a person acts and nobody else runs it, or
// when it takes the conversation over; it lets go when another window asks or was faster.
import { TeamError } from '../core/team/error.js';
import { decideRun } from '../core/team/live-decide.js';
import { isRunning, type LiveState } from '../core/team/live-state.js';
import type { Draft, LiveRecord } from './live-record.js';
import type { Clock } from './ports/clock.js';
import type { Tenure } from './tenure.js';
import { waitUntil } from './wait-until.js';

/** How long a window that was asked for its conversation may need, and how often it is looked at, in milliseconds. */
const TAKE_OVER = { timeoutMs: 10_000, everyMs: 100 } as const;

/** How long whoever asked for a conversation may take to begin, and how often it is looked at, in milliseconds. */
const ADOPT = { timeoutMs: 1_000, everyMs: 200 } as const;

export interface RunControlOptions {
  readonly record: LiveRecord;
  readonly runner: { drive(): void; abandon(): Promise<void> };
  readonly tenure: Tenure;
  readonly clock: Clock;
  readonly runnerId: string;
  readonly onError: (error: unknown) => void;
  /** Called before this window becomes the runner: closes what earlier ones left open and whose end is known. */
  readonly recover: () => Promise<void>;
}

export class RunControl {
  readonly #options: RunControlOptions;
  readonly #closing = new AbortController();

  constructor(options: RunControlOptions) {
    this.#options = options;
    options.record.onDidChange(({ state }) => this.#yieldTo(state));
  }

  /** Writes what a person did; this window becomes the runner when the conversation has none. */
  async act(decide: (state: LiveState) => readonly Draft[]): Promise<LiveState> {
    const { tenure, record, runner, runnerId, onError, recover } = this.#options;
    if (this.isClosed) throw new TeamError('CONVERSATION_CLOSED', 'This conversation was closed. Open it again.');
    tenure.take();
    try {
      if (tenure.isHere && !tenure.isAnnounced) await recover();
      const state = await record.decide((before) => {
        const isNew = tenure.isHere && !tenure.isAnnounced;
        const run = isNew ? [{ event: decideRun(before, runnerId) }] : [];
        return [...run, ...decide(before)];
      });
      tenure.announced();
      if (tenure.isHere) runner.drive();
      else void this.#adopt().catch(onError);
      return state;
    } catch (error) {
      tenure.cancel();
      throw error;
    }
  }

  /** Writes what needs no runner: a name, an archive mark. */
  async note(decide: (state: LiveState) => readonly Draft[]): Promise<LiveState> {
    if (this.isClosed) throw new TeamError('CONVERSATION_CLOSED', 'This conversation was closed. Open it again.');
    return this.#options.record.decide(decide);
  }

  /**
   * Makes this window the runner: at once when the conversation is free; else the window that runs it is asked, ends
   * the turns it has and lets go; one that does not answer is overruled after ten seconds.
   * @param signal - ends the waiting; nothing is taken then.
   */
  async takeOver(signal?: AbortSignal): Promise<void> {
    const { tenure, record, runnerId, clock } = this.#options;
    if (!tenure.take()) {
      await record.decide((state) =>
        state.requestedBy === runnerId
          ? []
          : [{ event: { type: 'conversation:requested', payload: { runner: runnerId } } }],
      );
      const stop = signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]);
      const free = await waitUntil(() => tenure.take(), { ...TAKE_OVER, clock, signal: stop });
      if (stop.aborted) return;
      if (!free) tenure.force();
    }
    await this.act(() => []);
  }

  /** Goes on after something was written elsewhere. */
  follow(): void {
    const { tenure, runner } = this.#options;
    if (!tenure.isHere) return;
    // A conversation that was taken by force: the hold follows as soon as it is free.
    tenure.take();
    runner.drive();
  }

  /** @throws TeamError `RUNS_ELSEWHERE` when this window does not run the conversation. */
  onlyHere(drafts: readonly Draft[]): readonly Draft[] {
    if (this.#options.tenure.isHere) return drafts;
    throw new TeamError('RUNS_ELSEWHERE', 'This conversation is running in another window. Resume it there.');
  }

  /** True when the runner that the record names still runs: its open turns are not interrupted. */
  isRunnerAlive({ runner }: LiveState): boolean {
    const { tenure, runnerId } = this.#options;
    if (!tenure.isHere) return tenure.place() === 'elsewhere';
    return tenure.isAnnounced && runner?.id === runnerId;
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  close(): void {
    this.#closing.abort();
  }

  /** A window that asked for the conversation and went away leaves it to nobody: what waits runs here. */
  async #adopt(): Promise<void> {
    const { tenure, clock } = this.#options;
    const isTaken = () => tenure.place() !== 'nobody';
    if ((await waitUntil(isTaken, { ...ADOPT, clock, signal: this.#closing.signal })) || this.isClosed) return;
    await this.act(() => []);
  }

  /** Lets go of a conversation that another window took, or asked for while nothing runs here. */
  #yieldTo(state: LiveState): void {
    const { tenure, runner, runnerId, onError } = this.#options;
    if (tenure.isLostIn(state)) {
      tenure.release();
      void runner.abandon();
      return;
    }
    const isAsked = state.requestedBy !== null && state.requestedBy !== runnerId;
    // A tenure that the record does not know of yet began after the request, and ends it.
    if (!isAsked || !tenure.isAnnounced || hasRunning(state)) return;
    tenure.release();
    if (hasWaiting(state)) void this.#adopt().catch(onError);
  }
}

function hasRunning(state: LiveState): boolean {
  return [...state.members.values()].some((member) => isRunning(state, member));
}

/** True when whoever runs the conversation has something to start. */
function hasWaiting({ members, board, heldMail }: LiveState): boolean {
  return (
    [...members.values()].some(({ queue }) => queue.length > 0) ||
    [...board.pending.values()].some(({ id, delivery }) => delivery === 'wakeup' && !heldMail.has(id))
  );
}
