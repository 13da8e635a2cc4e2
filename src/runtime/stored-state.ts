// The state of a stored conversation, for whoever looks at one without opening it.
import { readLiveTeam } from '../core/team/live-team.js';
import type { LiveState } from '../core/team/live-state.js';
import type { LocalRunStorage } from '../storage/port.js';
import { LiveRecord } from './live-record.js';
import { systemClock } from './system-clock.js';

/**
 * Folds a conversation's record, from its snapshot where there is one.
 * @throws StorageError or RecordError when it cannot be read, or there is no such conversation.
 */
export function readStoredState(storage: LocalRunStorage, runId: string): Promise<LiveState> {
  const record = new LiveRecord({
    ...{ storage, runId, clock: systemClock, readTeam: readLiveTeam, dropState: false },
    snapshots: storage.runs.cache(runId),
    // Nobody listens.
    onError: () => undefined,
  });
  return record.refresh();
}
