// What an event must look like before it is stored, and again when it comes back.
import { isJsonObject, utf8Length, type JsonObject } from '../core/json.js';
import { StorageError } from './error.js';
import { checkedObject, exactObject, invalidValue } from './invalid.js';
import { isPlainJson, isPlainText, isPlainTime } from './plain.js';
import type { DomainEventEnvelope, NewDomainEvent, StreamId } from './port.js';
import { isStorageId, validateStorageId } from './streams.js';

const MAX_TEXT_BYTES = 256;
const CONTROL = /\p{Cc}/u;
const NEW_EVENT_KEYS = ['eventId', 'type', 'version', 'timestamp', 'correlationId', 'causationId', 'payload'];
const ENVELOPE_KEYS = ['envelopeVersion', 'streamId', 'revision', ...NEW_EVENT_KEYS];

/**
 * @param value - an event as its writer made it: exactly the seven fields that a writer chooses.
 * @returns a frozen deep copy; later changes to `value` have no effect on it.
 * @throws StorageError `INVALID_STORED_VALUE` with the path of the first bad field.
 */
export function validateNewDomainEvent(value: unknown): NewDomainEvent {
  return Object.freeze(chosenFields(exactObject(value, NEW_EVENT_KEYS, ''), ''));
}

/**
 * @param value - a stored event: exactly the ten fields of an envelope.
 * @returns a frozen deep copy.
 * @throws StorageError `UNSUPPORTED_ENVELOPE_VERSION` when a later format wrote it, else `INVALID_STORED_VALUE`.
 */
export function validateDomainEventEnvelope(value: unknown): DomainEventEnvelope {
  refuseLaterEnvelope(value);
  return readEnvelope(exactObject(value, ENVELOPE_KEYS, ''));
}

/** @returns the event id. @throws StorageError `INVALID_STORED_VALUE` */
export function validateDomainEventId(value: unknown): string {
  return storedText(value, '/eventId');
}

/** Reads the fields of an envelope that is already known to be frozen JSON of its own. */
export function readEnvelope(object: JsonObject): DomainEventEnvelope {
  if (isUsualEnvelope(object)) return object;
  refuseLaterEnvelope(object);
  const keys = Object.keys(object);
  if (keys.length !== ENVELOPE_KEYS.length || !ENVELOPE_KEYS.every((key) => Object.hasOwn(object, key))) {
    throw invalidValue('', 'an envelope has exactly ten fields');
  }
  return Object.freeze({
    envelopeVersion: 1,
    streamId: validateStorageId(object['streamId'], '/streamId'),
    revision: positiveInteger(object['revision'], '/revision'),
    ...chosenFields(object, ''),
  });
}

/** True only for an envelope in which nothing has to be looked at twice. */
function isUsualEnvelope(object: JsonObject): object is JsonObject & DomainEventEnvelope {
  const { envelopeVersion, streamId, revision } = object;
  if (Object.keys(object).length !== ENVELOPE_KEYS.length || envelopeVersion !== 1) return false;
  return isStorageId(streamId) && isRevision(revision) && revision > 0 && hasUsualFields(object);
}

/** True only when all seven fields that a writer chooses are there and as they usually are. */
function hasUsualFields(object: JsonObject): boolean {
  const { eventId, type, version, timestamp, correlationId, causationId, payload } = object;
  return (
    isPlainText(eventId) &&
    isPlainText(type) &&
    isRevision(version) &&
    version > 0 &&
    isPlainTime(timestamp) &&
    isPlainText(correlationId) &&
    (causationId === null || isPlainText(causationId)) &&
    payload !== undefined
  );
}

/** @returns a frozen copy of the stream's two names. @throws StorageError `INVALID_STORED_VALUE` */
export function validateStreamId(value: unknown): StreamId {
  const object = isPlainPair(value) ? value : checkedObject(value, ['namespace', 'streamId'], '');
  return Object.freeze({
    namespace: validateStorageId(object['namespace'], '/namespace'),
    streamId: validateStorageId(object['streamId'], '/streamId'),
  });
}

function isPlainPair(value: unknown): value is JsonObject {
  if (!isPlainJson(value) || !isJsonObject(value)) return false;
  return Object.keys(value).length === 2 && 'namespace' in value && 'streamId' in value;
}

/** @returns a revision that may be expected or read after: an integer from 0. */
export function validateRevision(value: unknown, path: string): number {
  if (isRevision(value)) return value;
  throw invalidValue(path, 'it must be an integer from 0');
}

function isRevision(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/**
 * Checks a batch: at least one event, no holes.
 * @returns the events. Their payloads are still those of the writer, who may change them later.
 */
export function checkBatch(value: unknown): readonly NewDomainEvent[] {
  if (!Array.isArray(value) || value.length === 0) throw invalidValue('/events', 'it must be at least one event');
  const events: NewDomainEvent[] = [];
  // By index: that visits holes as well.
  for (let index = 0; index < value.length; index += 1) {
    const event: unknown = value[index];
    events.push(isUsualEvent(event) ? event : newEvent(event, `/events/${index}`));
  }
  return events;
}

function newEvent(value: unknown, path: string): NewDomainEvent {
  return chosenFields(checkedObject(value, NEW_EVENT_KEYS, path), path);
}

/** True only for an event in which nothing has to be looked at twice. */
function isUsualEvent(value: unknown): value is JsonObject & NewDomainEvent {
  if (!isPlainJson(value) || !isJsonObject(value)) return false;
  return Object.keys(value).length === NEW_EVENT_KEYS.length && hasUsualFields(value);
}

export function positiveInteger(value: unknown, path: string): number {
  if (isRevision(value) && value > 0) return value;
  throw invalidValue(path, 'it must be a positive integer');
}

function chosenFields(object: JsonObject, path: string): NewDomainEvent {
  const causationId = object['causationId'];
  return {
    eventId: storedText(object['eventId'], `${path}/eventId`),
    type: storedText(object['type'], `${path}/type`),
    version: positiveInteger(object['version'], `${path}/version`),
    timestamp: timestamp(object['timestamp'], `${path}/timestamp`),
    correlationId: storedText(object['correlationId'], `${path}/correlationId`),
    causationId: causationId === null ? null : storedText(causationId, `${path}/causationId`),
    payload: object['payload'] ?? null,
  };
}

function storedText(value: unknown, path: string): string {
  if (typeof value !== 'string' || value === '' || value !== value.trim()) {
    throw invalidValue(path, 'it must be text that is not empty and has no space around it');
  }
  if (!value.isWellFormed() || CONTROL.test(value)) throw invalidValue(path, 'it has control characters');
  // No UTF-16 unit has more than three bytes.
  if (value.length * 3 > MAX_TEXT_BYTES && utf8Length(value) > MAX_TEXT_BYTES)
    throw invalidValue(path, `it is longer than ${MAX_TEXT_BYTES} bytes`);
  return value;
}

function timestamp(value: unknown, path: string): string {
  if (typeof value === 'string') {
    if (isPlainTime(value)) return value;
    const time = new Date(value);
    // 30 February parses, as 1 or 2 March: only what prints as it was written is a timestamp.
    if (Number.isFinite(time.getTime()) && time.toISOString() === value) return value;
  }
  throw invalidValue(path, 'it must be a UTC time as YYYY-MM-DDTHH:mm:ss.sssZ');
}

function refuseLaterEnvelope(value: unknown): void {
  if (typeof value !== 'object' || value === null || !('envelopeVersion' in value)) return;
  const version: unknown = value.envelopeVersion;
  if (version === 1) return;
  if (typeof version === 'number' && Number.isSafeInteger(version) && version > 1) {
    const message = `Envelope version ${version} is not known here. A newer Teamroom wrote this event; update to read it.`;
    throw new StorageError('UNSUPPORTED_ENVELOPE_VERSION', message, { envelopeVersion: version });
  }
  throw invalidValue('/envelopeVersion', 'it must be 1');
}
