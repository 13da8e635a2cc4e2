// An append before it touches a store: validated, serialised, measured and searched for secrets.
import { StorageError } from './error.js';
import { invalidValue } from './invalid.js';
import type { NewDomainEvent, StreamId } from './port.js';
import type { StorageLimits } from './policy.js';
import type { KnownSecrets } from './secrets.js';
import { runOfStream } from './streams.js';
import { checkBatch, validateRevision, validateStreamId } from './validate.js';

/** No UTF-16 unit has more: a text that is short enough by its units alone needs no counting. */
const BYTES_OF_UNIT = 3;

/** One event as it will be stored: its envelope as one line of JSON, without the line end. */
export interface PreparedEvent {
  readonly eventId: string;
  readonly revision: number;
  readonly line: string;
}

export interface PreparedBatch {
  readonly stream: StreamId;
  /** The run whose file holds the stream. */
  readonly runId: string;
  readonly expectedRevision: number;
  readonly endRevision: number;
  readonly events: readonly PreparedEvent[];
}

/** What every append of one storage is checked against. */
export interface WriteRules {
  readonly namespace: string;
  readonly limits: StorageLimits;
  readonly secrets: KnownSecrets;
}

/**
 * Runs every check of an append that needs no store.
 * @throws StorageError `INVALID_STORED_VALUE`, `STORAGE_LIMIT_EXCEEDED`, `DUPLICATE_EVENT_ID` (within the batch) or
 * `KNOWN_SECRET`.
 */
export function prepareBatch(rules: WriteRules, stream: unknown, expected: unknown, events: unknown): PreparedBatch {
  const target = boundStream(rules.namespace, stream);
  const expectedRevision = validateRevision(expected, '/expectedRevision');
  // Not copied: what is stored of them is made text before this returns.
  const batch = checkBatch(events);
  if (!Number.isSafeInteger(expectedRevision + batch.length)) {
    throw invalidValue('/expectedRevision', 'the revisions of the batch are not safe integers');
  }
  const prepared = batch.map((event, index) => serialise(target.streamId, expectedRevision + 1 + index, event, rules));
  checkBatchSize(prepared, rules.limits.maxAppendBatchBytes);
  checkOwnIds(prepared);
  checkSecrets(batch, prepared, rules.secrets);
  return {
    stream: target,
    runId: runOfStream(target.streamId),
    expectedRevision,
    endRevision: expectedRevision + batch.length,
    events: prepared,
  };
}

/** Validates a stream and that it is of the namespace which the storage is bound to. */
export function boundStream(namespace: string, value: unknown): StreamId {
  const stream = validateStreamId(value);
  if (stream.namespace === namespace) return stream;
  throw invalidValue('/namespace', `this storage is bound to the namespace ${namespace}`);
}

export function revisionConflict(expectedRevision: number, actualRevision: number): StorageError {
  const message = `The stream is at revision ${actualRevision}, not at ${expectedRevision} as its writer expected.`;
  return new StorageError('REVISION_CONFLICT', message, { expectedRevision, actualRevision });
}

export function duplicateEventId(eventId: string): StorageError {
  return new StorageError('DUPLICATE_EVENT_ID', 'The stream already has an event with this id.', { eventId });
}

export function secretInEvents(eventIds: readonly string[], secrets: KnownSecrets): StorageError {
  const named = eventIds.filter((eventId) => !secrets.inText(eventId));
  const message = 'The append contains a known secret. Events are never redacted, so nothing was stored.';
  return new StorageError('KNOWN_SECRET', message, { eventIds: named });
}

function serialise(streamId: string, revision: number, event: NewDomainEvent, rules: WriteRules): PreparedEvent {
  const { eventId, type, version, timestamp, correlationId, causationId } = event;
  const payload = JSON.stringify(event.payload);
  checkPayloadSize(eventId, payload, rules);
  // Put together, so that the payload is made text only once.
  const chosen = JSON.stringify({ eventId, type, version, timestamp, correlationId, causationId }).slice(0, -1);
  const line = `${chosen},"payload":${payload},"envelopeVersion":1,"streamId":"${streamId}","revision":${revision}}`;
  return { eventId, revision, line };
}

/** The text is as long as the canonical one: sorting keys does not change that. */
function checkPayloadSize(eventId: string, payload: string, { limits, secrets }: WriteRules): void {
  const maximumBytes = limits.maxEventPayloadBytes;
  if (payload.length * BYTES_OF_UNIT <= maximumBytes) return;
  const byteLength = Buffer.byteLength(payload);
  if (byteLength <= maximumBytes) return;
  const message = `The payload has ${byteLength} bytes; at most ${maximumBytes} are allowed.`;
  const named = secrets.inText(eventId) ? '' : eventId;
  throw new StorageError('STORAGE_LIMIT_EXCEEDED', message, { eventId: named, byteLength, maximumBytes });
}

function checkBatchSize(events: readonly PreparedEvent[], maximumBytes: number): void {
  const units = events.reduce((sum, { line }) => sum + line.length + 1, 0);
  if (units * BYTES_OF_UNIT <= maximumBytes) return;
  const byteLength = events.reduce((sum, { line }) => sum + Buffer.byteLength(line) + 1, 0);
  if (byteLength <= maximumBytes) return;
  const message = `The append has ${byteLength} bytes; at most ${maximumBytes} are allowed.`;
  throw new StorageError('STORAGE_LIMIT_EXCEEDED', message, { byteLength, maximumBytes });
}

function checkOwnIds(events: readonly PreparedEvent[]): void {
  if (events.length === 1) return;
  const seen = new Set<string>();
  for (const { eventId } of events) {
    if (seen.has(eventId)) throw duplicateEventId(eventId);
    seen.add(eventId);
  }
}

function checkSecrets(batch: readonly NewDomainEvent[], events: readonly PreparedEvent[], secrets: KnownSecrets): void {
  if (secrets.none) return;
  const found = events.filter(({ line }, index) => {
    const event = batch[index];
    return secrets.inText(line) || (event !== undefined && secrets.inJson({ ...event }));
  });
  // A secret may lie across two lines: then no event has it alone.
  const across = found.length === 0 && secrets.inText(events.map(({ line }) => `${line}\n`).join(''));
  const guilty = across ? events : found;
  if (guilty.length > 0) {
    throw secretInEvents(
      guilty.map(({ eventId }) => eventId),
      secrets,
    );
  }
}
