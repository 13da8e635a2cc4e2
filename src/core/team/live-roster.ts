// Everybody in a live conversation: the members of its team file, and those that were spawned in it.
import type { JsonValue } from '../json.js';
import type { LiveState } from './live-state.js';
import { initialsIcon, type MemberIcon } from './member-icon.js';
import type { TeamFile } from './team-file.js';

export interface LiveProfile {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly brief: string;
  readonly icon: MemberIcon;
  /** Name of its engine. */
  readonly engine: string;
  /** For an engine that plays a script; null when there is none. */
  readonly script: JsonValue;
  readonly isSpawned: boolean;
}

/** In the order of the roster: the team file's members, then the others as they came. */
export function liveRoster(team: TeamFile, state: LiveState): readonly LiveProfile[] {
  const declared = team.members
    .filter(({ id }) => state.members.has(id))
    .map(({ id, name, role, brief, icon, engine, script }) => ({
      ...{ id, name, role, brief, icon, script },
      engine: engine.kind,
      isSpawned: false,
    }));
  const known = new Set(declared.map(({ id }) => id));
  const spawned = [...state.board.members.values()]
    .filter(({ name, phase }) => phase === 'active' && !known.has(name) && state.members.has(name))
    .map(({ name, description, provider }) => ({
      ...{ id: name, name, role: description, brief: description, icon: initialsIcon(name), script: null },
      engine: provider,
      isSpawned: true,
    }));
  return [...declared, ...spawned];
}

/** One member of it; null for whoever has left. */
export function liveProfile(team: TeamFile, state: LiveState, memberId: string): LiveProfile | null {
  return liveRoster(team, state).find(({ id }) => id === memberId) ?? null;
}

/** Ids and names of everybody in the team, and ids of those that have left it: no new member may be called so. */
export function takenNames(team: TeamFile, state: LiveState): readonly string[] {
  return [...liveRoster(team, state).flatMap(({ id, name }) => [id, name]), ...state.former.keys()];
}
