// Who runs a conversation: an exclusive SQLite transaction, held open on a side file. The kernel frees the lock when
// its process dies, however it dies, and keeps it while the process is stopped: no heartbeat and no clock are needed.
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { isBusy, storageFailure } from './failure.js';
import { inspect, makeFile, makeFolder } from './files.js';
import { openExisting } from './open-run.js';

/** A bound for contenders that meet in the same microseconds; nobody comes near it. */
const MAX_TRIES = 50;

/** Keeps held connections from being collected: a collected one would give the hold away. */
const holding = new Set<DatabaseSync>();

/**
 * Takes the hold on a file, without waiting.
 * @param file - the hold file; made if it is missing.
 * @returns the hold, released on disposal; null when somebody has it, this process included.
 * @throws StorageError when the file cannot be used.
 */
export function tryHold(file: string): Disposable | null {
  try {
    if (inspect(file) === null) {
      makeFolder(dirname(file));
      makeFile(file);
    }
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const db = takeExclusive(file);
      if (db !== null) return lease(db);
      // Refused by a hold, or only by somebody's glance at it? A glance is over by now.
      if (isHeld(file)) return null;
    }
    return null;
  } catch (error) {
    throw storageFailure(error, file);
  }
}

/** True when somebody has the hold now. Looks only: it takes a shared lock for microseconds, which no holder notices. */
export function isHeld(file: string): boolean {
  if (inspect(file) === null) return false;
  let db: DatabaseSync | undefined;
  try {
    db = openExisting(file);
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw storageFailure(error, file);
  } finally {
    db?.close();
  }
}

function takeExclusive(file: string): DatabaseSync | null {
  const db = openExisting(file);
  try {
    // Nothing is ever written: a journal file would only be left behind by a holder that dies.
    db.exec('PRAGMA journal_mode=MEMORY; BEGIN EXCLUSIVE');
    return db;
  } catch (error) {
    db.close();
    if (isBusy(error)) return null;
    throw error;
  }
}

function lease(db: DatabaseSync): Disposable {
  holding.add(db);
  return {
    [Symbol.dispose]() {
      // Closing rolls the empty transaction back and frees the lock.
      if (holding.delete(db)) db.close();
    },
  };
}
