// What became of a task, revision by revision, read from the record.
import type { JsonValue } from '../core/json.js';
import { parseRecordEvent } from '../core/record/catalogue.js';
import type { TaskSnapshot } from '../core/record/team-schemas.js';
import type { RunStorage } from '../storage/port.js';

export interface TaskRevision {
  readonly task: TaskSnapshot;
  /** ISO timestamp. */
  readonly at: string;
  /** Position of the turn that made the change; null for a person's. */
  readonly position: string | null;
  /** What the owner handed over with the completion; absent where nothing was. */
  readonly result?: JsonValue;
}

/** The revisions of a task, the first one first; none for a task that never was. */
export async function readTaskHistory(
  storage: RunStorage,
  runId: string,
  taskId: string,
): Promise<readonly TaskRevision[]> {
  const revisions: TaskRevision[] = [];
  const stream = { namespace: storage.record.namespace, streamId: runId };
  for await (const envelope of storage.eventStore.read(stream)) {
    if (envelope.type !== 'team/task' && envelope.type !== 'task:resulted') continue;
    const event = parseRecordEvent(envelope);
    if (event.type === 'team/task' && event.payload.teamId === runId && event.payload.task.id === taskId) {
      const { task } = event.payload;
      revisions.push({ task, at: event.timestamp, position: envelope.causationId });
    } else if (event.type === 'task:resulted' && event.payload.taskId === taskId) {
      const last = revisions.at(-1);
      const { revision, result } = event.payload;
      if (last?.task.revision === revision) revisions[revisions.length - 1] = { ...last, result };
    }
  }
  return revisions;
}
