// What the folds of a live conversation's events share: looking something up, changing a member, ending a turn.
import type { RecordEvent } from '../record/catalogue.js';
import { RecordError } from '../record/error.js';
import { enqueue } from './live-queue.js';
import {
  memberAt,
  type LiveMember,
  type LivePost,
  type LiveRoom,
  type LiveState,
  type OpenTurn,
} from './live-state.js';
import { NO_USAGE } from './usage.js';

export function newMember(id: string, ordinal: number): LiveMember {
  return {
    id,
    ordinal,
    handleId: null,
    inbox: [],
    turns: 0,
    queue: [],
    open: null,
    left: [],
    previous: new Map(),
    failure: null,
    endedAt: null,
    usage: NO_USAGE,
  };
}

export function newRoom(room: Pick<LiveRoom, 'id' | 'name' | 'kind' | 'members'>): LiveRoom {
  const { id, name, kind, members } = room;
  return { id, name, kind, members, tail: [], isEmpty: true };
}

/** Adds a post to its room's tail. */
export function say(state: LiveState, room: LiveRoom, post: LivePost, at: string): LiveState {
  const tail = [...room.tail, post];
  if (tail.length > state.limits.tailMessages) tail.splice(0, tail.length - state.limits.tailMessages);
  return { ...state, activeAt: at, rooms: new Map(state.rooms).set(room.id, { ...room, tail, isEmpty: false }) };
}

/** Closes an open turn. Whoever the same posts mention next is woken now, and sees this turn's outcome. */
export function settle(state: LiveState, event: RecordEvent, position: string, change: Partial<LiveMember>): LiveState {
  const { member, turn } = openTurn(state, event, position);
  const closed = withMember({ ...state, activeAt: event.timestamp }, member, () => ({
    ...change,
    open: null,
    endedAt: event.timestamp,
  }));
  return turn.triggers.reduce<LiveState>((next, trigger) => {
    const [following, ...then] = trigger.then;
    return following === undefined ? next : enqueue(next, following, { ...trigger, then });
  }, closed);
}

export function withMember(
  state: LiveState,
  member: LiveMember,
  change: (member: LiveMember) => Partial<LiveMember>,
): LiveState {
  return { ...state, members: new Map(state.members).set(member.id, { ...member, ...change(member) }) };
}

/** @throws RecordError `INVALID_EVENT` when nobody has that id. */
export function knownMember(state: LiveState, event: RecordEvent, id: string): LiveMember {
  const member = state.members.get(id);
  if (member === undefined) throw invalid(event, `"${id}" is no member of the team`);
  return member;
}

/** @throws RecordError `INVALID_EVENT` when there is no such room. */
export function knownRoom(state: LiveState, event: RecordEvent, id: string): LiveRoom {
  const room = state.rooms.get(id);
  if (room === undefined) throw invalid(event, `there is no room "${id}"`);
  return room;
}

/** @throws RecordError `INVALID_EVENT` when no turn is open there. */
export function openTurn(
  state: LiveState,
  event: RecordEvent,
  position: string,
): { readonly member: LiveMember; readonly turn: OpenTurn } {
  const member = memberAt(state, position);
  if (member === null || member.open === null) throw invalid(event, `no turn is open at "${position}"`);
  return { member, turn: member.open };
}

export function invalid(event: RecordEvent, why: string): RecordError {
  return new RecordError(
    'INVALID_EVENT',
    event.revision,
    `Event ${event.revision} (${event.type}) cannot stand here: ${why}.`,
  );
}
