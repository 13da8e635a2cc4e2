// The fold of the team's records: roster, task board, and the mail that is queued and not delivered. It is told one
// record at a time and refuses a history that cannot have happened; it has no way to repair one.
// Rules: docs/rules.md § Team records.
import * as v from 'valibot';
import type { JsonValue } from '../../json.js';
import {
  isTeamEventType,
  TEAM_PAYLOADS,
  type MemberSnapshot,
  type MessageSnapshot,
  type TaskSnapshot,
  type TeamEvent,
  type TeamEventType,
} from '../../record/team-schemas.js';
import { describeProblem, graphProblem } from './task-graph.js';
import { memberNamed, newAgentTeam, type AgentTeam } from './team-state.js';

/** A record as it was stored. */
export interface StoredTeamRecord {
  readonly type: string;
  readonly payload: JsonValue;
}

/**
 * Folds a whole history; events of other kinds are passed over.
 * @param teamId - the conversation's run id: records of another team, as a copied record keeps them, are not this one's.
 * @throws Error without a code, saying which rule the history breaks.
 */
export function foldTeam(teamId: string, records: Iterable<StoredTeamRecord>): AgentTeam {
  let team = newAgentTeam(teamId);
  for (const record of records) {
    const event = readTeamRecord(teamId, record);
    if (event !== null) team = applyTeamEvent(team, event);
  }
  return team;
}

const Selector = v.looseObject({
  version: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  teamId: v.pipe(v.string(), v.minLength(1)),
});

/**
 * Reads one record.
 * @returns null for an event that is none of the team's records, or one of another team's.
 * @throws Error when the payload is not valid, whosever it is, or of a version that this build does not know.
 */
export function readTeamRecord(teamId: string, { type, payload }: StoredTeamRecord): TeamEvent | null {
  if (!isTeamEventType(type)) return null;
  const selector = v.safeParse(Selector, payload);
  if (!selector.success) throw invalidPayload(type, selector.issues);
  const isOurs = selector.output.teamId === teamId;
  if (selector.output.version !== 1) {
    if (!isOurs) return null;
    throw new Error(`unsupported Agent Teams event version ${selector.output.version}`);
  }
  const parsed = v.safeParse(TEAM_PAYLOADS[type], payload);
  if (!parsed.success) throw invalidPayload(type, parsed.issues);
  // The schema of this very type has just read the payload.
  return isOurs ? ({ type, payload: parsed.output } as TeamEvent) : null;
}

function invalidPayload(
  type: TeamEventType,
  issues: readonly [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]],
): Error {
  const [issue] = issues;
  const cause = new Error(`At "${v.getDotPath(issue) ?? ''}": ${issue.message}`);
  return new Error(`persisted Agent Teams ${type} payload is invalid`, { cause });
}

/**
 * Takes one record of this team in.
 * @throws Error without a code when it cannot follow what was before.
 */
export function applyTeamEvent(team: AgentTeam, event: TeamEvent): AgentTeam {
  switch (event.type) {
    case 'team/member':
      return takeMember(team, event.payload.member);
    case 'team/task':
      return takeTask(team, event.payload.task);
    case 'team/message/queued':
      return takeMessage(team, event.payload.message);
    case 'team/message/delivered':
      return takeReceipt(team, event.payload.messageId, event.payload.targetId);
  }
}

function takeMember(team: AgentTeam, member: MemberSnapshot): AgentTeam {
  const namesake = memberNamed(team, member.name);
  if (namesake !== null && namesake.id !== member.id) {
    throw new Error(`teammate name "${member.name}" is reused by another member`);
  }
  const before = team.members.get(member.id);
  if (before === undefined && member.phase !== 'provisioning') {
    throw new Error(`teammate ${member.id} must begin provisioning`);
  }
  if (before !== undefined) {
    if (before.name !== member.name || before.provider !== member.provider || before.context !== member.context) {
      throw new Error(`teammate ${member.id} changed immutable identity fields`);
    }
    if (before.phase !== 'provisioning' || member.phase === 'provisioning') {
      throw new Error(`teammate ${member.id} has an invalid ${before.phase} -> ${member.phase} transition`);
    }
  }
  return { ...team, members: new Map(team.members).set(member.id, member) };
}

function takeTask(team: AgentTeam, task: TaskSnapshot): AgentTeam {
  const before = team.tasks.get(task.id);
  if (before === undefined && task.revision !== 1) throw new Error(`team task ${task.id} must begin at revision 1`);
  if (before !== undefined && task.revision !== before.revision + 1) {
    throw new Error(`team task ${task.id} revision is not contiguous`);
  }
  const tasks = new Map(team.tasks).set(task.id, task);
  const problem = graphProblem(tasks);
  if (problem !== null) throw new Error(describeProblem(problem));
  return { ...team, tasks, nextTaskNumber: nextNumber(team.nextTaskNumber, task.id) };
}

/** The id space ends with the safe integers. */
function nextNumber(next: number, id: string): number {
  const digits = /^task-(\d+)$/.exec(id)?.[1];
  return digits === undefined ? next : Math.max(next, Math.min(Number(digits) + 1, Number.MAX_SAFE_INTEGER));
}

function takeMessage(team: AgentTeam, message: MessageSnapshot): AgentTeam {
  if (team.pending.has(message.id)) throw new Error(`team message ${message.id} was queued twice`);
  return { ...team, pending: new Map(team.pending).set(message.id, message) };
}

/**
 * A delivered message leaves the state: it has nothing left to do in it, and a mailbox of years must not make every
 * step slower (ML-4). A second receipt is therefore one for a message that is not queued.
 */
function takeReceipt(team: AgentTeam, messageId: string, targetId: string): AgentTeam {
  const message = team.pending.get(messageId);
  if (message === undefined) throw new Error(`team message ${messageId} was delivered before queueing, or twice`);
  if (message.targetId !== targetId) throw new Error(`team message ${messageId} target changed`);
  const pending = new Map(team.pending);
  pending.delete(messageId);
  return { ...team, pending };
}
