// Work on a whole run that may take long: it runs in a worker, with a connection of its own, and is synchronous there.
import { isIntact, validateArtifactReference } from '../artifact.js';
import { isStorageError, StorageError } from '../error.js';
import type { RunReport } from '../port.js';
import { readAnchor } from './anchor.js';
import { seal } from './chain.js';
import { corrupt, storageFailure } from './failure.js';
import { runFile } from './files.js';
import { connect, type OpenRun } from './open-run.js';
import { openCursor, readPage, type VerifiedRow } from './read.js';
import { loadState, type RunName, type RunState } from './schema.js';

/** How long the lock of another connection is waited for. */
const PATIENCE_MS = 5_000;

/** A run and where it lies. */
export interface RunPlace extends RunName {
  readonly directory: string;
}

/**
 * Opens a run for reading only, in one transaction.
 * @throws StorageError
 */
export function withRun<T>(place: RunPlace, work: (run: OpenRun, state: RunState) => T): T {
  return withFile(place, (run) => {
    const state = loadState(run, place);
    if (state === null) throw corrupt(run.file, {}, 'nothing is in it');
    return work(run, state);
  });
}

/** Like `withRun`, for a file that may be damaged in any way that still lets SQLite open it. */
export function withFile<T>(place: RunPlace, work: (run: OpenRun) => T): T {
  const file = runFile(place.directory, place.namespace, place.runId);
  let run: OpenRun | undefined;
  try {
    run = connect(file, 'ro');
    // A worker's thread may wait: for a connection of the host that closes just now, for one.
    run.db.exec(`PRAGMA busy_timeout=${PATIENCE_MS}`);
    run.anchor = readAnchor(file);
    // Ended by closing: after a broken page SQLite refuses even to commit that nothing was done.
    run.statement('BEGIN').run();
    return work(run);
  } catch (error) {
    throw storageFailure(error, file);
  } finally {
    run?.db.close();
  }
}

/** The streams of a run in the order in which they began. */
export function streamsOf(run: OpenRun): readonly string[] {
  const rows = run.statement('SELECT stream_id FROM stream NOT INDEXED ORDER BY ordinal').all();
  return rows.map(({ stream_id: id }) => id).filter((id) => typeof id === 'string');
}

/** Reads a stream to its end. @throws StorageError where damage begins, after the good rows. */
export function* verifiedRows(run: OpenRun, state: RunState, streamId: string): Generator<VerifiedRow> {
  const cursor = openCursor(run, state, { namespace: state.row.namespace, streamId }, 0);
  while (cursor !== null) {
    const page = readPage(run, streamId, cursor);
    yield* page.rows;
    if (page.damage !== undefined) throw page.damage;
    if (page.last) return;
  }
}

/** See `RunDirectory.verify`. */
export function verifyRunHere(place: RunPlace): RunReport {
  try {
    return withRun(place, (run, state) => {
      const ids = streamsOf(run);
      const streams = ids.map((streamId) => verifyStream(run, state, streamId));
      const listed = ids.length === state.row.streams ? null : 'The list of its streams was altered.';
      const problem = structureProblem(run) ?? listed;
      return report(place.runId, streams, damagedArtifacts(run), problem);
    });
  } catch (error) {
    if (!isStorageError(error)) throw error;
    return report(place.runId, [], [], error.message);
  }
}

function report(
  runId: string,
  streams: RunReport['streams'],
  damaged: readonly string[],
  problem: string | null,
): RunReport {
  const isWhole = problem === null && damaged.length === 0 && streams.every((stream) => stream.problem === null);
  return { runId, streams, damagedArtifacts: damaged, problem, isWhole };
}

function verifyStream(run: OpenRun, state: RunState, streamId: string): RunReport['streams'][number] {
  let goodEvents = 0;
  try {
    for (const _row of verifiedRows(run, state, streamId)) goodEvents += 1;
    return { streamId, goodEvents, problem: null };
  } catch (error) {
    if (!isStorageError(error)) throw error;
    return { streamId, goodEvents, problem: error.message };
  }
}

/** What SQLite itself says of the file: pages and indexes that the reading above does not visit. */
function structureProblem(run: OpenRun): string | null {
  const said = run.statement('PRAGMA quick_check(1)').get()?.['quick_check'];
  return said === 'ok' ? null : `The database file is damaged (${String(said)}).`;
}

function damagedArtifacts(run: OpenRun): readonly string[] {
  const damaged = new Set<string>();
  const rows = run
    .statement('SELECT run_id, reference, digest, seal FROM admission ORDER BY run_id, reference')
    .iterate();
  for (const { run_id: runId, reference, digest, seal: sealed } of rows) {
    if (typeof runId !== 'string' || typeof reference !== 'string' || typeof digest !== 'string') continue;
    if (sealed !== seal(runId, reference) || !isBlobIntact(run, runId, reference)) damaged.add(digest);
  }
  return [...damaged];
}

function isBlobIntact(run: OpenRun, runId: string, text: string): boolean {
  try {
    const reference = validateArtifactReference(JSON.parse(text));
    const find = run.statement('SELECT bytes FROM blob WHERE run_id=? AND digest=?');
    const bytes = find.get(runId, reference.digest)?.['bytes'];
    return bytes instanceof Uint8Array && isIntact(reference, bytes);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof StorageError) return false;
    throw error;
  }
}
