// Which definitions are a team, and with which words the others are refused.
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/core/json.js';
import { bentTeam, compileTeam, issuesOf, problemsOf, releaseTeam } from './team-fixture.js';

const target = (model: string) => ({ adapter: 'api', provider: 'acme', modelFamily: 'm', model, tools: [] });
const lane = (id: string, model = 'm-1'): JsonValue => ({ id, requested: target(model), substitutions: [] });

/** The release team with the value at a path replaced (or, for undefined, removed). */
function teamWith(path: readonly (string | number)[], value: unknown): unknown {
  const team: unknown = releaseTeam();
  let owner = team as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) owner = owner[key] as Record<string | number, unknown>;
  const last = path.at(-1) ?? '';
  if (value === undefined) Reflect.deleteProperty(owner, last);
  else owner[last] = value;
  return team;
}

test('A-1 the release team compiles to its digest and bounds', () => {
  const graph = compileTeam();
  expect(graph.definition.canonicalJson).toHaveLength(410);
  expect(graph.definition.digest).toBe('sha256:23b66781ed9fb3fae916957a6b10a34c3167c73a32fafb6be04ef0d432ff51bf');
  expect(graph.requirements).toEqual({ memory: 'unused' });
  expect(graph.describe().bounds).toEqual({
    dispatches: { min: { kind: 'known', value: 1 }, max: { kind: 'known', value: 4 } },
    maxConcurrency: { kind: 'known', value: 1 },
    maxFanOut: { kind: 'known', value: 1 },
  });
});

test('A-1 what the author changes afterwards has no effect, and nobody can change what was compiled', () => {
  const definition = releaseTeam();
  const graph = compileTeam(definition);
  definition.data.task = 'Something else.';
  definition.nodes.pop();
  expect(graph.definition.digest).toBe('sha256:23b66781ed9fb3fae916957a6b10a34c3167c73a32fafb6be04ef0d432ff51bf');
  expect(graph.initialState().nodes).toHaveProperty('reviewer');
  for (const part of [graph, graph.definition, graph.definition.value, graph.describe(), graph.describe().nodes]) {
    expect(Object.isFrozen(part)).toBe(true);
  }
});

const UNSAFE = [0, -1, 1.5, Number.MAX_SAFE_INTEGER + 1];
const room = (id: JsonValue, members: JsonValue = ['writer']): JsonValue => ({ id, members });

describe('a team is refused with one issue INVALID_TEAM', () => {
  const rooms = ['data', 'communication', 'rooms'];
  const writer = ['nodes', 0, 'data'];
  const cases: readonly (readonly [
    title: string,
    path: readonly (string | number)[],
    value: unknown,
    place: string,
  ])[] = [
    [
      'A-2 an edge from writer to reviewer',
      ['edges'],
      [{ id: 'next', source: 'writer', target: 'reviewer', data: null }],
      '/edges',
    ],
    ...['', ' review', 'review ', 're\nview', 're\u007fview', 7].map(
      (id) => [`A-4 room id ${JSON.stringify(id)}`, [...rooms, 0, 'id'], id, '/data/communication/rooms/0/id'] as const,
    ),
    ['A-6 two rooms with one id', rooms, [room('review'), room('review')], '/data/communication/rooms/1/id'],
    [
      'A-8 a room that lists a stranger',
      [...rooms, 0, 'members'],
      ['writer', 'stranger'],
      '/data/communication/rooms/0/members',
    ],
    ...UNSAFE.flatMap((value) => [
      [`A-9 globalConcurrency ${value}`, ['data', 'globalConcurrency'], value, '/data/globalConcurrency'] as const,
      [`A-9 maxTurnsPerMember ${value}`, ['data', 'maxTurnsPerMember'], value, '/data/maxTurnsPerMember'] as const,
      [
        `A-9 tailMessages ${value}`,
        ['data', 'communication', 'tailMessages'],
        value,
        '/data/communication/tailMessages',
      ] as const,
    ]),
    [
      'A-10 a product that is no safe integer',
      ['data', 'maxTurnsPerMember'],
      Number.MAX_SAFE_INTEGER,
      '/data/maxTurnsPerMember',
    ],
    ['data that is no object', ['data'], null, '/data'],
    ['a task that is no text', ['data', 'task'], 1, '/data/task'],
    ['no task', ['data', 'task'], undefined, '/data/task'],
    ['member data that is no object', writer, [], '/nodes/writer/data'],
    ['a role that is no text', [...writer, 'role'], null, '/nodes/writer/data/role'],
    ['no brief', [...writer, 'brief'], undefined, '/nodes/writer/data/brief'],
    ['initialTurn that is no boolean', [...writer, 'initialTurn'], null, '/nodes/writer/data/initialTurn'],
    ['a lane that is no object', [...writer, 'lane'], 'fast', '/nodes/writer/data/lane'],
    ['a lane without a target', [...writer, 'lane'], { id: 'fast' }, '/nodes/writer/data/lane/requested'],
    ['communication null: only leaving it out means none', ['data', 'communication'], null, '/data/communication'],
    ['rooms that are no list', rooms, {}, '/data/communication/rooms'],
    ['a room that is no object', rooms, ['review'], '/data/communication/rooms/0'],
    ['room members that are no list', [...rooms, 0, 'members'], 'writer', '/data/communication/rooms/0/members'],
    ['a member listed twice', [...rooms, 0, 'members'], ['writer', 'writer'], '/data/communication/rooms/0/members'],
  ];
  test.each(cases)('%s', (_title, path, value, place) => {
    expect(problemsOf(() => compileTeam(teamWith(path, value)))).toEqual([`INVALID_TEAM ${place}`]);
  });

  test('A-12 one lane id with two targets', () => {
    const declare = (second: JsonValue) => () =>
      bentTeam((team) => {
        Object.assign(team.nodes[0]?.data ?? {}, { lane: lane('fast') });
        Object.assign(team.nodes[1]?.data ?? {}, { lane: second });
      });
    expect(problemsOf(declare(lane('fast', 'm-2')))).toEqual(['INVALID_TEAM /nodes/reviewer/data/lane']);
    expect(declare(lane('fast'))().describe().executionLanes).toEqual([lane('fast')]);
    expect(
      declare(lane('slow'))()
        .describe()
        .nodes.map(({ laneId }) => laneId),
    ).toEqual(['fast', 'slow']);
  });

  test('the first broken rule is the one that is said', () => {
    const team = { ...releaseTeam(), data: { task: 1, globalConcurrency: 0 }, edges: [] };
    expect(problemsOf(() => compileTeam(team))).toEqual(['INVALID_TEAM /data/task']);
  });
});

describe('the rules of every graph come first, and all their problems are said at once', () => {
  const cyclic: Record<string, unknown> = { id: 'loop' };
  cyclic['data'] = { self: cyclic };
  const edge = (source: unknown, end: unknown) => ({ id: 'e', source, target: end, data: null });
  const cases: readonly (readonly [title: string, definition: unknown, problems: readonly string[]])[] = [
    ['A-5 two members with one id', teamWith(['nodes', 1, 'id'], 'writer'), ['DUPLICATE_NODE_ID /nodes/1/id']],
    ...['', ' a', 'a ', 'a\tb', 'a\u007f', 7].map(
      (id) =>
        [`member id ${JSON.stringify(id)}`, teamWith(['nodes', 0, 'id'], id), ['INVALID_ID /nodes/0/id']] as const,
    ),
    ['A-13 undefined', { ...releaseTeam(), note: undefined }, ['INVALID_JSON_VALUE /note']],
    ['A-13 a Date', teamWith(['data', 'due'], new Date(0)), ['INVALID_JSON_VALUE /data/due']],
    ['A-13 a cycle', cyclic, ['INVALID_JSON_VALUE /data/self']],
    ['no object', [], ['INVALID_DEFINITION ']],
    [
      'an empty object',
      {},
      [
        'INVALID_ID /id',
        'INVALID_VERSION /definitionVersion',
        'INVALID_DEFINITION /data',
        'INVALID_DEFINITION /nodes',
        'INVALID_DEFINITION /edges',
      ],
    ],
    [
      'problems of several kinds',
      {
        id: 'g',
        definitionVersion: 0,
        data: null,
        nodes: [3, { id: 'a' }, { id: 'a', data: null }],
        edges: [edge('a', 'b'), edge('c', 'a'), 'x', { id: 'f', source: 'a', target: 1 }],
      },
      [
        'INVALID_VERSION /definitionVersion',
        'INVALID_DEFINITION /nodes/0',
        'INVALID_DEFINITION /nodes/1/data',
        'DUPLICATE_NODE_ID /nodes/2/id',
        'UNKNOWN_TARGET_NODE /edges/0/target',
        'DUPLICATE_EDGE_ID /edges/1/id',
        'UNKNOWN_SOURCE_NODE /edges/1/source',
        'INVALID_DEFINITION /edges/2',
        'INVALID_ID /edges/3/target',
        'INVALID_DEFINITION /edges/3/data',
      ],
    ],
  ];
  test.each(cases)('%s', (_title, definition, problems) => {
    expect(problemsOf(() => compileTeam(definition))).toEqual(problems);
  });

  test('each message is a sentence for a person', () => {
    expect(() => compileTeam({})).toThrow('Graph definition is invalid.');
    expect(() => compileTeam(teamWith(['data', 'task'], 1))).toThrow('Invalid team graph.');
    for (const issue of issuesOf(() => compileTeam({}))) expect(issue.message).toMatch(/^[A-Z].+\.$/);
  });
});

describe('unusual teams that are accepted', () => {
  const cases: readonly (readonly [title: string, path: readonly (string | number)[], value: unknown])[] = [
    ['an empty task', ['data', 'task'], ''],
    ['an empty role', ['nodes', 0, 'data', 'role'], ''],
    ['no rooms', ['data', 'communication', 'rooms'], []],
    ['a room without members', ['data', 'communication', 'rooms'], [room('quiet', [])]],
    ['no communication', ['data', 'communication'], undefined],
    ['a member called as a built-in property', ['nodes', 1, 'id'], 'constructor'],
  ];
  test.each(cases)('%s', (_title, path, value) => {
    const definition = teamWith(path, value);
    if (path[0] === 'nodes' && path[2] === 'id')
      Reflect.deleteProperty((definition as { data: object }).data, 'communication');
    const graph = compileTeam(definition);
    expect(graph.decide(graph.initialState())).toMatchObject([{ kind: 'dispatch', position: 'team/writer/1' }]);
  });

  test('unknown fields are kept and change the digest', () => {
    const graph = compileTeam(teamWith(['nodes', 0, 'note'], 'kept'));
    expect(graph.definition.canonicalJson).toContain('"note":"kept"');
    expect(graph.definition.digest).not.toBe(compileTeam().definition.digest);
  });
});
