// What a list of conversations shows of one, read from the beginning of its record.
import { parseRecordEvent } from '../core/record/catalogue.js';
import type { RunStorage } from '../storage/port.js';

export interface ConversationSummary {
  readonly runId: string;
  readonly teamId: string;
  /** URIs of the workspace folders that it was started in. */
  readonly folders: readonly string[];
  /** ISO timestamp of its start. */
  readonly startedAt: string;
  /** Text of the first post; null when nothing was posted (or only after very much else). */
  readonly firstPost: string | null;
}

/** How many events are looked through for the first post. */
const LOOK = 200;

/**
 * @returns null when the run is no conversation.
 * @throws StorageError or RecordError when its beginning cannot be read.
 */
export async function summarize(storage: RunStorage, runId: string): Promise<ConversationSummary | null> {
  let summary: ConversationSummary | null = null;
  for await (const envelope of storage.eventStore.read({ namespace: storage.record.namespace, streamId: runId })) {
    if (envelope.revision === 1 && envelope.type !== 'conversation:started') return null;
    const event = parseRecordEvent(envelope);
    if (event.type === 'conversation:started') {
      const { teamId, folders } = event.payload;
      summary = { runId, teamId, folders, startedAt: event.timestamp, firstPost: null };
    }
    const isPost = event.type === 'post:written' || event.type === 'post:inherited';
    if (isPost && summary !== null) return { ...summary, firstPost: event.payload.text };
    if (envelope.revision >= LOOK) break;
  }
  return summary;
}
