// A run as a text file and back: JSON lines that say all that the run's file holds, and the same again after a round.
import { limitsOf } from '../policy.js';
import type { RunStoragePolicy } from '../port.js';
import type { RunPlace } from './maintenance.js';
import { inWorker } from './worker-host.js';

/**
 * Writes a run to a text file, in a worker: its streams with their members', and its artifacts.
 * @param target - the file; made with mode 0600, never overwritten.
 * @returns how many events it holds.
 * @throws StorageError `CORRUPT_EVENT_STREAM` for a damaged run (see `salvageRun`), `STORAGE_UNAVAILABLE`.
 */
export function exportRun(place: RunPlace, target: string): Promise<number> {
  return inWorker({ task: 'export', ...placeOf(place), target });
}

/**
 * Writes every event row of a damaged run that can still be read to a text file, each with what is known about it.
 * @returns how many rows of each kind there are.
 */
export function salvageRun(place: RunPlace, target: string): Promise<Readonly<Record<string, number>>> {
  return inWorker({ task: 'salvage', ...placeOf(place), target });
}

export interface ImportOptions {
  readonly directory: string;
  readonly namespace: string;
  readonly policy: RunStoragePolicy;
  readonly knownSecrets?: readonly string[];
}

/**
 * Makes a run out of an exported file: whole or not at all, never over one that is there.
 * @returns the run's id.
 * @throws StorageError `REVISION_CONFLICT` when the run exists, `CORRUPT_EVENT_STREAM` when the file was altered,
 * and what appending its events would throw.
 */
export function importRun(source: string, options: ImportOptions): Promise<string> {
  const { directory, namespace, policy, knownSecrets = [] } = options;
  const rules = { namespace, limits: limitsOf(policy), knownSecrets };
  return inWorker({ task: 'import', source, directory, rules });
}

function placeOf({ directory, namespace, runId }: RunPlace): RunPlace {
  return { directory, namespace, runId };
}
