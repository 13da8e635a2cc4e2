// A team that changes while it works: a new team file, and rooms that people make.
import type { RecordEvent } from '../record/catalogue.js';
import { invalid, newMember, newRoom } from './live-fold-parts.js';
import { enqueue, pruneChains } from './live-queue.js';
import type { LiveMember, LiveRoom, LiveState, LiveTeam } from './live-state.js';
import { readLiveTeam } from './live-team.js';
import { TeamFileError } from './team-file.js';

/**
 * Puts another team file in force. Members stay who they are, new ones get the next ordinals, and who is not in the
 * file any more has left: what waited for it wakes whoever was to follow. Rooms never go away.
 */
export function changeTeam(state: LiveState, event: Extract<RecordEvent, { type: 'team:changed' }>): LiveState {
  const team = readTeam(state, event);
  const gone = [...state.members.values()].filter(({ id }) => !team.members.includes(id));
  const busy = gone.find(({ open }) => open !== null);
  if (busy !== undefined) throw invalid(event, `${busy.id} has the open turn ${busy.open?.position ?? ''}`);
  let nextOrdinal = state.nextOrdinal;
  const members = new Map(
    team.members.map((id): [string, LiveMember] => [id, state.members.get(id) ?? newMember(id, nextOrdinal++)]),
  );
  const rooms = changedRooms(state, team);
  const changed = { ...state, team: event.payload.team, lead: team.lead, members, nextOrdinal, rooms };
  const woken = gone
    .flatMap(({ id, queue }) => queue.flatMap(({ triggers }) => triggers.map((trigger) => ({ id, trigger }))))
    .reduce<LiveState>((next, { id, trigger }) => enqueue(next, id, trigger), changed);
  return pruneChains(woken);
}

function readTeam(state: LiveState, event: Extract<RecordEvent, { type: 'team:changed' }>): LiveTeam {
  try {
    return readLiveTeam(event.payload.team, state.teamId);
  } catch (error) {
    if (!(error instanceof TeamFileError)) throw error;
    throw invalid(event, `its team file cannot be read (${error.message})`);
  }
}

function changedRooms(state: LiveState, team: LiveTeam): ReadonlyMap<string, LiveRoom> {
  const rooms = new Map<string, LiveRoom>();
  for (const room of team.rooms) rooms.set(room.id, { ...(state.rooms.get(room.id) ?? newRoom(room)), ...room });
  for (const room of state.rooms.values()) {
    if (rooms.has(room.id)) continue;
    rooms.set(room.id, { ...room, members: room.members.filter((id) => team.members.includes(id)) });
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
