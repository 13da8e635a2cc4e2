// A form changes a team file: the file says what was asked, and what a person wrote in it stays.
import { describe, expect, test } from 'vitest';
import { TeamFileError } from '../../src/core/team/team-file.js';
import { editTeamFile, teamFromTemplate, type TeamChange } from '../../src/editor/configure-team/edit.js';

const FILE = `{
  // our team
  "id": "crew",
  "lead": "ana", // for now
  "limits": {
    "hopCap": 4 // enough for us
  },
  "data": {
    "communication": {
      "rooms": [
        { "id": "all", "members": ["ana", "bob", "cy"] },
        { "id": "desk", "members": ["bob"] }, // where bob thinks
      ]
    }
  },
  "nodes": [
    { "id": "ana", "data": { "role": "leads", "brief": "Lead." } },
    // checks everything
    { "id": "bob", "data": { "role": "checks", "brief": "Check.", "name": "Bob" } },
    {
      "id": "cy",
      "data": {
        "role": "writes",
        "brief": "Write." /* short */
      }
    }
  ]
}
`;

const lines = (text: string): readonly string[] => text.split('\n');

/** The lines that went and those that came. */
function difference(changes: readonly TeamChange[], text = FILE): { gone: string[]; come: string[] } {
  const edited = editTeamFile(text, 'crew', changes).text;
  return {
    gone: lines(text).filter((line) => !lines(edited).includes(line)),
    come: lines(edited).filter((line) => !lines(text).includes(line)),
  };
}

function refusal(changes: readonly TeamChange[], text = FILE): readonly (readonly [pointer: string, line: number])[] {
  try {
    editTeamFile(text, 'crew', changes);
  } catch (error) {
    if (error instanceof TeamFileError) return error.issues.map(({ pointer, line }) => [pointer, line]);
    throw error;
  }
  return [];
}

describe('a change', () => {
  const cases: readonly [title: string, changes: readonly TeamChange[], gone: string[], come: string[]][] = [
    ['none', [], [], []],
    [
      'another lead',
      [{ kind: 'lead', memberId: 'bob' }],
      ['  "lead": "ana", // for now'],
      ['  "lead": "bob", // for now'],
    ],
    [
      'a limit',
      [{ kind: 'limit-set', key: 'hopCap', value: 0 }],
      ['    "hopCap": 4 // enough for us'],
      ['    "hopCap": 0 // enough for us'],
    ],
    [
      'one more limit',
      [{ kind: 'limit-set', key: 'costCeiling', value: 1.5 }],
      ['    "hopCap": 4 // enough for us'],
      ['    "hopCap": 4, // enough for us', '    "costCeiling": 1.5'],
    ],
    [
      'the only limit goes, and its object with it',
      [{ kind: 'limit-removed', key: 'hopCap' }],
      ['  "limits": {', '    "hopCap": 4 // enough for us'],
      [],
    ],
    ['a limit goes that is not there', [{ kind: 'limit-removed', key: 'concurrency' }], [], []],
    [
      'a brief',
      [{ kind: 'member-changed', memberId: 'cy', fields: { brief: 'Write "well".' } }],
      ['        "brief": "Write." /* short */'],
      ['        "brief": "Write \\"well\\"." /* short */'],
    ],
    [
      'a name goes, an icon and an engine come',
      [{ kind: 'member-changed', memberId: 'bob', fields: { name: null, icon: 'eye', engine: 'http' } }],
      ['    { "id": "bob", "data": { "role": "checks", "brief": "Check.", "name": "Bob" } },'],
      ['    { "id": "bob", "data": { "role": "checks", "brief": "Check.", "icon": "eye", "engine": "http" } },'],
    ],
    ['a member that is not there', [{ kind: 'member-changed', memberId: 'zoe', fields: { role: 'x' } }], [], []],
    [
      'a member leaves, with its rooms',
      [{ kind: 'member-removed', memberId: 'bob' }],
      [
        '        { "id": "all", "members": ["ana", "bob", "cy"] },',
        '        { "id": "desk", "members": ["bob"] }, // where bob thinks',
        '    { "id": "bob", "data": { "role": "checks", "brief": "Check.", "name": "Bob" } },',
      ],
      ['        { "id": "all", "members": ["ana", "cy"] },'],
    ],
    [
      'a member comes, and joins the room of all',
      [{ kind: 'member-added', member: { id: 'dee', role: 'tests', brief: 'Test.' } }],
      ['        { "id": "all", "members": ["ana", "bob", "cy"] },'],
      [
        '        { "id": "all", "members": ["ana", "bob", "cy", "dee"] },',
        '    },',
        '      "id": "dee",',
        '        "role": "tests",',
        '        "brief": "Test."',
      ],
    ],
  ];
  test.each(cases)('%s: nothing else in the file changes', (_title, changes, gone, come) => {
    expect(difference(changes)).toEqual({ gone, come });
  });

  test.each(cases)('%s: the same with the line ends of Windows, and with tabs', (_title, changes) => {
    const expected = editTeamFile(FILE, 'crew', changes);
    const windows = editTeamFile(FILE.replaceAll('\n', '\r\n'), 'crew', changes);
    expect(windows.text).toBe(expected.text.replaceAll('\n', '\r\n'));
    expect(windows.team).toEqual(expected.team);
    const tabbed = (text: string): string => text.replaceAll(/^(?: {2})+/gm, (space) => '\t'.repeat(space.length / 2));
    expect(editTeamFile(tabbed(FILE), 'crew', changes).text).toBe(tabbed(expected.text));
  });

  test('the lead can leave when another takes over, in any order', () => {
    const changes: readonly TeamChange[] = [
      { kind: 'member-removed', memberId: 'ana' },
      { kind: 'lead', memberId: 'bob' },
    ];
    for (const order of [changes, changes.toReversed()]) {
      const { team } = editTeamFile(FILE, 'crew', order);
      expect([team.lead, team.members.map(({ id }) => id)]).toEqual(['bob', ['bob', 'cy']]);
    }
  });

  test('a member without a room of all joins the first room, and without rooms none needs to be joined', () => {
    const added: TeamChange = { kind: 'member-added', member: { id: 'dee', role: 'tests', brief: '' } };
    const apart = FILE.replace('["ana", "bob", "cy"]', '["ana", "cy"]');
    expect(editTeamFile(apart, 'crew', [added]).team.rooms.map(({ members }) => members)).toEqual([
      ['ana', 'cy', 'dee'],
      ['bob'],
    ]);
    const bare = '{"id":"crew","lead":"ana","nodes":[{"id":"ana","data":{"role":"r","brief":""}}]}';
    expect(editTeamFile(bare, 'crew', [added]).team.rooms[0]?.members).toEqual(['ana', 'dee']);
  });
});

describe('a change is refused with the place in the file that would come of it', () => {
  const cases: readonly [title: string, change: TeamChange, pointer: string, line: number][] = [
    ['a lead that is no member', { kind: 'lead', memberId: 'zoe' }, '/lead', 4],
    ['the lead leaves', { kind: 'member-removed', memberId: 'ana' }, '/lead', 4],
    ['CO-3 a negative limit', { kind: 'limit-set', key: 'hopCap', value: -1 }, '/limits/hopCap', 6],
    ['a limit that must be there', { kind: 'limit-set', key: 'hopCap', value: null }, '/limits/hopCap', 6],
    ['no role', { kind: 'member-changed', memberId: 'bob', fields: { role: '' } }, '/nodes/1/data/role', 19],
    ['a name twice', { kind: 'member-changed', memberId: 'bob', fields: { name: 'ANA' } }, '/nodes/1/data/name', 19],
    [
      'an icon that is none',
      { kind: 'member-changed', memberId: 'bob', fields: { icon: '<b>' } },
      '/nodes/1/data/icon',
      19,
    ],
    ['an id twice', { kind: 'member-added', member: { id: 'bob', role: 'r', brief: '' } }, '/nodes/3/id', 28],
  ];
  test.each(cases)('%s', (_title, change, pointer, line) => {
    expect(refusal([change])).toContainEqual([pointer, line]);
  });

  test('a file that is no JSON is not touched', () => {
    expect(refusal([], FILE.slice(0, -4)).length).toBeGreaterThan(0);
  });

  test('a file that was bad is good once what is wrong is mended', () => {
    const bad = FILE.replace('"hopCap": 4', '"hopCap": -4');
    expect(refusal([], bad)).toEqual([['/limits/hopCap', 6]]);
    expect(refusal([{ kind: 'limit-set', key: 'hopCap', value: 4 }], bad)).toEqual([]);
  });

  test('a template under an id that cannot be one', () => {
    expect(() => teamFromTemplate(FILE, 'crew', 'My Team')).toThrow(/cannot be used/);
  });
});
