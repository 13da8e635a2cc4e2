// Reading a stream: a snapshot up to the end that it had when reading began, in pages, every row verified.
import { setImmediate as immediate } from 'node:timers/promises';
import { boundStream } from '../batch.js';
import { StorageError } from '../error.js';
import { parseEnvelope } from '../parse.js';
import { checkLimits } from '../policy.js';
import type { DomainEventEnvelope, StreamId } from '../port.js';
import { runOfStream } from '../streams.js';
import { validateRevision } from '../validate.js';
import type { Appender } from './append.js';
import type { Anchor } from './anchor.js';
import { genesis, link } from './chain.js';
import { corrupt, endsTooEarly, isBusy, isDamage, storageFailure } from './failure.js';
import { transaction, type OpenRun } from './open-run.js';
import { findHead, loadState, position, type RunState } from './schema.js';

const PAGE_ROWS = 500;
const PAGE_CHARACTERS = 4_000_000;
const PAGE = 'SELECT position, batch, body, sum FROM event WHERE position > ? AND position <= ? ORDER BY position';

/** How long events are read before the thread is given to others, in milliseconds. */
const SLICE_MS = 8;

/** One stored event as it lies there: its checksum vouches for it. */
export interface VerifiedRow {
  readonly revision: number;
  readonly batch: number;
  readonly body: string;
  readonly sum: string;
}

/** Where a reading stands. */
export interface Cursor {
  readonly ordinal: number;
  /** Revision to read up to; endless when the row that says so is damaged. */
  readonly end: number;
  /** Checksum that the last event must have; null when that is not known. */
  readonly endSum: string | null;
  revision: number;
  sum: string;
}

export interface Page {
  readonly rows: readonly VerifiedRow[];
  /** What is wrong after these rows. */
  readonly damage: Error | undefined;
  readonly last: boolean;
}

/** See `EventStore.read`. */
export async function* readEvents(
  from: Appender,
  stream: unknown,
  afterRevision: unknown,
): AsyncGenerator<DomainEventEnvelope> {
  const { namespace, streamId } = boundStream(from.rules.namespace, stream);
  const after = validateRevision(afterRevision, '/afterRevision');
  const runId = runOfStream(streamId);
  const file = from.fileOf(runId);
  const cursor = await from.connections.use(file, (run) => {
    if (run === null) return null;
    return transaction(run, 'DEFERRED', () => {
      const state = loadState(run, { namespace, runId });
      if (state === null) return null;
      checkLimits(state.row.limits, from.rules.limits, 'events');
      return openCursor(run, state, { namespace, streamId }, after);
    });
  });
  let began = performance.now();
  while (cursor !== null) {
    if (performance.now() - began > SLICE_MS) {
      await immediate();
      began = performance.now();
    }
    const page = await from.connections.use(file, (run): Page => {
      if (run === null) throw corrupt(file, { streamId, revision: cursor.revision + 1 }, 'the file is gone');
      return readPage(run, streamId, cursor);
    });
    for (const row of page.rows) yield readRow(file, streamId, row);
    if (page.damage !== undefined) throw page.damage;
    if (page.last) return;
  }
}

/** See `EventStore.head`. */
export async function readHead(from: Appender, stream: unknown): Promise<number> {
  const { namespace, streamId } = boundStream(from.rules.namespace, stream);
  const runId = runOfStream(streamId);
  return await from.connections.use(from.fileOf(runId), (run) => {
    if (run === null) return 0;
    return transaction(run, 'DEFERRED', () => {
      const state = loadState(run, { namespace, runId });
      if (state === null) return 0;
      checkLimits(state.row.limits, from.rules.limits, 'events');
      const head = findHead(run, state, streamId);
      if (run.shortfall !== null) throw lost(run, run.shortfall, streamId, (head?.revision ?? 0) + 1);
      if (head?.intact === false) throw corrupt(run.file, { streamId }, 'the row of its end was altered');
      return head?.revision ?? 0;
    });
  });
}

/** @returns where reading begins; null when there is nothing to read. */
export function openCursor(run: OpenRun, state: RunState, stream: StreamId, after: number): Cursor | null {
  const { namespace, streamId } = stream;
  const head = findHead(run, state, streamId);
  if (head === null || (head.intact && after >= head.revision)) {
    if (run.shortfall !== null) throw lost(run, run.shortfall, streamId, (head?.revision ?? 0) + 1);
    return null;
  }
  const sum = after === 0 ? genesis(namespace, streamId) : sumAt(run, streamId, position(head.ordinal, after), after);
  return {
    ordinal: head.ordinal,
    end: head.intact ? head.revision : Number.POSITIVE_INFINITY,
    endSum: head.intact ? head.sum : null,
    revision: after,
    sum,
  };
}

/** Only of the stream that was acknowledged is it known from which revision on it is gone. */
function lost(run: OpenRun, anchor: Anchor, streamId: string, revision: number): StorageError {
  return endsTooEarly(run.file, anchor, streamId === anchor.streamId ? { streamId, revision } : { streamId });
}

function sumAt(run: OpenRun, streamId: string, place: number, revision: number): string {
  const sum = run.statement('SELECT sum FROM event WHERE position=?').get(place)?.['sum'];
  if (typeof sum === 'string') return sum;
  throw corrupt(run.file, { streamId, revision }, 'the event is missing');
}

/** Reads on from the cursor and moves it over every good event. */
export function readPage(run: OpenRun, streamId: string, cursor: Cursor): Page {
  const found: VerifiedRow[] = [];
  const where = () => ({ streamId, revision: cursor.revision + 1 });
  const ended = (damage: Error | undefined): Page => ({ rows: found, damage, last: true });
  let characters = 0;
  const rows = run
    .statement(PAGE, 'lists')
    .iterate(
      position(cursor.ordinal, cursor.revision),
      Number.isFinite(cursor.end) ? position(cursor.ordinal, cursor.end) : position(cursor.ordinal + 1, 0),
    );
  try {
    for (const { 0: place, 1: batch, 2: body, 3: sum } of rows) {
      const revision = cursor.revision + 1;
      if (place !== position(cursor.ordinal, revision)) return ended(corrupt(run.file, where(), 'an event is missing'));
      if (typeof batch !== 'number' || typeof body !== 'string' || sum !== link(cursor.sum, batch, body)) {
        return ended(corrupt(run.file, where(), 'an event is not what was written'));
      }
      found.push({ revision, batch, body, sum });
      cursor.revision = revision;
      cursor.sum = sum;
      characters += body.length;
      if (found.length >= PAGE_ROWS || characters >= PAGE_CHARACTERS) break;
    }
  } catch (error) {
    // Nobody else's lock is damage. Events already passed are handed out; the next page tries again.
    if (isBusy(error)) {
      if (found.length === 0) throw error;
      return { rows: found, damage: undefined, last: false };
    }
    if (isDamage(error)) return ended(corrupt(run.file, where(), 'the database file is damaged', error));
    const failure = storageFailure(error, run.file);
    if (!(failure instanceof StorageError)) throw failure;
    return ended(failure);
  }
  if (cursor.revision === cursor.end) {
    if (cursor.sum !== cursor.endSum) return ended(corrupt(run.file, where(), 'its end was altered'));
    return ended(run.shortfall === null ? undefined : lost(run, run.shortfall, streamId, cursor.revision + 1));
  }
  const full = found.length >= PAGE_ROWS || characters >= PAGE_CHARACTERS;
  return full
    ? { rows: found, damage: undefined, last: false }
    : ended(corrupt(run.file, where(), 'events are missing'));
}

/** @throws StorageError `CORRUPT_EVENT_STREAM` for a row that is whole but no event that can be read here. */
function readRow(file: string, streamId: string, { revision, body }: VerifiedRow): DomainEventEnvelope {
  const where = { streamId, revision };
  try {
    const envelope = parseEnvelope(body);
    if (envelope.streamId === streamId && envelope.revision === revision) return envelope;
  } catch (error) {
    if (!(error instanceof StorageError || error instanceof SyntaxError)) throw error;
    throw corrupt(file, where, `an event cannot be read (${error.message})`, error);
  }
  throw corrupt(file, where, 'an event belongs to another place');
}
