// A run's first event: what it holds, and how it is read back. Everything that comes from a store or from a caller's
// hands passes here and is `INVALID_STORED_VALUE` when it is not exactly what a start is.
// Rules: docs/run-record.md § Run definition.
import { checkDefinition } from '../core/graph/definition.js';
import { GraphValidationError } from '../core/graph/error.js';
import type { ResolvedGraphPlan, StoredGraphDefinition } from '../core/graph/model.js';
import { cloneJson, isJsonObject, JsonValueError, type JsonValue, type Sha256Digest } from '../core/json.js';
import { validateArtifactReference } from '../storage/artifact.js';
import { exactObject, invalidValue } from '../storage/invalid.js';
import { validateRunStoragePolicy } from '../storage/policy.js';
import type { ArtifactReference, DomainEventEnvelope, RunStorageRecord, StoreIdentity } from '../storage/port.js';
import { validateStorageId } from '../storage/streams.js';

export const RUN_STARTED = 'graph:run-started';

/** What a run was started with. */
export interface RunDefinition {
  readonly schemaVersion: 1;
  readonly runId: string;
  readonly graphDefinition: StoredGraphDefinition;
  readonly resolvedPlan: ArtifactReference;
  readonly resolvedInputs: JsonValue;
  readonly storage: RunStorageRecord;
  readonly workspaceBinding: JsonValue;
  readonly hostBinding: ArtifactReference | null;
}

/** The first event of a run's stream. */
export type RunStartRecord = Omit<DomainEventEnvelope, 'payload'> & {
  readonly revision: 1;
  readonly type: typeof RUN_STARTED;
  readonly version: 1;
  readonly payload: { readonly definition: RunDefinition };
};

const DEFINITION_KEYS = [
  'schemaVersion',
  'runId',
  'graphDefinition',
  'resolvedPlan',
  'resolvedInputs',
  'storage',
  'workspaceBinding',
  'hostBinding',
];

/**
 * Reads the first event of a stream as the start of `runId`.
 * @throws StorageError `INVALID_STORED_VALUE` with the path of what is wrong.
 */
export function readRunStart(event: DomainEventEnvelope, runId: string): RunStartRecord {
  const { type, version, revision, streamId, correlationId, causationId } = event;
  if (type !== RUN_STARTED) throw invalidValue('/type', `a run begins with ${RUN_STARTED}`);
  if (version !== 1) throw invalidValue('/version', 'version 1 is the only one known here');
  if (revision !== 1) throw invalidValue('/revision', 'a run begins at revision 1');
  if (streamId !== runId) throw invalidValue('/streamId', `it is not the run ${runId}`);
  if (correlationId !== runId) throw invalidValue('/correlationId', `it is not the run ${runId}`);
  if (causationId !== null) throw invalidValue('/causationId', 'nothing causes the start of a run');
  const payload = exactObject(event.payload, ['definition'], '/payload');
  const definition = readRunDefinition(payload['definition'], '/payload/definition');
  if (definition.runId !== runId) throw invalidValue('/payload/definition/runId', `it is not the run ${runId}`);
  return Object.freeze({ ...event, type, version, revision, payload: Object.freeze({ definition }) });
}

function readRunDefinition(value: unknown, path: string): RunDefinition {
  const object = exactObject(value, DEFINITION_KEYS, path);
  if (object['schemaVersion'] !== 1) throw invalidValue(`${path}/schemaVersion`, 'it must be 1');
  const host = object['hostBinding'] ?? null;
  return Object.freeze({
    schemaVersion: 1,
    runId: validateStorageId(object['runId'], `${path}/runId`),
    graphDefinition: readGraphDefinition(object['graphDefinition'], `${path}/graphDefinition`),
    resolvedPlan: referenceAt(object['resolvedPlan'], `${path}/resolvedPlan`),
    resolvedInputs: object['resolvedInputs'] ?? null,
    storage: readStorageRecord(object['storage'], `${path}/storage`),
    workspaceBinding: object['workspaceBinding'] ?? null,
    hostBinding: host === null ? null : referenceAt(host, `${path}/hostBinding`),
  });
}

/** A definition whose canonical text and digest are its own. */
export function readGraphDefinition(value: unknown, path: string): StoredGraphDefinition {
  const object = exactObject(value, ['value', 'canonicalJson', 'digest'], path);
  const again = asInvalid(path, () => checkDefinition(object['value']).stored);
  if (again.canonicalJson !== object['canonicalJson']) {
    throw invalidValue(`${path}/canonicalJson`, 'it is not the canonical text of the definition');
  }
  if (again.digest !== object['digest']) throw invalidValue(`${path}/digest`, 'it is not the digest of the definition');
  return again;
}

/** A plan is of a definition when it names its id, version and digest. */
export function checkPlanBelongs({ plan }: ResolvedGraphPlan, definition: StoredGraphDefinition, path: string): void {
  const graph = isJsonObject(plan['graph']) ? plan['graph'] : {};
  const value = isJsonObject(definition.value) ? definition.value : {};
  if (graph['id'] !== value['id'] || graph['definitionVersion'] !== value['definitionVersion']) {
    throw invalidValue(`${path}/graph`, 'the plan is of another graph');
  }
  if (graph['definitionDigest'] !== definition.digest) {
    throw invalidValue(`${path}/graph/definitionDigest`, 'the plan is of another definition');
  }
}

/** The identity of a storage, as a value of its own. */
export function readStorageRecord(value: unknown, path: string): RunStorageRecord {
  const object = exactObject(value, ['schemaVersion', 'namespace', 'eventStore', 'artifactStore', 'policy'], path);
  if (object['schemaVersion'] !== 1) throw invalidValue(`${path}/schemaVersion`, 'it must be 1');
  return Object.freeze({
    schemaVersion: 1,
    namespace: validateStorageId(object['namespace'], `${path}/namespace`),
    eventStore: storeIdentity(object['eventStore'], `${path}/eventStore`),
    artifactStore: storeIdentity(object['artifactStore'], `${path}/artifactStore`),
    policy: validateRunStoragePolicy(object['policy']),
  });
}

function storeIdentity(value: unknown, path: string): StoreIdentity {
  const object = exactObject(value, ['schemaVersion', 'name', 'version', 'configDigest'], path);
  if (object['schemaVersion'] !== 1) throw invalidValue(`${path}/schemaVersion`, 'it must be 1');
  const { name, version, configDigest } = object;
  if (typeof name !== 'string' || name === '') throw invalidValue(`${path}/name`, 'it must be text');
  if (typeof version !== 'string' || version === '') throw invalidValue(`${path}/version`, 'it must be text');
  if (!isDigest(configDigest)) throw invalidValue(`${path}/configDigest`, 'it must be sha256: and 64 hex digits');
  return Object.freeze({ schemaVersion: 1, name, version, configDigest });
}

function referenceAt(value: unknown, path: string): ArtifactReference {
  try {
    return validateArtifactReference(value);
  } catch (cause) {
    throw invalidValue(path, 'it is not a reference to an artifact', cause);
  }
}

/** Runs a check of the kernel and reports what it refuses as a value that cannot be stored. */
export function asInvalid<Value>(path: string, check: () => Value): Value {
  try {
    return check();
  } catch (error) {
    if (error instanceof GraphValidationError) {
      const [issue] = error.issues;
      throw invalidValue(`${path}${issue?.path ?? ''}`, issue?.message ?? error.message, error);
    }
    if (error instanceof JsonValueError) throw invalidValue(`${path}${error.path}`, error.message, error);
    throw error;
  }
}

/** A frozen copy of a value that has to be JSON. */
export function storable(value: unknown, path: string): JsonValue {
  return asInvalid(path, () => cloneJson(value));
}

function isDigest(value: unknown): value is Sha256Digest {
  return typeof value === 'string' && /^sha256:[0-9a-f]{64}$/.test(value);
}
