// A command on the team's record: decided on the newest state, and decided again after a while when another writer was
// first, so that several windows do not keep each other from writing.
import { TeamError } from '../core/team/error.js';
import type { LiveState } from '../core/team/live-state.js';
import type { Draft, LiveRecord } from './live-record.js';
import { pause } from './pause.js';
import type { Clock } from './ports/clock.js';

/** How often a command is tried again after it lost a race. */
const MAX_RETRIES = 20;
/** The longest pause between two tries, in milliseconds. */
const MAX_PAUSE_MS = 64;

export interface CommandContext {
  readonly record: Pick<LiveRecord, 'attempt'>;
  readonly clock: Clock;
}

/**
 * @param decide - reads the state; an empty list writes nothing; what it throws is passed on.
 * @returns the state after the append.
 * @throws TeamError `TEAM_BUSY` when others were first 21 times in a row.
 */
export async function command(
  { record, clock }: CommandContext,
  decide: (state: LiveState) => readonly Draft[],
): Promise<LiveState> {
  for (let retry = 0; ; retry += 1) {
    const state = await record.attempt(decide);
    if (state !== null) return state;
    if (retry === MAX_RETRIES) break;
    // Jitter: those that met must not meet again.
    await pause(1 + Math.random() * Math.min(2 ** retry, MAX_PAUSE_MS), clock);
  }
  throw new TeamError('TEAM_BUSY', 'Other windows keep writing to this conversation. Try again.');
}
