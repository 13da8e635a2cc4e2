// How followers learn of a commit: its writer writes a small file afterwards. Watching the database itself would be
// one commit too early, for its bytes change before the commit is visible.
import { lstatSync, watch, type FSWatcher } from 'node:fs';
import { basename } from 'node:path';
import { coalesced, type CoalescedCall } from '../coalesce.js';
import { writeAnchor, type Anchor } from './anchor.js';
import { systemCode } from './failure.js';
import { pokeFile } from './files.js';

const NET_MS = 5_000;

/** What the files of a run looked like. */
interface Look {
  readonly poke: string;
  /** Empty when there is no log, or nothing in it. */
  readonly log: string;
}

interface Follower {
  readonly file: string;
  readonly call: CoalescedCall;
  /** What the files looked like when the follower was last told. */
  seen: Look;
}

/** How often a burst of commits to one file is told. */
const BURST_MS = 5;

/** Tells followers of commits: each at once, but a burst of them together, and its last one in any case. */
export class Pokes {
  readonly #toldAt = new Map<string, number>();
  readonly #waiting = new Map<string, Anchor>();

  committed(file: string, anchor: Anchor): void {
    if (performance.now() - (this.#toldAt.get(file) ?? 0) >= BURST_MS) {
      this.#waiting.delete(file);
      this.#tell(file, anchor);
      return;
    }
    if (this.#waiting.size === 0) setImmediate(() => this.#tellWaiting());
    this.#waiting.set(file, anchor);
  }

  #tellWaiting(): void {
    for (const [file, anchor] of this.#waiting) this.#tell(file, anchor);
    this.#waiting.clear();
  }

  #tell(file: string, anchor: Anchor): void {
    this.#toldAt.set(file, performance.now());
    try {
      writeAnchor(file, anchor);
    } catch {
      // The folder is gone or full. The commit itself is safe, and the net below finds it.
    }
  }
}

/** Watches the pokes of one storage folder. Keeps no process alive. */
export class PokeWatch {
  readonly #directory: string;
  readonly #followers = new Set<Follower>();
  #watcher: FSWatcher | undefined;
  /** Which folder the watcher is on, should another take its name. */
  #watched = '';
  #net: NodeJS.Timeout | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Calls `listener` after commits to `file`, many at once as one. */
  follow(file: string, listener: () => void): Disposable {
    const follower: Follower = { file, call: coalesced(listener), seen: this.#look(file) };
    this.#followers.add(follower);
    this.attach();
    this.#net ??= setInterval(() => this.#checkAll(), NET_MS).unref();
    return {
      [Symbol.dispose]: () => {
        follower.call[Symbol.dispose]();
        this.#followers.delete(follower);
        if (this.#followers.size === 0) this.#stop();
      },
    };
  }

  /** Begins to watch the folder, once it exists; does nothing when nobody follows or all is well. */
  attach(): void {
    if (this.#followers.size === 0) return;
    const folder = lstatSync(this.#directory, { throwIfNoEntry: false });
    const identity = folder?.isDirectory() === true ? `${folder.dev}:${folder.ino}` : '';
    if (this.#watcher !== undefined && this.#watched === identity) return;
    this.#detach();
    if (identity === '') return;
    try {
      this.#watcher = watch(this.#directory, { persistent: false }, (_event, name) => this.#heard(name));
      this.#watched = identity;
      this.#watcher.on('error', () => this.#detach()); // The net attaches again.
    } catch (error) {
      // No watches left, or the folder has just vanished: the net is slower, not wrong.
      if (systemCode(error) === undefined) throw error;
    }
  }

  #heard(name: string | null): void {
    for (const follower of this.#followers) {
      if (name !== null && name !== basename(pokeFile(follower.file))) continue;
      follower.seen = this.#look(follower.file);
      follower.call.raise();
    }
  }

  /** For what no signal told: a poke that was lost with its writer, a folder that came later. */
  #checkAll(): void {
    this.attach();
    for (const follower of this.#followers) {
      const { seen } = follower;
      follower.seen = this.#look(follower.file);
      const { poke: poked, log } = follower.seen;
      // A log goes when the last connection closes and comes, empty, with the next one: neither is news, and taking it
      // for news would open a connection, whose closing is the next "news", for ever.
      if (poked !== seen.poke || (log !== '' && log !== seen.log)) follower.call.raise();
    }
  }

  /** Every commit changes the log, and one whose writer lived also the poke. */
  #look(file: string): Look {
    const [poked, logged] = [pokeFile(file), `${file}-wal`].map((path) => lstatSync(path, { throwIfNoEntry: false }));
    const isEmpty = logged === undefined || logged.size === 0;
    return { poke: String(poked?.mtimeMs ?? ''), log: isEmpty ? '' : `${logged.mtimeMs}:${logged.size}` };
  }

  #stop(): void {
    clearInterval(this.#net);
    this.#net = undefined;
    this.#detach();
  }

  #detach(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#watched = '';
  }
}
