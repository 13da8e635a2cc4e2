// The rooms of a stored conversation, bounded or live, as text files rebuilt from its record. Nothing is written before
// everything was read.
// Rules: docs/run-record.md § Room files.
import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { roomLine, type RoomLineMessage } from '../core/team/room-line.js';
import type { RunStorage } from '../storage/port.js';
import { roomFileName } from './room-file-name.js';
import { foldTeamRooms } from './team-rooms.js';

export interface ProjectTeamRoomsOptions {
  readonly storage: RunStorage;
  readonly runId: string;
  /** Where the files go; made when there is a file to write. Keep it outside the members' workspaces. */
  readonly directory: string;
}

/** A room with all its accepted messages, in the order recorded. */
export interface RoomTranscript {
  readonly roomId: string;
  readonly messages: readonly RoomLineMessage[];
}

/** Rooms in the order declared, as of `revision`, the last event read. */
export interface RoomTranscripts {
  readonly revision: number;
  readonly rooms: readonly RoomTranscript[];
}

export interface TeamRoomProjection {
  readonly revision: number;
  /** Where each room's file is. Names are not to be made by hand. */
  readonly files: readonly { readonly roomId: string; readonly path: string }[];
}

/**
 * Writes one file a room, a line a message. Each file is replaced as a whole; other files are left alone.
 * @returns what was read, and where the files are.
 * @throws TypeError for a blank directory; StorageError when the run cannot be loaded; GraphExecutionError
 *   `STORED_GRAPH_MISMATCH` when it is no team's, `INVALID_EVENT` when an event is not what a team's runner writes.
 */
export async function projectTeamRooms(options: ProjectTeamRoomsOptions): Promise<TeamRoomProjection> {
  const { storage, runId, directory } = options;
  if (typeof directory !== 'string' || directory.trim() === '') throw new TypeError('directory must be a path.');
  const target = resolve(directory);
  const isLive = (await firstType(storage, runId)) === 'conversation:started';
  const { revision, rooms } = await (isLive ? readLiveRooms : foldTeamRooms)(storage, runId);
  if (rooms.length > 0) await mkdir(target, { recursive: true });
  const files: { readonly roomId: string; readonly path: string }[] = [];
  for (const { roomId, messages } of rooms) {
    const path = join(target, roomFileName(storage.record, runId, roomId));
    await replaceFile(path, messages.map(roomLine).join(''));
    files.push(Object.freeze({ roomId, path }));
  }
  return Object.freeze({ revision, files: Object.freeze(files) });
}

/** Loaded when there is one: programs that run bounded teams only do not carry the rules of live ones. */
async function readLiveRooms(storage: RunStorage, runId: string): Promise<RoomTranscripts> {
  const { foldLiveRooms } = await import('./live-rooms.js');
  return foldLiveRooms(storage, runId);
}

/** What a conversation is, its first event says. */
async function firstType(storage: RunStorage, runId: string): Promise<string | null> {
  const stream = { namespace: storage.record.namespace, streamId: runId };
  for await (const { type } of storage.eventStore.read(stream)) return type;
  return null;
}

/** Puts a whole new file in the place of `path`: readers see the old one or the new one, and a link is not followed. */
async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  const file = await open(temporary, 'wx', 0o600);
  try {
    try {
      await file.writeFile(text, 'utf8');
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}
