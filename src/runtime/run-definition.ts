// Starting a run: its definition, plan and inputs become the first event of its stream, and are read back whole or not
// at all. Everything is checked before anything is written. Rules: docs/run-record.md § Run definition.
import type { ResolvedGraphPlan, StoredGraphDefinition } from '../core/graph/model.js';
import { validateResolvedPlan, validateStoredPlan } from '../core/graph/stored-plan.js';
import { jsonEquals, type JsonValue } from '../core/json.js';
import { StorageError } from '../storage/error.js';
import { invalidValue } from '../storage/invalid.js';
import { storageRecordMismatch } from '../storage/policy.js';
import type {
  ArtifactInput,
  ArtifactReference,
  DomainEventEnvelope,
  NewDomainEvent,
  RunStorage,
} from '../storage/port.js';
import { validateStorageId } from '../storage/streams.js';
import { validateNewDomainEvent } from '../storage/validate.js';
import {
  asInvalid,
  checkPlanBelongs,
  readGraphDefinition,
  readRunStart,
  readStorageRecord,
  RUN_STARTED,
  storable,
  type RunDefinition,
  type RunStartRecord,
} from './run-definition-record.js';

const PLAN_PATH = '/payload/definition/resolvedPlan';
const HOST_PATH = '/payload/definition/hostBinding';

/** What a run is started with. */
export interface RunDefinitionInput {
  /** A letter or digit, then at most 127 of letters, digits, dot, underscore and hyphen. */
  readonly runId: string;
  readonly eventId: string;
  /** `YYYY-MM-DDTHH:mm:ss.sssZ`. */
  readonly timestamp: string;
  /** `definition` of a compiled graph. */
  readonly graphDefinition: StoredGraphDefinition;
  /** What `resolveGraphPlan` gave for that graph. */
  readonly resolvedPlan: ResolvedGraphPlan;
  readonly resolvedInputs: JsonValue;
  readonly workspaceBinding: JsonValue;
  /** Bytes that only the host understands; kept as an artifact. */
  readonly hostBinding: { readonly bytes: Uint8Array; readonly mediaType: string } | null;
}

export interface LoadedRunDefinition {
  readonly record: RunStartRecord;
  readonly resolvedPlan: ResolvedGraphPlan;
  readonly hostBindingBytes: Uint8Array | null;
}

/**
 * Stores the start of a run. What the caller does to its arguments meanwhile has no effect.
 * @returns the stored first event, frozen.
 * @throws StorageError `INVALID_STORED_VALUE`, `STORAGE_LIMIT_EXCEEDED` or `KNOWN_SECRET` before anything is written;
 *   `REVISION_CONFLICT` when the run was started already.
 */
export async function persistRunDefinition(storage: RunStorage, input: RunDefinitionInput): Promise<RunStartRecord> {
  const { eventId, timestamp } = input;
  const record = readStorageRecord(storage.record, '/storage');
  const graphDefinition = readGraphDefinition(input.graphDefinition, '/graphDefinition');
  const resolvedPlan = asInvalid('/resolvedPlan', () => validateResolvedPlan(input.resolvedPlan));
  checkPlanBelongs(resolvedPlan, graphDefinition, '/resolvedPlan');
  const runId = validateStorageId(input.runId, '/runId');
  const resolvedInputs = storable(input.resolvedInputs, '/resolvedInputs');
  const workspaceBinding = storable(input.workspaceBinding, '/workspaceBinding');
  const artifacts = [planArtifact(resolvedPlan), ...hostArtifacts(input.hostBinding)];

  const scope = { namespace: record.namespace, runId };
  const references = await storage.artifactStore.preflightWrite(scope, artifacts);
  const [planReference, hostReference = null] = references;
  if (planReference?.digest !== resolvedPlan.digest || references.length !== artifacts.length) {
    throw invalidValue('/resolvedPlan', 'the store would keep something else than the plan');
  }
  const definition: RunDefinition = {
    schemaVersion: 1,
    runId,
    graphDefinition,
    resolvedPlan: planReference,
    resolvedInputs,
    storage: record,
    workspaceBinding,
    hostBinding: hostReference,
  };
  const event = startEvent({ runId, eventId, timestamp }, definition);
  const stream = { namespace: record.namespace, streamId: runId };
  await storage.eventStore.preflightAppend(stream, 0, [event]);

  for (const [index, artifact] of artifacts.entries()) {
    const written = await storage.artifactStore.write(scope, artifact);
    if (!jsonEquals(written, references[index])) {
      throw invalidValue('/resolvedPlan', 'the store kept something else than it had announced');
    }
  }
  await storage.eventStore.append(stream, 0, [event]);
  return readRunStart({ ...event, envelopeVersion: 1, streamId: runId, revision: 1 }, runId);
}

/**
 * Reads the start of a run with its plan and host bytes.
 * @returns all of it, frozen and proved: the plan is derived again from its own parts.
 * @throws StorageError `INVALID_STORED_VALUE` (no such run, a run of another storage, a damaged start); the artifact
 *   store's own codes, with `streamId`, `revision`, `eventId` and `referencePath` in the details.
 */
export async function loadRunDefinition(storage: RunStorage, runId: string): Promise<LoadedRunDefinition> {
  const streamId = validateStorageId(runId, '/runId');
  const live = readStorageRecord(storage.record, '/storage');
  const first = await firstEvent(storage, streamId);
  const record = readRunStart(first, streamId);
  const { definition } = record.payload;
  const mismatch = storageRecordMismatch(definition.storage, live);
  if (mismatch !== null) {
    const message = `The run ${runId} was stored by another storage than this one: they differ at ${mismatch}.`;
    throw new StorageError('INVALID_STORED_VALUE', message, { path: '/storage', difference: mismatch });
  }
  const planBytes = await readArtifact(storage, record, definition.resolvedPlan, PLAN_PATH);
  const resolvedPlan = readPlan(planBytes, definition);
  const host = definition.hostBinding;
  const hostBindingBytes = host === null ? null : await readArtifact(storage, record, host, HOST_PATH);
  return Object.freeze({ record, resolvedPlan, hostBindingBytes });
}

function startEvent(
  { runId, eventId, timestamp }: Pick<RunDefinitionInput, 'runId' | 'eventId' | 'timestamp'>,
  definition: RunDefinition,
): NewDomainEvent {
  return validateNewDomainEvent({
    eventId,
    type: RUN_STARTED,
    version: 1,
    timestamp,
    correlationId: runId,
    causationId: null,
    payload: { definition },
  });
}

function planArtifact(plan: ResolvedGraphPlan): ArtifactInput {
  const bytes = new TextEncoder().encode(plan.canonicalJson);
  return { bytes, mediaType: 'application/json', purpose: 'resolved-plan', contentMode: 'state' };
}

function hostArtifacts(host: RunDefinitionInput['hostBinding']): readonly ArtifactInput[] {
  if (host === null) return [];
  if (!(host.bytes instanceof Uint8Array)) throw invalidValue('/hostBinding/bytes', 'it must be bytes');
  const bytes = new Uint8Array(host.bytes);
  return [{ bytes, mediaType: host.mediaType, purpose: 'host-binding', contentMode: 'exact' }];
}

async function firstEvent(storage: RunStorage, streamId: string): Promise<DomainEventEnvelope> {
  const stream = { namespace: storage.record.namespace, streamId };
  for await (const event of storage.eventStore.read(stream)) return event;
  throw new StorageError('INVALID_STORED_VALUE', `The run ${streamId} has no stored definition.`, { path: '/runId' });
}

/** an artifact's failure says which event refers to it. */
async function readArtifact(
  storage: RunStorage,
  record: RunStartRecord,
  reference: ArtifactReference,
  referencePath: string,
): Promise<Uint8Array> {
  const { streamId, revision, eventId } = record;
  try {
    return await storage.artifactStore.read({ namespace: storage.record.namespace, runId: streamId }, reference);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    const details = { ...error.details, streamId, revision, eventId, referencePath };
    throw new StorageError(error.code, error.message, details, error);
  }
}

function readPlan(bytes: Uint8Array, definition: RunDefinition): ResolvedGraphPlan {
  const plan = asInvalid(PLAN_PATH, () => validateStoredPlan(parsePlan(bytes)));
  const stored = new TextEncoder().encode(plan.canonicalJson);
  if (Buffer.compare(stored, bytes) !== 0) throw invalidValue(PLAN_PATH, 'the stored plan is not its canonical text');
  if (plan.digest !== definition.resolvedPlan.digest) throw invalidValue(PLAN_PATH, 'the stored plan is another one');
  checkPlanBelongs(plan, definition.graphDefinition, PLAN_PATH);
  return plan;
}

function parsePlan(bytes: Uint8Array): unknown {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return value;
  } catch (cause) {
    throw invalidValue(PLAN_PATH, 'the stored plan is not JSON in UTF-8', cause);
  }
}
