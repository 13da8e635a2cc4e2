// A run that appears whole or not at all: it grows in a folder of its own, and its file is linked into its place when
// all of it is there. What a crash leaves of it is in no list, and is never taken for a run.
import { randomUUID } from 'node:crypto';
import { linkSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { WriteRules } from '../batch.js';
import { StorageError } from '../error.js';
import type { EventStore } from '../port.js';
import { dropAnchor } from './anchor.js';
import type { Appender } from './append.js';
import { RunConnections } from './connections.js';
import { storageFailure, systemCode } from './failure.js';
import { inspect, makeFolder, runFile, runFiles } from './files.js';
import { finishRemoval } from './remove-run.js';

export interface RunBuilding {
  readonly directory: string;
  readonly rules: WriteRules;
  readonly runId: string;
  /** The event store of another folder. */
  readonly bind: (appender: Appender) => EventStore;
}

/** See `RunDirectory.build`. */
export async function buildRun(
  { directory, rules, runId, bind }: RunBuilding,
  fill: (events: EventStore) => Promise<void>,
): Promise<void> {
  const file = runFile(directory, rules.namespace, runId);
  if (inspect(file) !== null) throw runExists(file, runId);
  const scratch = join(directory, `.${randomUUID()}.tmp`);
  const unfinished = runFile(scratch, rules.namespace, runId);
  const connections = new RunConnections();
  try {
    makeFolder(directory);
    await fill(bind({ fileOf: runFiles(scratch, rules.namespace), rules, connections, committed: () => undefined }));
    // The last connection that closes brings the log into the database: one file holds it all.
    connections.close(unfinished);
    finishRemoval(file);
    dropAnchor(file);
    linkSync(unfinished, file);
  } catch (error) {
    throw systemCode(error) === 'EEXIST' ? runExists(file, runId) : storageFailure(error, dirname(file));
  } finally {
    connections.close(unfinished);
    rmSync(scratch, { recursive: true, force: true });
  }
}

function runExists(path: string, runId: string): StorageError {
  return new StorageError('REVISION_CONFLICT', `The conversation ${runId} is already in ${path}.`, { path, runId });
}
