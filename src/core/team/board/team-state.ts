// What the team's records amount to: the roster, the task board and the mail that is on its way.
import type { MemberSnapshot, MessageSnapshot, TaskSnapshot } from '../../record/team-schemas.js';

export interface AgentTeam {
  /** The conversation's run id: records of any other team are not this one's. */
  readonly id: string;
  /** In the order of provisioning. */
  readonly members: ReadonlyMap<string, MemberSnapshot>;
  /** In the order of their making, deleted ones too. */
  readonly tasks: ReadonlyMap<string, TaskSnapshot>;
  /** Queued and not delivered, in the order of queueing. */
  readonly pending: ReadonlyMap<string, MessageSnapshot>;
  readonly nextTaskNumber: number;
}

export function newAgentTeam(id: string): AgentTeam {
  return { id, members: new Map(), tasks: new Map(), pending: new Map(), nextTaskNumber: 1 };
}

/** Name under which the lead is known to its team. */
export const LEAD_NAME = 'lead';

/** Whoever acts in a team. The person acts with the lead's authority, under a name of its own. */
export interface TeamActor {
  /** The lead's is the team's id; the person's is `you`. */
  readonly id: string;
  readonly name: string;
  readonly role: 'lead' | 'teammate';
}

/** The member of that name, whatever its phase. */
export function memberNamed(team: AgentTeam, name: string): MemberSnapshot | null {
  for (const member of team.members.values()) if (member.name === name) return member;
  return null;
}
