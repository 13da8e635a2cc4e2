// Connections to run files: opened at first use, closed when idle, and never waiting for a lock on this thread.
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { StorageError } from '../error.js';
import { dropAnchor, readAnchor, type Anchor } from './anchor.js';
import { busyTooLong, isBusy, storageFailure } from './failure.js';
import { hasLog, inspect, inspectCompanions, isSameFile, makeFile, makeFolder, type FileIdentity } from './files.js';
import { formatOf, migrate, SCHEMA_VERSION } from './migrations.js';
import { findLockHolder } from './lock-holder.js';
import { connect, transaction, type OpenRun } from './open-run.js';
import { finishRemoval } from './remove-run.js';
import { findShortfall } from './schema.js';

const PATIENCE_MS = 5_000;
const LONGEST_PAUSE_MS = 40;
/** A connection closes after one to two of these without use. */
const IDLE_MS = 1_000;
/** Each has up to three files open; a list of hundreds of conversations must not use up what the process may open. */
const MAX_OPEN = 64;

interface Slot {
  readonly run: OpenRun;
  readonly identity: FileIdentity;
  readonly idle: NodeJS.Timeout;
  /** Cleared at each look of the timer: setting a mark costs less than setting a timer. */
  isUsed: boolean;
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
        finishRemoval(file);
        // What was acknowledged to be in a file that is gone binds no new one.
        dropAnchor(file);
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
      if (!open) this.close(file);
    }
  }

  async #patiently<T>(file: string, step: () => T): Promise<T> {
    let deadline = Number.POSITIVE_INFINITY;
    for (let tries = 0; ; tries += 1) {
      try {
        return step();
      } catch (error) {
        if (!isBusy(error)) {
          // After a failure of the file nothing that the connection has cached can be trusted.
          if (!(error instanceof StorageError)) this.close(file);
          throw storageFailure(error, file);
        }
        const now = performance.now();
        if (tries === 0) deadline = now + this.#patience;
        if (now >= deadline) throw busyTooLong(file, error, findLockHolder(file));
      }
      await pause(Math.random() * Math.min(LONGEST_PAUSE_MS, 2 ** Math.min(tries, 10)));
    }
  }

  #on<T>(file: string, work: (run: OpenRun | null) => T): T {
    let slot = this.#slots.get(file);
    // The folder was deleted or replaced under us: what is written to the old file would be lost.
    if (slot !== undefined && !isSameFile(file, slot.identity)) {
      this.close(file);
      slot = undefined;
    }
    if (slot === undefined) {
      const identity = inspect(file);
      if (identity === null) return work(null);
      const run = openRun(file);
      slot = { run, identity, idle: setInterval(() => this.#closeIdle(file), IDLE_MS).unref(), isUsed: true };
      this.#slots.set(file, slot);
      const [oldest] = this.#slots.keys();
      if (this.#slots.size > MAX_OPEN && oldest !== undefined) this.close(oldest);
    }
    slot.isUsed = true;
    return work(slot.run);
  }

  #closeIdle(file: string): void {
    const slot = this.#slots.get(file);
    if (slot?.isUsed === true) slot.isUsed = false;
    else this.close(file);
  }

  /** Closes the connection to a file, if there is one. */
  close(file: string): void {
    const slot = this.#slots.get(file);
    if (slot === undefined) return;
    this.#slots.delete(file);
    clearInterval(slot.idle);
    slot.run.db.close();
  }
}

/** Brings a file of an older format up to date while it opens. */
function openRun(file: string): OpenRun {
  inspectCompanions(file);
  const anchor = readAnchor(file);
  if (anchor !== null && hasLog(file)) {
    const damaged = openIfShort(file, anchor);
    if (damaged !== null) return damaged;
  }
  const run = connect(file, 'rw');
  try {
    const format = formatOf(run.db);
    if (format > 0 && format < SCHEMA_VERSION) transaction(run, 'IMMEDIATE', () => migrate(run.db));
    return run;
  } catch (error) {
    run.db.close();
    throw error;
  }
}

/**
 * Looks whether the run has lost something, in a way that leaves its log as it is: a connection that may write would
 * drop the frames behind the damage when it closes.
 */
function openIfShort(file: string, anchor: Anchor): OpenRun | null {
  const run = connect(file, 'ro');
  try {
    run.anchor = anchor;
    if (findShortfall(run) !== null) return run;
  } catch (error) {
    if (isBusy(error)) {
      run.db.close();
      throw error;
    }
    // Damage of another kind is told when the file is read.
  }
  run.db.close();
  return null;
}
