// Whether this window runs a conversation. The record names the runner, and expected revisions are the whole fence; the
// hold on the side file only tells who is alive, so that a conversation is not taken from a window that still runs it.
import type { LiveState } from '../core/team/live-state.js';
import type { RunDirectory } from '../storage/port.js';

/** Who runs the conversation, as this window sees it. */
export type RunnerPlace = 'here' | 'elsewhere' | 'nobody';

export interface TenureOptions {
  readonly runs: RunDirectory;
  readonly runId: string;
  readonly runnerId: string;
}

export class Tenure {
  readonly #options: TenureOptions;
  #hold: Disposable | null = null;
  /** True while this window runs although another one, which does not answer, has the hold. */
  #isForced = false;
  /** True once the record named this window its runner. */
  #wasNamed = false;
  #isAnnounced = false;
  #isClosed = false;

  constructor(options: TenureOptions) {
    this.#options = options;
  }

  /** True when this window may start turns. */
  get isHere(): boolean {
    return this.#hold !== null || this.#isForced;
  }

  /** True when the record knows of this very tenure: until then it has to be told, even if it names this window. */
  get isAnnounced(): boolean {
    return this.#isAnnounced;
  }

  /** The record has been told. */
  announced(): void {
    this.#isAnnounced = this.isHere;
  }

  place(): RunnerPlace {
    if (this.isHere) return 'here';
    return this.#options.runs.isHeld(this.#options.runId) ? 'elsewhere' : 'nobody';
  }

  /** Takes the conversation when nobody runs it. @returns true when this window runs it now. */
  take(): boolean {
    if (this.#isClosed) return false;
    this.#hold ??= this.#options.runs.tryHold(this.#options.runId);
    if (this.#hold !== null) this.#isForced = false;
    return this.isHere;
  }

  /** Takes the conversation from a window that does not answer: the record decides, the hold follows when it is free. */
  force(): void {
    if (!this.take()) this.#isForced = !this.#isClosed;
  }

  /** Gives up a tenure that the record was never told of: what was to be written with it was not. */
  cancel(): void {
    if (!this.#isAnnounced) this.release();
  }

  /** Lets go for good: a wait that is still under way takes nothing any more. */
  close(): void {
    this.#isClosed = true;
    this.release();
  }

  release(): void {
    this.#hold?.[Symbol.dispose]();
    this.#hold = null;
    this.#isForced = false;
    this.#wasNamed = false;
    this.#isAnnounced = false;
  }

  /**
   * Looks at who the record names. It has the last word, whatever this window holds.
   * @returns true when this window was the runner and is not any more.
   */
  isLostIn({ runner }: LiveState): boolean {
    const isNamed = runner?.id === this.#options.runnerId;
    const isLost = this.#wasNamed && !isNamed;
    this.#wasNamed = isNamed;
    return isLost;
  }
}
