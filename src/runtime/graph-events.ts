// The events that an executor writes: made here, and read back here. A `graph:` event of a known type that is not
// exactly what an executor writes is `INVALID_EVENT`: a run that may have been altered is not continued.
// Rules: docs/run-record.md § Graph events.
import { randomUUID } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.js';
import { attemptIdentity, type AttemptIdentity } from '../core/team/identifiers.js';
import type { DomainEventEnvelope, NewDomainEvent, StreamId } from '../storage/port.js';
import { GraphExecutionError } from './executor-error.js';
import type { Clock } from './ports/clock.js';

export const GRAPH_PREFIX = 'graph:';

interface Place {
  readonly nodeId: string;
  readonly position: string;
}

/** An executor's event after reading. `other`: a type that only the graph may understand. */
export type GraphRecordEvent =
  | ({ readonly kind: 'node-dispatched' } & Place)
  | ({ readonly kind: 'node-attempt-started'; readonly identity: AttemptIdentity; readonly retrySafe: boolean } & Place)
  | ({ readonly kind: 'node-completed'; readonly result: JsonValue } & Place)
  | ({ readonly kind: 'node-failed'; readonly code: string } & Place)
  | ({ readonly kind: 'node-paused'; readonly reason: string; readonly request: JsonValue } & Place)
  | ({ readonly kind: 'node-resumed' } & Place)
  | ({ readonly kind: 'engine-attempt-recorded'; readonly sequence: number; readonly payload: JsonObject } & Place)
  | ({ readonly kind: 'model-unavailable'; readonly payload: JsonObject } & Place)
  | { readonly kind: 'other' };

export type OutcomeKind = 'node-completed' | 'node-failed' | 'node-paused';

const FIELDS: Readonly<Record<Exclude<GraphRecordEvent['kind'], 'other' | 'model-unavailable'>, readonly string[]>> = {
  'node-dispatched': ['nodeId', 'position'],
  'node-attempt-started': ['identity', 'retrySafe'],
  'node-completed': ['nodeId', 'position', 'result'],
  'node-failed': ['nodeId', 'position', 'code'],
  'node-paused': ['nodeId', 'position', 'reason', 'request'],
  'node-resumed': ['nodeId', 'position'],
  'engine-attempt-recorded': ['nodeId', 'position', 'sequence', 'requested', 'effective'],
};

/** The run that events are read for. */
export interface EventScope {
  readonly namespace: string;
  /** The nodes that the graph declares. */
  readonly nodeIds: ReadonlySet<string>;
}

/**
 * Reads one event of a run's stream.
 * @returns the event, or null for one that is not a graph's.
 * @throws GraphExecutionError `INVALID_EVENT` for a known type with another version, other fields, empty text or an
 *   undeclared node.
 */
export function readGraphEvent(event: DomainEventEnvelope, scope: EventScope): GraphRecordEvent | null {
  if (!event.type.startsWith(GRAPH_PREFIX)) return null;
  const kind = event.type.slice(GRAPH_PREFIX.length);
  if (kind === 'model-unavailable') return readUnavailable(event, scope);
  if (!isKnown(kind)) return { kind: 'other' };
  const payload = readPayload(event, FIELDS[kind]);
  if (kind === 'node-attempt-started') return readStart(event, payload, scope);
  const place = { nodeId: text(event, payload, 'nodeId'), position: text(event, payload, 'position') };
  if (!scope.nodeIds.has(place.nodeId)) throw invalidEvent(event, `there is no node "${place.nodeId}"`);
  switch (kind) {
    case 'node-dispatched':
    case 'node-resumed':
      return { kind, ...place };
    case 'node-completed':
      return { kind, ...place, result: payload['result'] ?? null };
    case 'node-failed':
      return { kind, ...place, code: text(event, payload, 'code') };
    case 'node-paused':
      return { kind, ...place, reason: text(event, payload, 'reason'), request: payload['request'] ?? null };
    case 'engine-attempt-recorded':
      return { kind, ...place, sequence: positiveInteger(event, payload, 'sequence'), payload };
  }
}

/** The error for an event that no executor wrote like this. */
export function invalidEvent(event: DomainEventEnvelope, reason: string, cause?: unknown): GraphExecutionError {
  const message = `Event ${event.revision} (${event.type}) of run ${event.streamId} is not valid: ${reason}.`;
  return new GraphExecutionError('INVALID_EVENT', message, cause);
}

/** What every event of one run has in common. */
export interface EventWriter {
  readonly stream: StreamId;
  readonly clock: Clock;
}

/** An executor's event, ready to append. Keys stand in the order in which they are documented. */
export function newGraphEvent(
  { stream, clock }: EventWriter,
  kind: Exclude<GraphRecordEvent['kind'], 'other'>,
  payload: JsonObject,
): NewDomainEvent {
  return {
    eventId: randomUUID(),
    type: `${GRAPH_PREFIX}${kind}`,
    version: 1,
    timestamp: new Date(clock.now()).toISOString(),
    correlationId: stream.streamId,
    causationId: null,
    payload,
  };
}

export function attemptStarted(writer: EventWriter, place: Place, retrySafe: boolean): NewDomainEvent {
  const identity = attemptIdentity({ ...writer.stream, ...place });
  return newGraphEvent(writer, 'node-attempt-started', { identity, retrySafe });
}

function readStart(event: DomainEventEnvelope, payload: JsonObject, scope: EventScope): GraphRecordEvent {
  const { retrySafe } = payload;
  const identity = readIdentity(event, payload['identity'], scope);
  if (typeof retrySafe !== 'boolean') throw invalidEvent(event, 'retrySafe is not true or false');
  const { nodeId, position } = identity;
  return { kind: 'node-attempt-started', nodeId, position, identity, retrySafe };
}

/** Only whose turn it is about; what it says of an engine is read by who knows the engines. */
function readUnavailable(event: DomainEventEnvelope, scope: EventScope): GraphRecordEvent {
  const payload = readPayload(event, null);
  const { nodeId, position } = readIdentity(event, payload['identity'], scope);
  return { kind: 'model-unavailable', nodeId, position, payload };
}

/** The attempt that an event is about: one of this run, with the id that its place gives. */
function readIdentity(event: DomainEventEnvelope, identity: JsonValue | undefined, scope: EventScope): AttemptIdentity {
  if (!isJsonObject(identity)) throw invalidEvent(event, 'its identity is not an object');
  const nodeId = text(event, identity, 'nodeId');
  const position = text(event, identity, 'position');
  if (!scope.nodeIds.has(nodeId)) throw invalidEvent(event, `there is no node "${nodeId}"`);
  const again = attemptIdentity({ namespace: scope.namespace, streamId: event.streamId, nodeId, position });
  const keys = Object.keys(again);
  // An attempt of another run, or an id that its own fields do not give, belongs to nobody.
  const same = Object.entries(again).every(([key, value]) => Object.hasOwn(identity, key) && identity[key] === value);
  if (!same || Object.keys(identity).length !== keys.length) throw invalidEvent(event, 'its identity is not its own');
  return again;
}

function readPayload(event: DomainEventEnvelope, fields: readonly string[] | null): JsonObject {
  if (event.version !== 1) throw invalidEvent(event, `version ${event.version} is not known here`);
  const { payload } = event;
  if (!isJsonObject(payload)) throw invalidEvent(event, 'its payload is not an object');
  if (fields === null) return payload;
  const complete = fields.every((field) => Object.hasOwn(payload, field));
  if (!complete || Object.keys(payload).length !== fields.length) {
    throw invalidEvent(event, `its fields are not exactly ${fields.join(', ')}`);
  }
  return payload;
}

function text(event: DomainEventEnvelope, object: JsonObject, key: string): string {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  if (typeof value !== 'string' || value === '') throw invalidEvent(event, `${key} is not text`);
  return value;
}

function positiveInteger(event: DomainEventEnvelope, object: JsonObject, key: string): number {
  const value = object[key];
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value;
  throw invalidEvent(event, `${key} is not a positive whole number`);
}

function isKnown(kind: string): kind is keyof typeof FIELDS {
  return Object.hasOwn(FIELDS, kind);
}
