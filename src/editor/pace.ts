// Work that many signals ask for, done at most so often: at once after a quiet time, else when that time is over.
import type { Clock } from '../runtime/ports/clock.js';

export class Pace implements Disposable {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #work: () => void;
  #last = -Infinity;
  #timer: Disposable | null = null;
  #isOver = false;

  /** @param everyMs - milliseconds from one call of `work` to the next, at least. */
  constructor(clock: Clock, everyMs: number, work: () => void) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#work = work;
  }

  /** Asks for the work; what was asked for and is not done yet is enough. */
  ask(): void {
    if (this.#timer !== null || this.#isOver) return;
    const wait = this.#last + this.#everyMs - this.#clock.elapsed();
    if (wait <= 0) this.#do();
    else this.#timer = this.#clock.after(wait, () => this.#do());
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#timer?.[Symbol.dispose]();
    this.#timer = null;
  }

  #do(): void {
    this.#timer = null;
    this.#last = this.#clock.elapsed();
    this.#work();
  }
}
