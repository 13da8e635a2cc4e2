// What happens around the opening of a conversation so that damage is neither missed nor made worse.
import { isStorageError, StorageError } from '../storage/error.js';
import type { LocalRunStorage, RunReport } from '../storage/port.js';

export interface RecordCare {
  readonly storage: LocalRunStorage;
  /** Called with the damage that is found after the opening. */
  readonly onError: (error: unknown) => void;
}

/**
 * Opens a conversation, keeps a copy of a damaged one, and verifies in the background what opening did not read: the
 * events before a snapshot, the members' streams, the artifacts.
 * @throws what `open` throws.
 */
export async function openWithCare<Opened>(
  { storage, onError }: RecordCare,
  runId: string,
  open: () => Promise<Opened>,
): Promise<Opened> {
  try {
    const opened = await open();
    void verify(storage, runId).catch(onError);
    return opened;
  } catch (error) {
    if (isStorageError(error, 'CORRUPT_EVENT_STREAM')) await storage.runs.quarantine(runId).catch(onError);
    throw error;
  }
}

async function verify({ runs }: LocalRunStorage, runId: string): Promise<void> {
  const report = await runs.verify(runId);
  if (report.isWhole) return;
  const copy = await runs.quarantine(runId);
  const details = { runId, copy };
  throw new StorageError('CORRUPT_EVENT_STREAM', problemsOf(report).join(' '), details);
}

function problemsOf({ problem, streams, damagedArtifacts }: RunReport): readonly string[] {
  const count = damagedArtifacts.length;
  const artifacts = count === 0 ? null : `${count} of its artifacts are missing or not what was written.`;
  return [problem, ...streams.map((stream) => stream.problem), artifacts].filter((text) => text !== null);
}
