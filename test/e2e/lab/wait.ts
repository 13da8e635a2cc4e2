// Waits for something that gives no sign of itself: looks again and again, and says what was missing when it is late.
import { setTimeout as delay } from 'node:timers/promises';

/**
 * @param what what is waited for, as it stands in the error: `a new extension host`
 * @param look gives the thing, or undefined while it is not there
 * @param limit milliseconds
 * @returns the thing
 * @throws when it is not there in time
 */
export async function waitFor<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
  limit = 30_000,
): Promise<T> {
  const deadline = performance.now() + limit;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`Waited ${limit / 1000} s for ${what}, in vain.`);
    await delay(50);
  }
}
