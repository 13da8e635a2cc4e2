// Rooms that people make: with a name and some members, or with one member alone.
// Rules: docs/rules.md § The live conversation.
import type { NewRecordEvent } from '../record/catalogue.js';
import { TeamError } from './error.js';
import type { LiveRoom, LiveState } from './live-state.js';
import { foldName } from './name-fold.js';

export interface NewRoom {
  readonly name: string;
  /** Ids, at least one. */
  readonly members: readonly string[];
}

/** How long a room's name may be, in UTF-16 code units. */
export const MAX_ROOM_NAME = 64;

type RoomCreated = NewRecordEvent & { readonly type: 'room:created' };

/**
 * Makes a room.
 * @throws TeamError `NAME_INVALID` for a name that is empty or too long, `ROOM_EXISTS` for one that another room has,
 * `MEMBER_NOT_FOUND` for a member that the team does not have, or when there is none.
 */
export function decideRoom(state: LiveState, { name: given, members: wanted }: NewRoom): RoomCreated {
  const name = given.toWellFormed().trim().replaceAll(/\s+/gu, ' ');
  if (name === '' || name.length > MAX_ROOM_NAME || /\p{Cc}/u.test(name)) {
    throw new TeamError('NAME_INVALID', `A room's name has 1 to ${MAX_ROOM_NAME} characters.`);
  }
  const twin = [...state.rooms.values()].find((room) => foldName(room.name) === foldName(name));
  if (twin !== undefined)
    throw new TeamError('ROOM_EXISTS', `There is a room "${twin.name}" already. Choose another name.`);
  const members = [...state.members.keys()].filter((id) => wanted.includes(id));
  const stranger = wanted.find((id) => !state.members.has(id));
  if (stranger !== undefined || members.length === 0) {
    throw new TeamError(
      'MEMBER_NOT_FOUND',
      stranger === undefined ? 'A room needs a member.' : `There is no member "${stranger}".`,
    );
  }
  const kind = members.length === state.members.size ? 'public' : 'private';
  return { type: 'room:created', payload: { id: newId(state, name), name, kind, members } };
}

/** Finds the room of the person with one member, or makes it. */
export function decideDirectRoom(
  state: LiveState,
  memberId: string,
  memberName: string,
): { readonly roomId: string; readonly events: readonly RoomCreated[] } {
  if (!state.members.has(memberId)) throw new TeamError('MEMBER_NOT_FOUND', `There is no member "${memberId}".`);
  const found = [...state.rooms.values()].find((room) => isDirect(room, memberId));
  if (found !== undefined) return { roomId: found.id, events: [] };
  const id = newId(state, `direct-${memberId}`);
  return {
    roomId: id,
    events: [{ type: 'room:created', payload: { id, name: memberName, kind: 'direct', members: [memberId] } }],
  };
}

function isDirect({ kind, members }: LiveRoom, memberId: string): boolean {
  return kind === 'direct' && members.length === 1 && members[0] === memberId;
}

/** An id that no room has: of the name's plain letters where it has any. */
function newId(state: LiveState, name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-');
  const base =
    plain
      .replaceAll(/^-+|-+$/g, '')
      .slice(0, 40)
      .replace(/-+$/, '') || 'room';
  if (!state.rooms.has(base)) return base;
  for (let number = 2; ; number += 1) if (!state.rooms.has(`${base}-${number}`)) return `${base}-${number}`;
}

/** Names the conversation; an empty name takes the name away. @returns nothing when it has that name. */
export function decideName(state: LiveState, name: string): readonly NewRecordEvent[] {
  const wanted = name.toWellFormed().trim();
  return (state.name ?? '') === wanted ? [] : [{ type: 'conversation:renamed', payload: { name: wanted } }];
}

/** Puts the conversation out of the list, or into it again. @returns nothing when it is there already. */
export function decideArchived(state: LiveState, archived: boolean): readonly NewRecordEvent[] {
  return state.isArchived === archived ? [] : [{ type: 'conversation:archived', payload: { archived } }];
}
