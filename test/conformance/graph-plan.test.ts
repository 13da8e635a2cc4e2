// Plans: what a graph is bound to before it runs, what is refused, and how a stored plan proves itself.
import { describe, expect, test } from 'vitest';
import type { ExecutionTarget, GraphDescription, PlanResolution } from '../../src/core/graph/model.js';
import { resolveGraphPlan } from '../../src/core/graph/plan.js';
import { validateResolvedPlan, validateStoredPlan } from '../../src/core/graph/stored-plan.js';
import { type JsonValue, utf8Length } from '../../src/core/json.js';
import { compileTeam, PACKAGE, problemsOf } from './team-fixture.js';

const resolution: PlanResolution = {
  package: PACKAGE,
  admission: { package: PACKAGE, permissions: [] },
  executionLanes: [],
};

const target = (model: string): ExecutionTarget => ({
  adapter: 'api',
  provider: 'acme',
  modelFamily: 'm',
  model,
  tools: ['read'],
});
const scope = { paths: ['src/**'], hosts: 1 };

/** A description with a lane, an edge and a permission, so that every check has something to look at. */
function rich(): GraphDescription {
  const team = compileTeam().describe();
  return {
    ...team,
    nodes: team.nodes.map((node, index) => (index === 0 ? { ...node, laneId: 'fast' } : node)),
    edges: [{ id: 'next', source: 'writer', target: 'reviewer' }],
    executionLanes: [{ id: 'fast', requested: target('m-1'), substitutions: [target('m-2'), target('m-3')] }],
    requestedPermissions: [{ name: 'files', scope }],
  };
}
function richResolution(): PlanResolution {
  return {
    package: PACKAGE,
    // The same scope with its keys in another order is the same scope.
    admission: { package: PACKAGE, permissions: [{ name: 'files', scope: { hosts: 1, paths: ['src/**'] } }] },
    executionLanes: [{ id: 'fast', effective: target('m-2'), fallbacks: [target('m-1')] }],
    preflight: { timeoutMs: 1000, lanes: [{ laneId: 'fast', live: 'required', unsupportedStatic: 'block' }] },
  };
}

type Path = readonly (string | number)[];

/** A copy of `value` with the value at `path` replaced (or, for undefined, removed). */
function withValue<Value>(value: Value, path: Path, replacement: unknown): Value {
  // Through text, so that the two package records in one resolution are two objects.
  const copy = JSON.parse(JSON.stringify(value)) as Value;
  let owner = copy as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) owner = owner[key] as Record<string | number, unknown>;
  const last = path.at(-1) ?? '';
  if (replacement === undefined) Reflect.deleteProperty(owner, last);
  else owner[last] = replacement;
  return copy;
}

describe('a plan that is resolved', () => {
  test('vector: the plan of the release team', () => {
    const plan = resolveGraphPlan(compileTeam().describe(), resolution);
    expect(utf8Length(plan.canonicalJson)).toBe(1367);
    expect(plan.digest).toBe('sha256:65c6015217b1d3678f3570b89bf760f79ae22affecd65cff940dba9af0eee781');
    expect(Object.isFrozen(plan)).toBe(true);
    expect(Object.isFrozen(plan.plan['permissions'])).toBe(true);
  });

  test('it has what was asked for, what was resolved, and nothing else', () => {
    const { plan } = resolveGraphPlan(rich(), richResolution());
    expect(Object.keys(plan).sort()).toEqual(
      'bounds edges executionLanes graph inputContract nodes outputContract package permissions phases policies preflight requirements schemaVersion'.split(
        ' ',
      ),
    );
    expect(plan['executionLanes']).toEqual([
      { ...rich().executionLanes[0], effective: target('m-2'), fallbacks: [target('m-1')] },
    ]);
    expect(plan['permissions']).toEqual({
      requested: [{ name: 'files', scope }],
      admitted: [{ name: 'files', scope }],
    });
    expect(plan['preflight']).toEqual(richResolution().preflight);
  });

  test('fields that no plan has are left out', () => {
    const extra = withValue(rich(), ['nodes', 0, 'note'], 'extra');
    expect(resolveGraphPlan(extra, richResolution()).digest).toBe(resolveGraphPlan(rich(), richResolution()).digest);
  });
});

describe('a description that is refused', () => {
  const bounds = (value: number): JsonValue => ({ kind: 'known', value });
  const cases: readonly (readonly [problem: string, path: Path, value: unknown])[] = [
    ['INVALID_SHAPE /graph', ['graph'], null],
    ['INVALID_SHAPE /nodes', ['nodes'], {}],
    ['INVALID_SHAPE /phases/0', ['phases', 0], 'team'],
    ['MISSING_FIELD /policies/retry', ['policies', 'retry'], undefined],
    ['MISSING_FIELD /inputContract', ['inputContract'], undefined],
    ['INVALID_SCHEMA_VERSION /schemaVersion', ['schemaVersion'], 2],
    ['INVALID_ID /graph/id', ['graph', 'id'], ' release-team'],
    ['INVALID_ID /nodes/0/laneId', ['nodes', 0, 'laneId'], 4],
    ['INVALID_TEXT /phases/0/name', ['phases', 0, 'name'], ''],
    ['INVALID_TEXT /executionLanes/0/requested/model', ['executionLanes', 0, 'requested', 'model'], 'a\nb'],
    ['INVALID_TEXT /executionLanes/0/requested/tools/0', ['executionLanes', 0, 'requested', 'tools', 0], 3],
    ['INVALID_VERSION /graph/typeVersion', ['graph', 'typeVersion'], 0],
    ['INVALID_DIGEST /graph/definitionDigest', ['graph', 'definitionDigest'], 'sha256:AB'],
    ['DUPLICATE_ID /nodes/1/id', ['nodes', 1, 'id'], 'writer'],
    ['UNKNOWN_NODE /edges/0/target', ['edges', 0, 'target'], 'editor'],
    ['UNKNOWN_NODE /phases/0/nodeIds/2', ['phases', 0, 'nodeIds', 2], 'editor'],
    ['UNKNOWN_PHASE /nodes/0/phaseId', ['nodes', 0, 'phaseId'], 'other'],
    ['UNKNOWN_LANE /nodes/0/laneId', ['nodes', 0, 'laneId'], 'slow'],
    ['INVALID_PHASE_ASSIGNMENT /nodes/1/phaseId', ['phases', 0, 'nodeIds'], ['writer']],
    ['INVALID_PHASE_ASSIGNMENT /phases/0/nodeIds/2', ['phases', 0, 'nodeIds', 2], 'writer'],
    [
      'DUPLICATE_SUBSTITUTION /executionLanes/0/substitutions/1',
      ['executionLanes', 0, 'substitutions', 1],
      target('m-1'),
    ],
    ['INVALID_BOUND /bounds/maxFanOut/value', ['bounds', 'maxFanOut'], bounds(-1)],
    ['INVALID_BOUND /bounds/maxConcurrency/kind', ['bounds', 'maxConcurrency'], { kind: 'many' }],
    ['INVALID_BOUND /bounds/dispatches', ['bounds', 'dispatches', 'min'], bounds(5)],
    ['INVALID_REQUIREMENT /requirements/memory', ['requirements', 'memory'], 'maybe'],
    ['INVALID_JSON_VALUE /outputContract', ['outputContract'], Number.NaN],
  ];
  test.each(cases)('%s', (problem, path, value) => {
    const description = withValue(rich(), path, value);
    expect(problemsOf(() => resolveGraphPlan(description, richResolution()))).toEqual([problem]);
  });

  test('a bound may be unknown', () => {
    const open = withValue(rich(), ['bounds', 'dispatches', 'max'], { kind: 'unknown' });
    expect(resolveGraphPlan(open, richResolution()).plan['bounds']).toMatchObject({
      dispatches: { max: { kind: 'unknown' } },
    });
  });
});

describe('a resolution that is refused', () => {
  const lane = (effective: ExecutionTarget, ...fallbacks: ExecutionTarget[]) => [{ id: 'fast', effective, fallbacks }];
  const cases: readonly (readonly [problem: string, path: Path, value: unknown])[] = [
    ['INVALID_TEXT /package/source', ['package', 'source'], ''],
    ['INVALID_DIGEST /package/digest', ['package', 'digest'], 'md5:1'],
    ['A-14 PACKAGE_NOT_ADMITTED /admission/package', ['admission', 'package', 'version'], '1.0.1'],
    ['A-14 PACKAGE_NOT_ADMITTED /admission/package', ['admission', 'package', 'digest'], `sha256:${'4'.repeat(64)}`],
    ['A-16 PERMISSION_NOT_ADMITTED /requestedPermissions/0', ['admission', 'permissions'], []],
    [
      'A-16 PERMISSION_NOT_ADMITTED /requestedPermissions/0',
      ['admission', 'permissions', 0, 'scope'],
      { paths: ['**'], hosts: 1 },
    ],
    [
      'DUPLICATE_PERMISSION /admission/permissions/1',
      ['admission', 'permissions', 1],
      { name: 'files', scope: { paths: ['src/**'], hosts: 1 } },
    ],
    ['INVALID_LANE_RESOLUTION /executionLanes', ['executionLanes'], []],
    ['INVALID_LANE_RESOLUTION /executionLanes', ['executionLanes', 0, 'id'], 'slow'],
    ['INVALID_LANE_RESOLUTION /executionLanes', ['executionLanes', 1], { id: 'fast', effective: target('m-1') }],
    ['UNKNOWN_SUBSTITUTION /executionLanes/0/effective', ['executionLanes'], lane(target('m-9'))],
    [
      'UNKNOWN_SUBSTITUTION /executionLanes/0/fallbacks/1',
      ['executionLanes'],
      lane(target('m-1'), target('m-2'), target('m-9')),
    ],
    ['DUPLICATE_SUBSTITUTION /executionLanes/0/fallbacks/0', ['executionLanes'], lane(target('m-1'), target('m-1'))],
    ...[0, 1.5, 2_147_483_648, '5'].map(
      (value) => ['INVALID_PREFLIGHT /preflight/timeoutMs', ['preflight', 'timeoutMs'], value] as const,
    ),
    ['UNKNOWN_LANE /preflight/lanes/0/laneId', ['preflight', 'lanes', 0, 'laneId'], 'slow'],
    ['INVALID_PREFLIGHT /preflight/lanes/0/live', ['preflight', 'lanes', 0, 'live'], 'perhaps'],
    [
      'DUPLICATE_ID /preflight/lanes/1/laneId',
      ['preflight', 'lanes', 1],
      { laneId: 'fast', live: 'skip', unsupportedStatic: 'allow' },
    ],
  ];
  test.each(cases)('%s', (problem, path, value) => {
    const changed = withValue(richResolution(), path, value);
    expect(problemsOf(() => resolveGraphPlan(rich(), changed))).toEqual([problem.replace(/^A-\d+ /, '')]);
  });

  test('a permission asked for twice', () => {
    const twice = withValue(rich(), ['requestedPermissions', 1], { name: 'files', scope });
    expect(problemsOf(() => resolveGraphPlan(twice, richResolution()))).toEqual([
      'DUPLICATE_PERMISSION /requestedPermissions/1',
    ]);
  });

  test('the message says that it is the plan, and what and where', () => {
    const changed = withValue(richResolution(), ['executionLanes'], []);
    expect(() => resolveGraphPlan(rich(), changed)).toThrow(/^Invalid graph plan: .+ \(\/executionLanes\)\.$/);
  });
});

describe('a plan read back', () => {
  const stored = () => resolveGraphPlan(rich(), richResolution());

  test('is the plan that was stored', () => {
    const plan = stored();
    expect(validateStoredPlan(JSON.parse(plan.canonicalJson))).toEqual(plan);
    expect(validateResolvedPlan(structuredClone(plan))).toEqual(plan);
  });

  test.each([
    ['UNKNOWN_FIELD /note', ['note'], 1],
    ['UNKNOWN_FIELD /nodes/1/note', ['nodes', 1, 'note'], 1],
    ['UNKNOWN_FIELD /executionLanes/0/requested/note', ['executionLanes', 0, 'requested', 'note'], 1],
    ['UNKNOWN_FIELD /permissions/note', ['permissions', 'note'], 1],
    ['UNKNOWN_FIELD /requestedPermissions', ['requestedPermissions'], []],
    ['MISSING_FIELD /permissions', ['permissions'], undefined],
    ['MISSING_FIELD /bounds', ['bounds'], undefined],
    ['RESOLVED_PLAN_MISMATCH ', ['executionLanes', 0, 'fallbacks'], undefined],
    ['PERMISSION_NOT_ADMITTED /requestedPermissions/0', ['permissions', 'admitted'], []],
    ['INVALID_SHAPE ', [], undefined],
  ] as const)('%s', (problem, path, value) => {
    const plan = path.length === 0 ? null : withValue(stored().plan, path, value);
    expect(problemsOf(() => validateStoredPlan(plan))).toEqual([problem]);
  });

  test.each([
    ['RESOLVED_PLAN_MISMATCH ', ['digest'], `sha256:${'0'.repeat(64)}`],
    ['RESOLVED_PLAN_MISMATCH ', ['canonicalJson'], '{}'],
    ['RESOLVED_PLAN_MISMATCH ', ['digest'], undefined],
    ['UNKNOWN_FIELD /note', ['note'], 1],
    ['MISSING_FIELD /plan', ['plan'], undefined],
  ] as const)('with its text and digest: %s', (problem, path, value) => {
    expect(problemsOf(() => validateResolvedPlan(withValue(stored(), path, value)))).toEqual([problem]);
  });
});
