// The room files of a live conversation: one text file a room, a line a post, written on at its end so that `tail -f`
// follows, and replaced as a whole only when what stands there is not the beginning of the room. What a file holds is
// the record's word, byte by byte: two windows that write the same post write the same bytes in the same place.
import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { transcriptOf, type TranscriptPost } from '../core/team/transcript.js';
import { roomLine } from '../core/team/room-line.js';
import type { RunStorage } from '../storage/port.js';
import type { RecordChange } from './live-record.js';
import { roomFileName } from './room-file-name.js';
import { readRecord } from './transcript-pages.js';

export interface LiveRoomFilesOptions {
  readonly storage: RunStorage;
  readonly runId: string;
  /** Where the files stand; made when the first one is written. */
  readonly directory: string;
  /** False while another window runs the conversation: that one writes the files on. */
  readonly isWriter: () => boolean;
}

/** What a room's file holds after an event of the record. */
export interface RoomLines {
  /** A post each, with its line end; oldest first. */
  readonly lines: readonly string[];
  /** Revision of the last event that was read; 0 when the conversation has none. */
  readonly revision: number;
  /** ISO timestamp of the last post, null when there is none. */
  readonly at: string | null;
}

/** The lines of a room's file, rebuilt from the record. */
export async function readRoomLines(storage: RunStorage, runId: string, roomId: string): Promise<RoomLines> {
  const lines: string[] = [];
  let at: string | null = null;
  let last = 0;
  for await (const { revision, entries } of readRecord(storage, runId)) {
    last = revision;
    for (const entry of entries) {
      if (entry.kind !== 'post' || entry.roomId !== roomId) continue;
      lines.push(roomLine(entry));
      at = entry.at;
    }
  }
  return { lines, revision: last, at };
}

/** What a file is known to hold. */
interface Known {
  /** In bytes. */
  readonly length: number;
  /** Posts of later events are missing in it. */
  readonly revision: number;
}

export class LiveRoomFiles {
  readonly #options: LiveRoomFilesOptions;
  /** The files that this window writes on; of one that is missing here it does not know what is in it. */
  readonly #known = new Map<string, Known>();
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: LiveRoomFilesOptions) {
    this.#options = options;
  }

  /** Where the file of a room stands, whether it is there or not. */
  path(roomId: string): string {
    return join(this.#options.directory, roomFileName(this.#options.storage.record, this.#options.runId, roomId));
  }

  /** Brings a room's file up to the record and returns its path. */
  async write(roomId: string): Promise<string> {
    await this.#exclusive(() => this.#rebuild(roomId));
    return this.path(roomId);
  }

  /** Brings the files of rooms that have one up to the record: an earlier window may have ended before it wrote. */
  async adopt(roomIds: readonly string[]): Promise<void> {
    if (!this.#options.isWriter()) return;
    for (const roomId of roomIds) await this.#exclusive(() => this.#adopt(roomId));
  }

  /** Writes what a change added to the rooms that have a file. */
  follow(change: RecordChange): Promise<void> {
    const posts = change.events.flatMap(transcriptOf).filter((entry) => entry.kind === 'post');
    const rooms = new Set(posts.map(({ roomId }) => roomId));
    if (rooms.size === 0) return Promise.resolve();
    const isWriter = this.#options.isWriter();
    return this.#exclusive(async () => {
      for (const roomId of rooms) {
        const known = this.#known.get(roomId);
        // Until this is written it is not known what the file holds: what fails is made good with the next post.
        this.#known.delete(roomId);
        if (!isWriter) continue;
        if (known === undefined) await this.#adopt(roomId);
        else
          await this.#append(
            roomId,
            known,
            posts.filter((post) => post.roomId === roomId),
            change.to,
          );
      }
    });
  }

  async #adopt(roomId: string): Promise<void> {
    if ((await sizeOf(this.path(roomId))) !== null) await this.#rebuild(roomId);
  }

  async #append(roomId: string, known: Known, posts: readonly TranscriptPost[], revision: number): Promise<void> {
    // Somebody else wrote to the file, or removed it: the record decides.
    if ((await sizeOf(this.path(roomId))) !== known.length) return this.#rebuild(roomId);
    const news = posts.filter((post) => post.revision > known.revision);
    const bytes = Buffer.from(news.map(roomLine).join(''));
    await writeAt(this.path(roomId), bytes, known.length);
    this.#known.set(roomId, { length: known.length + bytes.length, revision: Math.max(known.revision, revision) });
  }

  async #rebuild(roomId: string): Promise<void> {
    const { storage, runId, directory } = this.#options;
    await mkdir(directory, { recursive: true });
    const path = this.path(roomId);
    // The file first: what another window writes meanwhile is in the record already.
    const present = await readFile(path).catch(() => null);
    const { lines, revision } = await readRoomLines(storage, runId, roomId);
    const wanted = Buffer.from(lines.join(''));
    if (present === null || !present.equals(wanted.subarray(0, present.length))) await replace(path, wanted);
    else if (present.length < wanted.length) await writeAt(path, wanted.subarray(present.length), present.length);
    this.#known.set(roomId, { length: wanted.length, revision });
  }

  #exclusive(work: () => Promise<void>): Promise<void> {
    const done = this.#queue.then(work, work);
    this.#queue = done.catch(() => undefined);
    return done;
  }
}

async function sizeOf(path: string): Promise<number | null> {
  return stat(path).then(
    ({ size }) => size,
    () => null,
  );
}

async function writeAt(path: string, bytes: Uint8Array, position: number): Promise<void> {
  const file = await open(path, 'r+');
  try {
    let written = 0;
    while (written < bytes.length) {
      written += (await file.write(bytes, written, bytes.length - written, position + written)).bytesWritten;
    }
  } finally {
    await file.close();
  }
}

async function replace(path: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(bytes);
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}
