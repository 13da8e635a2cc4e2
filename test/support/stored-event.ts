// An event that a case puts into a record by itself, as another window or an earlier build would have.
import { randomUUID } from 'node:crypto';
import type { JsonValue } from '../../src/core/json.js';
import { eventVersion, type RecordEventType } from '../../src/core/record/catalogue.js';
import type { LocalRunStorage, NewDomainEvent } from '../../src/storage/port.js';

export function stored(type: RecordEventType, payload: JsonValue, eventId: string = randomUUID()): NewDomainEvent {
  const timestamp = new Date(0).toISOString();
  return { eventId, type, version: eventVersion(type), timestamp, correlationId: 'case', causationId: null, payload };
}

/** Appends an event of the current version to a stream. */
export async function event(
  storage: LocalRunStorage,
  streamId: string,
  type: RecordEventType,
  payload: JsonValue,
  eventId?: string,
): Promise<void> {
  const stream = { namespace: storage.record.namespace, streamId };
  await storage.eventStore.append(stream, await storage.eventStore.head(stream), [stored(type, payload, eventId)]);
}
