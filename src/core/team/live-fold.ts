// The fold of a live conversation: one event in, the next state out. Nothing else changes state.
// Rules: docs/rules.md § The live conversation.
import type { LiveTurnResult, RecordEvent, RecordPayload } from '../record/catalogue.js';
import { RecordError } from '../record/error.js';
import { messageId } from './identifiers.js';
import { chainOf, enqueue, mentionTrigger, pruneChains } from './live-queue.js';
import {
  currentEpoch,
  memberAt,
  PERSON,
  type LiveMember,
  type LivePost,
  type LiveRoom,
  type LiveState,
  type LiveTeam,
  type OpenTurn,
} from './live-state.js';

/**
 * Folds the first event of a conversation.
 * @param runId - the stream that is folded.
 * @param team - what the event's team file says; read by the caller, since the fold knows no file format.
 */
export function startLive(
  event: Extract<RecordEvent, { type: 'conversation:started' }>,
  runId: string,
  team: LiveTeam,
): LiveState {
  return {
    revision: event.revision,
    runId,
    teamId: event.payload.teamId,
    lead: team.lead,
    limits: event.payload.limits,
    runner: null,
    requestedBy: null,
    members: new Map(team.members.map((id) => [id, newMember(id)])),
    rooms: new Map(team.rooms.map(({ id, members }) => [id, { id, members, tail: [], isEmpty: true }])),
    chains: new Map(),
    personPosts: 0,
    nextOrder: 0,
  };
}

/**
 * Folds one event.
 * @throws RecordError `INVALID_EVENT` when the event cannot follow this state.
 */
export function foldLive(state: LiveState, event: RecordEvent): LiveState {
  if (event.revision <= state.revision) throw invalid(event, 'it was folded already');
  return { ...apply(state, event), revision: event.revision };
}

function apply(state: LiveState, event: RecordEvent): LiveState {
  switch (event.type) {
    case 'conversation:started':
      throw invalid(event, 'the conversation has started already');
    case 'conversation:run':
      return startRun(state, event, event.payload);
    case 'conversation:requested':
      return { ...state, requestedBy: event.payload.runner };
    case 'team/member':
      // ST-18: a record that was copied under another run id keeps its ancestor's team events; they are not this team's.
      if (event.payload.teamId !== state.runId) return state;
      return withMember(state, knownMember(state, event, event.payload.member.name), () => ({
        handleId: event.payload.member.id,
      }));
    case 'post:written':
      return writePost(state, event);
    case 'graph:node-dispatched':
      return dispatch(state, event);
    case 'graph:node-attempt-started':
    case 'graph:node-paused':
      openTurn(
        state,
        event,
        event.type === 'graph:node-paused' ? event.payload.position : event.payload.identity.position,
      );
      return state;
    case 'graph:node-resumed':
      return resume(state, event);
    case 'graph:node-completed':
      return complete(state, event, event.payload.result);
    case 'graph:node-failed':
      return pruneChains(settle(state, event, event.payload.position, { failure: event.payload.code }));
    case 'turn:failed':
      return withMember(state, knownMember(state, event, event.payload.member), () => ({
        failure: event.payload.message,
      }));
    case 'turn:skipped':
      return pruneChains(settle(state, event, event.payload.position, {}));
    case 'conversation:limited':
      return park(state, event);
    case 'input:given':
    case 'step:recorded':
      throw invalid(event, 'it belongs into a member’s own stream');
  }
}

function startRun(
  state: LiveState,
  event: RecordEvent,
  { runner, epoch }: RecordPayload<'conversation:run'>,
): LiveState {
  if (epoch !== currentEpoch(state) + 1)
    throw invalid(event, `the epoch ${epoch} does not follow ${currentEpoch(state)}`);
  return { ...state, runner: { id: runner, epoch }, requestedBy: null };
}

function writePost(state: LiveState, event: Extract<RecordEvent, { type: 'post:written' }>): LiveState {
  const { id, sender, roomId, text, mentions } = event.payload;
  const post: LivePost = { id, roomId, sender, text, mentions };
  const room = knownRoom(state, event, roomId);
  const next = say(sender === PERSON ? { ...state, personPosts: state.personPosts + 1 } : state, room, post);
  const [first, ...then] = mentions.length > 0 ? mentions : roomContact(state, room);
  if (first === undefined) return next;
  return enqueue(next, first, { post, chain: id, person: true, hop: 0, revision: event.revision, then });
}

function dispatch(state: LiveState, event: Extract<RecordEvent, { type: 'graph:node-dispatched' }>): LiveState {
  const { nodeId, position } = event.payload;
  const member = knownMember(state, event, nodeId);
  const [turn, ...queue] = member.queue;
  if (turn === undefined) throw invalid(event, `nothing waits for ${nodeId}`);
  if (member.open !== null) throw invalid(event, `${nodeId} has the open turn ${member.open.position}`);
  const { chain, hop } = chainOf(turn);
  const open = {
    position,
    roomId: turn.roomId,
    triggers: turn.triggers,
    chain,
    hop,
    epoch: currentEpoch(state),
    since: event.timestamp,
  };
  const chains = new Map(state.chains);
  chains.set(chain, { hops: (chains.get(chain)?.hops ?? 0) + (hop > 0 ? 1 : 0) });
  return withMember({ ...state, chains }, member, () => ({ queue, open, turns: member.turns + 1 }));
}

function resume(state: LiveState, event: Extract<RecordEvent, { type: 'graph:node-resumed' }>): LiveState {
  const { member, turn } = openTurn(state, event, event.payload.position);
  return withMember(state, member, () => ({ open: { ...turn, epoch: currentEpoch(state), since: event.timestamp } }));
}

function complete(
  state: LiveState,
  event: RecordEvent & { type: 'graph:node-completed' },
  result: LiveTurnResult,
): LiveState {
  const { position } = event.payload;
  const { member, turn } = openTurn(state, event, position);
  const settled = settle(state, event, position, {
    failure: null,
    previous: new Map(member.previous).set(turn.roomId, { summary: result.summary, data: result.data ?? null }),
  });
  const said = result.posts.reduce<LiveState>((next, { roomId, text, mentions }, index) => {
    const post: LivePost = { id: messageId(position, index), roomId, sender: member.id, text, mentions };
    const heard = say(next, knownRoom(next, event, roomId), post);
    const trigger = mentionTrigger(post, turn, event.revision);
    return trigger === null ? heard : enqueue(heard, trigger.first, trigger.trigger);
  }, settled);
  return pruneChains(said);
}

/** Closes an open turn. Whoever the same posts mention next is woken now, and sees this turn's outcome. */
function settle(state: LiveState, event: RecordEvent, position: string, change: Partial<LiveMember>): LiveState {
  const { member, turn } = openTurn(state, event, position);
  const closed = withMember(state, member, () => ({ ...change, open: null, endedAt: event.timestamp }));
  return turn.triggers.reduce<LiveState>((next, trigger) => {
    const [following, ...then] = trigger.then;
    return following === undefined ? next : enqueue(next, following, { ...trigger, then });
  }, closed);
}

/** A chain that reached its limit: its triggers are taken out of the turn that was next; those of other chains stay. */
function park(state: LiveState, event: Extract<RecordEvent, { type: 'conversation:limited' }>): LiveState {
  const [next] = event.payload.next;
  const member = knownMember(state, event, next ?? '');
  const [turn, ...queue] = member.queue;
  if (turn === undefined || chainOf(turn).chain !== event.payload.chain) {
    throw invalid(event, `no turn of that chain waits for ${member.id}`);
  }
  const triggers = turn.triggers.filter(({ chain }) => chain !== event.payload.chain);
  const rest = triggers.length === 0 ? queue : [{ ...turn, triggers }, ...queue];
  return pruneChains(withMember(state, member, () => ({ queue: rest })));
}

/** Who answers a person's post that mentions nobody: the lead, or in a room without it the room's first member. */
function roomContact(state: LiveState, room: LiveRoom): readonly string[] {
  return room.members.includes(state.lead) ? [state.lead] : room.members.slice(0, 1);
}

function say(state: LiveState, room: LiveRoom, post: LivePost): LiveState {
  const tail = [...room.tail, post];
  if (tail.length > state.limits.tailMessages) tail.splice(0, tail.length - state.limits.tailMessages);
  return { ...state, rooms: new Map(state.rooms).set(room.id, { ...room, tail, isEmpty: false }) };
}

function newMember(id: string): LiveMember {
  return { id, handleId: null, turns: 0, queue: [], open: null, previous: new Map(), failure: null, endedAt: null };
}

function withMember(
  state: LiveState,
  member: LiveMember,
  change: (member: LiveMember) => Partial<LiveMember>,
): LiveState {
  return { ...state, members: new Map(state.members).set(member.id, { ...member, ...change(member) }) };
}

function knownMember(state: LiveState, event: RecordEvent, id: string): LiveMember {
  const member = state.members.get(id);
  if (member === undefined) throw invalid(event, `"${id}" is no member of the team`);
  return member;
}

function knownRoom(state: LiveState, event: RecordEvent, id: string): LiveRoom {
  const room = state.rooms.get(id);
  if (room === undefined) throw invalid(event, `there is no room "${id}"`);
  return room;
}

function openTurn(
  state: LiveState,
  event: RecordEvent,
  position: string,
): { readonly member: LiveMember; readonly turn: OpenTurn } {
  const member = memberAt(state, position);
  if (member === null || member.open === null) throw invalid(event, `no turn is open at "${position}"`);
  return { member, turn: member.open };
}

function invalid(event: RecordEvent, why: string): RecordError {
  return new RecordError(
    'INVALID_EVENT',
    event.revision,
    `Event ${event.revision} (${event.type}) cannot stand here: ${why}.`,
  );
}
