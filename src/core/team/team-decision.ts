// What a team does next, and what the next member is given. Rules: docs/rules.md § Team decisions.
import type { GraphCommand } from '../graph/model.js';
import { turnPosition } from './identifiers.js';
import type { Team, TeamMember } from './team-definition.js';
import type { TeamGraphResult, TeamMemberState, TeamMessage, TeamState, TeamTurnInput } from './team-model.js';

/** A member together with what is remembered of it. */
interface Seat {
  readonly member: TeamMember;
  readonly state: TeamMemberState;
}

/** The commands for `state`, in the order of the rules: the first one that applies decides. */
export function decideTeam(team: Team, state: TeamState): readonly GraphCommand[] {
  const seats = team.members.flatMap((member): readonly Seat[] => {
    const known = Object.hasOwn(state.nodes, member.id) ? state.nodes[member.id] : undefined;
    return known === undefined ? [] : [{ member, state: known }];
  });
  // The batch settles whole: a slot that became free stays empty until then.
  if (seats.some((seat) => seat.state.status === 'in-flight')) return [];

  const failed = seats.filter((seat) => seat.state.status === 'failed').map((seat) => seat.member.id);
  if (failed.length > 0) {
    return [{ kind: 'fail', code: 'TEAM_NODE_FAILED', message: `Failed team members: ${failed.join(', ')}.` }];
  }

  const paused = seats.find((seat) => seat.state.status === 'paused');
  if (paused !== undefined) return [{ kind: 'pause', reason: paused.state.pauseReason ?? '' }];

  const queued = seats.filter((seat) => seat.state.queued);
  const exhausted = queued.find((seat) => seat.state.turns >= team.maxTurns);
  if (exhausted !== undefined) {
    const message = `Member "${exhausted.member.id}" reached maxTurnsPerMember.`;
    return [{ kind: 'fail', code: 'TEAM_TURN_LIMIT', message }];
  }

  if (queued.length === 0) return [{ kind: 'complete', output: resultOf(team, seats) }];
  return queued.slice(0, team.concurrency).map((seat) => ({
    kind: 'dispatch',
    nodeId: seat.member.id,
    input: turnInput(team, seat, state.messages),
    position: turnPosition(seat.member.id, seat.state.turns + 1),
  }));
}

function resultOf(team: Team, seats: readonly Seat[]): TeamGraphResult {
  return {
    task: team.task,
    agents: seats.map(({ member, state }) => ({ name: member.id, role: member.role, result: state.result })),
  };
}

function turnInput(team: Team, seat: Seat, messages: readonly TeamMessage[]): TeamTurnInput {
  const { id, role, brief } = seat.member;
  const given = messagesFor(team, id, seat.state.triggers, messages);
  return { task: team.task, role, brief, result: seat.state.result, messages: given };
}

/**
 * The messages that asked for the turn and the tail of each room the member is in, each once, in saved order. Reads
 * from the newest backwards and stops when nothing is missing, so that old messages cost nothing.
 */
function messagesFor(
  team: Team,
  memberId: string,
  triggers: readonly string[],
  messages: readonly TeamMessage[],
): readonly TeamMessage[] {
  const asked = new Set(triggers);
  const wanted = new Map<string, number>();
  for (const [roomId, members] of team.rooms ?? []) if (members.has(memberId)) wanted.set(roomId, team.tailMessages);

  const given: TeamMessage[] = [];
  for (let index = messages.length - 1; index >= 0 && (asked.size > 0 || wanted.size > 0); index -= 1) {
    const message = messages[index];
    if (message === undefined) break;
    const left = wanted.get(message.roomId);
    if (left === 1) wanted.delete(message.roomId);
    else if (left !== undefined) wanted.set(message.roomId, left - 1);
    if (asked.delete(message.id) || left !== undefined) given.push(message);
  }
  return given.reverse();
}
