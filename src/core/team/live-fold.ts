// The fold of a live conversation: one event in, the next state out. Nothing else changes state.
// Rules: docs/rules.md § The live conversation.
import type { LiveTurnResult, RecordEvent, RecordPayload, RecordEventType } from '../record/catalogue.js';
import { messageId } from './identifiers.js';
import { continueChain, park, stopAll } from './live-fold-chains.js';
import {
  invalid,
  knownMember,
  knownRoom,
  newMember,
  newRoom,
  openTurn,
  say,
  settle,
  withMember,
} from './live-fold-parts.js';
import { foldBoard, foldMail, readMail, takeResult } from './live-fold-board.js';
import { newAgentTeam } from './board/team-state.js';
import { changeTeam, createRoom } from './live-fold-team.js';
import { addLeft, chainOf, enqueue, enqueueTurn, mentionTrigger, NEW_CHAIN, pruneChains } from './live-queue.js';
import {
  currentEpoch,
  leftAt,
  PERSON,
  type InboxItem,
  type LiveMember,
  type LivePost,
  type LiveRoom,
  type LiveState,
  type LiveTeam,
  type OpenTurn,
} from './live-state.js';
import { addCost, addUsage, costOf, NO_USAGE } from './usage.js';

type EventOf<Type extends RecordEventType> = Extract<RecordEvent, { type: Type }>;

/** How much of the first post tells conversations apart, in UTF-16 code units. */
const PREVIEW_LENGTH = 200;

/**
 * Folds the first event of a conversation.
 * @param runId - the stream that is folded.
 * @param team - what the event's team file says; read by the caller.
 */
export function startLive(event: EventOf<'conversation:started'>, runId: string, team: LiveTeam): LiveState {
  const { teamId, team: text, limits, limitSources, policies } = event.payload;
  const others = team.members.filter((id) => id !== team.lead);
  const ordinal = (id: string): number => (id === team.lead ? 1 : others.indexOf(id) + 2);
  return {
    revision: event.revision,
    runId,
    teamId,
    team: text,
    lead: team.lead,
    limits,
    limitSources,
    acknowledgements: policies.acknowledgements,
    runner: null,
    requestedBy: null,
    members: new Map(team.members.map((id) => [id, newMember(id, ordinal(id))])),
    former: new Map(),
    nextOrdinal: others.length + 2,
    rooms: new Map(team.rooms.map((room) => [room.id, newRoom(room)])),
    chains: new Map(),
    personPosts: 0,
    personRoom: null,
    nextOrder: 0,
    name: null,
    isArchived: false,
    firstPost: null,
    activeAt: null,
    usage: NO_USAGE,
    board: newAgentTeam(runId),
    spawning: new Map(),
    mailFrom: new Map(),
    heldMail: new Set(),
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
    case 'conversation:limited':
      return park(state, event);
    case 'conversation:continued':
      return continueChain(state, event);
    case 'conversation:cancelled':
      return stopAll(state, event.payload.by);
    case 'conversation:renamed':
      return { ...state, name: event.payload.name === '' ? null : event.payload.name };
    case 'conversation:archived':
      return { ...state, isArchived: event.payload.archived };
    case 'limits:changed': {
      const { limits, limitSources, policies } = event.payload;
      return { ...state, limits, limitSources, acknowledgements: policies.acknowledgements };
    }
    case 'team:changed':
      return changeTeam(state, event);
    case 'room:created':
      return createRoom(state, event);
    case 'team/member':
    case 'team/task':
    case 'team/message/queued':
    case 'team/message/delivered':
      // ST-18: a record that was copied under another run id keeps its ancestor's team events; they are not this team's.
      return event.payload.teamId === state.runId ? foldBoard(state, event) : state;
    case 'task:resulted':
      return takeResult(state, event);
    case 'mail:read':
      return readMail(state, event);
    case 'mail:held':
    case 'mail:released':
    case 'mail:discarded':
      return foldMail(state, event);
    case 'post:written':
      return writePost(state, event);
    case 'post:inherited': {
      const { id, sender, roomId, text, mentions, at } = event.payload;
      return say(preview(state, text), knownRoom(state, event, roomId), { id, sender, roomId, text, mentions }, at);
    }
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
      return fail(state, event);
    case 'turn:failed':
      return explain(state, event);
    case 'turn:skipped':
      return skip(state, event);
    case 'turn:interrupted': {
      const { member, turn } = openTurn(state, event, event.payload.position);
      const { by } = event.payload;
      return withMember(state, member, () => ({
        open: { ...turn, stopping: turn.stopping ?? { reason: 'interrupted', by } },
      }));
    }
    case 'turn:cancelled':
      return cancel(state, event);
    case 'turn:requeued':
      return requeue(state, event);
    case 'usage:recorded':
      return recordUsage(state, event);
    case 'mail:received':
    case 'prompt:given':
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

function writePost(state: LiveState, event: EventOf<'post:written'>): LiveState {
  const { id, sender, roomId, text, mentions } = event.payload;
  const post: LivePost = { id, roomId, sender, text, mentions };
  const room = knownRoom(state, event, roomId);
  const counted =
    sender === PERSON ? { ...preview(state, text), personPosts: state.personPosts + 1, personRoom: roomId } : state;
  const next = say(counted, room, post, event.timestamp);
  const [first, ...then] = mentions.length > 0 ? mentions : roomContact(state, room);
  if (first === undefined) return next;
  return enqueue(next, first, {
    cause: { kind: 'post', post },
    chain: id,
    person: true,
    hop: 0,
    revision: event.revision,
    then,
  });
}

function preview(state: LiveState, text: string): LiveState {
  return state.firstPost === null ? { ...state, firstPost: text.slice(0, PREVIEW_LENGTH).toWellFormed() } : state;
}

function dispatch(state: LiveState, event: EventOf<'graph:node-dispatched'>): LiveState {
  const { nodeId, position } = event.payload;
  const member = knownMember(state, event, nodeId);
  const [turn, ...queue] = member.queue;
  if (turn === undefined) throw invalid(event, `nothing waits for ${nodeId}`);
  if (member.open !== null) throw invalid(event, `${nodeId} has the open turn ${member.open.position}`);
  const { roomId, triggers, retried } = turn;
  const { chain, hop } = chainOf(turn);
  const epoch = currentEpoch(state);
  const turnOf = { position, roomId, triggers, chain, hop, epoch, since: event.timestamp };
  const open = { ...turnOf, retried, stopping: null, mail: member.inbox };
  const before = state.chains.get(chain) ?? NEW_CHAIN;
  // A turn that is tried again was counted when it was started first.
  const counted =
    retried === null
      ? {
          ...before,
          hops: before.hops + (hop > 0 ? 1 : 0),
          turns: new Map(before.turns).set(nodeId, (before.turns.get(nodeId) ?? 0) + 1),
        }
      : before;
  const chains = new Map(state.chains).set(chain, counted);
  const next = { ...state, chains, activeAt: event.timestamp };
  return withMember(next, member, () => ({ queue, open, inbox: [], turns: member.turns + 1 }));
}

function resume(state: LiveState, event: EventOf<'graph:node-resumed'>): LiveState {
  const { member, turn } = openTurn(state, event, event.payload.position);
  if (turn.stopping !== null) throw invalid(event, `the turn ${turn.position} was ${turn.stopping.reason}`);
  return withMember(state, member, () => ({ open: { ...turn, epoch: currentEpoch(state), since: event.timestamp } }));
}

function complete(state: LiveState, event: EventOf<'graph:node-completed'>, result: LiveTurnResult): LiveState {
  const { position } = event.payload;
  const { member, turn } = openTurn(state, event, position);
  // SP-11, SP-4: what a stopped turn still answers is not taken; an answer before the stop is.
  if (turn.stopping !== null) throw invalid(event, `the turn ${position} was ${turn.stopping.reason}`);
  const settled = settle(state, event, position, {
    failure: null,
    left: member.left.filter(({ roomId }) => roomId !== turn.roomId),
    previous: new Map(member.previous).set(turn.roomId ?? '', { summary: result.summary, data: result.data ?? null }),
  });
  const said = result.posts.reduce<LiveState>((next, { roomId, text, mentions, acknowledgement }, index) => {
    const post: LivePost = { id: messageId(position, index), roomId, sender: member.id, text, mentions };
    const heard = say(next, knownRoom(next, event, roomId), post, event.timestamp);
    const trigger = acknowledgement === true ? null : mentionTrigger(post, turn, event.revision);
    return trigger === null ? heard : enqueue(heard, trigger.first, trigger.trigger);
  }, settled);
  return pruneChains(said);
}

function fail(state: LiveState, event: EventOf<'graph:node-failed'>): LiveState {
  const { position, code } = event.payload;
  const { member, turn } = openTurn(state, event, position);
  if (turn.stopping !== null) throw invalid(event, `the turn ${position} was ${turn.stopping.reason}`);
  const left = { ended: 'failed', code, message: null } as const;
  return pruneChains(
    settle(state, event, position, {
      failure: code,
      left: addLeft(member.left, leave(turn, event, left)),
      inbox: unanswered(member, turn),
    }),
  );
}

/** Says for a person why the turn that has just failed did. */
function explain(state: LiveState, event: EventOf<'turn:failed'>): LiveState {
  const { position, message } = event.payload;
  return withMember(state, knownMember(state, event, event.payload.member), (member) => ({
    failure: message,
    left: member.left.map((turn) => (turn.position === position ? { ...turn, message } : turn)),
  }));
}

function cancel(state: LiveState, event: EventOf<'turn:cancelled'>): LiveState {
  const { position, reason } = event.payload;
  const { member, turn } = openTurn(state, event, position);
  const left = leave(turn, event, { ended: 'cancelled', code: null, message: null });
  // After a stop nobody follows; after an interrupt the others of the same post go on.
  const before = reason === 'stopped' ? withoutFollowers(state, member.id) : state;
  return pruneChains(
    settle(before, event, position, { left: addLeft(member.left, left), inbox: unanswered(member, turn) }),
  );
}

/** What a turn without an answer was given goes back: the next one, tried again or not, is given it. */
function unanswered(member: LiveMember, turn: OpenTurn): readonly InboxItem[] {
  return [...turn.mail, ...member.inbox];
}

function withoutFollowers(state: LiveState, memberId: string): LiveState {
  const member = state.members.get(memberId);
  if (member?.open === undefined || member.open === null) return state;
  const triggers = member.open.triggers.map((trigger) => ({ ...trigger, then: [] }));
  return withMember(state, member, ({ open }) => ({ open: open === null ? null : { ...open, triggers } }));
}

/** A turn as it waits for a person: who was to answer after it has been woken, or will not be. */
function leave(
  {
    position,
    roomId,
    triggers,
  }: { readonly position: string; readonly roomId: string | null; readonly triggers: LiveTriggers },
  { timestamp }: RecordEvent,
  how: { readonly ended: 'failed' | 'cancelled'; readonly code: string | null; readonly message: string | null },
) {
  return { position, roomId, triggers: triggers.map((trigger) => ({ ...trigger, then: [] })), ...how, at: timestamp };
}

type LiveTriggers = Parameters<typeof enqueueTurn>[2]['triggers'];

function skip(state: LiveState, event: EventOf<'turn:skipped'>): LiveState {
  const { position } = event.payload;
  const left = leftAt(state, position);
  if (left === null) {
    const { member, turn } = openTurn(state, event, position);
    return pruneChains(settle(state, event, position, { inbox: unanswered(member, turn) }));
  }
  return pruneChains(
    withMember(state, left.member, ({ left: all }) => ({
      failure: null,
      left: all.filter((turn) => turn !== left.turn),
    })),
  );
}

function requeue(state: LiveState, event: EventOf<'turn:requeued'>): LiveState {
  const left = leftAt(state, event.payload.position);
  if (left === null) throw invalid(event, `no turn at "${event.payload.position}" waits to be tried again`);
  const { roomId, triggers, code } = left.turn;
  const without = withMember(state, left.member, ({ left: all }) => ({
    failure: null,
    left: all.filter((turn) => turn !== left.turn),
  }));
  return enqueueTurn(without, left.member.id, { roomId, triggers, retried: { code } });
}

function recordUsage(state: LiveState, event: EventOf<'usage:recorded'>): LiveState {
  const { member: id, chain, usage } = event.payload;
  const next = withMember(state, knownMember(state, event, id), (member) => ({ usage: addUsage(member.usage, usage) }));
  const known = next.chains.get(chain);
  const cost = costOf(usage);
  const chains =
    known === undefined || cost === null
      ? next.chains
      : new Map(next.chains).set(chain, { ...known, cost: addCost(known.cost, cost) });
  return { ...next, chains, usage: addUsage(next.usage, usage) };
}

/** Who answers a person's post that mentions nobody: the lead, or in a room without it the room's first member. */
function roomContact(state: LiveState, room: LiveRoom): readonly string[] {
  return room.members.includes(state.lead) ? [state.lead] : room.members.slice(0, 1);
}
