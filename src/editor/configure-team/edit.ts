// Changes a team file as a person asks for it in a form, and keeps the rest of its text, comments too.
// Rules: docs/rules.md § Team files.
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.js';
import type { LimitKey } from '../../core/team/limits.js';
import { capitalized } from '../../core/team/slug.js';
import { parseTeamFile, type TeamFile, TeamFileError } from '../../core/team/team-file.js';
import { type JsonPath, readJsonText } from '../../core/team/team-json.js';
import { appendItem, removeValue, setValue } from './json-edit.js';
import { orderItems } from './json-order.js';

/** What a file may say of a member, in the file's own shapes. */
export interface MemberFields {
  readonly name: string;
  readonly role: string;
  readonly brief: string;
  /** A codicon's id, or one or two letters. */
  readonly icon: string;
  /** The name of an engine, or an object with `kind`. */
  readonly engine: string | JsonObject;
}

export type NewMember = { readonly id: string } & Pick<MemberFields, 'role' | 'brief'> & Partial<MemberFields>;

export type TeamChange =
  | { readonly kind: 'lead'; readonly memberId: string }
  /** It joins the rooms that have everybody; the first room where there is none. */
  | { readonly kind: 'member-added'; readonly member: NewMember }
  /** It leaves the rooms, and a room that it leaves empty goes. */
  | { readonly kind: 'member-removed'; readonly memberId: string }
  /** `memberIds`: all of them, in the order wanted. */
  | { readonly kind: 'members-ordered'; readonly memberIds: readonly string[] }
  /** Null takes the field out of the file, so that its default counts. */
  | {
      readonly kind: 'member-changed';
      readonly memberId: string;
      readonly fields: { readonly [Field in keyof MemberFields]?: MemberFields[Field] | null };
    }
  | { readonly kind: 'limit-set'; readonly key: LimitKey; readonly value: number | null }
  | { readonly kind: 'limit-removed'; readonly key: LimitKey };

/** A team file as it is to be written. */
export interface EditedTeam {
  readonly text: string;
  readonly team: TeamFile;
}

/**
 * Makes all `changes`, one after the other, and reads what comes of them.
 * @param text - the file.
 * @param teamId - its name without `.team.json`.
 * @returns the new text, which differs from the old only where something was changed.
 * @throws TeamFileError with every problem, when the text is no JSON or the result would be no usable team file; nothing
 * is to be written then.
 */
export function editTeamFile(text: string, teamId: string, changes: readonly TeamChange[]): EditedTeam {
  const { issues } = readJsonText(text);
  if (issues.length > 0) throw new TeamFileError(teamId, issues);
  const edited = changes.reduce(change, text);
  return { text: edited, team: parseTeamFile(edited, teamId) };
}

/**
 * A new team file from a template.
 * @param text - the template.
 * @param ownId - the template's id; a team with another id is called by that.
 * @throws TeamFileError when the id cannot be one.
 */
export function teamFromTemplate(text: string, ownId: string, id: string): EditedTeam {
  if (id === ownId) return { text, team: parseTeamFile(text, id) };
  const name = capitalized(id).replaceAll('-', ' ');
  const edited = setValue(setValue(text, ['id'], id), ['name'], name);
  return { text: edited, team: parseTeamFile(edited, id) };
}

function change(text: string, asked: TeamChange): string {
  switch (asked.kind) {
    case 'lead':
      return setValue(text, ['lead'], asked.memberId);
    case 'member-added':
      return addMember(text, asked.member);
    case 'member-removed':
      return removeMember(text, asked.memberId);
    case 'members-ordered': {
      const now = nodes(text).map(idOf);
      const order = asked.memberIds.map((id) => now.indexOf(id));
      return orderItems(text, ['nodes'], order);
    }
    case 'member-changed': {
      const index = nodes(text).findIndex((node) => idOf(node) === asked.memberId);
      if (index === -1) return text;
      return Object.entries(asked.fields).reduce((before, [field, value]) => {
        const path = ['nodes', index, 'data', field];
        return value === null ? removeValue(before, path) : setValue(before, path, value);
      }, text);
    }
    case 'limit-set':
      return setValue(text, ['limits', asked.key], asked.value);
    case 'limit-removed': {
      const without = removeValue(text, ['limits', asked.key]);
      const limits = root(without)['limits'];
      return isJsonObject(limits) && Object.keys(limits).length === 0 ? removeValue(without, ['limits']) : without;
    }
  }
}

function addMember(text: string, { id, ...data }: NewMember): string {
  const everybody = nodes(text).map(idOf);
  const added = appendItem(text, ['nodes'], { id, data: { ...data } });
  const listed = rooms(text);
  const open = listed.flatMap((room, index) =>
    everybody.every((one) => membersOf(room).includes(one)) ? [index] : [],
  );
  const joined = open.length > 0 || listed.length === 0 ? open : [0];
  return joined.reduce((before, index) => appendItem(before, [...ROOMS, index, 'members'], id), added);
}

function removeMember(text: string, memberId: string): string {
  const index = nodes(text).findIndex((node) => idOf(node) === memberId);
  if (index === -1) return text;
  let edited = removeValue(text, ['nodes', index]);
  // From the last on, so that the places before stay what they are.
  for (const [at, room] of [...rooms(text).entries()].reverse()) {
    const members = membersOf(room);
    const place = members.indexOf(memberId);
    if (place === -1) continue;
    edited = removeValue(edited, members.length === 1 ? [...ROOMS, at] : [...ROOMS, at, 'members', place]);
  }
  return edited;
}

const ROOMS: JsonPath = ['data', 'communication', 'rooms'];

function root(text: string): JsonObject {
  const { value } = readJsonText(text);
  return isJsonObject(value) ? value : {};
}

function nodes(text: string): readonly JsonValue[] {
  return listOf(root(text)['nodes']);
}

function rooms(text: string): readonly JsonValue[] {
  let found: JsonValue | undefined = root(text);
  for (const key of ['data', 'communication', 'rooms']) found = isJsonObject(found) ? found[key] : undefined;
  return listOf(found);
}

function membersOf(room: JsonValue): readonly JsonValue[] {
  return isJsonObject(room) ? listOf(room['members']) : [];
}

function idOf(node: JsonValue): JsonValue {
  return isJsonObject(node) ? (node['id'] ?? null) : null;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}
