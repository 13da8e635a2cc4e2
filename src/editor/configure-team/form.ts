// A team file as a form, what was changed in it as changes of the file, and what is wrong with those at its place in
// the form. Pure, so that it can be tried without an editor.
// Rules: docs/rules.md § Team files.
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.js';
import { effectiveLimits, LIMIT_KEYS, type LimitLevels } from '../../core/team/limits.js';
import { parseTeamFile, type TeamFile } from '../../core/team/team-file.js';
import { type FileIssue, readJsonText } from '../../core/team/team-json.js';
import {
  MEMBER_FIELDS,
  type FormMember,
  type FormProblem,
  type MemberField,
  type SaveTeam,
  type TeamForm,
} from '../../protocol/team-form.js';
import type { MemberFields, NewMember, TeamChange } from './edit.js';

export interface FormContext {
  readonly stamp: string;
  readonly place: TeamForm['place'];
  /** The team that the open conversation runs with, as canonical text. */
  readonly inForce: string;
  readonly settings: Pick<LimitLevels, 'machine' | 'user' | 'workspace'>;
  readonly engines: TeamForm['engines'];
  readonly problems: readonly FormProblem[];
}

/**
 * The form of a team file.
 * @throws TeamFileError when the file cannot be used: it is to be mended as a text first.
 */
export function teamFormOf(text: string, teamId: string, context: FormContext): TeamForm {
  const team = parseTeamFile(text, teamId);
  const others = effectiveLimits(context.settings);
  return {
    teamId,
    name: team.name,
    stamp: context.stamp,
    place: context.place,
    isInForce: team.canonicalText === context.inForce,
    lead: team.lead,
    members: formMembers(text, team),
    limits: LIMIT_KEYS.map((key) => ({
      key,
      written: team.limits[key] ?? null,
      others: { key, value: others.limits[key], source: others.sources[key] },
    })),
    engines: context.engines.map((engine) => ({ ...engine })),
    problems: [...context.problems],
  };
}

/** What was changed: the form as it was made, against the form as it was sent. */
export function changesOf(before: TeamForm, asked: SaveTeam): readonly TeamChange[] {
  const known = new Map(before.members.map((member) => [member.id, member]));
  const staying = asked.members.filter(({ isNew }) => !isNew);
  const added = asked.members.filter(({ isNew }) => isNew);
  const gone = before.members.filter(({ id }) => !staying.some((member) => member.id === id));
  const changes: TeamChange[] = [];
  // Before anything is removed, so that a room which has everybody is known by it.
  changes.push(...added.map((member): TeamChange => ({ kind: 'member-added', member: newMember(member) })));
  changes.push(...gone.map(({ id }): TeamChange => ({ kind: 'member-removed', memberId: id })));
  for (const member of staying) {
    const old = known.get(member.id);
    const fields = old === undefined ? {} : changedFields(old, member);
    if (Object.keys(fields).length > 0) changes.push({ kind: 'member-changed', memberId: member.id, fields });
  }
  const order = asked.members.map(({ id }) => id);
  const natural = [...before.members.map(({ id }) => id).filter((id) => order.includes(id)), ...added.map(idOf)];
  if (order.join('\n') !== natural.join('\n')) changes.push({ kind: 'members-ordered', memberIds: order });
  const lead = asked.members.find(({ key }) => key === asked.lead)?.id ?? '';
  if (lead !== before.lead) changes.push({ kind: 'lead', memberId: lead });
  for (const { key, value } of asked.limits) {
    const written = before.limits.find((limit) => limit.key === key)?.written ?? null;
    if (value === written) continue;
    changes.push(value === null ? { kind: 'limit-removed', key } : { kind: 'limit-set', key, value });
  }
  return changes;
}

/** Where in the form a problem of the file that would come of it belongs. */
export function placeProblem({ pointer, message }: FileIssue, members: readonly FormMember[]): FormProblem {
  const [, first, second, third, fourth] = pointer.split('/');
  const limit = LIMIT_KEYS.find((key) => first === 'limits' && key === second);
  const key = first === 'nodes' && second !== undefined ? members[Number(second)]?.key : undefined;
  const field = MEMBER_FIELDS.find((name) => name === (third === 'data' ? fourth : third));
  if (first === 'lead') return { place: { kind: 'lead' }, message };
  if (limit !== undefined) return { place: { kind: 'limit', key: limit }, message };
  if (key !== undefined && field !== undefined) return { place: { kind: 'member', key, field }, message };
  return { place: { kind: 'team' }, message };
}

/** A problem of no field. */
export function generalProblem(message: string): FormProblem {
  return { place: { kind: 'team' }, message };
}

function formMembers(text: string, team: TeamFile): FormMember[] {
  const { value } = readJsonText(text);
  const nodes = isJsonObject(value) && Array.isArray(value['nodes']) ? (value['nodes'] as readonly JsonValue[]) : [];
  const written = (index: number): JsonObject => {
    const node = nodes[index];
    return isJsonObject(node) && isJsonObject(node['data']) ? node['data'] : {};
  };
  return team.members.map(({ id, role, brief, engine }, index) => {
    const { name, icon } = written(index);
    return {
      key: id,
      id,
      name: typeof name === 'string' ? name : '',
      role,
      brief,
      icon: typeof icon === 'string' ? icon : '',
      engine: engine.kind,
      isNew: false,
    };
  });
}

type Field = Exclude<MemberField, 'id'>;
const FIELDS = ['name', 'role', 'brief', 'icon', 'engine'] as const satisfies readonly Field[];

/** Those that the file may leave out; an empty one is taken out of it. */
const OPTIONAL: readonly Field[] = ['name', 'icon'];

function changedFields(old: FormMember, now: FormMember): { readonly [Name in Field]?: MemberFields[Name] | null } {
  const changed = FIELDS.filter((field) => old[field] !== now[field]);
  return Object.fromEntries(
    changed.map((field) => [field, now[field] === '' && OPTIONAL.includes(field) ? null : now[field]]),
  );
}

function newMember({ id, name, role, brief, icon, engine }: FormMember): NewMember {
  return {
    id,
    ...(name === '' ? {} : { name }),
    role,
    brief,
    ...(icon === '' ? {} : { icon }),
    engine,
  };
}

function idOf({ id }: FormMember): string {
  return id;
}
