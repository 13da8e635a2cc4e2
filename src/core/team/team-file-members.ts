// The members of a team file: their ids, names, icons and engines.
import { isJsonObject, type JsonObject, type JsonValue } from '../json.js';
import { ICON_RULE, initialsIcon, memberIcon, type MemberIcon } from './member-icon.js';
import { mentionNameProblem } from './mentions.js';
import { capitalized, isSlug, SLUG_RULE } from './slug.js';
import type { TeamFileMember } from './team-file.js';
import type { TeamFileReader } from './team-file-reader.js';
import type { JsonPath } from './team-json.js';

/** How many members a team may have besides the lead. */
export const MAX_MEMBERS = 8;

/**
 * Reads `nodes`. Members with problems are left out; the reader knows why.
 * @param named - id of the lead as the file names it, null when it does not say.
 */
export function readTeamMembers(
  reader: TeamFileReader,
  root: JsonObject,
  named: string | null,
): readonly TeamFileMember[] {
  const nodes = reader.list(root, 'nodes', []);
  const ids = nodes.map((node) => (isJsonObject(node) && typeof node['id'] === 'string' ? node['id'] : ''));
  // A file that names no member as its lead has that one problem: a member called "lead" is not a second one.
  const lead = named !== null && ids.includes(named) ? named : 'lead';
  const others = nodes.length - (ids.includes(lead) ? 1 : 0);
  if (nodes.length === 0) reader.refuse(['nodes'], 'A team needs members. Add a node for the lead.');
  if (others > MAX_MEMBERS) {
    reader.refuse(
      ['nodes'],
      `The team has ${others} members besides the lead; ${MAX_MEMBERS} are allowed. Remove some.`,
    );
  }
  const names: string[] = [];
  return nodes.flatMap((value, index) => {
    const taken = [...names, ...ids.filter((_, other) => other !== index)];
    const member = readMember(reader, value, ['nodes', index], lead, taken);
    if (member === null) return [];
    if (ids.indexOf(member.id) < index) {
      reader.refuse(['nodes', index, 'id'], `The id "${member.id}" is used twice. Give each member its own.`);
      return [];
    }
    names.push(member.name);
    return [member];
  });
}

function readMember(
  reader: TeamFileReader,
  value: JsonValue,
  path: JsonPath,
  lead: string,
  taken: readonly string[],
): TeamFileMember | null {
  const node = reader.object(value, path);
  if (node === null) return null;
  const id = reader.text(node, 'id', path);
  if (id !== null) checkId(reader, id, [...path, 'id'], id === lead);
  const place = [...path, 'data'];
  const data = reader.object(node['data'] ?? null, place);
  if (data === null) return null;
  const role = reader.text(data, 'role', place);
  if (typeof data['brief'] !== 'string') {
    reader.refuse([...place, 'brief'], '"brief" is missing or no text. Say in it what the member is to do.');
  }
  if (data['initialTurn'] !== undefined && typeof data['initialTurn'] !== 'boolean') {
    reader.refuse([...place, 'initialTurn'], '"initialTurn" is true or false.');
  }
  reader.optionalObject(data, 'lane', place);
  if (id === null) return null;
  const named = reader.optionalText(data, 'name', place);
  const name = named ?? capitalized(id);
  const twin = taken.includes(id);
  const problem = twin ? null : mentionNameProblem(name, taken, id === lead);
  // A name that was not written is the id's: the place to mend is the id, unless that was refused already.
  if (problem !== null && (named !== null || isSlug(id))) {
    reader.refuse(named === null ? [...path, 'id'] : [...place, 'name'], problem);
  }
  return {
    id,
    name,
    role: role ?? '',
    brief: typeof data['brief'] === 'string' ? data['brief'] : '',
    icon: readIcon(reader, data['icon'], [...place, 'icon'], name),
    engine: readEngine(reader, data['engine'], [...place, 'engine']),
    script: data['script'] ?? null,
  };
}

function checkId(reader: TeamFileReader, id: string, path: JsonPath, isLead: boolean): void {
  if (!isSlug(id)) {
    reader.refuse(path, `The id "${id}" cannot be used. ${SLUG_RULE}`);
    return;
  }
  const problem = mentionNameProblem(id, [], isLead);
  if (problem !== null) reader.refuse(path, problem);
}

function readIcon(reader: TeamFileReader, value: JsonValue | undefined, path: JsonPath, name: string): MemberIcon {
  const icon = typeof value === 'string' ? memberIcon(value) : null;
  if (icon !== null) return icon;
  if (value !== undefined) reader.refuse(path, ICON_RULE);
  return initialsIcon(name);
}

function readEngine(reader: TeamFileReader, value: JsonValue | undefined, path: JsonPath): TeamFileMember['engine'] {
  if (value === undefined) return { kind: 'scripted', options: {} };
  if (typeof value === 'string' && value.trim() !== '') return { kind: value, options: {} };
  if (isJsonObject(value)) {
    const { kind, ...options } = value;
    if (typeof kind === 'string' && kind.trim() !== '') return { kind, options };
  }
  reader.refuse(path, 'The engine is the name of one, such as "scripted", or an object with a "kind".');
  return { kind: 'scripted', options: {} };
}
