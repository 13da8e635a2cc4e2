// From a team file to its form and back: only what was changed is written, and what is wrong is said at its field.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseTeamFile } from '../../src/core/team/team-file.js';
import { readJsonText } from '../../src/core/team/team-json.js';
import { editTeamFile } from '../../src/editor/configure-team/edit.js';
import { changesOf, type FormContext, placeProblem, teamFormOf } from '../../src/editor/configure-team/form.js';
import { orderItems } from '../../src/editor/configure-team/json-order.js';
import type { FormMember, SaveTeam, TeamForm } from '../../src/protocol/team-form.js';

const FILE = `// The release team.
{
  "id": "release", // as the file is called
  "lead": "lead",
  "limits": { "hopCap": 6 },
  "data": { "communication": { "rooms": [
    { "id": "all", "members": ["lead", "writer", "eye"] },
    { "id": "drafts", "members": ["writer"] }
  ] } },
  "nodes": [
    // Who sums up.
    { "id": "lead", "data": { "role": "Leads", "brief": "Lead.", "engine": "scripted" } }, // first
    // Who drafts.
    {
      "id": "writer",
      "data": {
        "name": "Wilma", /* after her aunt */
        "role": "Drafts",
        "brief": "Draft.",
        "icon": "edit",
        "engine": { "kind": "scripted", "pause": 3 },
        "script": [{ "say": "Done." }]
      }
    },
    { "id": "eye", "data": { "role": "Looks", "brief": "Look." } } // last
  ]
}
`;

const context: FormContext = {
  stamp: 's',
  place: { kind: 'file', path: '.vscode/teams/release.team.json' },
  inForce: '',
  settings: { user: { hopCap: 5, concurrency: 2 } },
  engines: [{ id: 'scripted', label: 'Scripted' }],
  problems: [],
};
const formOf = (text = FILE): TeamForm => teamFormOf(text, 'release', context);

/** The form as it is sent back when nothing was touched, with changes. */
function sent(form: TeamForm, changes: Partial<SaveTeam> = {}): SaveTeam {
  const limits = form.limits.map(({ key, written }) => ({ key, value: written }));
  const { teamId, stamp, lead, members } = form;
  return { type: 'saveTeam', teamId, stamp, lead, members, limits, apply: 'new', ...changes };
}
const edited = (changes: Partial<SaveTeam>, text = FILE): string =>
  editTeamFile(text, 'release', changesOf(formOf(text), sent(formOf(text), changes))).text;
const members = (of: (row: FormMember) => FormMember | readonly FormMember[]): FormMember[] =>
  formOf().members.flatMap((row) => of(row));
const added = (more: Partial<FormMember> = {}): FormMember => ({
  key: 'new/1',
  id: 'dev',
  name: '',
  role: 'Builds',
  brief: 'Build.',
  icon: '',
  engine: 'scripted',
  isNew: true,
  ...more,
});

describe('a form is made from a file', () => {
  test('it shows what the file says; what the file leaves out is empty', () => {
    const [lead, writer, eye] = formOf().members;
    expect(lead).toEqual({
      key: 'lead',
      id: 'lead',
      name: '',
      role: 'Leads',
      brief: 'Lead.',
      icon: '',
      engine: 'scripted',
      isNew: false,
    });
    expect(writer).toMatchObject({ name: 'Wilma', icon: 'edit', engine: 'scripted' });
    expect(eye).toMatchObject({ name: '', icon: '', engine: 'scripted' });
  });

  test('a limit shows what the file sets, and what is in force without the file', () => {
    const { limits } = formOf();
    expect(limits[0]).toEqual({ key: 'hopCap', written: 6, others: { key: 'hopCap', value: 5, source: 'user' } });
    expect(limits.find(({ key }) => key === 'tailMessages')).toMatchObject({
      written: null,
      others: { value: 20, source: 'default' },
    });
  });

  test('it says whether the open conversation runs with this version', () => {
    const inForce = parseTeamFile(FILE, 'release').canonicalText;
    expect(teamFormOf(FILE, 'release', { ...context, inForce }).isInForce).toBe(true);
    expect(formOf().isInForce).toBe(false);
  });
});

describe('only what was changed is written', () => {
  test('nothing changed: not a character', () => {
    expect(changesOf(formOf(), sent(formOf()))).toEqual([]);
  });

  test('a brief is replaced in its place, every comment stays', () => {
    const text = edited({
      members: members((row) => (row.id === 'writer' ? { ...row, brief: 'Draft “it”.\n' } : row)),
    });
    expect(text).toBe(FILE.replace('"Draft."', '"Draft “it”.\\n"'));
  });

  test('CRLF stays CRLF, also in what is added', () => {
    const windows = FILE.replaceAll('\n', '\r\n');
    const text = edited({ members: [...formOf().members, added()] }, windows);
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expect(parseTeamFile(text, 'release').members.map(({ id }) => id)).toEqual(['lead', 'writer', 'eye', 'dev']);
    expect(text).toContain('// Who drafts.\r\n');
  });

  test('an engine that stays keeps its options and the script; one that is chosen takes their place', () => {
    const same = edited({ members: members((row) => (row.id === 'writer' ? { ...row, role: 'Writes' } : row)) });
    expect(same).toContain('"engine": { "kind": "scripted", "pause": 3 }');
    const other = edited({ members: members((row) => (row.id === 'writer' ? { ...row, engine: 'http' } : row)) });
    expect(other).toContain('"engine": "http"');
    expect(other).toContain('"script": [{ "say": "Done." }]');
  });

  test('a name or an icon that was emptied is taken out, so that its default counts', () => {
    const text = edited({ members: members((row) => (row.id === 'writer' ? { ...row, name: '', icon: '' } : row)) });
    expect(parseTeamFile(text, 'release').members[1]).toMatchObject({
      name: 'Writer',
      icon: { kind: 'letters', letters: 'W' },
    });
  });

  test('a new member joins the rooms that have everybody, also when another one leaves with the same save', () => {
    const text = edited({ members: [...members((row) => (row.id === 'eye' ? [] : row)), added()] });
    const team = parseTeamFile(text, 'release');
    expect(team.rooms.map(({ members: inRoom }) => inRoom)).toEqual([['lead', 'writer', 'dev'], ['writer']]);
    expect(team.members.map(({ id }) => id)).toEqual(['lead', 'writer', 'dev']);
  });

  test('a new lead, set by the row of a member that is new as well', () => {
    const text = edited({ members: [...formOf().members.slice(1), added()], lead: 'new/1' });
    expect(parseTeamFile(text, 'release')).toMatchObject({ lead: 'dev' });
  });

  test('limits are set, changed and taken out', () => {
    const limits = [
      { key: 'hopCap' as const, value: null },
      { key: 'costCeiling' as const, value: 2.5 },
    ];
    expect(parseTeamFile(edited({ limits }), 'release').limits).toEqual({ costCeiling: 2.5 });
  });

  test('another order: each member takes its comments along', () => {
    const [lead, writer, eye] = formOf().members;
    if (lead === undefined || writer === undefined || eye === undefined) throw new Error('The file has three members.');
    const text = edited({ members: [eye, writer, lead] });
    expect(parseTeamFile(text, 'release').members.map(({ id }) => id)).toEqual(['eye', 'writer', 'lead']);
    expect(text).toMatch(/"nodes": \[\n {4}\{ "id": "eye".*\}, \/\/ last\n {4}\/\/ Who drafts\.\n {4}\{/);
    expect(text).toMatch(/\/\/ Who sums up\.\n {4}\{ "id": "lead".*\} \/\/ first\n {2}\]/);
  });
});

describe('what would be no usable team is refused at its field', () => {
  const issuesOf = (changes: Partial<SaveTeam>) => {
    try {
      edited(changes);
      return [];
    } catch (error) {
      const { issues } = error as { issues: Parameters<typeof placeProblem>[0][] };
      return issues.map((issue) => placeProblem(issue, changes.members ?? formOf().members).place);
    }
  };
  const cases: readonly [title: string, changes: () => Partial<SaveTeam>, place: unknown][] = [
    [
      'a name that is taken',
      () => ({ members: [...formOf().members, added({ name: 'wilma' })] }),
      { kind: 'member', key: 'new/1', field: 'name' },
    ],
    [
      'an id that is none',
      () => ({ members: [...formOf().members, added({ id: 'Dev!' })] }),
      { kind: 'member', key: 'new/1', field: 'id' },
    ],
    [
      'an empty role',
      () => ({ members: members((row) => (row.id === 'eye' ? { ...row, role: '' } : row)) }),
      { kind: 'member', key: 'eye', field: 'role' },
    ],
    ['a lead who left', () => ({ members: formOf().members.slice(1) }), { kind: 'lead' }],
    [
      'a limit out of range',
      () => ({ limits: [{ key: 'concurrency', value: 0 }] }),
      { kind: 'limit', key: 'concurrency' },
    ],
    ['nobody', () => ({ members: [] }), { kind: 'team' }],
  ];
  test.each(cases)('%s', (_title, changes, place) => {
    expect(issuesOf(changes())).toContainEqual(place);
  });
});

describe('the items of a list in another order', () => {
  const cases: readonly [title: string, text: string, order: number[], result: string][] = [
    ['on one line', '{ "a": [1, 2, 3] }', [2, 0, 1], '{ "a": [3, 1, 2] }'],
    [
      'with a trailing comma',
      '{ "a": [\n  1, // one\n  2, // two\n] }',
      [1, 0],
      '{ "a": [\n  2, // two\n  1, // one\n] }',
    ],
    [
      'a comment that went to the end of its line still does',
      '{ "a": [1, // one\n  2] }',
      [1, 0],
      '{ "a": [2,\n  1 // one\n] }',
    ],
    ['not an order of other items', '{ "a": [1, 2] }', [0, 0], '{ "a": [1, 2] }'],
    ['not of what is no list', '{ "a": 1 }', [0], '{ "a": 1 }'],
  ];
  test.each(cases)('%s', (_title, text, order, result) => {
    expect(orderItems(text, ['a'], order)).toBe(result);
  });

  test('any order of any list with comments anywhere is read back as that order, and no comment is lost', () => {
    const gap = fc.constantFrom('', ' ', '\n  ', ' /* c */ ', ' // c\n', '\n// c\n  ');
    const list = fc.array(fc.tuple(gap, gap), { minLength: 1, maxLength: 6 });
    const run = fc.property(list, gap, fc.boolean(), fc.infiniteStream(fc.nat()), (gaps, last, comma, random) => {
      const items = gaps.map(([before, after], at) => `${before}${at}${after}`).join(',');
      const text = `{ "a": [${items}${comma ? ',' : ''}${last}] }`;
      const order = gaps
        .map((_gap, at) => ({ at, by: Number(random.next().value) }))
        .sort((one, other) => one.by - other.by)
        .map(({ at }) => at);
      const result = orderItems(text, ['a'], order);
      expect(readJsonText(result).value).toEqual({ a: order });
      expect(result.split('c').length).toBe(text.split('c').length);
    });
    fc.assert(run);
  });
});
