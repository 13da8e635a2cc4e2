// A run is removed by taking its database's name away. From then on it is gone for everybody; the rest is unlinked, and
// when the process dies on the way, whoever lists the folder or makes a run of that id does what is left.
import { renameSync, rmSync } from 'node:fs';
import { StorageError } from '../error.js';
import { storageFailure } from './failure.js';
import { holdFile, inspect, pokeFile, removedFile, snapshotFile } from './files.js';
import { tryHold } from './liveness.js';

/**
 * Removes a run's files.
 * @param letGo - closes this binding's connection to the file; called while nobody can run the run.
 * @returns false when there is no such file.
 * @throws StorageError `RUN_HELD`, `STORAGE_UNAVAILABLE`.
 */
export function removeRun(file: string, letGo: () => void): boolean {
  try {
    finishRemoval(file);
    if (inspect(file) === null) return false;
    const hold = tryHold(holdFile(file));
    if (hold === null) throw runHeld(file);
    try {
      letGo();
      renameSync(file, removedFile(file));
    } finally {
      hold[Symbol.dispose]();
    }
    finishRemoval(file);
    return true;
  } catch (error) {
    throw storageFailure(error, file);
  }
}

/**
 * Removes what a removal has left, if one was cut short. SQLite would take a log that stayed for that of the next
 * database of the same name.
 */
export function finishRemoval(file: string): void {
  const removed = removedFile(file);
  if (inspect(removed) === null) return;
  const companions = [
    `${file}-wal`,
    `${file}-shm`,
    `${file}-journal`,
    snapshotFile(file),
    holdFile(file),
    pokeFile(file),
  ];
  for (const companion of companions) {
    // Another process may have finished meanwhile, and made a run of the same id: these files would be its.
    if (inspect(removed) === null || inspect(file) !== null) break;
    rmSync(companion, { force: true });
  }
  rmSync(removed, { force: true });
}

function runHeld(path: string): StorageError {
  const message = 'This conversation is run by a window now. Close it there, or take it over, and try again.';
  return new StorageError('RUN_HELD', message, { path });
}
