// Who may become a member, under which name.
// Rules: docs/rules.md § Team records.
import { TeamError } from '../error.js';
import { RESERVED_NAMES } from '../mentions.js';
import { foldName } from '../name-fold.js';
import { memberNamed, type AgentTeam, type TeamActor } from './team-state.js';

/** How long the texts of a new member may be, in UTF-16 code units, without the white space around them. */
const MAX_DESCRIPTION = 200;
const MAX_PROVIDER = 200;
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MAX_NAME = 64;

export interface NewMember {
  readonly name: string;
  readonly description: string;
  readonly provider: string;
}

/**
 * Checks a new member before anything is written.
 * @returns its texts as they are stored.
 * @throws TeamError `TEAM_LEAD_REQUIRED`, `TEAM_INVALID_MEMBER_NAME`, `TEAM_INVALID_ARGUMENT`.
 */
export function checkNewMember(caller: TeamActor, { name, description, provider }: NewMember): NewMember {
  if (caller.role !== 'lead') throw new TeamError('TEAM_LEAD_REQUIRED', 'only the Team Lead may spawn a teammate.');
  if (!NAME.test(name) || name.length > MAX_NAME || RESERVED_NAMES.includes(name)) {
    throw new TeamError(
      'TEAM_INVALID_MEMBER_NAME',
      `The name "${name}" cannot be used. Use lower-case letters and digits, joined by single hyphens, at most ${MAX_NAME}, and no word that means somebody else, such as "lead" or "all".`,
    );
  }
  return {
    name,
    description: requiredText(description, 'description', MAX_DESCRIPTION),
    provider: requiredText(provider, 'provider', MAX_PROVIDER),
  };
}

/**
 * Checks that there is room for the member. Names are never used again, and one that failed keeps its place.
 * @param others - ids and names of everybody in the team: what is mentioned must be one member.
 * @throws TeamError `TEAM_MEMBER_NAME_TAKEN`, `TEAM_MEMBER_LIMIT`.
 */
export function checkRoom(
  team: AgentTeam,
  name: string,
  others: readonly string[],
  limits: { readonly maxMembers: number },
): void {
  if (memberNamed(team, name) !== null || others.some((other) => foldName(other) === name)) {
    throw new TeamError(
      'TEAM_MEMBER_NAME_TAKEN',
      `There is or was a member "${name}" already. Names are not used again.`,
    );
  }
  if (team.members.size >= limits.maxMembers) {
    throw new TeamError('TEAM_MEMBER_LIMIT', `The team has ${team.members.size} teammates; it takes no more.`);
  }
}

function requiredText(given: string, what: string, most: number): string {
  const text = given.toWellFormed().trim();
  if (text !== '' && text.length <= most) return text;
  const message = text === '' ? `The ${what} is empty.` : `The ${what} has more than ${most} characters.`;
  throw new TeamError('TEAM_INVALID_ARGUMENT', message);
}
