// The name of a room's file: a digest, so that no room id can leave the folder or collide on any disk.
import { createHash } from 'node:crypto';
import type { RunStorageRecord } from '../storage/port.js';

/** `teamroom-room-`, 64 hex digits that bind store, namespace, run and room, and `.txt`: 82 characters. */
export function roomFileName({ eventStore, namespace }: RunStorageRecord, runId: string, roomId: string): string {
  const { name, version, configDigest } = eventStore;
  const subject = JSON.stringify([name, version, configDigest, namespace, runId, roomId]);
  return `teamroom-room-${createHash('sha256').update(subject).digest('hex')}.txt`;
}
