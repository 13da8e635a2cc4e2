// One open run file, and the transactions on it.
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { readAnchor, type Anchor } from './anchor.js';
import { endsTooEarly } from './failure.js';
import type { RunState } from './schema.js';

export interface OpenRun {
  readonly file: string;
  readonly db: DatabaseSync;
  /**
   * Prepares once per connection.
   * @param rows - what its rows are; lists cost less, where there are many or where they are asked for often.
   */
  statement(sql: string, rows?: 'objects' | 'lists'): StatementSync;
  /** What this connection knows of the file, good as long as nobody else committed. */
  known: RunState | null;
  /** What was acknowledged before the snapshot of the current transaction was taken. */
  anchor: Anchor | null;
  /** Set when the run is shorter than what was acknowledged: then nothing is written to it. */
  shortfall: Anchor | null;
}

/** Opens an existing database; SQLite must not make one, files are made by us, for this user only. */
export function openExisting(file: string, mode: 'rw' | 'ro' = 'rw'): DatabaseSync {
  const url = pathToFileURL(file);
  url.searchParams.set('mode', mode);
  return new DatabaseSync(url, { timeout: 0, allowExtension: false, readOnly: mode === 'ro' });
}

/** Opens a run's file. @throws what SQLite throws. */
export function connect(file: string, mode: 'rw' | 'ro'): OpenRun {
  const db = openExisting(file, mode);
  try {
    // fullfsync: on macOS a plain fsync leaves the data in the drive's cache.
    db.exec('PRAGMA synchronous=FULL; PRAGMA fullfsync=ON; PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON');
  } catch (error) {
    db.close();
    throw error;
  }
  const statements = new Map<string, StatementSync>();
  return {
    file,
    db,
    known: null,
    anchor: null,
    shortfall: null,
    statement(sql, rows = 'objects') {
      const known = statements.get(sql);
      if (known !== undefined) return known;
      const prepared = db.prepare(sql);
      if (rows === 'lists') prepared.setReturnArrays(true);
      statements.set(sql, prepared);
      return prepared;
    },
  };
}

/**
 * Runs `work` as one transaction: all of it or nothing.
 * @throws StorageError `CORRUPT_EVENT_STREAM` for a writing one on a run that has lost something: the log may still
 * hold it, and would be overwritten.
 */
export function transaction<T>(run: OpenRun, kind: 'IMMEDIATE' | 'DEFERRED', work: () => T): T {
  if (kind === 'IMMEDIATE' && run.shortfall !== null) throw endsTooEarly(run.file, run.shortfall);
  // Before the snapshot: what is acknowledged now is in it.
  if (run.known === null) run.anchor = readAnchor(run.file);
  // `get`, for `run` makes an object of what changed each time.
  run.statement(kind === 'IMMEDIATE' ? 'BEGIN IMMEDIATE' : 'BEGIN DEFERRED').get();
  try {
    const result = work();
    run.statement('COMMIT').get();
    return result;
  } catch (error) {
    run.known = null;
    if (run.db.isTransaction) run.db.exec('ROLLBACK');
    throw error;
  }
}
