// The schema that the editor checks team files with while they are written says what the parser says.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import { describe, expect, test } from 'vitest';
import { root } from '../../scripts/paths.mjs';
import { LIMIT_KEYS, LIMIT_RULES } from '../../src/core/team/limits.js';
import { RESERVED_NAMES } from '../../src/core/team/mentions.js';
import { parseTeamFile, TeamFileError } from '../../src/core/team/team-file.js';
import { readJsonText } from '../../src/core/team/team-json.js';

type Json = Record<string, unknown>;
const read = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8');
const json = (...path: string[]): Json => JSON.parse(read(...path)) as Json;
const schema = json('media', 'schemas', 'team.schema.json');
const manifest = json('package.json') as {
  contributes: {
    jsonValidation: { fileMatch: string; url: string }[];
    configuration: { properties: Record<string, Json> };
  };
};
const accepts = new Ajv({ unknownFormats: 'ignore' }).compile(schema);

function parserAccepts(data: unknown): boolean {
  try {
    parseTeamFile(JSON.stringify(data), 'duo');
    return true;
  } catch (error) {
    if (error instanceof TeamFileError) return false;
    throw error;
  }
}

/** A good file with one value changed; undefined removes it. */
function changed(path: readonly (string | number)[], value: unknown): Json {
  const file = {
    id: 'duo',
    definitionVersion: 1,
    name: 'Duo',
    lead: 'ana',
    suggestion: 'Hello.',
    limits: { hopCap: 1 },
    data: { task: '', communication: { rooms: [{ id: 'room', members: ['ana', 'bob'] }] } },
    nodes: [
      { id: 'ana', data: { role: 'leads', brief: '' } },
      { id: 'bob', data: { role: 'checks', brief: 'Check.', icon: 'B', engine: 'scripted' } },
    ],
    edges: [],
  };
  let owner = file as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) owner = owner[key] as Record<string | number, unknown>;
  owner[path.at(-1) ?? ''] = value;
  return JSON.parse(JSON.stringify(file)) as Json;
}

describe('the schema of team files', () => {
  test('is contributed for the files that are read', () => {
    expect(manifest.contributes.jsonValidation).toEqual([
      { fileMatch: '/.vscode/teams/*.team.json', url: './media/schemas/team.schema.json' },
    ]);
  });

  const shipped = ['examples', 'templates'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.team.json'))
      .map((name) => join(folder, name)),
  );
  test.each(shipped)('accepts %s', (path) => {
    expect(accepts(readJsonText(read(path)).value), JSON.stringify(accepts.errors)).toBe(true);
  });

  const data = ['nodes', 1, 'data'];
  const rooms = ['data', 'communication', 'rooms'];
  type Case = readonly [path: readonly (string | number)[], good: readonly unknown[], bad: readonly unknown[]];
  const cases: readonly Case[] = [
    [['id'], ['duo'], [undefined, '', 7, 'Duo', 'a--b', 'a'.repeat(65)]],
    [['definitionVersion'], [undefined, 7], [0, 1.5, '1', null]],
    [['name'], [undefined, 'x'], ['', ' ', 3, null]],
    [['lead'], ['bob'], [undefined, '', null]],
    [['suggestion'], [undefined, 'x'], ['', 1]],
    [['edges'], [undefined, []], [[{}], {}, null]],
    [['nodes'], [], [undefined, [], {}]],
    [['nodes', 1, 'id'], ['bob'], [undefined, '', 'Bob', 'b_b', 'all', 'system']],
    [['nodes', 1, 'data'], [], [undefined, null, []]],
    [[...data, 'role'], ['x'], [undefined, '', 1]],
    [
      [...data, 'brief'],
      ['', 'x'],
      [undefined, null, 1],
    ],
    [
      [...data, 'name'],
      [undefined, 'Bob B', '山田'],
      ['', 1, 'b'.repeat(65)],
    ],
    [
      [...data, 'icon'],
      [undefined, 'edit', 'B', '山田'],
      ['<svg>', '', 3, '$(edit)', '-'],
    ],
    [
      [...data, 'engine'],
      [undefined, 'http', { kind: 'http', model: 'm' }],
      ['', 3, {}, { kind: 1 }],
    ],
    [
      [...data, 'initialTurn'],
      [undefined, true],
      ['no', 0],
    ],
    [
      [...data, 'lane'],
      [undefined, {}],
      [[], 'x'],
    ],
    [[...data, 'other'], [1, {}], []],
    [['data'], [undefined, {}], [[], 1]],
    [['data', 'task'], ['x'], [1]],
    [['data', 'globalConcurrency'], [1], [0, 'x']],
    [['data', 'maxTurnsPerMember'], [1], [0, 1.5]],
    [['data', 'communication', 'tailMessages'], [1], [0]],
    [rooms, [undefined, []], [{}, 1]],
    [[...rooms, 0, 'id'], ['x'], [undefined, 'X', '../x']],
    [[...rooms, 0, 'name'], ['x'], ['', 1]],
    [[...rooms, 0, 'members'], [['ana']], [undefined, [], ['ana', 'ana'], [1]]],
    [['limits'], [undefined, {}], [[], 1]],
    [
      ['limits', 'costCeiling'],
      [null, 0, 0.5],
      [-1, '1', true],
    ],
    ...LIMIT_KEYS.filter((key) => key !== 'costCeiling').map(
      (key) =>
        [
          ['limits', key],
          [LIMIT_RULES[key].least, 7],
          [LIMIT_RULES[key].least - 1, 1.5, '1', null, true],
        ] as const,
    ),
    [['limits', 'turnTimeoutMinutes'], [10_080], [10_081]],
  ];
  test.each(cases)('CO-3 %j: takes what the parser takes, and refuses what it refuses', (path, good, bad) => {
    const say = (values: readonly unknown[]) =>
      values.map((value) => [value, accepts(changed(path, value)), parserAccepts(changed(path, value))]);
    expect(say(good)).toEqual(good.map((value) => [value, true, true]));
    expect(say(bad)).toEqual(bad.map((value) => [value, false, false]));
  });

  test('knows the names that are kept', () => {
    for (const id of RESERVED_NAMES.filter((name) => name !== 'lead')) {
      expect([id, accepts(changed(['nodes', 1, 'id'], id))]).toEqual([id, false]);
    }
  });
});

describe('defaults and bounds', () => {
  const limits = ((schema['definitions'] as Json)['limits'] as Json)['properties'] as Record<string, Json>;
  const settings = manifest.contributes.configuration.properties;

  test.each(LIMIT_KEYS)('of %s are the same in the rules, the schema and the settings', (key) => {
    const { default: standard, least, most, isWhole, mayBeNone } = LIMIT_RULES[key];
    const type = isWhole ? 'integer' : 'number';
    const bounds = { minimum: least, ...(most < 1_000_000 ? { maximum: most } : {}) };
    expect(limits[key]).toMatchObject({ ...bounds, default: standard, type: mayBeNone ? [type, 'null'] : type });
    expect(settings[`teamroom.${key}`]).toMatchObject({
      ...bounds,
      default: standard,
      type: mayBeNone ? [type, 'null'] : type,
      scope: 'window',
    });
    expect(settings[`teamroom.maximum.${key}`]).toMatchObject({
      ...bounds,
      default: null,
      type: [type, 'null'],
      scope: 'machine',
    });
  });

  test('no limit has a setting more than that, and none is missing in the schema', () => {
    expect(Object.keys(limits)).toEqual(LIMIT_KEYS);
    const maxima = Object.keys(settings).filter((key) => key.startsWith('teamroom.maximum.'));
    expect(maxima).toEqual(LIMIT_KEYS.map((key) => `teamroom.maximum.${key}`));
  });
});
