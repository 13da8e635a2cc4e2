// What a damaged run still holds, row by row, with what is known about each: for somebody who wants to save it.
import { link, genesis } from './chain.js';
import { isDamage } from './failure.js';
import type { OpenRun } from './open-run.js';
import { ordinalOf, revisionOf } from './schema.js';

/**
 * `good`: in the unbroken chain from the first event on. `linked`: after the damage, and fits the row before it.
 * `alone`: the row before it is missing, so that nothing vouches for it. `altered`: not what was written.
 */
export type RowState = 'good' | 'linked' | 'alone' | 'altered';

export interface SalvagedRow {
  /** Null when the row that names the stream is gone. */
  readonly streamId: string | null;
  readonly revision: number;
  readonly state: RowState;
  readonly batch: number;
  readonly sum: string;
  /** The stored line. */
  readonly body: string;
}

interface Row {
  readonly position: number;
  readonly batch: number;
  readonly body: string;
  readonly sum: string;
}

/** How many places are tried one by one in a gap that neither end of the table reaches. */
const MAX_PROBES = 1_000_000;

/** Lists every row that can be read at all, in the order of streams and revisions. */
export function* salvagedRows(run: OpenRun, namespace: string): Generator<SalvagedRow> {
  const names = streamNames(run);
  let before: Row | null = null;
  let unbroken = true;
  for (const row of readableRows(run)) {
    const ordinal = ordinalOf(row.position);
    const revision = revisionOf(row.position);
    const streamId = names.get(ordinal) ?? null;
    if (before === null || ordinalOf(before.position) !== ordinal) {
      before = null;
      unbroken = true;
    }
    const state = stateOf(row, before, { revision, namespace, streamId });
    if (state !== 'linked') unbroken = false;
    yield { streamId, revision, state: unbroken ? 'good' : state, batch: row.batch, sum: row.sum, body: row.body };
    before = row;
  }
}

function stateOf(
  row: Row,
  before: Row | null,
  place: { readonly revision: number; readonly namespace: string; readonly streamId: string | null },
): Exclude<RowState, 'good'> {
  let previous: string | null = null;
  if (place.revision === 1) previous = place.streamId === null ? null : genesis(place.namespace, place.streamId);
  else if (before?.position === row.position - 1) previous = before.sum;
  if (previous === null) return 'alone';
  return row.sum === link(previous, row.batch, row.body) ? 'linked' : 'altered';
}

function streamNames(run: OpenRun): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  try {
    for (const { ordinal, stream_id: id } of run.statement('SELECT ordinal, stream_id FROM stream NOT INDEXED').all()) {
      if (typeof ordinal === 'number' && typeof id === 'string') names.set(ordinal, id);
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  return names;
}

/** From the beginning until a page is broken, then from the end, then place by place between. */
function* readableRows(run: OpenRun): Generator<Row> {
  let last = 0;
  try {
    for (const row of run.statement(`${SELECT} ORDER BY position`).iterate()) {
      const read = asRow(row);
      if (read === null) continue;
      last = read.position;
      yield read;
    }
    return;
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  const tail = rowsFromTheEnd(run, last);
  const first = tail.at(-1)?.position ?? last + MAX_PROBES;
  yield* probe(run, last + 1, Math.min(first, last + MAX_PROBES));
  yield* tail.reverse();
}

function rowsFromTheEnd(run: OpenRun, after: number): Row[] {
  const rows: Row[] = [];
  try {
    for (const row of run.statement(`${SELECT} WHERE position > ? ORDER BY position DESC`).iterate(after)) {
      const read = asRow(row);
      if (read !== null) rows.push(read);
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  return rows;
}

function* probe(run: OpenRun, from: number, to: number): Generator<Row> {
  const find = run.statement(`${SELECT} WHERE position=?`);
  for (let position = from; position < to; position += 1) {
    try {
      const row = asRow(find.get(position));
      if (row !== null) yield row;
    } catch (error) {
      if (!isDamage(error)) throw error;
    }
  }
}

const SELECT = 'SELECT position, batch, body, sum FROM event';

function asRow(row: Record<string, unknown> | undefined): Row | null {
  const { position, batch, body, sum } = row ?? {};
  if (typeof position !== 'number' || typeof batch !== 'number') return null;
  return typeof body === 'string' && typeof sum === 'string' ? { position, batch, body, sum } : null;
}
