// Words of the form that are made from values.
import type { LimitKey } from '../../src/core/team/limits.js';
import type { TeamForm } from '../../src/protocol/team-form.js';
import type { LimitView } from '../../src/protocol/view.js';

export const LIMIT_WORDS: Readonly<Record<LimitKey, string>> = {
  hopCap: 'Hops in a chain',
  costCeiling: 'Cost of a chain, in US dollars',
  turnsPerMember: 'Turns of a member in a chain',
  concurrency: 'Turns at a time',
  tailMessages: 'Newest posts that a member is given',
  turnTimeoutMinutes: 'Time for a turn, in minutes',
};

const LEVEL_WORDS: Readonly<Record<LimitView['source'], string>> = {
  default: 'the default',
  user: 'your settings',
  workspace: 'the workspace’s settings',
  team: 'this team',
  machine: 'this machine’s maximum',
};

/** Which value is in force and who says so. */
export function inForceWords({ value, source }: LimitView): string {
  const words = value === null ? 'no limit' : String(value);
  return `In force: ${words} (${LEVEL_WORDS[source]})`;
}

/** Where the form's file is, or will be. */
export function placeWords({ place }: TeamForm): string {
  if (place.kind === 'file') return place.path;
  return place.from === 'demo'
    ? `This team comes with Teamroom. Saving makes ${place.path}.`
    : `The file of this team is gone. Saving makes ${place.path} anew.`;
}

/** "1 member", "3 members" */
export function membersWords(count: number): string {
  return count === 1 ? '1 member' : `${count} members`;
}
