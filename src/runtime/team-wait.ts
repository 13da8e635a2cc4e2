// Waiting for the team: until a record of the team was written, or a member began or ended a turn. What happened before
// is not told again; whoever waited reads anew.
import { inspect } from 'node:util';
import type { RecordEvent } from '../core/record/catalogue.js';
import { TeamError } from '../core/team/error.js';
import type { LiveRecord } from './live-record.js';
import type { Clock } from './ports/clock.js';

/** How long a wait may be, in milliseconds. */
export const MIN_WAIT_MS = 10_000;
export const MAX_WAIT_MS = 3_600_000;

const NEWS: ReadonlySet<RecordEvent['type']> = new Set([
  'team/member',
  'team/task',
  'team/message/queued',
  'team/message/delivered',
  'graph:node-dispatched',
  'graph:node-resumed',
  'graph:node-completed',
  'graph:node-failed',
  'turn:cancelled',
  'turn:skipped',
] as const);

export interface WaitContext {
  readonly record: Pick<LiveRecord, 'onDidChange'>;
  readonly clock: Clock;
  /** Aborted when the team closes: everybody is let go. */
  readonly closing: AbortSignal;
}

/** @throws TeamError `TEAM_INVALID_TIMEOUT` unless it is a whole number from 10 000 to 3 600 000. */
export function checkTimeout(timeoutMs: number): void {
  if (Number.isSafeInteger(timeoutMs) && timeoutMs >= MIN_WAIT_MS && timeoutMs <= MAX_WAIT_MS) return;
  throw new TeamError(
    'TEAM_INVALID_TIMEOUT',
    `The timeout is ${timeoutMs} ms; it must be a whole number from ${MIN_WAIT_MS} to ${MAX_WAIT_MS}.`,
  );
}

/**
 * Waits for the next change, and listens from the moment of the call on.
 * @param timeoutMs - 10 000 … 3 600 000.
 * @throws TeamError `TEAM_INVALID_TIMEOUT`; the reason of the abort when it is an Error, else `TEAM_WAIT_ABORTED`.
 */
export async function waitForChange(
  { record, clock, closing }: WaitContext,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<{ readonly timedOut: boolean }> {
  checkTimeout(timeoutMs);
  if (signal.aborted) throw abortError(signal.reason);
  if (closing.aborted) return { timedOut: false };
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      timer[Symbol.dispose]();
      subscription[Symbol.dispose]();
      signal.removeEventListener('abort', onAbort);
      closing.removeEventListener('abort', onClose);
      settle();
    };
    const onAbort = (): void => end(() => reject(abortError(signal.reason)));
    const onClose = (): void => end(() => resolve({ timedOut: false }));
    const timer = clock.after(timeoutMs, () => end(() => resolve({ timedOut: true })));
    const subscription = record.onDidChange(({ events }) => {
      if (events.some(({ type }) => NEWS.has(type))) end(() => resolve({ timedOut: false }));
    });
    signal.addEventListener('abort', onAbort, { once: true });
    closing.addEventListener('abort', onClose, { once: true });
  });
}

function abortError(reason: unknown): Error {
  if (reason instanceof Error) return reason;
  const words = typeof reason === 'string' ? reason : inspect(reason);
  return new TeamError('TEAM_WAIT_ABORTED', `wait_agent aborted: ${words}`);
}
