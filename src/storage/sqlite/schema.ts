// What a connection has to know of a run's file before it works: whose it is, and where its streams end.
import { isJsonObject, type JsonValue } from '../../core/json.js';
import { limitsOf, raisedLimits, readLimits, type StorageLimits } from '../policy.js';
import type { Anchor } from './anchor.js';
import { seal } from './chain.js';
import { corrupt, endsTooEarly, foreignDatabase, newerSchema } from './failure.js';
import { migrate, SCHEMA_VERSION } from './migrations.js';
import { transaction, type OpenRun } from './open-run.js';

const STREAM_SPAN = 2 ** 40;

/** The row that says whose file this is. */
export interface RunRow {
  readonly namespace: string;
  readonly runId: string;
  readonly createdAt: string;
  readonly limits: StorageLimits;
  /** How many streams the file has. */
  readonly streams: number;
}

/** The end of a stream. */
export interface Head {
  readonly ordinal: number;
  readonly revision: number;
  readonly sum: string;
  /** False when the row that says so was altered. */
  readonly intact: boolean;
}

/** What a connection remembers between transactions. */
export interface RunState {
  /** SQLite's counter of commits by others: unchanged means that everything here still holds. */
  readonly dataVersion: number;
  row: RunRow;
  readonly heads: Map<string, Head>;
}

/** Whose file it should be. */
export interface RunName {
  readonly namespace: string;
  readonly runId: string;
}

/** The place of an event in its file. */
export function position(ordinal: number, revision: number): number {
  return ordinal * STREAM_SPAN + revision;
}

/** The stream's ordinal in a place. */
export function ordinalOf(place: number): number {
  return Math.floor(place / STREAM_SPAN);
}

/** The revision in a place. */
export function revisionOf(place: number): number {
  return place % STREAM_SPAN;
}

/**
 * Reads what the file says of itself. Only inside a transaction, like everything here that reads more than one row:
 * another process may be making the file, or a stream in it, right now.
 * @returns null for a file in which nothing was ever committed.
 * @throws StorageError when it is damaged, of a newer format, or not the file of `name`.
 */
export function loadState(run: OpenRun, name?: RunName): RunState | null {
  const version = dataVersion(run);
  if (run.known?.dataVersion === version) return run.known;
  run.known = null;
  run.shortfall = null;
  if (!checkVersion(run)) {
    if (run.anchor === null) return null;
    run.shortfall = run.anchor;
    throw endsTooEarly(run.file, run.anchor);
  }
  run.shortfall = findShortfall(run);
  const row = readRunRow(run);
  if (name !== undefined && (row.namespace !== name.namespace || row.runId !== name.runId)) {
    throw foreignDatabase(run.file);
  }
  run.known = { dataVersion: version, row, heads: new Map() };
  return run.known;
}

/**
 * Puts a new file into write-ahead mode, in which it stays. Before a transaction, inside which SQLite refuses to; and
 * not before it is known that nobody else's data is in the file.
 */
export function useLog(run: OpenRun, name: RunName): void {
  if (run.known !== null) return;
  const state = transaction(run, 'DEFERRED', () => loadState(run, name));
  if (state === null) run.statement('PRAGMA journal_mode=WAL').get();
}

/** Brings the file to the current format and gives it its row; inside a writing transaction. */
export function ensureState(run: OpenRun, name: RunName, limits: StorageLimits): RunState {
  const found = loadState(run, name);
  if (found !== null) return found;
  migrate(run.db);
  const row: RunRow = { ...name, createdAt: new Date().toISOString(), limits: limitsOf(limits), streams: 0 };
  run.known = { dataVersion: dataVersion(run), row, heads: new Map() };
  writeRunRow(run, row);
  return run.known;
}

/** Stores the run's row anew, with its seal. */
export function writeRunRow(run: OpenRun, row: RunRow): void {
  const limits = JSON.stringify(limitsOf(row.limits));
  run
    .statement(
      `INSERT OR REPLACE INTO run(only, namespace, run_id, created_at, limits, streams, seal)
       VALUES (1, ?, ?, ?, ?, ?, ?)`,
    )
    .run(row.namespace, row.runId, row.createdAt, limits, row.streams, runSeal(row, limits));
  if (run.known !== null) run.known.row = row;
}

/** Notes raised limits in the run's row. */
export function raiseLimits(run: OpenRun, state: RunState, live: StorageLimits): void {
  writeRunRow(run, { ...state.row, limits: raisedLimits(state.row.limits, live) });
}

/**
 * Finds the end of a stream.
 * @returns null when the file has no such stream.
 * @throws StorageError `CORRUPT_EVENT_STREAM` when a row is missing or altered so that this cannot be known.
 */
export function findHead(run: OpenRun, state: RunState, streamId: string): Head | null {
  const known = state.heads.get(streamId);
  if (known !== undefined) return known;
  const rows = run.statement('SELECT ordinal, stream_id, revision, sum, seal FROM stream NOT INDEXED').all();
  let intactRows = 0;
  let found: Head | null = null;
  for (const { ordinal, stream_id: id, revision, sum, seal: sealed } of rows) {
    if (typeof ordinal !== 'number' || typeof revision !== 'number') continue;
    if (typeof id !== 'string' || typeof sum !== 'string') continue;
    const intact = sealed === seal(ordinal, id, revision, sum);
    if (intact) intactRows += 1;
    if (id === streamId) found = { ordinal, revision, sum, intact };
  }
  if (found === null && (intactRows !== rows.length || rows.length !== state.row.streams)) {
    throw corrupt(run.file, { streamId }, 'the list of its streams was altered');
  }
  if (found?.intact === true) state.heads.set(streamId, found);
  return found;
}

/** Stores the new end of a stream; the first time it also gives the stream its ordinal. */
export function writeHead(run: OpenRun, state: RunState, streamId: string, head: Head | null, end: Head): void {
  const { ordinal, revision, sum } = end;
  const sealed = seal(ordinal, streamId, revision, sum);
  if (head === null) {
    run
      .statement('INSERT INTO stream(ordinal, stream_id, revision, sum, seal) VALUES (?, ?, ?, ?, ?)')
      .run(ordinal, streamId, revision, sum, sealed);
    writeRunRow(run, { ...state.row, streams: state.row.streams + 1 });
  } else {
    run.statement('UPDATE stream SET revision=?, sum=?, seal=? WHERE ordinal=?').get(revision, sum, sealed, ordinal);
  }
  state.heads.set(streamId, end);
}

/**
 * Looks whether the run is shorter than what was acknowledged.
 * @returns what is missing; null when nothing is, or when that cannot be told: then the damaged rows speak for
 * themselves.
 */
export function findShortfall(run: OpenRun): Anchor | null {
  const { anchor } = run;
  if (anchor === null) return null;
  if (isEmpty(run)) return anchor;
  const find = run.statement('SELECT ordinal, stream_id, revision, sum, seal FROM stream WHERE stream_id=?');
  const row = find.get(anchor.streamId);
  if (row === undefined) return anchor;
  const { ordinal, revision, sum, seal: sealed } = row;
  if (typeof ordinal !== 'number' || typeof revision !== 'number' || typeof sum !== 'string') return null;
  if (sealed !== seal(ordinal, anchor.streamId, revision, sum)) return null;
  return revision < anchor.revision ? anchor : null;
}

function isEmpty(run: OpenRun): boolean {
  return run.statement('SELECT count(*) AS tables FROM sqlite_schema').get()?.['tables'] === 0;
}

/** @returns false for a file without tables. */
function checkVersion(run: OpenRun): boolean {
  const version = formatVersion(run);
  if (version === 0) {
    if (isEmpty(run)) return false;
    throw foreignDatabase(run.file);
  }
  // The version stands in two places, so that a damaged header is not taken for a newer format.
  const noted = run.statement('SELECT max(version) AS version FROM migration').get()?.['version'];
  if (noted !== version) throw corrupt(run.file, {}, 'its format version was altered');
  if (version > SCHEMA_VERSION) throw newerSchema(run.file, version);
  return true;
}

function readRunRow(run: OpenRun): RunRow {
  const row = run.statement('SELECT namespace, run_id, created_at, limits, streams, seal FROM run').get();
  const namespace = row?.['namespace'];
  const runId = row?.['run_id'];
  const createdAt = row?.['created_at'];
  const limits = row?.['limits'];
  const streams = row?.['streams'];
  if (
    typeof namespace === 'string' &&
    typeof runId === 'string' &&
    typeof createdAt === 'string' &&
    typeof limits === 'string' &&
    typeof streams === 'number' &&
    row?.['seal'] === seal(namespace, runId, createdAt, limits, streams)
  ) {
    const value = JSON.parse(limits) as JsonValue;
    if (isJsonObject(value)) {
      return { namespace, runId, createdAt, streams, limits: readLimits(value, '/limits') };
    }
  }
  throw corrupt(run.file, {}, 'the row that says whose it is was altered');
}

function runSeal(row: RunRow, limits: string): string {
  return seal(row.namespace, row.runId, row.createdAt, limits, row.streams);
}

/** SQLite's counter of commits by other connections. */
function dataVersion(run: OpenRun): number {
  const value = run.statement('PRAGMA data_version', 'lists').get()?.[0];
  if (typeof value !== 'number') throw corrupt(run.file, {}, 'its data version cannot be read');
  return value;
}

function formatVersion(run: OpenRun): number {
  const value = run.statement('PRAGMA user_version').get()?.['user_version'];
  if (typeof value !== 'number') throw corrupt(run.file, {}, 'its format version cannot be read');
  return value;
}
