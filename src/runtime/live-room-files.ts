// The room files of a live conversation: one text file a room, a line a post, appended in place so that `tail -f`
// follows, and replaced as a whole only when what stands there is not the beginning of the room.
import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { transcriptOf } from '../core/team/transcript.js';
import { roomLine } from '../core/team/room-line.js';
import type { RunStorage } from '../storage/port.js';
import type { RecordChange } from './live-record.js';
import { roomFileName } from './room-file-name.js';
import { readTranscript } from './transcript-pages.js';

export interface LiveRoomFilesOptions {
  readonly storage: RunStorage;
  readonly runId: string;
  /** Where the files stand; made when the first one is written. */
  readonly directory: string;
}

/** The bytes of a room's file, rebuilt from the record. */
export async function readRoomText(storage: RunStorage, runId: string, roomId: string): Promise<string> {
  let text = '';
  for await (const entry of readTranscript(storage, runId, roomId)) if (entry.kind === 'post') text += roomLine(entry);
  return text;
}

export class LiveRoomFiles {
  readonly #options: LiveRoomFilesOptions;
  /** Bytes that each file is known to hold; a room that is missing here was not written by this window yet. */
  readonly #lengths = new Map<string, number>();
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

  /** Appends what a change added to the rooms whose files this window keeps. */
  follow(change: RecordChange): Promise<void> {
    const added = new Map<string, string>();
    for (const entry of change.events.flatMap(transcriptOf)) {
      if (entry.kind === 'post') added.set(entry.roomId, (added.get(entry.roomId) ?? '') + roomLine(entry));
    }
    return this.#exclusive(async () => {
      for (const [roomId, text] of added) if (this.#lengths.has(roomId)) await this.#append(roomId, text);
    });
  }

  async #append(roomId: string, text: string): Promise<void> {
    const file = await open(this.path(roomId), 'a', 0o600);
    let length = -1;
    try {
      const before = (await file.stat()).size;
      if (before === this.#lengths.get(roomId)) {
        await file.appendFile(text);
        length = before + Buffer.byteLength(text);
      }
    } finally {
      await file.close();
    }
    // Somebody else wrote to the file (or another window follows too): the record decides.
    if (length < 0) await this.#rebuild(roomId);
    else this.#lengths.set(roomId, length);
  }

  async #rebuild(roomId: string): Promise<void> {
    const { storage, runId, directory } = this.#options;
    const wanted = Buffer.from(await readRoomText(storage, runId, roomId));
    await mkdir(directory, { recursive: true });
    const path = this.path(roomId);
    const present = await readFile(path).catch(() => null);
    if (present === null || !present.equals(wanted.subarray(0, present.length))) await replace(path, wanted);
    else if (present.length < wanted.length) await append(path, wanted.subarray(present.length));
    this.#lengths.set(roomId, wanted.length);
  }

  #exclusive(work: () => Promise<void>): Promise<void> {
    const done = this.#queue.then(work, work);
    this.#queue = done.catch(() => undefined);
    return done;
  }
}

async function append(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'a', 0o600);
  try {
    await file.appendFile(bytes);
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
