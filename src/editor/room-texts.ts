// The texts of rooms as their documents show them: read from the record once, then continued by what is said.
import { roomLine } from '../core/team/room-line.js';
import { transcriptOf } from '../core/team/transcript.js';
import type { RecordChange } from '../runtime/live-record.js';
import type { RoomLines } from '../runtime/live-room-files.js';
import type { ShownText } from './read-only-documents.js';

/** How many posts a document shows; the file on disk has all. */
export const NEWEST = 5_000;

/** How many rooms are kept. */
const ROOMS = 16;

/** The newest posts of a room, and how many before them are left out. */
interface KeptLines extends RoomLines {
  readonly omitted: number;
}

export interface RoomTextsOptions {
  readonly read: (runId: string, roomId: string) => Promise<RoomLines>;
  /** The line that stands in the place of posts that are left out. */
  readonly earlier: (count: number) => string;
}

export class RoomTexts {
  readonly #options: RoomTextsOptions;
  /** Of the conversation that is followed only; the room that was asked for last stands last. */
  readonly #kept = new Map<string, Promise<KeptLines>>();
  readonly #shown = new WeakMap<KeptLines, ShownText>();
  #runId = '';

  constructor(options: RoomTextsOptions) {
    this.#options = options;
  }

  /** Another conversation is followed from now on, or the same one after its changes were not heard for a while. */
  follow(runId: string): void {
    this.#runId = runId;
    this.#kept.clear();
  }

  async get(runId: string, roomId: string): Promise<ShownText> {
    const lines = await (runId === this.#runId ? this.#keep(roomId) : this.#read(runId, roomId));
    const known = this.#shown.get(lines);
    if (known !== undefined) return known;
    const shown = this.#show(lines);
    this.#shown.set(lines, shown);
    return shown;
  }

  /** Continues the rooms that are kept with what a change of the followed conversation brought. */
  hear(change: RecordChange): void {
    const runId = this.#runId;
    for (const [roomId, kept] of [...this.#kept]) {
      const next = kept.then((lines) =>
        change.from > lines.revision ? this.#read(runId, roomId) : continued(lines, roomId, change),
      );
      this.#set(roomId, next);
    }
  }

  #keep(roomId: string): Promise<KeptLines> {
    const kept = this.#kept.get(roomId) ?? this.#read(this.#runId, roomId);
    this.#set(roomId, kept);
    return kept;
  }

  #set(roomId: string, lines: Promise<KeptLines>): void {
    this.#kept.delete(roomId);
    this.#kept.set(roomId, lines);
    lines.catch(() => {
      if (this.#kept.get(roomId) === lines) this.#kept.delete(roomId);
    });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > ROOMS && oldest !== undefined) this.#kept.delete(oldest);
  }

  async #read(runId: string, roomId: string): Promise<KeptLines> {
    return newest({ ...(await this.#options.read(runId, roomId)), omitted: 0 });
  }

  #show({ lines, omitted, at }: KeptLines): ShownText {
    const text = (omitted === 0 ? '' : `${this.#options.earlier(omitted)}\n`) + lines.join('');
    return { bytes: new TextEncoder().encode(text), changedAt: at === null ? 0 : Date.parse(at) };
  }
}

function continued(kept: KeptLines, roomId: string, { events, to }: RecordChange): KeptLines {
  if (to <= kept.revision) return kept;
  const posts = events
    .filter(({ revision }) => revision > kept.revision)
    .flatMap(transcriptOf)
    .filter((entry) => entry.kind === 'post')
    .filter((post) => post.roomId === roomId);
  const at = posts.at(-1)?.at ?? kept.at;
  return newest({ ...kept, lines: [...kept.lines, ...posts.map(roomLine)], revision: to, at });
}

function newest(kept: KeptLines): KeptLines {
  const over = Math.max(0, kept.lines.length - NEWEST);
  return over === 0 ? kept : { ...kept, lines: kept.lines.slice(over), omitted: kept.omitted + over };
}
