// How much a team may hold, and how long its closing may take.
import type { MailLimits } from '../core/team/board/mailbox.js';
import { TeamError } from '../core/team/error.js';

export interface TeamLimits extends MailLimits {
  /** Everybody who was ever provisioned, whatever became of them; the lead is not counted. */
  readonly maxMembers: number;
  /** Tasks that are not deleted. */
  readonly maxTasks: number;
  /** For each step of closing, in milliseconds. */
  readonly disposalTimeoutMs: number;
}

const DEFAULTS: TeamLimits = {
  maxMembers: 8,
  maxTasks: 256,
  maxPendingMessagesPerMember: 64,
  maxMessageBytes: 65_536,
  disposalTimeoutMs: 5_000,
};

/** @throws TeamError `TEAM_INVALID_CONFIG` for a limit that is no whole number from 1. */
export function teamLimits(given: Partial<TeamLimits> = {}): TeamLimits {
  const limits = { ...DEFAULTS, ...given };
  for (const [key, value] of Object.entries(limits)) {
    if (Number.isSafeInteger(value) && value >= 1) continue;
    throw new TeamError('TEAM_INVALID_CONFIG', `${key} is ${String(value)}; it must be a whole number from 1.`);
  }
  return limits;
}
