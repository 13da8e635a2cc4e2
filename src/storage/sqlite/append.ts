// Appending to a stream: one transaction, the expected revision, event ids that are unique, and a longer chain.
import {
  duplicateEventId,
  prepareBatch,
  revisionConflict,
  secretInEvents,
  type PreparedBatch,
  type WriteRules,
} from '../batch.js';
import { sameJson } from '../parse.js';
import { checkLimits } from '../policy.js';
import type { Anchor } from './anchor.js';
import { genesis, link } from './chain.js';
import type { RunConnections } from './connections.js';
import { corrupt, endsTooEarly, isUniqueViolation } from './failure.js';
import { transaction, type OpenRun } from './open-run.js';
import { ensureState, findHead, loadState, position, raiseLimits, useLog, writeHead, type Head } from './schema.js';

export interface Appender {
  /** The database of a run. */
  readonly fileOf: (runId: string) => string;
  readonly rules: WriteRules;
  readonly connections: RunConnections;
  /** Called after each commit, with the end of the stream that grew. */
  readonly committed: (file: string, anchor: Anchor) => void;
}

/** See `EventStore.append`. */
export async function appendEvents(to: Appender, stream: unknown, expected: unknown, events: unknown): Promise<number> {
  const batch = prepareBatch(to.rules, stream, expected, events);
  const file = to.fileOf(batch.runId);
  if (batch.expectedRevision === 0) checkSums(to.rules, batch, chain(batch, start(batch)));
  // A missing file is made only for an append that can succeed.
  if (batch.expectedRevision > 0) {
    return await to.connections.use(file, (run) => {
      if (run === null) throw revisionConflict(batch.expectedRevision, 0);
      return commit(to, run, batch);
    });
  }
  return await to.connections.create(file, (run) => commit(to, run, batch));
}

/** See `EventStore.preflightAppend`. */
export async function preflightEvents(to: Appender, stream: unknown, expected: unknown, events: unknown) {
  const batch = prepareBatch(to.rules, stream, expected, events);
  const file = to.fileOf(batch.runId);
  await to.connections.use(file, (run) => {
    if (run === null) {
      checkAtEnd(to.rules, null, batch);
      return;
    }
    transaction(run, 'DEFERRED', () => {
      const state = loadState(run, nameOf(batch));
      if (run.shortfall !== null) throw endsTooEarly(run.file, run.shortfall);
      if (state !== null) checkLimits(state.row.limits, to.rules.limits, 'events');
      const head = state === null ? null : soundHead(run, findHead(run, state, batch.stream.streamId), batch);
      checkAtEnd(to.rules, head, batch);
      if (head === null) return;
      const find = run.statement('SELECT 1 AS found FROM event WHERE stream=? AND event_id=?');
      for (const { eventId } of batch.events) {
        if (find.get(head.ordinal, eventId) !== undefined) throw duplicateEventId(eventId);
      }
    });
  });
}

function commit(to: Appender, run: OpenRun, batch: PreparedBatch): number {
  useLog(run, nameOf(batch));
  const anchor = transaction(run, 'IMMEDIATE', () => appendHere(to.rules, run, batch));
  if (anchor !== null) to.committed(run.file, anchor);
  return batch.endRevision;
}

/** @returns the new end of the stream; null for a retry of what is there. */
function appendHere(rules: WriteRules, run: OpenRun, batch: PreparedBatch): Anchor | null {
  const state = ensureState(run, nameOf(batch), rules.limits);
  const raised = checkLimits(state.row.limits, rules.limits, 'events');
  const head = soundHead(run, findHead(run, state, batch.stream.streamId), batch);
  if (head !== null && isRetry(run, head, batch)) return null;
  if ((head?.revision ?? 0) !== batch.expectedRevision) {
    throw revisionConflict(batch.expectedRevision, head?.revision ?? 0);
  }
  const ordinal = head?.ordinal ?? state.row.streams + 1;
  const sums = chain(batch, head?.sum ?? start(batch));
  checkSums(rules, batch, sums);
  insert(run, ordinal, batch, sums);
  const sum = sums.at(-1) ?? start(batch);
  writeHead(run, state, batch.stream.streamId, head, { ordinal, revision: batch.endRevision, sum, intact: true });
  if (raised) raiseLimits(run, state, rules.limits);
  return { streamId: batch.stream.streamId, revision: batch.endRevision, sum };
}

function insert(run: OpenRun, ordinal: number, batch: PreparedBatch, sums: readonly string[]): void {
  const statement = run.statement(
    'INSERT INTO event(position, stream, event_id, batch, body, sum) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const first = batch.expectedRevision + 1;
  batch.events.forEach(({ eventId, revision, line }, index) => {
    try {
      statement.get(position(ordinal, revision), ordinal, eventId, first, line, sums[index] ?? '');
    } catch (error) {
      if (isUniqueViolation(error)) throw duplicateEventId(eventId);
      throw error;
    }
  });
}

/** the batch is, event for event, what one earlier append stored there. */
function isRetry(run: OpenRun, head: Head, batch: PreparedBatch): boolean {
  if (head.revision < batch.endRevision) return false;
  const find = run.statement('SELECT batch, body FROM event WHERE position=?');
  const first = batch.expectedRevision + 1;
  // The event after the batch must have come with another append.
  if (find.get(position(head.ordinal, batch.endRevision + 1))?.['batch'] === first) return false;
  return batch.events.every(({ revision, line }) => {
    const row = find.get(position(head.ordinal, revision));
    const body = row?.['body'];
    return row?.['batch'] === first && typeof body === 'string' && sameJson(body, line);
  });
}

/** Refuses to append after an end that is not what was written. */
function soundHead(run: OpenRun, head: Head | null, batch: PreparedBatch): Head | null {
  if (head === null || run.known?.heads.get(batch.stream.streamId) === undefined) {
    if (head === null) return null;
    throw corrupt(run.file, { streamId: batch.stream.streamId }, 'the row of its end was altered');
  }
  return head;
}

function checkAtEnd(rules: WriteRules, head: Head | null, batch: PreparedBatch): void {
  const actual = head?.revision ?? 0;
  if (actual !== batch.expectedRevision) throw revisionConflict(batch.expectedRevision, actual);
  checkSums(rules, batch, chain(batch, head?.sum ?? start(batch)));
}

function chain(batch: PreparedBatch, previous: string): readonly string[] {
  let sum = previous;
  return batch.events.map(({ line }) => (sum = link(sum, batch.expectedRevision + 1, line)));
}

/** a checksum is stored text as well. */
function checkSums(rules: WriteRules, batch: PreparedBatch, sums: readonly string[]): void {
  if (rules.secrets.none || !sums.some((sum) => rules.secrets.inText(sum))) return;
  throw secretInEvents(
    batch.events.map(({ eventId }) => eventId),
    rules.secrets,
  );
}

function start(batch: PreparedBatch): string {
  return genesis(batch.stream.namespace, batch.stream.streamId);
}

function nameOf(batch: PreparedBatch) {
  return { namespace: batch.stream.namespace, runId: batch.runId };
}
