// Copies a run from one storage folder into another, while either may be in use. The original stays where it is.
import { randomUUID } from 'node:crypto';
import { chmodSync, linkSync, rmSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { storageFailure, systemCode } from './failure.js';
import { inspect, inspectCompanions, makeFolder, PRIVATE_FILE, runFile } from './files.js';
import { finishRemoval } from './remove-run.js';

export interface RunCopy {
  readonly namespace: string;
  readonly runId: string;
  /** The storage folder that has the run. */
  readonly from: string;
  /** The storage folder that shall have it too; made if it is missing. */
  readonly to: string;
}

/**
 * Copies all streams and artifacts of a run by SQLite's own backup, which sees a consistent state of a file in use.
 * @returns false when the target has a file of that run already; it is left as it is. True when it was copied.
 * @throws StorageError when the original cannot be read or the copy not written; no half copy is left behind.
 */
export async function copyRun({ namespace, runId, from, to }: RunCopy): Promise<boolean> {
  const source = runFile(from, namespace, runId);
  const target = runFile(to, namespace, runId);
  const temporary = `${target}.${randomUUID()}.tmp`;
  try {
    if (inspect(target) !== null) return false;
    inspect(source);
    inspectCompanions(source);
    makeFolder(to);
    const original = new DatabaseSync(source, { readOnly: true });
    try {
      await backup(original, temporary);
    } finally {
      original.close();
    }
    chmodSync(temporary, PRIVATE_FILE);
    finishRemoval(target);
    // A link, not a rename: whoever made the target meanwhile keeps it.
    linkSync(temporary, target);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw storageFailure(error, source);
  } finally {
    rmSync(temporary, { force: true });
  }
}
