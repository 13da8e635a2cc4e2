// Connections to run files: opened at first use, closed when idle, and never waiting for a lock on this thread.
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { StorageError } from '../error.js';
import { busyTooLong, isBusy, storageFailure } from './failure.js';
import { inspect, inspectCompanions, makeFile, makeFolder, type FileIdentity } from './files.js';
import type { RunState } from './schema.js';

const PATIENCE_MS = 5_000;
const LONGEST_PAUSE_MS = 40;
const IDLE_MS = 2_000;

/** One open run file. */
export interface OpenRun {
  readonly file: string;
  readonly db: DatabaseSync;
  /** Prepares once per connection. */
  statement(sql: string): StatementSync;
  /** What this connection knows of the file, good as long as nobody else committed. */
  known: RunState | null;
}

interface Slot {
  readonly run: OpenRun;
  readonly identity: FileIdentity;
  readonly idle: NodeJS.Timeout;
}

export class RunConnections {
  readonly #slots = new Map<string, Slot>();
  readonly #patience: number;

  /** @param patience - how long a lock of others is waited for, in milliseconds; the thread stays free. */
  constructor(patience = PATIENCE_MS) {
    this.#patience = patience;
  }

  /**
   * Runs `work`, a synchronous step, on a file that may be missing: then it gets null and no file is made.
   * @throws StorageError
   */
  use<T>(file: string, work: (run: OpenRun | null) => T): Promise<T> {
    return this.#patiently(file, () => this.#on(file, work));
  }

  /** Like `use`, but makes the file first if it is missing. */
  create<T>(file: string, work: (run: OpenRun) => T): Promise<T> {
    return this.#patiently(file, () => {
      if (inspect(file) === null) {
        makeFolder(dirname(file));
        makeFile(file);
      }
      return this.#on(file, (run) => {
        if (run === null) throw new StorageError('STORAGE_UNAVAILABLE', `${file} vanished while it was opened.`);
        return work(run);
      });
    });
  }

  /** Like `use`, but leaves no connection open that was not open before: for looking into many files. */
  async glance<T>(file: string, work: (run: OpenRun | null) => T): Promise<T> {
    const open = this.#slots.has(file);
    try {
      return await this.use(file, work);
    } finally {
      if (!open) this.#close(file);
    }
  }

  async #patiently<T>(file: string, step: () => T): Promise<T> {
    const deadline = performance.now() + this.#patience;
    for (let tries = 0; ; tries += 1) {
      try {
        return step();
      } catch (error) {
        if (!isBusy(error)) {
          // After a failure of the file nothing that the connection has cached can be trusted.
          if (!(error instanceof StorageError)) this.#close(file);
          throw storageFailure(error, file);
        }
        if (performance.now() >= deadline) throw busyTooLong(file, error);
      }
      await pause(Math.random() * Math.min(LONGEST_PAUSE_MS, 2 ** Math.min(tries, 10)));
    }
  }

  #on<T>(file: string, work: (run: OpenRun | null) => T): T {
    const identity = inspect(file);
    let slot = this.#slots.get(file);
    // The folder was deleted or replaced under us: what is written to the old file would be lost.
    if (slot !== undefined && !sameFile(slot.identity, identity)) {
      this.#close(file);
      slot = undefined;
    }
    if (identity === null) return work(null);
    if (slot === undefined) {
      slot = { run: openRun(file), identity, idle: setTimeout(() => this.#close(file), IDLE_MS).unref() };
      this.#slots.set(file, slot);
    }
    slot.idle.refresh();
    return work(slot.run);
  }

  #close(file: string): void {
    const slot = this.#slots.get(file);
    if (slot === undefined) return;
    this.#slots.delete(file);
    clearTimeout(slot.idle);
    slot.run.db.close();
  }
}

/** Opens an existing database; SQLite must not make one, files are made by us, for this user only. */
export function openExisting(file: string): DatabaseSync {
  const url = pathToFileURL(file);
  url.searchParams.set('mode', 'rw');
  return new DatabaseSync(url, { timeout: 0, allowExtension: false });
}

/** Runs `work` as one transaction: all of it or nothing. */
export function transaction<T>(run: OpenRun, kind: 'IMMEDIATE' | 'DEFERRED', work: () => T): T {
  run.statement(`BEGIN ${kind}`).run();
  try {
    const result = work();
    run.statement('COMMIT').run();
    return result;
  } catch (error) {
    run.known = null;
    if (run.db.isTransaction) run.db.exec('ROLLBACK');
    throw error;
  }
}

function openRun(file: string): OpenRun {
  inspectCompanions(file);
  const db = openExisting(file);
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
    statement(sql) {
      const prepared = statements.get(sql) ?? db.prepare(sql);
      statements.set(sql, prepared);
      return prepared;
    },
  };
}

function sameFile(left: FileIdentity, right: FileIdentity | null): boolean {
  return right !== null && left.inode === right.inode && left.device === right.device;
}
