// What can be said of a form before the host is asked: the rules of team files, as far as a field alone shows them.
import { limitRule } from '../../src/core/team/limits.js';
import { ICON_RULE, memberIcon } from '../../src/core/team/member-icon.js';
import { mentionNameProblem } from '../../src/core/team/mentions.js';
import { capitalized, isSlug, SLUG_RULE } from '../../src/core/team/slug.js';
import { FORM_BOUNDS, type FormMember, type FormProblem, type MemberField } from '../../src/protocol/team-form.js';
import { limitOf, type FormState } from './form.js';

/** Everything that is wrong with what was filled in, in the order of the screen. */
export function problemsOf(state: FormState): readonly FormProblem[] {
  const { lead, members, limits, base } = state;
  const found: FormProblem[] = [];
  if (!members.some(({ key }) => key === lead)) {
    found.push({ place: { kind: 'lead' }, message: 'Choose who leads the team.' });
  }
  for (const row of members) found.push(...memberProblems(row, state));
  for (const { key } of base.limits) {
    if (limitOf(key, limits[key]) === 'bad') {
      found.push({ place: { kind: 'limit', key }, message: `Write ${limitRule(key)}, or leave it empty.` });
    }
  }
  return found;
}

/** What stands beside the fields: the host's words, and those of the rules; that something is missing only after a try. */
export function shownProblems(state: FormState): readonly FormProblem[] {
  const found = problemsOf(state).filter(
    ({ place }) => state.tried || place.kind !== 'member' || !isBlank(state, place),
  );
  const isSaid = (one: FormProblem): boolean =>
    state.problems.some(({ place }) => JSON.stringify(place) === JSON.stringify(one.place));
  return [...state.problems, ...found.filter((one) => !isSaid(one))];
}

/** The name that a row has: the one that was written, else the one made from its id. */
export function nameOf({ id, name }: FormMember): string {
  return name === '' ? capitalized(id) : name;
}

function isBlank(
  { members }: FormState,
  { key, field }: { readonly key: string; readonly field: MemberField },
): boolean {
  return members.find((row) => row.key === key)?.[field] === '';
}

function memberProblems(row: FormMember, { members, lead }: FormState): readonly FormProblem[] {
  const others = members.filter(({ key }) => key !== row.key);
  const isLead = row.key === lead;
  const found: Partial<Record<MemberField, string | null>> = {
    id: row.isNew ? idProblem(row.id, others, isLead) : null,
    name: row.name === '' ? null : nameProblem(row, others, isLead),
    role: row.role.trim() === '' ? 'Say in a few words what the member does.' : tooLong(row, 'role'),
    brief: tooLong(row, 'brief'),
    icon: row.icon === '' || memberIcon(row.icon) !== null ? null : ICON_RULE,
    engine: row.engine === '' ? 'Choose an engine.' : null,
  };
  return Object.entries(found).flatMap(([field, message]) =>
    message === null ? [] : [{ place: { kind: 'member', key: row.key, field: field as MemberField }, message }],
  );
}

function idProblem(id: string, others: readonly FormMember[], isLead: boolean): string | null {
  if (!isSlug(id)) return SLUG_RULE;
  if (others.some((other) => other.id === id)) return `The id "${id}" is used already. Choose another one.`;
  return mentionNameProblem(id, others.map(nameOf), isLead);
}

function nameProblem(row: FormMember, others: readonly FormMember[], isLead: boolean): string | null {
  return mentionNameProblem(
    row.name,
    others.flatMap((other) => [nameOf(other), other.id]),
    isLead,
  );
}

function tooLong(row: FormMember, field: 'role' | 'brief'): string | null {
  const over = row[field].length - FORM_BOUNDS[field];
  return over > 0 ? `This is ${over} characters too long.` : null;
}
