// Facts survive a store that is full, busy or away for a while: they are written again until they are in (ST-5).
import { isStorageError } from '../storage/error.js';
import { pause } from './pause.js';
import type { Clock } from './ports/clock.js';

/** How long a store that refuses is left alone before it is tried again, in milliseconds. */
export const RETRY_MS = 2_000;

export interface Persistence {
  readonly clock: Clock;
  /** Ends the tries; what was not written by then is given up. */
  readonly signal: AbortSignal;
  /** Called with each refusal. */
  readonly onError: (error: unknown) => void;
}

/**
 * Does `write` until the store takes it.
 * @returns what `write` resolves to; null when the signal ended the tries.
 * @throws what the store refuses for good: anything but `STORAGE_UNAVAILABLE`.
 */
export async function keepTrying<Result>(
  write: () => Promise<Result>,
  persistence: Persistence,
): Promise<Result | null> {
  const { clock, signal, onError } = persistence;
  while (!signal.aborted) {
    try {
      return await write();
    } catch (error) {
      if (!isStorageError(error, 'STORAGE_UNAVAILABLE')) throw error;
      onError(error);
    }
    await pause(RETRY_MS, clock, signal);
  }
  return null;
}
