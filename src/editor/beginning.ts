// The first conversation of a workspace is begun by one window: two that open at the same moment would each begin one
// of their own and never hear of each other.
import { setTimeout as delay } from 'node:timers/promises';
import type { RunDirectory } from '../storage/port.js';

/** Stands where a run id stands; no conversation has it. */
const BEGINNING = 'beginning';

/** How long a window that is beginning may need before it counts as stuck, and how often it is looked at, in milliseconds. */
const LIMIT_MS = 5_000;
const EVERY_MS = 50;

/**
 * Waits for the right to begin a conversation. Who has it looks for one that another window has just begun.
 * @returns to be disposed when the conversation is begun; null when another window has had the right for five seconds:
 * one that is stuck must not keep this one from working.
 */
export async function turnToBegin(runs: RunDirectory): Promise<Disposable | null> {
  const deadline = performance.now() + LIMIT_MS;
  for (;;) {
    const turn = runs.tryHold(BEGINNING);
    if (turn !== null || performance.now() > deadline) return turn;
    await delay(EVERY_MS);
  }
}
