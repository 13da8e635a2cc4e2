// The event store in memory. Every append is one synchronous step, which is what makes it a transaction.
/* eslint-disable @typescript-eslint/require-await -- async turns a throw into a rejection, as the port promises */
import {
  boundStream,
  duplicateEventId,
  prepareBatch,
  revisionConflict,
  type PreparedBatch,
  type WriteRules,
} from '../batch.js';
import { parseEnvelope, sameJson } from '../parse.js';
import { checkLimits, raisedLimits } from '../policy.js';
import type { DomainEventEnvelope, EventStore } from '../port.js';
import { runOfStream } from '../streams.js';
import { validateRevision } from '../validate.js';
import type { MemoryDisk, MemoryEvent, MemoryRun } from './disk.js';

export function memoryEventStore(disk: MemoryDisk, rules: WriteRules): EventStore {
  return Object.freeze({
    read: (stream, afterRevision = 0) => readStream(disk, rules, stream, afterRevision),
    async head(stream) {
      const { streamId } = boundStream(rules.namespace, stream);
      const run = disk.find(rules.namespace, runOfStream(streamId));
      if (run === undefined) return 0;
      checkLimits(run.limits, rules.limits, 'events');
      return run.streams.get(streamId)?.length ?? 0;
    },
    async append(stream, expectedRevision, events) {
      const batch = prepareBatch(rules, stream, expectedRevision, events);
      return append(disk, rules, batch);
    },
    async preflightAppend(stream, expectedRevision, events) {
      const batch = prepareBatch(rules, stream, expectedRevision, events);
      check(disk.find(rules.namespace, batch.runId), rules, batch);
    },
  } satisfies EventStore);
}

async function* readStream(
  disk: MemoryDisk,
  rules: WriteRules,
  stream: unknown,
  afterRevision: unknown,
): AsyncGenerator<DomainEventEnvelope> {
  const { streamId } = boundStream(rules.namespace, stream);
  const after = validateRevision(afterRevision, '/afterRevision');
  const run = disk.find(rules.namespace, runOfStream(streamId));
  if (run === undefined) return;
  checkLimits(run.limits, rules.limits, 'events');
  // The copy is the snapshot.
  for (const { envelope } of (run.streams.get(streamId) ?? []).slice(after)) yield envelope;
}

function append(disk: MemoryDisk, rules: WriteRules, batch: PreparedBatch): number {
  const found = disk.find(rules.namespace, batch.runId);
  if (found !== undefined && isRetry(found, rules, batch)) return batch.endRevision;
  check(found, rules, batch);
  const run = found ?? disk.open(rules.namespace, batch.runId, rules.limits);
  run.limits = raisedLimits(run.limits, rules.limits);
  const { streamId } = batch.stream;
  const events = run.streams.get(streamId) ?? [];
  const eventIds = run.eventIds.get(streamId) ?? new Set();
  for (const { eventId, line } of batch.events) {
    events.push({ envelope: parseEnvelope(line), line, batch: batch.expectedRevision + 1 });
    eventIds.add(eventId);
  }
  run.streams.set(streamId, events);
  run.eventIds.set(streamId, eventIds);
  disk.committed(run);
  return batch.endRevision;
}

function check(run: MemoryRun | undefined, rules: WriteRules, batch: PreparedBatch): void {
  if (run !== undefined) checkLimits(run.limits, rules.limits, 'events');
  const actual = run?.streams.get(batch.stream.streamId)?.length ?? 0;
  if (actual !== batch.expectedRevision) throw revisionConflict(batch.expectedRevision, actual);
  const known = run?.eventIds.get(batch.stream.streamId);
  for (const { eventId } of batch.events) if (known?.has(eventId) === true) throw duplicateEventId(eventId);
}

/** the batch is, event for event, what one earlier append stored there. */
function isRetry(run: MemoryRun, rules: WriteRules, batch: PreparedBatch): boolean {
  checkLimits(run.limits, rules.limits, 'events');
  const stored = run.streams.get(batch.stream.streamId) ?? [];
  const first = batch.expectedRevision + 1;
  if (stored.length < batch.endRevision || stored[batch.endRevision]?.batch === first) return false;
  return batch.events.every((event) => {
    const there: MemoryEvent | undefined = stored[event.revision - 1];
    return there?.batch === first && sameJson(there.line, event.line);
  });
}
