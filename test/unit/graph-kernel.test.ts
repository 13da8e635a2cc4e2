// The guards around a graph type: what it may be, decide, describe and answer; and the bench that tries one out.
import { describe, expect, test } from 'vitest';
import { compileGraph } from '../../src/core/graph/compile.js';
import { type GraphTypeConformance, runGraphTypeConformance } from '../../src/core/graph/conformance.js';
import { GraphValidationError } from '../../src/core/graph/error.js';
import type {
  CompiledGraph,
  GraphDefinition,
  GraphDescription,
  GraphEvent,
  GraphKernel,
  GraphProgram,
  GraphType,
} from '../../src/core/graph/model.js';
import type { JsonValue } from '../../src/core/json.js';

const definition: GraphDefinition = {
  id: 'g',
  definitionVersion: 1,
  data: { most: 2 },
  nodes: [
    { id: 'a', data: null },
    { id: 'b', data: null },
  ],
  edges: [{ id: 'e', source: 'a', target: 'b', data: null }],
};

type Count = { readonly count: number };

const known = (value: number) => ({ kind: 'known', value }) as const;
const one = known(1);

function describeCount({ definition: { digest } }: GraphKernel): GraphDescription {
  const node = (id: string) => ({ id, phaseId: 'p', inputContract: {}, outputContract: {}, laneId: null });
  return {
    schemaVersion: 1,
    graph: { id: 'g', definitionVersion: 1, kind: 'count', typeVersion: 3, definitionDigest: digest },
    inputContract: {},
    outputContract: {},
    phases: [{ id: 'p', name: 'All', nodeIds: ['a', 'b'] }],
    nodes: [node('a'), node('b')],
    edges: [{ id: 'e', source: 'a', target: 'b' }],
    policies: { retry: null, stop: null, concurrency: null, write: null, budget: null, action: null },
    executionLanes: [],
    requestedPermissions: [],
    bounds: { dispatches: { min: one, max: one }, maxConcurrency: one, maxFanOut: one },
    requirements: { memory: 'unused' },
  };
}

/** A graph type that counts events and is complete after one; `change` replaces parts of its program. */
function countType(change: (kernel: GraphKernel) => object = () => ({})): GraphType<GraphDefinition, Count> {
  return {
    kind: 'count',
    version: 3,
    compile: (_definition, kernel): GraphProgram<Count> => ({
      requirements: { memory: 'unused' },
      initialState: () => ({ count: 0 }),
      reduce: ({ count }) => ({ count: count + 1 }),
      decide: ({ count }) =>
        count > 0
          ? [{ kind: 'complete', output: count }]
          : [{ kind: 'dispatch', nodeId: 'a', input: { n: 1 }, position: 'p/1' }],
      describe: () => describeCount(kernel),
      ...change(kernel),
    }),
  };
}

const compile = (change?: (kernel: GraphKernel) => object, checks: 'step' | 'whole' = 'step'): CompiledGraph<Count> =>
  compileGraph(countType(change), definition, { checks });

const tick: GraphEvent = { type: 'tick', version: 1, payload: null };

/** The `<code> <path>` lines of a refusal. */
function problemsOf(work: () => unknown): string[] {
  try {
    work();
  } catch (error) {
    if (error instanceof GraphValidationError) return error.issues.map(({ code, path }) => `${code} ${path}`);
    throw error;
  }
  return [];
}

describe('a graph type that is refused', () => {
  test.each([
    ['INVALID_GRAPH_TYPE /kind', { kind: '' }],
    ['INVALID_GRAPH_TYPE /kind', { kind: 'a\u0007' }],
    ['INVALID_GRAPH_TYPE /kind', { kind: 1 }],
    ['INVALID_GRAPH_TYPE /version', { version: 0 }],
    ['INVALID_GRAPH_TYPE /version', { version: 1.5 }],
  ])('%s for %j', (problem, change) => {
    const type = { ...countType(), ...change } as unknown as GraphType<GraphDefinition, Count>;
    expect(problemsOf(() => compileGraph(type, definition))).toEqual([problem]);
  });

  test.each([
    ['INVALID_GRAPH_TYPE /requirements/memory', { requirements: { memory: 'some' } }],
    ['INVALID_GRAPH_TYPE /requirements/memory', { requirements: null }],
    ['INVALID_GRAPH_TYPE /initialState', { initialState: undefined }],
    ['INVALID_GRAPH_TYPE /reduce', { reduce: {} }],
    ['INVALID_GRAPH_TYPE /decide', { decide: 1 }],
    ['INVALID_GRAPH_TYPE /describe', { describe: null }],
    ['INVALID_GRAPH_TYPE /validateNodeResult', { validateNodeResult: 'no' }],
  ])('%s for a program with %j', (problem, change) => {
    expect(problemsOf(() => compile(() => change))).toEqual([problem]);
  });

  test.each([
    ['DESCRIPTION_MISMATCH /graph', { graph: { id: 'other' } }],
    ['DESCRIPTION_MISMATCH /graph', { graph: { definitionDigest: `sha256:${'0'.repeat(64)}` } }],
    ['DESCRIPTION_MISMATCH /edges', { edges: [] }],
    ['DESCRIPTION_MISMATCH /requirements', { requirements: { memory: 'required' } }],
    ['MISSING_FIELD /bounds/dispatches', { bounds: {} }],
  ])('%s for a description with %j', (problem, change) => {
    const bent = (kernel: GraphKernel) => {
      const right = describeCount(kernel);
      const graph = { ...right.graph, ...('graph' in change ? change.graph : {}) };
      return { describe: () => ({ ...right, ...change, graph }) };
    };
    expect(problemsOf(() => compile(bent))).toEqual([problem]);
  });

  test('nodes in another order are other nodes', () => {
    const bent = (kernel: GraphKernel) => {
      const right = describeCount(kernel);
      return { describe: () => ({ ...right, nodes: right.nodes.toReversed() }) };
    };
    expect(problemsOf(() => compile(bent))).toEqual(['DESCRIPTION_MISMATCH /nodes']);
  });
});

describe('a decision that is refused', () => {
  const dispatch = { kind: 'dispatch', nodeId: 'a', input: null, position: 'p/1' };
  test.each([
    ['/commands', null],
    ['/commands', {}],
    ['/commands/0', [null]],
    ['/commands/0/kind', [{ kind: 'stop' }]],
    ['/commands/0/kind', [{}]],
    ['/commands/0', [{ ...dispatch, note: 1 }]],
    ['/commands/0', [{ kind: 'dispatch', nodeId: 'a', position: 'p/1' }]],
    ['/commands/0/nodeId', [{ ...dispatch, nodeId: 'z' }]],
    ['/commands/0/nodeId', [{ ...dispatch, nodeId: 'toString' }]],
    ['/commands/0/position', [{ ...dispatch, position: '' }]],
    ['/commands/1/position', [dispatch, { ...dispatch, nodeId: 'b' }]],
    ['/commands/0/reason', [{ kind: 'pause', reason: 1 }]],
    ['/commands/0', [{ kind: 'complete' }]],
    ['/commands/0/code', [{ kind: 'fail', code: '', message: 'x' }]],
    ['/commands/1', [dispatch, { kind: 'pause', reason: 'x' }]],
    [
      '/commands/0',
      [
        { kind: 'complete', output: 1 },
        { kind: 'complete', output: 1 },
      ],
    ],
  ])('INVALID_GRAPH_COMMAND %s for %j', (path, commands) => {
    const graph = compile(() => ({ decide: () => commands }));
    expect(problemsOf(() => graph.decide(graph.initialState()))).toEqual([`INVALID_GRAPH_COMMAND ${path}`]);
  });

  test('a command that is not JSON is refused by its place', () => {
    const graph = compile(() => ({ decide: () => [{ ...dispatch, input: { at: new Date(0) } }] }));
    expect(problemsOf(() => graph.decide(graph.initialState()))).toEqual(['INVALID_JSON_VALUE /commands/0/input/at']);
  });
});

describe('a step', () => {
  test.each([
    ['/event', { ...tick, at: 1 }],
    ['/event', { type: 'tick', version: 1 }],
    ['/event', null],
    ['/event/type', { ...tick, type: '' }],
    ['/event/version', { ...tick, version: 0 }],
  ])('INVALID_GRAPH_EVENT %s for %j', (path, event) => {
    const graph = compile();
    expect(problemsOf(() => graph.reduce(graph.initialState(), event as GraphEvent))).toEqual([
      `INVALID_GRAPH_EVENT ${path}`,
    ]);
  });

  test('a state from outside is checked whole', () => {
    const foreign = { count: Number.NaN };
    expect(problemsOf(() => compile().reduce(foreign, tick))).toEqual(['INVALID_JSON_VALUE /state/count']);
    expect(problemsOf(() => compile().decide(foreign))).toEqual(['INVALID_JSON_VALUE /state/count']);
  });

  test('states, commands and payloads cannot be changed by anybody', () => {
    const payload = { list: [1] };
    const graph = compile(() => ({ reduce: (_: Count, event: GraphEvent) => ({ count: 1, payload: event.payload }) }));
    const state = graph.reduce(graph.initialState(), { ...tick, payload });
    payload.list.push(2);
    expect(state).toEqual({ count: 1, payload: { list: [1] } });
    expect(Object.isFrozen(state)).toBe(true);
    expect(Object.isFrozen(graph.initialState())).toBe(true);
    expect(Object.isFrozen(graph.decide(graph.initialState())[0])).toBe(true);
  });

  test('with every check on, a reducer that changes its state or makes no JSON is found out', () => {
    const changing = compile(
      () => ({ reduce: (state: { count: number }) => Object.assign(state, { count: 9 }) }),
      'whole',
    );
    expect(() => changing.reduce(changing.initialState(), tick)).toThrow(TypeError);
    const odd = compile(() => ({ reduce: () => ({ count: undefined }) }), 'whole');
    expect(problemsOf(() => odd.reduce(odd.initialState(), tick))).toEqual(['INVALID_JSON_VALUE /state/count']);
  });
});

describe('the check of a result', () => {
  const answering = (answer: unknown) => compile(() => ({ validateNodeResult: () => answer }));

  test('is there only when the graph type has one', () => {
    expect(compile()).not.toHaveProperty('validateNodeResult');
    expect(answering(null).validateNodeResult?.('a', 1)).toBeNull();
  });

  test('an unknown node is the caller’s mistake', () => {
    expect(problemsOf(() => answering(null).validateNodeResult?.('z', 1))).toEqual(['INVALID_GRAPH_TYPE /nodeId']);
  });

  test('a result that is not JSON is an issue', () => {
    expect(answering(null).validateNodeResult?.('a', { at: undefined } as unknown as JsonValue)).toMatchObject({
      code: 'INVALID_JSON_VALUE',
      path: '/event/payload/result/at',
    });
  });

  test.each([
    undefined,
    'bad',
    { code: 'A', path: '' },
    { code: 'A', path: '', message: '', note: 1 },
    { code: 1, path: '', message: '' },
  ])('an answer %j is refused', (answer) => {
    expect(problemsOf(() => answering(answer).validateNodeResult?.('a', 1))).toEqual([
      'INVALID_GRAPH_TYPE /validateNodeResult',
    ]);
  });
});

describe('the bench for graph types', () => {
  const identity = { source: 'here', version: '1', digest: `sha256:${'1'.repeat(64)}` } as const;
  const dispatch = { kind: 'dispatch', nodeId: 'a', input: { n: 1 }, position: 'p/1' } as const;
  const story = (change?: (kernel: GraphKernel) => object): GraphTypeConformance<GraphDefinition, Count> => ({
    graphType: countType(change),
    definition,
    events: [tick],
    invalidDefinitions: [null, { ...definition, nodes: [] }],
    planResolution: { package: identity, admission: { package: identity, permissions: [] }, executionLanes: [] },
    expected: {
      states: [{ count: 0 }, { count: 1 }],
      commands: [[dispatch], [{ kind: 'complete', output: 1 }]],
      bounds: { dispatches: { min: one, max: one }, maxConcurrency: one, maxFanOut: one },
    },
  });

  test('finds nothing wrong with a good one', () => {
    expect(runGraphTypeConformance(story())).toEqual({ ok: true, failures: [] });
  });

  let calls = 0;
  test.each<[string, GraphTypeConformance<GraphDefinition, Count>, RegExp]>([
    ['another state', story(() => ({ reduce: () => ({ count: 2 }) })), /state after 1 events is not/],
    ['another decision', story(() => ({ decide: () => [] })), /decision after 0 events/],
    ['a reducer with a memory', story(() => ({ reduce: () => ({ count: (calls += 1) }) })), /from a restored one/],
    [
      'a reducer that changes its state',
      story(() => ({ reduce: (s: object) => Object.assign(s, { count: 1 }) })),
      /story threw/,
    ],
    ['an accepted bad definition', { ...story(), invalidDefinitions: [definition] }, /definition 0 was accepted/],
    [
      'other bounds',
      { ...story(), expected: { ...story().expected, bounds: { ...story().expected.bounds, maxFanOut: known(9) } } },
      /bounds/,
    ],
    ['too few states', { ...story(), expected: { ...story().expected, states: [] } }, /number of expected states/],
  ])('says so of %s', (_title, bad, failure) => {
    const report = runGraphTypeConformance(bad);
    expect(report.ok).toBe(false);
    expect(report.failures.join('\n')).toMatch(failure);
  });
});
