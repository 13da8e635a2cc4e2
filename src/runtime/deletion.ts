// What goes with a conversation that is deleted, told before and removed with it.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseRecordEvent, type RecordEvent } from '../core/record/catalogue.js';
import { readLiveTeam } from '../core/team/live-team.js';
import { transcriptOf } from '../core/team/transcript.js';
import type { LocalRunStorage, RunStorage } from '../storage/port.js';
import { roomFileName } from './room-file-name.js';

/** What a conversation holds, as far as it can be read. */
export interface ConversationContent {
  readonly posts: number;
  /** Ids of all rooms that it ever had. */
  readonly rooms: readonly string[];
  /** False when its record could be read in part only. */
  readonly isWhole: boolean;
}

/** Looks through a conversation, however damaged. */
export async function contentOf(storage: RunStorage, runId: string): Promise<ConversationContent> {
  const rooms = new Set<string>();
  let posts = 0;
  let teamId = '';
  let isWhole = true;
  try {
    for await (const envelope of storage.eventStore.read({ namespace: storage.record.namespace, streamId: runId })) {
      const event = parseRecordEvent(envelope);
      if (event.type === 'conversation:started') teamId = event.payload.teamId;
      for (const id of roomsIn(event, teamId)) rooms.add(id);
      posts += transcriptOf(event).filter(({ kind }) => kind === 'post').length;
    }
  } catch {
    // The person is told that it is not known how much there was.
    isWhole = false;
  }
  return { posts, rooms: [...rooms], isWhole };
}

/**
 * Deletes a conversation: first its room files, which can be made again, then its record.
 * @param directory - of the room files.
 * @returns false when there was no such conversation.
 * @throws StorageError `RUN_HELD` while somebody runs it.
 */
export async function deleteConversation(storage: LocalRunStorage, runId: string, directory: string): Promise<boolean> {
  // Somebody who runs it would write its files again, and the record is refused below.
  if (!storage.runs.isHeld(runId)) {
    const { rooms } = await contentOf(storage, runId);
    for (const roomId of rooms) await rm(join(directory, roomFileName(storage.record, runId, roomId)), { force: true });
  }
  return storage.runs.remove(runId);
}

function roomsIn(event: RecordEvent, teamId: string): readonly string[] {
  if (event.type === 'room:created') return [event.payload.id];
  if (event.type !== 'conversation:started' && event.type !== 'team:changed') return [];
  return readLiveTeam(event.payload.team, teamId).rooms.map(({ id }) => id);
}
