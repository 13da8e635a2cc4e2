// The record of a lab's conversations, read by the project's own storage from the test's process.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonValue } from '../../../src/core/json.js';
import type { DomainEventEnvelope, LocalRunStorage } from '../../../src/storage/port.js';
import { createLocalRunStorage } from '../../../src/storage/sqlite/storage.js';
import { memberStreamId } from '../../../src/storage/streams.js';
import type { Lab } from './lab.js';

const MEBIBYTE = 1_048_576;

/** An event of the conversation's own stream, or of a member's. */
export type RecordedEvent = DomainEventEnvelope;

/** @returns all that is recorded of the conversation that changed last: its own stream, then those of its members */
export async function readRecord(lab: Lab): Promise<RecordedEvent[]> {
  const storage = openRecord(lab);
  const runId = (await storage.runs.list())[0]?.runId;
  if (runId === undefined) throw new Error('No conversation is recorded.');
  const events: RecordedEvent[] = [];
  for (let ordinal = 0; ; ordinal += 1) {
    const streamId = ordinal === 0 ? runId : memberStreamId(runId, ordinal);
    const before = events.length;
    for await (const event of storage.eventStore.read({ namespace: 'teamroom', streamId })) events.push(event);
    // Members that had no turn yet have no events; a team has at most nine.
    if (ordinal > 9 || (ordinal === 0 && events.length === before)) return events;
  }
}

/** @returns a text of an event's payload, or of its `identity`; undefined when it has none of that name */
export function textOf({ payload }: RecordedEvent, name: string): string | undefined {
  const at = (value: JsonValue | undefined): string | undefined => {
    const found = isJsonObject(value) ? value[name] : undefined;
    return typeof found === 'string' ? found : undefined;
  };
  return at(payload) ?? (isJsonObject(payload) ? at(payload['identity']) : undefined);
}

/** @returns what is recorded of a turn, oldest first by the clock of the record */
export function eventsOfTurn(events: readonly RecordedEvent[], position: string): RecordedEvent[] {
  return events
    .filter((event) => textOf(event, 'position') === position)
    .toSorted((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp));
}

function openRecord(lab: Lab): LocalRunStorage {
  const workspaces = join(lab.folders.user, 'User', 'workspaceStorage');
  const [directory, ...others] = readdirSync(workspaces)
    .map((name) => join(workspaces, name, 'teamroom.teamroom', 'conversations'))
    .filter((path) => existsSync(path));
  if (directory === undefined || others.length > 0) throw new Error('One folder of conversations was expected.');
  return createLocalRunStorage({
    directory,
    namespace: 'teamroom',
    policy: {
      schemaVersion: 1,
      maxEventPayloadBytes: MEBIBYTE,
      maxAppendBatchBytes: 2 * MEBIBYTE,
      maxArtifactBytes: 16 * MEBIBYTE,
      maxTotalArtifactBytesPerRun: 1024 * MEBIBYTE,
      retention: 'until-run-delete',
      sensitiveContent: { marked: 'reject', exact: 'reject', freeText: 'redact-before-hash' },
    },
  });
}
