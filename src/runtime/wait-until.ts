// Waits for something that tells nobody when it happens, by looking at it again and again for a bounded time.
import { pause } from './pause.js';
import type { Clock } from './ports/clock.js';

export interface WaitOptions {
  /** In milliseconds. */
  readonly timeoutMs: number;
  /** Pause between two looks, in milliseconds. */
  readonly everyMs: number;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

/** @returns true as soon as `isSo` is true; false when the time is over or the signal was given. */
export async function waitUntil(isSo: () => boolean, options: WaitOptions): Promise<boolean> {
  const { timeoutMs, everyMs, clock, signal } = options;
  const end = clock.elapsed() + timeoutMs;
  while (signal?.aborted !== true) {
    if (isSo()) return true;
    if (clock.elapsed() >= end) return false;
    await pause(everyMs, clock, signal);
  }
  return false;
}
