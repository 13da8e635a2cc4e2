// One small file per workspace that says which run each database holds, so that listing opens none that was listed
// before. A cache: without it, or with a false one, the databases are asked, and the list is the same.
import type { Stats } from 'node:fs';
import { basename, dirname } from 'node:path';
import * as v from 'valibot';
import { sideFile } from './cache.js';
import { seal } from './chain.js';
import { indexFile, runFile } from './files.js';

const Entry = v.strictObject({ runId: v.string(), inode: v.number(), size: v.number(), changedAt: v.number() });
const Index = v.strictObject({ version: v.literal(1), runs: v.record(v.string(), Entry), seal: v.string() });
type Entries = v.InferOutput<typeof Index>['runs'];

export class IndexFile {
  readonly #directory: string;
  readonly #namespace: string;
  #entries: Entries | null = null;
  #isChanged = false;

  constructor(directory: string, namespace: string) {
    this.#directory = directory;
    this.#namespace = namespace;
  }

  /** @returns the run in a database that looks as it did when it was noted; null when it has to be asked. */
  async find(file: string, found: Stats): Promise<string | null> {
    this.#entries ??= await this.#read();
    const entry = this.#entries[basename(file)];
    if (entry?.inode !== found.ino || entry.size !== found.size || entry.changedAt !== found.mtimeMs) return null;
    // The name of a database is made of its run's id: an entry cannot speak for another.
    return runFile(dirname(file), this.#namespace, entry.runId) === file ? entry.runId : null;
  }

  note(file: string, found: Stats, runId: string): void {
    this.#entries = {
      ...this.#entries,
      [basename(file)]: { runId, inode: found.ino, size: found.size, changedAt: found.mtimeMs },
    };
    this.#isChanged = true;
  }

  /** Forgets a file that is gone. */
  async forget(file: string): Promise<void> {
    const { [basename(file)]: gone, ...others } = (this.#entries ??= await this.#read());
    if (gone === undefined) return;
    this.#entries = others;
    this.#isChanged = true;
  }

  /** Writes what was noted, for the files that are still there. */
  async save(names: readonly string[]): Promise<void> {
    if (!this.#isChanged) return;
    this.#isChanged = false;
    const runs = Object.fromEntries(Object.entries(this.#entries ?? {}).filter(([name]) => names.includes(name)));
    await this.#file().write(JSON.stringify({ version: 1, runs, seal: seal('index', JSON.stringify(runs)) }));
  }

  async #read(): Promise<Entries> {
    try {
      const index = v.safeParse(Index, JSON.parse((await this.#file().read()) ?? ''));
      if (!index.success) return {};
      const { runs, seal: sealed } = index.output;
      return sealed === seal('index', JSON.stringify(runs)) ? runs : {};
    } catch {
      return {}; // Cut short, or none.
    }
  }

  #file() {
    return sideFile(indexFile(this.#directory, this.#namespace));
  }
}
