// The form of a team as it is filled in: one function from what a person did, or the host said, to the next state.
import { readLimit, type LimitKey } from '../../src/core/team/limits.js';
import type { FormMember, FormProblem, MemberField, SaveTeam, TeamForm } from '../../src/protocol/team-form.js';

export interface FormState {
  /** What the host made of the file; changes are counted from it. */
  readonly base: TeamForm;
  /** Key of the lead's row. */
  readonly lead: string;
  readonly members: readonly FormMember[];
  /** As typed; empty where the file sets nothing. */
  readonly limits: Readonly<Record<LimitKey, string>>;
  /** Keys of the rows that are open. */
  readonly open: readonly string[];
  /** The host's words, until the field that they are about is changed. */
  readonly problems: readonly FormProblem[];
  /** A save was asked for: what is missing is said from then on. */
  readonly tried: boolean;
  readonly saving: SaveTeam['apply'] | null;
  /** The person is asked whether to drop the changes. */
  readonly asking: boolean;
}

export type FormInput =
  | { readonly kind: 'field'; readonly key: string; readonly field: MemberField; readonly value: string }
  | { readonly kind: 'limit'; readonly key: LimitKey; readonly value: string }
  | { readonly kind: 'lead'; readonly key: string }
  | { readonly kind: 'add' }
  | { readonly kind: 'remove'; readonly key: string }
  | { readonly kind: 'move'; readonly key: string; readonly by: -1 | 1 }
  | { readonly kind: 'toggle'; readonly key: string }
  /** A save that could not be asked for: the rows with these keys have problems. */
  | { readonly kind: 'tried'; readonly keys: readonly string[] }
  | { readonly kind: 'saving'; readonly apply: SaveTeam['apply'] }
  | { readonly kind: 'ask'; readonly asking: boolean }
  | { readonly kind: 'refused'; readonly problems: readonly FormProblem[]; readonly form: TeamForm | null }
  /** The host made the form again. */
  | { readonly kind: 'form'; readonly form: TeamForm };

/** The form as it is opened. */
export function openForm(base: TeamForm): FormState {
  return {
    base,
    lead: base.lead,
    members: base.members,
    limits: limitTexts(base),
    open: [],
    problems: base.problems,
    tried: false,
    saving: null,
    asking: false,
  };
}

/** @returns the next state; the same one when nothing changes */
export function fill(state: FormState, input: FormInput): FormState {
  switch (input.kind) {
    case 'field': {
      const { key, field, value } = input;
      const members = state.members.map((row) => (row.key === key ? { ...row, [field]: value } : row));
      return { ...state, members, problems: without(state, 'member', key, field) };
    }
    case 'limit':
      return {
        ...state,
        limits: { ...state.limits, [input.key]: input.value },
        problems: without(state, 'limit', input.key),
      };
    case 'lead':
      return { ...state, lead: input.key, problems: without(state, 'lead') };
    case 'add': {
      const row = newRow(state);
      return { ...state, members: [...state.members, row], open: [...state.open, row.key] };
    }
    case 'remove': {
      const members = state.members.filter(({ key }) => key !== input.key);
      return { ...state, members, problems: without(state, 'member', input.key) };
    }
    case 'move':
      return { ...state, members: moved(state.members, input.key, input.by) };
    case 'toggle': {
      const isOpen = state.open.includes(input.key);
      return { ...state, open: isOpen ? state.open.filter((key) => key !== input.key) : [...state.open, input.key] };
    }
    case 'tried':
      return { ...state, tried: true, open: union(state.open, input.keys) };
    case 'saving':
      return { ...state, saving: input.apply, problems: [], asking: false };
    case 'ask':
      return { ...state, asking: input.asking };
    case 'refused': {
      const next = input.form === null ? state : rebase(state, input.form);
      const keys = input.problems.flatMap(({ place }) => (place.kind === 'member' ? [place.key] : []));
      const problems = [...input.problems, ...next.problems.filter((one) => !state.problems.includes(one))];
      return { ...next, saving: null, tried: true, problems, open: union(next.open, keys) };
    }
    case 'form':
      return state.base.teamId === input.form.teamId ? rebase(state, input.form) : openForm(input.form);
  }
}

/** True when there is something to be saved. */
export function isChanged({ base, lead, members, limits }: FormState): boolean {
  return JSON.stringify([lead, members, limits]) !== JSON.stringify([base.lead, base.members, limitTexts(base)]);
}

/** What the host is to save. Limits that are no numbers are left as they are: `problemsOf` says so before. */
export function toSave({ base, lead, members, limits }: FormState, apply: SaveTeam['apply']): SaveTeam {
  return {
    type: 'saveTeam',
    teamId: base.teamId,
    stamp: base.stamp,
    lead,
    members: members.map((row) => ({ ...row })),
    limits: base.limits.map(({ key, written }) => {
      const value = limitOf(key, limits[key]);
      return { key, value: value === 'bad' ? written : value === 'unset' ? null : value };
    }),
    apply,
  };
}

/** What a text says of a limit. */
export function limitOf(key: LimitKey, text: string): number | null | 'unset' | 'bad' {
  const typed = text.trim();
  if (typed === '') return 'unset';
  return /^\d+(?:\.\d+)?$/.test(typed) ? readLimit(key, Number(typed)) : 'bad';
}

/** The limit that is in force with what was typed, and who sets it. */
export function inForce({ limits, base }: FormState, key: LimitKey): TeamForm['limits'][number]['others'] | null {
  const others = base.limits.find((limit) => limit.key === key)?.others;
  const value = limitOf(key, limits[key]);
  if (others === undefined || typeof value !== 'number') return others ?? null;
  return others.value === null || value < others.value ? { key, value, source: 'team' } : others;
}

/**
 * Puts the person's changes upon what the file says now: what they changed stays as they want it, the rest is the
 * file's. Where both changed the same thing, the person's is kept and the file's is said.
 */
function rebase(state: FormState, now: TeamForm): FormState {
  const { base } = state;
  const problems: FormProblem[] = [...now.problems];
  const merge = (mine: string, old: string, theirs: string, place: FormProblem['place']): string => {
    if (mine === old) return theirs;
    if (theirs !== old && theirs !== mine) problems.push({ place, message: `The file says “${theirs}” now.` });
    return mine;
  };
  const before = new Map(base.members.map((row) => [row.key, row]));
  const theirs = new Map(now.members.map((row) => [row.key, row]));
  const kept = state.members.flatMap((row): FormMember[] => {
    const [old, other] = [before.get(row.key), theirs.get(row.key)];
    if (old === undefined) return [row];
    if (other !== undefined) {
      const field = (name: MemberField): string =>
        merge(row[name], old[name], other[name], { kind: 'member', key: row.key, field: name });
      return [
        {
          ...row,
          name: field('name'),
          role: field('role'),
          brief: field('brief'),
          icon: field('icon'),
          engine: field('engine'),
        },
      ];
    }
    // It left the file. A row that was worked on is not thrown away.
    if (JSON.stringify(row) === JSON.stringify(old)) return [];
    problems.push({
      place: { kind: 'member', key: row.key, field: 'id' },
      message: 'The file has this member no more.',
    });
    return [{ ...row, isNew: true }];
  });
  const isKept = new Set(state.members.map(({ key }) => key));
  const mine = state.members.map(({ key }) => key).filter((key) => before.has(key));
  const isReordered = mine.join('\n') !== [...before.keys()].filter((key) => isKept.has(key)).join('\n');
  const added = now.members.filter(({ key }) => !before.has(key) && !kept.some((row) => row.key === key));
  const members = isReordered
    ? [...kept, ...added]
    : [
        ...now.members.flatMap(({ key }) =>
          before.has(key) && !isKept.has(key) ? [] : ([...kept, ...added].find((row) => row.key === key) ?? []),
        ),
        ...kept.filter(({ key }) => !theirs.has(key)),
      ];
  const [texts, written] = [limitTexts(base), limitTexts(now)];
  const limits = { ...written };
  for (const { key } of now.limits)
    limits[key] = merge(state.limits[key], texts[key], written[key], { kind: 'limit', key });
  return {
    ...state,
    base: now,
    lead: merge(state.lead, base.lead, now.lead, { kind: 'lead' }),
    members,
    limits,
    problems,
    saving: null,
  };
}

function limitTexts({ limits }: TeamForm): Record<LimitKey, string> {
  const texts: Record<LimitKey, string> = {
    hopCap: '',
    costCeiling: '',
    turnsPerMember: '',
    concurrency: '',
    tailMessages: '',
    turnTimeoutMinutes: '',
  };
  for (const { key, written } of limits) texts[key] = written === null ? '' : String(written);
  return texts;
}

function newRow({ base, members }: FormState): FormMember {
  const numbers = members.map(({ key }) => Number(/^new\/(\d+)$/.exec(key)?.[1] ?? 0));
  const engine = base.engines[0]?.id ?? members[0]?.engine ?? '';
  const key = `new/${Math.max(0, ...numbers) + 1}`;
  return { key, id: '', name: '', role: '', brief: '', icon: '', engine, isNew: true };
}

function moved(rows: readonly FormMember[], key: string, by: -1 | 1): readonly FormMember[] {
  const from = rows.findIndex((row) => row.key === key);
  const row = rows[from];
  const other = rows[from + by];
  if (row === undefined || other === undefined) return rows;
  return rows.map((one, at) => (at === from ? other : at === from + by ? row : one));
}

/** The host's words without those about a place that was changed; words about no field hold until the next save. */
function without(
  { problems }: FormState,
  kind: FormProblem['place']['kind'],
  key?: string,
  field?: MemberField,
): readonly FormProblem[] {
  return problems.filter(({ place }) => {
    if (place.kind !== kind) return true;
    if (place.kind === 'member') return place.key !== key || (field !== undefined && place.field !== field);
    return place.kind === 'limit' && place.key !== key;
  });
}

function union(some: readonly string[], more: readonly string[]): readonly string[] {
  return [...new Set([...some, ...more])];
}
