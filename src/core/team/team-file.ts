// A team file: who is in the team, who leads it, where it talks, within which limits. Every problem of a file is said at
// once, each with its place and what to do.
// Rules: docs/rules.md § Team files.
import { canonicalJson, type JsonObject, type JsonValue } from '../json.js';
import { LIMIT_KEYS, limitRule, readLimit, type Limits } from './limits.js';
import type { MemberIcon } from './member-icon.js';
import { foldName } from './name-fold.js';
import { capitalized, isSlug, SLUG_RULE } from './slug.js';
import { readTeamMembers } from './team-file-members.js';
import { TeamFileReader } from './team-file-reader.js';
import { type FileIssue, readJsonText } from './team-json.js';

export interface TeamFileMember {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly brief: string;
  readonly icon: MemberIcon;
  /** Which engine drives the member, and what the file says to it. */
  readonly engine: { readonly kind: string; readonly options: JsonObject };
  /** For an engine that plays a script; null when there is none. */
  readonly script: JsonValue;
}

export interface TeamFileRoom {
  readonly id: string;
  readonly name: string;
  /** Public: all members. Direct: two of more. */
  readonly kind: 'public' | 'private' | 'direct';
  readonly members: readonly string[];
}

export interface TeamFile {
  readonly id: string;
  readonly name: string;
  readonly lead: string;
  /** In the order of the file, the lead among them. */
  readonly members: readonly TeamFileMember[];
  readonly rooms: readonly TeamFileRoom[];
  /** Those that the file sets. */
  readonly limits: Readonly<Partial<Limits>>;
  /** A first post to offer. */
  readonly suggestion: string | null;
  /** The file as canonical JSON, everything in it kept; reading it again gives an equal team. */
  readonly canonicalText: string;
}

/** A team file that cannot be used. `issues` is never empty and stands in the order of the text. */
export class TeamFileError extends Error {
  override readonly name = 'TeamFileError';
  readonly code = 'INVALID_TEAM_FILE';
  readonly issues: readonly FileIssue[];
  constructor(teamId: string, issues: readonly FileIssue[]) {
    const [first] = issues;
    const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
    super(`The team file "${teamId}" cannot be used. Line ${first?.line ?? 1}: ${first?.message ?? ''}${more}`);
    this.issues = issues;
  }
}

/**
 * Reads a team file.
 * @param text - JSON; comments and trailing commas are allowed.
 * @param expectedId - the file's name without `.team.json`.
 * @throws TeamFileError with every problem found.
 */
export function parseTeamFile(text: string, expectedId: string): TeamFile {
  const json = readJsonText(text);
  const reader = new TeamFileReader(json);
  const root = json.value === null ? null : reader.object(json.value, []);
  const team = root === null ? null : readTeam(reader, root, expectedId);
  if (reader.issues.length > 0 || team === null) {
    const issues = reader.issues.toSorted((left, right) => left.line - right.line || left.column - right.column);
    throw new TeamFileError(expectedId, issues);
  }
  return team;
}

function readTeam(reader: TeamFileReader, root: JsonObject, expectedId: string): TeamFile {
  const id = reader.text(root, 'id', []);
  if (id !== null && id !== expectedId) {
    reader.refuse(['id'], `The id "${id}" differs from the file's name. Write "${expectedId}", or rename the file.`);
  } else if (id !== null && !isSlug(id)) {
    reader.refuse(['id'], `The id "${id}" cannot be used. ${SLUG_RULE}`);
  }
  if (root['definitionVersion'] !== undefined) reader.count(root, 'definitionVersion', [], 1);
  if (root['edges'] !== undefined && reader.list(root, 'edges', []).length > 0) {
    reader.refuse(['edges'], 'A team has no edges: mentions ask for turns. Leave the list empty.');
  }
  const lead = reader.text(root, 'lead', []);
  const members = readTeamMembers(reader, root, lead);
  if (lead !== null && !members.some((member) => member.id === lead)) {
    reader.refuse(['lead'], `There is no member "${lead}". Name the id of one of the nodes.`);
  }
  return {
    id: expectedId,
    name: reader.optionalText(root, 'name', []) ?? capitalized(expectedId).replaceAll('-', ' '),
    lead: lead ?? '',
    members,
    rooms: readRooms(
      reader,
      root,
      members.map((member) => member.id),
    ),
    limits: readLimits(reader, root),
    suggestion: reader.optionalText(root, 'suggestion', []),
    canonicalText: canonicalJson(root),
  };
}

function readRooms(reader: TeamFileReader, root: JsonObject, everybody: readonly string[]): readonly TeamFileRoom[] {
  const data = reader.optionalObject(root, 'data', []);
  if (data?.['task'] !== undefined && typeof data['task'] !== 'string') {
    reader.refuse(['data', 'task'], 'The task is text. Put it in double quotes.');
  }
  for (const key of ['globalConcurrency', 'maxTurnsPerMember']) {
    if (data?.[key] !== undefined) reader.count(data, key, ['data'], 1);
  }
  const communication = data === null ? null : reader.optionalObject(data, 'communication', ['data']);
  const path = ['data', 'communication'];
  if (communication?.['tailMessages'] !== undefined) reader.count(communication, 'tailMessages', path, 1);
  const rooms = communication?.['rooms'] === undefined ? [] : reader.list(communication, 'rooms', path);
  if (rooms.length === 0) return [{ id: 'team', name: 'Team room', kind: 'public', members: everybody }];
  const taken = new Set<string>();
  return rooms.flatMap((value, index) => {
    const room = readRoom(reader, value, [...path, 'rooms', index], everybody);
    if (room === null) return [];
    for (const word of new Set([foldName(room.id), foldName(room.name)])) {
      if (taken.has(word)) reader.refuse([...path, 'rooms', index], `Two rooms are called "${word}". Rename one.`);
      taken.add(word);
    }
    return [room];
  });
}

function readRoom(
  reader: TeamFileReader,
  value: JsonValue,
  path: readonly (string | number)[],
  everybody: readonly string[],
): TeamFileRoom | null {
  const room = reader.object(value, path);
  if (room === null) return null;
  const id = reader.text(room, 'id', path);
  if (id !== null && !isSlug(id)) reader.refuse([...path, 'id'], `The room id "${id}" cannot be used. ${SLUG_RULE}`);
  const name = reader.optionalText(room, 'name', path) ?? capitalized(id ?? '').replaceAll('-', ' ');
  const members = new Set<string>();
  reader.list(room, 'members', path).forEach((member, index) => {
    const place = [...path, 'members', index];
    if (typeof member !== 'string' || !everybody.includes(member)) {
      reader.refuse(place, `There is no member ${JSON.stringify(member)}. Name the id of one of the nodes.`);
    } else if (members.has(member)) {
      reader.refuse(place, `The member "${member}" is in the room twice. Remove one.`);
    } else members.add(member);
  });
  if (members.size === 0) reader.refuse([...path, 'members'], 'A room needs at least one member.');
  const kind = members.size === everybody.length ? 'public' : members.size === 2 ? 'direct' : 'private';
  return { id: id ?? '', name, kind, members: [...members] };
}

function readLimits(reader: TeamFileReader, root: JsonObject): Partial<Limits> {
  const given = reader.optionalObject(root, 'limits', []);
  if (given === null) return {};
  const read = LIMIT_KEYS.flatMap((key) => {
    const value = readLimit(key, given[key]);
    if (value === 'unset') return [];
    if (value !== 'bad') return [[key, value] as const];
    reader.refuse(['limits', key], `"${key}" is ${JSON.stringify(given[key])}. Write ${limitRule(key)}.`);
    return [];
  });
  return Object.fromEntries(read);
}
