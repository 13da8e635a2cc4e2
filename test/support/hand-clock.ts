// Time that the test moves: the wall clock is the machine's, timers fire when the test says so.
import type { Clock } from '../../src/runtime/ports/clock.js';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

export class HandClock implements Clock {
  #now = 0;
  #timers: Timer[] = [];
  #waiting: (() => void)[] = [];

  now(): number {
    return Date.now();
  }

  elapsed(): number {
    return this.#now;
  }

  after(milliseconds: number, callback: () => void): Disposable {
    const timer = { at: this.#now + milliseconds, callback };
    this.#timers.push(timer);
    for (const tell of this.#waiting.splice(0)) tell();
    return { [Symbol.dispose]: () => void (this.#timers = this.#timers.filter((other) => other !== timer)) };
  }

  /** Resolves when a timer is set, or is set already with `orSet`. */
  nextTimer(options: { readonly orSet?: boolean } = {}): Promise<void> {
    if (options.orSet === true && this.#timers.length > 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  get isSet(): boolean {
    return this.#timers.length > 0;
  }

  /** Moves time to the next timer and fires it. */
  fire(): void {
    const [next] = this.#timers.toSorted((a, b) => a.at - b.at);
    if (next === undefined) throw new Error('No timer is set.');
    this.#timers = this.#timers.filter((timer) => timer !== next);
    this.#now = next.at;
    next.callback();
  }
}
