// The limits of a storage, its identity, and whether a run that was stored under older limits may be opened.
import { cloneJson, digestJson, type JsonValue } from '../core/json.js';
import { StorageError } from './error.js';
import { exactObject, invalidValue } from './invalid.js';
import type { RunStoragePolicy, RunStorageRecord, StoreIdentity } from './port.js';
import { validateStorageId } from './streams.js';
import { positiveInteger } from './validate.js';

const LIMIT_KEYS = [
  'maxEventPayloadBytes',
  'maxAppendBatchBytes',
  'maxArtifactBytes',
  'maxTotalArtifactBytesPerRun',
] as const;

const EVENT_LIMITS = LIMIT_KEYS.slice(0, 2);
const ARTIFACT_LIMITS = LIMIT_KEYS.slice(2);

/** The four limits of a policy, in bytes. */
export type StorageLimits = Pick<RunStoragePolicy, (typeof LIMIT_KEYS)[number]>;

/**
 * @returns a frozen copy of the policy.
 * @throws StorageError `INVALID_STORED_VALUE` with the path of the first bad, unknown or missing field.
 */
export function validateRunStoragePolicy(value: unknown): RunStoragePolicy {
  const object = exactObject(value, ['schemaVersion', ...LIMIT_KEYS, 'retention', 'sensitiveContent'], '/policy');
  literal(object['schemaVersion'], 1, '/policy/schemaVersion');
  const limits = readLimits(object, '/policy');
  literal(object['retention'], 'until-run-delete', '/policy/retention');
  const where = '/policy/sensitiveContent';
  const sensitive = exactObject(object['sensitiveContent'], ['marked', 'exact', 'freeText'], where);
  literal(sensitive['marked'], 'reject', `${where}/marked`);
  literal(sensitive['exact'], 'reject', `${where}/exact`);
  literal(sensitive['freeText'], 'redact-before-hash', `${where}/freeText`);
  return Object.freeze({
    schemaVersion: 1,
    ...limits,
    retention: 'until-run-delete',
    sensitiveContent: Object.freeze({ marked: 'reject', exact: 'reject', freeText: 'redact-before-hash' }),
  });
}

/** Reads the four limits out of an object. @throws StorageError `INVALID_STORED_VALUE` */
export function readLimits(object: { readonly [key: string]: JsonValue | undefined }, path: string): StorageLimits {
  const [payload, batch, artifact, total] = LIMIT_KEYS.map((key) => positiveInteger(object[key], `${path}/${key}`));
  const limits = {
    maxEventPayloadBytes: payload ?? 0,
    maxAppendBatchBytes: batch ?? 0,
    maxArtifactBytes: artifact ?? 0,
    maxTotalArtifactBytesPerRun: total ?? 0,
  };
  if (limits.maxAppendBatchBytes < limits.maxEventPayloadBytes) {
    throw invalidValue(`${path}/maxAppendBatchBytes`, 'an append must have room for the largest payload');
  }
  if (limits.maxTotalArtifactBytesPerRun < limits.maxArtifactBytes) {
    throw invalidValue(`${path}/maxTotalArtifactBytesPerRun`, 'a run must have room for the largest artifact');
  }
  return limits;
}

export function limitsOf(policy: StorageLimits): StorageLimits {
  const { maxEventPayloadBytes, maxAppendBatchBytes, maxArtifactBytes, maxTotalArtifactBytesPerRun } = policy;
  return Object.freeze({ maxEventPayloadBytes, maxAppendBatchBytes, maxArtifactBytes, maxTotalArtifactBytesPerRun });
}

/**
 * a run is opened under its own limits or under raised ones, never under lower.
 * @param part - which limits matter for what is about to be done.
 * @returns true when some limit was raised, so that the next write has to note it.
 * @throws StorageError `INVALID_STORED_VALUE` with the path of the limit that is lower than the run's.
 */
export function checkLimits(stored: StorageLimits, live: StorageLimits, part: 'events' | 'artifacts'): boolean {
  for (const key of part === 'events' ? EVENT_LIMITS : ARTIFACT_LIMITS) {
    if (live[key] >= stored[key]) continue;
    const details = { path: `/policy/${key}`, stored: stored[key], live: live[key] };
    const message = `This run was stored with ${key} ${stored[key]}; it cannot be opened with the lower limit ${live[key]}.`;
    throw new StorageError('INVALID_STORED_VALUE', message, details);
  }
  return LIMIT_KEYS.some((key) => live[key] > stored[key]);
}

/** The greater of each limit: what a run notes after it was written under raised limits. */
export function raisedLimits(stored: StorageLimits, live: StorageLimits): StorageLimits {
  return {
    maxEventPayloadBytes: Math.max(stored.maxEventPayloadBytes, live.maxEventPayloadBytes),
    maxAppendBatchBytes: Math.max(stored.maxAppendBatchBytes, live.maxAppendBatchBytes),
    maxArtifactBytes: Math.max(stored.maxArtifactBytes, live.maxArtifactBytes),
    maxTotalArtifactBytesPerRun: Math.max(stored.maxTotalArtifactBytesPerRun, live.maxTotalArtifactBytesPerRun),
  };
}

/**
 * What a run's definition remembers of its storage. The digests bind provider, version, namespace and limits; not the
 * place on disk, so that a moved folder still opens.
 */
export function storageRecord(name: string, version: string, namespace: string, policy: RunStoragePolicy) {
  const { maxEventPayloadBytes, maxAppendBatchBytes, maxArtifactBytes, maxTotalArtifactBytesPerRun } = policy;
  const record: RunStorageRecord = {
    schemaVersion: 1,
    namespace: validateStorageId(namespace, '/namespace'),
    eventStore: identity(name, version, namespace, { maxEventPayloadBytes, maxAppendBatchBytes }),
    artifactStore: identity(name, version, namespace, { maxArtifactBytes, maxTotalArtifactBytesPerRun }),
    policy,
  };
  return Object.freeze(record);
}

/**
 * whether a run whose definition remembers `stored` may be loaded through a storage that is `live`.
 * @returns null when it may (equal, or only limits were raised), else the JSON pointer of the first difference.
 */
export function storageRecordMismatch(stored: RunStorageRecord, live: RunStorageRecord): string | null {
  if (stored.namespace !== live.namespace) return '/storage/namespace';
  for (const part of ['eventStore', 'artifactStore'] as const) {
    if (stored[part].name !== live[part].name) return `/storage/${part}/name`;
    if (stored[part].version !== live[part].version) return `/storage/${part}/version`;
  }
  for (const key of LIMIT_KEYS) if (live.policy[key] < stored.policy[key]) return `/storage/policy/${key}`;
  // The stored digest has to be the one that its own limits give: else the record was altered.
  const again = storageRecord(stored.eventStore.name, stored.eventStore.version, stored.namespace, stored.policy);
  for (const part of ['eventStore', 'artifactStore'] as const) {
    if (again[part].configDigest !== stored[part].configDigest) return `/storage/${part}/configDigest`;
  }
  return null;
}

function identity(name: string, version: string, namespace: string, limits: Record<string, number>): StoreIdentity {
  const configDigest = digestJson(cloneJson({ schemaVersion: 1, name, version, namespace, ...limits }));
  return Object.freeze({ schemaVersion: 1, name, version, configDigest });
}

function literal(value: unknown, expected: string | number, path: string): void {
  if (value !== expected) throw invalidValue(path, `it must be ${JSON.stringify(expected)}`);
}
