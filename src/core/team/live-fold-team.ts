// A team that changes while it works: a new team file, and rooms that people make.
import type { RecordEvent } from '../record/catalogue.js';
import { invalid, newMember, newRoom } from './live-fold-parts.js';
import { enqueue, pruneChains } from './live-queue.js';
import type { LiveMember, LiveRoom, LiveState, LiveTeam } from './live-state.js';
import { readLiveTeam } from './live-team.js';
import { TeamFileError } from './team-file.js';

/**
 * Puts another team file in force. Members stay who they are, new ones get the next ordinals, those that were spawned
 * are in no file and stay, and who is not in the file any more has left: what waited for it wakes whoever was to follow,
 * and it goes on where it was when it comes back. Rooms never go away.
 */
export function changeTeam(state: LiveState, event: Extract<RecordEvent, { type: 'team:changed' }>): LiveState {
  const team = readTeam(state, event, event.payload.team);
  const declared = readTeam(state, event, state.team).members;
  const others = [...state.members.values()].filter(({ id }) => !team.members.includes(id));
  const gone = others.filter(({ id }) => declared.includes(id));
  const busy = gone.find(({ open }) => open !== null);
  if (busy !== undefined) throw invalid(event, `${busy.id} has the open turn ${busy.open?.position ?? ''}`);
  let nextOrdinal = state.nextOrdinal;
  const known = (id: string): LiveMember | undefined => state.members.get(id) ?? state.former.get(id);
  const spawned = others.filter(({ id }) => !declared.includes(id));
  const members = new Map([
    ...team.members.map((id): [string, LiveMember] => [id, known(id) ?? newMember(id, nextOrdinal++)]),
    ...spawned.map((member): [string, LiveMember] => [member.id, member]),
  ]);
  const former = new Map([...state.former].filter(([id]) => !members.has(id)));
  for (const member of gone) former.set(member.id, { ...member, queue: [], left: [] });
  const rooms = changedRooms(state, team, members, spawned);
  const changed = { ...state, team: event.payload.team, lead: team.lead, members, former, nextOrdinal, rooms };
  const woken = gone
    .flatMap(({ id, queue }) => queue.flatMap(({ triggers }) => triggers.map((trigger) => ({ id, trigger }))))
    .reduce<LiveState>((next, { id, trigger }) => enqueue(next, id, trigger), changed);
  return pruneChains(woken);
}

function readTeam(state: LiveState, event: RecordEvent, text: string): LiveTeam {
  try {
    return readLiveTeam(text, state.teamId);
  } catch (error) {
    if (!(error instanceof TeamFileError)) throw error;
    throw invalid(event, `its team file cannot be read (${error.message})`);
  }
}

function changedRooms(
  state: LiveState,
  team: LiveTeam,
  members: ReadonlyMap<string, LiveMember>,
  spawned: readonly LiveMember[],
): ReadonlyMap<string, LiveRoom> {
  const rooms = new Map<string, LiveRoom>();
  for (const room of team.rooms) {
    const all = room.kind === 'public' ? [...room.members, ...spawned.map(({ id }) => id)] : room.members;
    rooms.set(room.id, { ...(state.rooms.get(room.id) ?? newRoom(room)), ...room, members: all });
  }
  for (const room of state.rooms.values()) {
    if (rooms.has(room.id)) continue;
    rooms.set(room.id, { ...room, members: room.members.filter((id) => members.has(id)) });
  }
  return rooms;
}

/** Adds a room that a person made. */
export function createRoom(state: LiveState, event: Extract<RecordEvent, { type: 'room:created' }>): LiveState {
  const { id, members } = event.payload;
  if (state.rooms.has(id)) throw invalid(event, `there is a room "${id}" already`);
  const stranger = members.find((member) => !state.members.has(member));
  if (stranger !== undefined) throw invalid(event, `"${stranger}" is no member of the team`);
  return { ...state, rooms: new Map(state.rooms).set(id, newRoom(event.payload)) };
}
