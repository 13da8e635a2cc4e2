// Who runs the conversation, as this window sees it. A window that dies writes no event, so while another one runs the
// conversation and somebody looks, it is asked again every few seconds; otherwise nothing is.
import type { RunnerPlace } from '../runtime/tenure.js';

export interface RunnerWatchOptions {
  /** Asks; may throw. */
  readonly place: () => RunnerPlace;
  /** True while something on screen shows who runs the conversation. */
  readonly isShown: () => boolean;
  /** Called when the window that ran the conversation does not run it any more. */
  readonly onGone: () => void;
  readonly onError: (error: unknown) => void;
}

export class RunnerWatch {
  readonly #options: RunnerWatchOptions;
  #last: RunnerPlace = 'nobody';
  /** What was told counts, not what was seen last: a window may go between two looks of one change. */
  #isToldElsewhere = false;

  constructor(options: RunnerWatchOptions) {
    this.#options = options;
  }

  /** @returns who runs it now, to be told; what was seen last when that cannot be found out */
  place(): RunnerPlace {
    this.#ask();
    this.#isToldElsewhere ||= this.#last === 'elsewhere';
    return this.#last;
  }

  /** To be called every few seconds. */
  look(): void {
    if (!this.#isToldElsewhere || !this.#options.isShown()) return;
    this.#ask();
    if (this.#last === 'elsewhere') return;
    this.#isToldElsewhere = false;
    this.#options.onGone();
  }

  #ask(): void {
    try {
      this.#last = this.#options.place();
    } catch (error) {
      this.#options.onError(error);
    }
  }
}
