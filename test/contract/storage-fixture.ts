// What the storage tests build on: a policy, events, and a place that can be opened again and again.
import type { JsonValue } from '../../src/core/json.js';
import { StorageError } from '../../src/storage/error.js';
import type {
  DomainEventEnvelope,
  EventStore,
  LocalRunStorage,
  NewDomainEvent,
  RunStoragePolicy,
  StreamId,
} from '../../src/storage/port.js';

/** One place to store in, of which every `open` gives another binding. */
export interface StoragePlace {
  open(options?: { namespace?: string; policy?: RunStoragePolicy; knownSecrets?: readonly string[] }): LocalRunStorage;
}

export const NAMESPACE = 'contract';
export const RUN: StreamId = { namespace: NAMESPACE, streamId: 'run-1' };
export const SCOPE = { namespace: NAMESPACE, runId: 'run-1' };

export function policy(changes: Partial<RunStoragePolicy> = {}): RunStoragePolicy {
  return {
    schemaVersion: 1,
    maxEventPayloadBytes: 64_000,
    maxAppendBatchBytes: 128_000,
    maxArtifactBytes: 100_000,
    maxTotalArtifactBytesPerRun: 300_000,
    retention: 'until-run-delete',
    sensitiveContent: { marked: 'reject', exact: 'reject', freeText: 'redact-before-hash' },
    ...changes,
  };
}

export function event(eventId: string, payload: JsonValue = { text: eventId }): NewDomainEvent {
  return {
    eventId,
    type: 'test:happened',
    version: 1,
    timestamp: '2026-01-01T00:00:00.000Z',
    correlationId: 'run-1',
    causationId: null,
    payload,
  };
}

export async function collect(store: EventStore, stream = RUN, after?: number): Promise<DomainEventEnvelope[]> {
  const events: DomainEventEnvelope[] = [];
  for await (const envelope of store.read(stream, after)) events.push(envelope);
  return events;
}

export async function eventIds(store: EventStore, stream = RUN, after?: number): Promise<string[]> {
  return (await collect(store, stream, after)).map(({ eventId }) => eventId);
}

/** What a StorageError says, for comparison. */
export async function refusal(action: () => unknown): Promise<{ code: string; details: unknown }> {
  try {
    await action();
  } catch (error) {
    if (error instanceof StorageError) return { code: error.code, details: error.details };
    throw error;
  }
  return { code: 'nothing was refused', details: {} };
}

export async function codeOf(action: () => unknown): Promise<string> {
  return (await refusal(action)).code;
}

export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
