// Team files: what a good one says, and what a bad one is told, by line.
import { describe, expect, test } from 'vitest';
import { parseTeamFile, type TeamFile, TeamFileError } from '../../src/core/team/team-file.js';
import type { FileIssue } from '../../src/core/team/team-json.js';

const GOOD = `{
  // who we are
  "id": "duo",
  "lead": "ana",
  "nodes": [
    { "id": "ana", "data": { "role": "lead", "brief": "Lead." } },
    { "id": "chief-khaliq", "data": { "role": "checks", "brief": "" } },
  ],
}
`;

function issuesOf(text: string, id = 'duo'): readonly FileIssue[] {
  try {
    parseTeamFile(text, id);
  } catch (error) {
    if (error instanceof TeamFileError) return error.issues;
    throw error;
  }
  return [];
}

const withLimits = (limits: string): string => GOOD.replace('"lead": "ana",', `"lead": "ana",\n  "limits": ${limits},`);
const withRooms = (rooms: string): string =>
  GOOD.replace('"lead": "ana",', `"lead": "ana",\n  "data": { "communication": { "rooms": ${rooms} } },`);
const withMember = (data: string, id = 'other'): string =>
  GOOD.replace('  ],\n', `    { "id": "${id}", "data": { "role": "r", "brief": "b"${data} } },\n  ],\n`);

describe('a good file', () => {
  test('says little, and the rest is as anybody would expect', () => {
    expect(parseTeamFile(GOOD, 'duo')).toEqual({
      id: 'duo',
      name: 'Duo',
      lead: 'ana',
      members: [
        {
          id: 'ana',
          name: 'Ana',
          role: 'lead',
          brief: 'Lead.',
          icon: { kind: 'letters', letters: 'A' },
          engine: { kind: 'scripted', options: {} },
          script: null,
        },
        {
          id: 'chief-khaliq',
          name: 'Chief-khaliq',
          role: 'checks',
          brief: '',
          icon: { kind: 'letters', letters: 'CK' },
          engine: { kind: 'scripted', options: {} },
          script: null,
        },
      ],
      rooms: [{ id: 'team', name: 'Team room', kind: 'public', members: ['ana', 'chief-khaliq'] }],
      limits: {},
      suggestion: null,
      canonicalText:
        '{"id":"duo","lead":"ana","nodes":[{"data":{"brief":"Lead.","role":"lead"},"id":"ana"},{"data":{"brief":"","role":"checks"},"id":"chief-khaliq"}]}',
    } satisfies TeamFile);
  });

  test('says everything, and what is unknown is kept', () => {
    const text = JSON.stringify({
      id: 'duo',
      definitionVersion: 3,
      name: 'Duo & co',
      lead: 'lead',
      suggestion: 'Hello.',
      limits: { hopCap: 0, costCeiling: 0.5, turnsPerMember: 2, concurrency: 1, turnTimeoutMinutes: 5 },
      data: {
        task: 't',
        globalConcurrency: 1,
        maxTurnsPerMember: 2,
        communication: {
          tailMessages: 3,
          rooms: [
            { id: 'all-hands', members: ['lead', 'b', 'c'], name: 'Everybody here' },
            { id: 'pair', members: ['b', 'c'] },
            { id: 'desk', members: ['b'] },
          ],
        },
      },
      nodes: [
        { id: 'lead', data: { role: 'lead', brief: '', icon: 'compass', engine: { kind: 'http', model: 'm' } } },
        {
          id: 'b',
          data: { role: 'r', brief: '', name: '山田 太郎', icon: '山', engine: 'replay', script: [{ say: 'x' }] },
        },
        { id: 'c', data: { role: 'r', brief: '', initialTurn: false, lane: { id: 'l' }, knowledge: ['docs'] } },
      ],
      edges: [],
      future: { x: 1 },
    });
    const team = parseTeamFile(text, 'duo');
    expect(team.limits).toEqual({
      hopCap: 0,
      costCeiling: 0.5,
      turnsPerMember: 2,
      concurrency: 1,
      turnTimeoutMinutes: 5,
    });
    expect(team.rooms.map(({ id, name, kind }) => [id, name, kind])).toEqual([
      ['all-hands', 'Everybody here', 'public'],
      ['pair', 'Pair', 'direct'],
      ['desk', 'Desk', 'private'],
    ]);
    expect(team.members.map(({ name, icon, engine }) => ({ name, icon, engine }))).toEqual([
      { name: 'Lead', icon: { kind: 'codicon', id: 'compass' }, engine: { kind: 'http', options: { model: 'm' } } },
      { name: '山田 太郎', icon: { kind: 'letters', letters: '山' }, engine: { kind: 'replay', options: {} } },
      { name: 'C', icon: { kind: 'letters', letters: 'C' }, engine: { kind: 'scripted', options: {} } },
    ]);
    expect(team.members[1]?.script).toEqual([{ say: 'x' }]);
    expect(team.suggestion).toBe('Hello.');
    expect(JSON.parse(team.canonicalText)).toEqual(JSON.parse(text));
    expect(parseTeamFile(team.canonicalText, 'duo')).toEqual(team);
  });

  test('may begin with a byte order mark and end its lines as on Windows', () => {
    expect(parseTeamFile(`\ufeff${GOOD.replaceAll('\n', '\r\n')}`, 'duo').lead).toBe('ana');
  });
});

describe('a bad file is told what, where and what to do', () => {
  const cases: readonly [title: string, text: string, pointer: string, line: number, message: RegExp][] = [
    ['an empty file', ' \n', '', 1, /empty/],
    ['a cut file', GOOD.slice(0, GOOD.indexOf('"chief')), '/nodes/1/id', 7, /value is missing/],
    ['a missing comma', GOOD.replace('"duo",', '"duo"'), '/lead', 4, /comma is missing/],
    ['a list', '[]', '', 1, /object/],
    ['a key twice', GOOD.replace('"lead": "ana",', '"lead": "ana",\n  "lead": "ana",'), '/lead', 4, /twice/],
    ['half a character', GOOD.replace('Lead.', '\\ud800'), '/nodes/0/data/brief', 6, /surrogate/],
    ['an id that is not the file’s', GOOD.replace('"duo"', '"trio"'), '/id', 3, /differs.*Write "duo"/],
    ['no lead', GOOD.replace('  "lead": "ana",\n', ''), '/lead', 1, /"lead" is missing/],
    ['a lead that is no member', GOOD.replace('"lead": "ana"', '"lead": "bob"'), '/lead', 4, /no member "bob"/],
    [
      'a lead that is no member, beside a member called lead',
      withMember('', 'lead').replace('"lead": "ana"', '"lead": "bob"'),
      '/lead',
      4,
      /no member "bob"/,
    ],
    ['no members', '{ "id": "duo", "lead": "ana" }', '/nodes', 1, /"nodes" is missing/],
    [
      'a member without data',
      GOOD.replace(', "data": { "role": "checks", "brief": "" }', ''),
      '/nodes/1/data',
      7,
      /object/,
    ],
    ['a member without a role', GOOD.replace('"role": "checks", ', ''), '/nodes/1/data/role', 7, /"role" is missing/],
    [
      'a member without a brief',
      GOOD.replace(', "brief": "Lead."', ''),
      '/nodes/0/data/brief',
      6,
      /"brief" is missing/,
    ],
    ['an id with capitals', GOOD.replace('chief-khaliq', 'Chief'), '/nodes/1/id', 7, /lower-case/],
    ['an id that is reserved', withMember('', 'all'), '/nodes/2/id', 8, /reserved/],
    ['lead as the id of somebody else', withMember('', 'lead'), '/nodes/2/id', 8, /reserved/],
    ['lead as the name of somebody else', withMember(', "name": "Lead"'), '/nodes/2/data/name', 8, /reserved/],
    ['an id twice', withMember('', 'ana'), '/nodes/2/id', 8, /used twice/],
    ['a name twice, by case', withMember(', "name": "ANA"'), '/nodes/2/data/name', 8, /the same as "Ana"/],
    ['a name twice, by width', withMember(', "name": "ａｎａ"'), '/nodes/2/data/name', 8, /the same as "Ana"/],
    [
      'MR-7 a name twice, by normal form',
      withMember(', "name": "JOSE\u0301"').replace('"brief": "Lead."', '"brief": "", "name": "José"'),
      '/nodes/2/data/name',
      8,
      /the same as "José"/,
    ],
    ['a name that is the id of another', withMember(', "name": "chief-khaliq"'), '/nodes/2/data/name', 8, /the same/],
    [
      'MR-5 a name that no mention finds',
      withMember(', "name": "A [TF]"'),
      '/nodes/2/data/name',
      8,
      /letter or a digit/,
    ],
    ['an icon that is none', withMember(', "icon": "<svg>"'), '/nodes/2/data/icon', 8, /codicon/],
    ['an engine that is none', withMember(', "engine": 3'), '/nodes/2/data/engine', 8, /engine/],
    ['initialTurn as text', withMember(', "initialTurn": "no"'), '/nodes/2/data/initialTurn', 8, /true or false/],
    ['an edge', GOOD.replace('"lead"', '"edges": [{}],\n  "lead"'), '/edges', 4, /no edges/],
    ['CO-3 a negative limit', withLimits('{\n "hopCap": -1 }'), '/limits/hopCap', 6, /"hopCap" is -1.*0 or more/],
    ['a fractional limit', withLimits('{ "turnsPerMember": 1.5 }'), '/limits/turnsPerMember', 5, /1\.5/],
    ['a limit as text', withLimits('{ "hopCap": "8" }'), '/limits/hopCap', 5, /"8"/],
    ['a limit that is null', withLimits('{ "hopCap": null }'), '/limits/hopCap', 5, /null/],
    ['a limit that is NaN', withLimits('{ "hopCap": NaN }'), '/limits/hopCap', 5, /no JSON value/],
    ['a limit beyond all numbers', withLimits('{ "costCeiling": 1e999 }'), '/limits/costCeiling', 5, /not finite/],
    [
      'a negative ceiling',
      withLimits('{ "costCeiling": -0.1 }'),
      '/limits/costCeiling',
      5,
      /"costCeiling" is -0\.1.*null for no limit/,
    ],
    ['CO-3 a limit that is true', withLimits('{ "hopCap": true }'), '/limits/hopCap', 5, /true/],
    [
      'a time-out of a month',
      withLimits('{ "turnTimeoutMinutes": 43200 }'),
      '/limits/turnTimeoutMinutes',
      5,
      /1 to 10080/,
    ],
    ['no turns at a time', withLimits('{ "concurrency": 0 }'), '/limits/concurrency', 5, /1 or more/],
    [
      'a room of nobody',
      withRooms('[{ "id": "r", "members": [] }]'),
      '/data/communication/rooms/0/members',
      5,
      /at least one/,
    ],
    [
      'a room of a stranger',
      withRooms('[{ "id": "r", "members": ["ana",\n"bob"] }]'),
      '/data/communication/rooms/0/members/1',
      6,
      /no member "bob"/,
    ],
    [
      'a member twice in a room',
      withRooms('[{ "id": "r", "members": ["ana", "ana"] }]'),
      '/data/communication/rooms/0/members/1',
      5,
      /twice/,
    ],
    [
      'two rooms of one name',
      withRooms('[{ "id": "r", "members": ["ana"] },\n{ "id": "s", "name": "R", "members": ["ana"] }]'),
      '/data/communication/rooms/1',
      6,
      /Two rooms/,
    ],
    [
      'a room whose id is no slug',
      withRooms('[{ "id": "../r", "members": ["ana"] }]'),
      '/data/communication/rooms/0/id',
      5,
      /room id/,
    ],
  ];
  test.each(cases)('%s', (_title, text, pointer, line, message) => {
    const issues = issuesOf(text);
    expect(issues.map((issue) => issue.message)).toContainEqual(expect.stringMatching(message));
    const issue = issues.find((candidate) => message.test(candidate.message));
    expect(issue).toMatchObject({ pointer, line });
    expect(issue?.column).toBeGreaterThan(0);
  });

  test('every problem at once, in the order of the text', () => {
    const text = withLimits('{ "hopCap": -1 }').replace('"duo"', '"trio"').replace('"checks"', '7');
    expect(issuesOf(text).map((issue) => issue.line)).toEqual([3, 5, 8]);
    expect(() => parseTeamFile(text, 'duo')).toThrow(/The team file "duo" cannot be used\. Line 3: .* \(and 2 more\)/);
  });

  test('nine members beside the lead are one too many, eight are not', () => {
    const team = (others: number): string =>
      JSON.stringify({
        id: 'duo',
        lead: 'ana',
        nodes: ['ana', ...Array.from({ length: others }, (_, k) => `m${k}`)].map((id) => ({
          id,
          data: { role: 'r', brief: '' },
        })),
      });
    expect(issuesOf(team(8))).toEqual([]);
    expect(issuesOf(team(9))).toMatchObject([
      { pointer: '/nodes', line: 1, message: expect.stringContaining('8 are allowed') as string },
    ]);
  });

  test('a key called __proto__ is data like any other', () => {
    const team = parseTeamFile(GOOD.replace('"lead"', '"__proto__": { "limits": 1 }, "lead"'), 'duo');
    expect(team.canonicalText).toContain('"__proto__":{"limits":1}');
    expect(team.limits).toEqual({});
  });
});
