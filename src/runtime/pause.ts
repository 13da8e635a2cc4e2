// A pause that ends early when it must.
import type { Clock } from './ports/clock.js';

/** Resolves after `milliseconds`, or at once when the signal is given; leaves no timer behind. */
export async function pause(milliseconds: number, clock: Clock, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const end = (): void => resolve(undefined);
  using _timer = clock.after(milliseconds, end);
  signal?.addEventListener('abort', end, { once: true });
  await promise;
  signal?.removeEventListener('abort', end);
}
