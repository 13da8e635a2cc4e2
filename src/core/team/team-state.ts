// What a team remembers and how an event changes it. An event that does not fit leaves the very same state: late,
// repeated and foreign events are harmless. Rules: docs/rules.md § Team state.
import { isJsonObject, type JsonObject, type JsonValue } from '../json.js';
import type { GraphEvent } from '../graph/model.js';
import { own } from '../graph/shape.js';
import { messageId, turnPosition } from './identifiers.js';
import type { Team } from './team-definition.js';
import type { TeamMemberState, TeamMessage, TeamPost, TeamState } from './team-model.js';
import { readTurnResult } from './team-result.js';

export function initialTeamState(team: Team): TeamState {
  return {
    nodes: Object.fromEntries(team.members.map(({ id, initialTurn }) => [id, newMember(initialTurn)])),
    messages: [],
  };
}

function newMember(queued: boolean): TeamMemberState {
  return {
    status: 'idle',
    turns: 0,
    inFlight: null,
    pauseReason: null,
    failureCode: null,
    result: null,
    queued,
    triggers: [],
  };
}

/** The state after `event`; `state` itself when the event does not apply. Never changes what it is given. */
export function reduceTeam(team: Team, state: TeamState, event: GraphEvent): TeamState {
  const { payload } = event;
  if (event.version !== 1 || !isJsonObject(payload)) return state;
  const nodeId = textField(payload, 'nodeId');
  const position = textField(payload, 'position');
  if (nodeId === undefined || position === undefined) return state;
  const member = Object.hasOwn(state.nodes, nodeId) ? state.nodes[nodeId] : undefined;
  if (member === undefined) return state;
  if (event.type === 'node-completed') return complete(team, state, { nodeId, position, member }, payload);
  const next = changed(team, member, event.type, { nodeId, position }, payload);
  return next === undefined ? state : { ...state, nodes: { ...state.nodes, [nodeId]: next } };
}

/** A member after an event that concerns nobody else, or undefined when the event does not apply. */
function changed(
  team: Team,
  member: TeamMemberState,
  type: string,
  { nodeId, position }: { readonly nodeId: string; readonly position: string },
  payload: JsonObject,
): TeamMemberState | undefined {
  const open = member.inFlight === position;
  switch (type) {
    case 'node-dispatched': {
      const due = member.status === 'idle' && member.queued && member.turns < team.maxTurns;
      if (!due || position !== turnPosition(nodeId, member.turns + 1)) return undefined;
      return {
        ...member,
        status: 'in-flight',
        turns: member.turns + 1,
        inFlight: position,
        queued: false,
        triggers: [],
      };
    }
    case 'node-failed': {
      const code = textField(payload, 'code');
      if (member.status !== 'in-flight' || !open || code === undefined) return undefined;
      return failed(member, code);
    }
    case 'node-paused': {
      const reason = textField(payload, 'reason');
      if (member.status !== 'in-flight' || !open || reason === undefined) return undefined;
      return { ...member, status: 'paused', pauseReason: reason };
    }
    case 'node-resumed':
      if (member.status !== 'paused' || !open) return undefined;
      return { ...member, status: 'in-flight', pauseReason: null };
    default:
      return undefined;
  }
}

function complete(
  team: Team,
  state: TeamState,
  turn: { readonly nodeId: string; readonly position: string; readonly member: TeamMemberState },
  payload: JsonObject,
): TeamState {
  const { nodeId, position, member } = turn;
  if (member.status !== 'in-flight' || member.inFlight !== position) return state;
  const reading = readTurnResult(team, nodeId, own(payload, 'result') ?? null);
  const settled =
    reading.issue === null
      ? { ...member, status: 'idle' as const, inFlight: null, result: reading.result }
      : failed(member, 'RESULT_INVALID');
  const nodes = { ...state.nodes, [nodeId]: settled };
  if (reading.issue !== null || reading.posts.length === 0) return { ...state, nodes };
  const messages = reading.posts.map((post, index) => saved(post, nodeId, position, index));
  return { nodes: withTriggers(nodes, messages), messages: [...state.messages, ...messages] };
}

function saved({ roomId, text, mentions }: TeamPost, sender: string, position: string, index: number): TeamMessage {
  return { roomId, text, mentions, id: messageId(position, index), sender, position };
}

/** Queues everybody who is mentioned, whatever they do just now, the sender too. A message asks each of them once. */
function withTriggers(nodes: TeamState['nodes'], messages: readonly TeamMessage[]): TeamState['nodes'] {
  const triggers = new Map<string, string[]>();
  for (const message of messages) {
    for (const mention of new Set(message.mentions)) {
      const asked = triggers.get(mention) ?? [];
      asked.push(message.id);
      triggers.set(mention, asked);
    }
  }
  return Object.fromEntries(
    Object.entries(nodes).map(([id, member]) => {
      const asked = triggers.get(id);
      return [id, asked === undefined ? member : { ...member, queued: true, triggers: [...member.triggers, ...asked] }];
    }),
  );
}

/** What the member said before stays: its earlier result and messages are part of the record. */
function failed(member: TeamMemberState, failureCode: string): TeamMemberState {
  return { ...member, status: 'failed', failureCode, inFlight: null, pauseReason: null };
}

function textField(payload: JsonObject, key: string): string | undefined {
  const value: JsonValue | undefined = own(payload, key);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
