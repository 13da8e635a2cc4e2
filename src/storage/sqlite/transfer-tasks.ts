// Export and salvage of one run, as a worker does them.
import { corrupt, endsTooEarly } from './failure.js';
import { streamsOf, verifiedRows, withFile, withRun, type RunPlace } from './maintenance.js';
import type { OpenRun } from './open-run.js';
import { salvagedRows } from './salvage.js';
import { findHead, type RunState } from './schema.js';
import { writeLines } from './transfer-file.js';

export const FORMAT = 'teamroom-run';

/** See `exportRun`. */
export function exportRunHere(place: RunPlace, target: string): number {
  return withRun(place, (run, state) => {
    if (run.shortfall !== null) throw endsTooEarly(run.file, run.shortfall);
    let events = 0;
    writeLines(target, count());
    return events;

    function* count(): Generator<string> {
      for (const line of exportedLines(run, state)) {
        if (line.startsWith('{"stream"')) events += 1;
        yield line;
      }
    }
  });
}

/** See `salvageRun`. */
export function salvageRunHere(place: RunPlace, target: string): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  const write = (run: OpenRun): void => {
    writeLines(target, salvagedLines());

    function* salvagedLines(): Generator<string> {
      for (const row of salvagedRows(run, place.namespace)) {
        counts[row.state] = (counts[row.state] ?? 0) + 1;
        yield JSON.stringify(row);
      }
    }
  };
  withFile(place, write);
  return counts;
}

/**
 * All that a run's file holds: whose it is, its events stream by stream, then its artifacts.
 * @throws StorageError `CORRUPT_EVENT_STREAM`
 */
function* exportedLines(run: OpenRun, state: RunState): Generator<string> {
  const { namespace, runId, createdAt, limits } = state.row;
  const streams = streamsOf(run).map((streamId) => {
    const head = findHead(run, state, streamId);
    if (head?.intact !== true) throw corrupt(run.file, { streamId }, 'the row of its end was altered');
    return { streamId, revision: head.revision, sum: head.sum };
  });
  yield JSON.stringify({ format: FORMAT, version: 1, namespace, runId, createdAt, limits, streams });
  for (const { streamId } of streams) {
    for (const { batch, body, sum } of verifiedRows(run, state, streamId)) {
      // The event stands here as it is stored, byte for byte.
      yield `{"stream":"${streamId}","batch":${batch},"sum":"${sum}","event":${body}}`;
    }
  }
  yield* artifactLines(run);
}

/** Each content once for the run that it was admitted to. */
function* artifactLines(run: OpenRun): Generator<string> {
  const written = new Set<string>();
  const find = run.statement('SELECT bytes FROM blob WHERE run_id=? AND digest=?');
  const rows = run.statement('SELECT run_id, reference, digest FROM admission ORDER BY run_id, reference').all();
  for (const { run_id: runId, reference, digest } of rows) {
    if (typeof runId !== 'string' || typeof reference !== 'string' || typeof digest !== 'string') continue;
    const key = `${runId} ${digest}`;
    const bytes = written.has(key) ? undefined : find.get(runId, digest)?.['bytes'];
    written.add(key);
    const content = bytes instanceof Uint8Array ? { bytes: Buffer.from(bytes).toString('base64') } : {};
    yield JSON.stringify({ artifact: { runId, reference: JSON.parse(reference) as unknown, ...content } });
  }
}
