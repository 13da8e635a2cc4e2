// How long one piece of work may take, and what happens to it when its caller stops it: a soft limit that asks it to
// end, a hard one that stops waiting, and a grace after an abort. Used by attempts of every kind.
// Rules: docs/rules.md § Attempts.
import { type Clock } from './ports/clock.js';
import { systemClock } from './system-clock.js';

/** How long work that its caller aborted is waited for, in milliseconds. */
export const ABORT_GRACE_MS = 7_000;

export interface TimeLimits {
  /** When the work's own signal is aborted, in milliseconds (1 … 2147483647). */
  readonly timeoutMs: number;
  /** How much longer its value is still accepted, in milliseconds. The sum is at most 2147483647. */
  readonly teardownGraceMs: number;
  /** The caller's wish to stop. */
  readonly signal: AbortSignal;
  /** How long aborted work is waited for, in milliseconds. Default `ABORT_GRACE_MS`. */
  readonly abortGraceMs?: number;
  readonly clock?: Clock;
}

/** How timed work ended. `aborted` is the caller's doing, `timeout` is the clock's. */
export type TimedOutcome<Value> =
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'error'; readonly error: unknown }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'aborted' };

/**
 * Runs `effect` under the limits. Never rejects.
 * - A value before `timeoutMs + teardownGraceMs` is accepted; a rejection after `timeoutMs` counts as a time-out.
 * - At the hard deadline the wait ends and whatever comes later is ignored, also when a blocked event loop let the
 *   value in before the timer.
 * - After the caller's abort the effect gets `abortGraceMs` to settle; its value is dropped either way.
 * @param effect - called once, synchronously, unless the caller has aborted already; gets a signal of its own.
 */
export function runWithinTime<Value>(
  effect: (signal: AbortSignal) => Promise<Value>,
  limits: TimeLimits,
): Promise<TimedOutcome<Value>> {
  const { timeoutMs, teardownGraceMs, signal, abortGraceMs = ABORT_GRACE_MS, clock = systemClock } = limits;
  if (signal.aborted) return Promise.resolve({ kind: 'aborted' });

  const work = new AbortController();
  const startedAt = clock.elapsed();
  const spent = (): number => clock.elapsed() - startedAt;

  return new Promise((resolve) => {
    const timers: Disposable[] = [];
    let aborted = false;

    const finish = (outcome: TimedOutcome<Value>): void => {
      stopTimers();
      signal.removeEventListener('abort', onAbort);
      resolve(outcome);
    };
    const stopTimers = (): void => {
      for (const timer of timers.splice(0)) timer[Symbol.dispose]();
    };
    const onAbort = (): void => {
      aborted = true;
      stopTimers();
      timers.push(clock.after(abortGraceMs, () => finish({ kind: 'aborted' })));
      work.abort(signal.reason);
    };

    timers.push(
      clock.after(timeoutMs, () => work.abort(new DOMException('The turn ran out of time.', 'TimeoutError'))),
      clock.after(timeoutMs + teardownGraceMs, () => finish({ kind: 'timeout' })),
    );
    signal.addEventListener('abort', onAbort, { once: true });

    // `finish` after the end is harmless: a promise resolves once, and the timers are gone.
    void settle(effect, work.signal).then((outcome) => {
      if (aborted) finish({ kind: 'aborted' });
      else if (outcome.kind === 'value') finish(spent() < timeoutMs + teardownGraceMs ? outcome : { kind: 'timeout' });
      else finish(spent() < timeoutMs ? outcome : { kind: 'timeout' });
    });
  });
}

/** The effect's own end as a value; a throw before its first promise counts like a rejection. */
async function settle<Value>(
  effect: (signal: AbortSignal) => Promise<Value>,
  signal: AbortSignal,
): Promise<{ kind: 'value'; value: Value } | { kind: 'error'; error: unknown }> {
  try {
    return { kind: 'value', value: await effect(signal) };
  } catch (error) {
    return { kind: 'error', error };
  }
}
