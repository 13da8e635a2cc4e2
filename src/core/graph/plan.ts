// A plan: what a graph says of itself, bound to the package, the engines and the permissions a host admitted.
import {
  canonicalJson,
  cloneJson,
  digestText,
  isJsonObject,
  jsonEquals,
  type JsonObject,
  type JsonValue,
} from '../json.js';
import { readDescription, readPermission, readTarget } from './description.js';
import type {
  ExecutionLaneDeclaration,
  ExecutionTarget,
  GraphDescription,
  GraphIssue,
  GraphPermission,
  PackageIdentity,
  PlanResolution,
  ResolvedGraphPlan,
} from './model.js';
import { FieldReader, guarded, readJson, refuse, refuseRepeated } from './shape.js';

const MAX_TIMEOUT_MS = 2_147_483_647;

/** The message of a refused plan, for `guarded`. */
export const planTitle = (issue: GraphIssue): string => `Invalid graph plan: ${issue.message} (${issue.path}).`;

/**
 * Binds a description to a host's resolution. Pure and synchronous.
 * @param description - as `describe()` of a compiled graph gave it.
 * @param resolution - the package asked for, what was admitted, the engine of each lane, the optional preflight.
 * @returns the frozen plan with its canonical text and digest.
 * @throws GraphValidationError with the first problem; see docs/rules.md § Plans for the codes.
 */
export function resolveGraphPlan(description: GraphDescription, resolution: PlanResolution): ResolvedGraphPlan {
  return guarded(planTitle, () => derivePlan(readJson(description, ''), readJson(resolution, '')));
}

/** The same from values of unknown shape. Run it inside `guarded`. */
export function derivePlan(descriptionValue: JsonValue, resolutionValue: JsonValue): ResolvedGraphPlan {
  const description = readDescription(descriptionValue);
  const resolution = new FieldReader(resolutionValue, '');
  const identity = readPackage(resolution.object('package'));
  const admission = resolution.object('admission');
  readPackage(admission.object('package'));
  if (!jsonEquals(resolution.json('package'), admission.json('package'))) {
    refuse('PACKAGE_NOT_ADMITTED', '/admission/package', 'The admitted package is not the one asked for');
  }
  const lanes = resolveLanes(description.executionLanes, resolution);
  const preflight = resolution.has('preflight') ? readPreflight(resolution.object('preflight'), lanes) : undefined;
  const requested = description.requestedPermissions;
  const admitted = admission.list('permissions', readPermission);
  checkPermissions(requested, admitted);
  const { schemaVersion, graph, inputContract, outputContract, phases, nodes, edges, policies, bounds, requirements } =
    description;
  return freezePlan({
    schemaVersion,
    graph,
    package: identity,
    inputContract,
    outputContract,
    phases,
    nodes,
    edges,
    policies,
    executionLanes: lanes,
    ...(preflight === undefined ? {} : { preflight }),
    permissions: { requested, admitted },
    bounds,
    requirements,
  });
}

function freezePlan(fields: Readonly<Record<string, unknown>>): ResolvedGraphPlan {
  const plan = cloneJson(fields);
  if (!isJsonObject(plan)) return refuse('INVALID_SHAPE', '', 'A plan is an object');
  const text = canonicalJson(plan);
  return Object.freeze({ plan, canonicalJson: text, digest: digestText(text) });
}

function readPackage(reader: FieldReader): PackageIdentity {
  return { source: reader.text('source'), version: reader.text('version'), digest: reader.digest('digest') };
}

type ResolvedLane = ExecutionLaneDeclaration & {
  readonly effective: ExecutionTarget;
  readonly fallbacks: readonly ExecutionTarget[];
};

/** Every declared lane has exactly one resolution, and no other lane has any. Lanes keep the order of declaration. */
function resolveLanes(
  declarations: readonly ExecutionLaneDeclaration[],
  resolution: FieldReader,
): readonly ResolvedLane[] {
  const resolved = resolution.list('executionLanes', (value, path) => {
    const reader = new FieldReader(value, path);
    return {
      path,
      id: reader.id('id'),
      effective: readTarget(reader.json('effective'), reader.at('effective')),
      fallbacks: reader.has('fallbacks') ? reader.list('fallbacks', readTarget) : [],
    };
  });
  const byId = new Map(resolved.map((lane) => [lane.id, lane]));
  if (resolved.length !== declarations.length || byId.size !== resolved.length) refuseLanes();
  return declarations.map((declaration) => {
    const lane = byId.get(declaration.id);
    if (lane === undefined) return refuseLanes();
    checkTargets(declaration, lane);
    return { ...declaration, effective: lane.effective, fallbacks: lane.fallbacks };
  });
}

function refuseLanes(): never {
  return refuse('INVALID_LANE_RESOLUTION', '/executionLanes', 'Each declared lane is resolved exactly once');
}

function checkTargets(
  declaration: ExecutionLaneDeclaration,
  lane: { readonly path: string; readonly effective: ExecutionTarget; readonly fallbacks: readonly ExecutionTarget[] },
): void {
  const allowed = new Set([declaration.requested, ...declaration.substitutions].map(canonicalJson));
  const chosen = [lane.effective, ...lane.fallbacks].map(canonicalJson);
  const place = (index: number): string => `${lane.path}/${index === 0 ? 'effective' : `fallbacks/${index - 1}`}`;
  chosen.forEach((target, index) => {
    if (!allowed.has(target)) refuse('UNKNOWN_SUBSTITUTION', place(index), 'The lane does not declare this target');
  });
  refuseRepeated(chosen, 'DUPLICATE_SUBSTITUTION', place);
}

function readPreflight(reader: FieldReader, declared: readonly ResolvedLane[]): JsonObject {
  const timeoutMs = reader.json('timeoutMs');
  if (!Number.isSafeInteger(timeoutMs) || Number(timeoutMs) < 1 || Number(timeoutMs) > MAX_TIMEOUT_MS) {
    refuse('INVALID_PREFLIGHT', reader.at('timeoutMs'), `The time limit is 1 … ${MAX_TIMEOUT_MS} milliseconds`);
  }
  const known = new Set(declared.map(({ id }) => id));
  const lanes = reader.list('lanes', (value, path) => {
    const lane = new FieldReader(value, path);
    const laneId = lane.id('laneId');
    if (!known.has(laneId)) refuse('UNKNOWN_LANE', lane.at('laneId'), `There is no lane "${laneId}"`);
    return {
      laneId,
      live: oneOf(lane, 'live', ['required', 'skip']),
      unsupportedStatic: oneOf(lane, 'unsupportedStatic', ['block', 'allow']),
    };
  });
  const ids = lanes.map(({ laneId }) => laneId);
  refuseRepeated(ids, 'DUPLICATE_ID', (index) => `${reader.at('lanes')}/${index}/laneId`);
  return { timeoutMs, lanes };
}

function oneOf(reader: FieldReader, key: string, choices: readonly string[]): JsonValue {
  const value = reader.json(key);
  if (typeof value === 'string' && choices.includes(value)) return value;
  return refuse('INVALID_PREFLIGHT', reader.at(key), `It is one of: ${choices.join(', ')}`);
}

/** A permission is the same when its name and the canonical text of its scope are. */
function checkPermissions(requested: readonly GraphPermission[], admitted: readonly GraphPermission[]): void {
  const wanted = requested.map(canonicalJson);
  const given = admitted.map(canonicalJson);
  refuseRepeated(wanted, 'DUPLICATE_PERMISSION', (index) => `/requestedPermissions/${index}`);
  refuseRepeated(given, 'DUPLICATE_PERMISSION', (index) => `/admission/permissions/${index}`);
  const granted = new Set(given);
  wanted.forEach((permission, index) => {
    if (granted.has(permission)) return;
    refuse('PERMISSION_NOT_ADMITTED', `/requestedPermissions/${index}`, `It is not admitted: ${permission}`);
  });
}
