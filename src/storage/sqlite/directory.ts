// The runs that a storage folder holds, and the signals about them between processes.
import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { StorageError } from '../error.js';
import type { DamagedRun, EventStore, RunCache, RunDirectory, RunReport, StoredRun } from '../port.js';
import { runOfStream, validateStorageId } from '../streams.js';
import { sideFile } from './cache.js';
import type { RunConnections } from './connections.js';
import { storageFailure, systemCode } from './failure.js';
import { fileOfRemoved, holdFile, isRunFileName, pokeFile, runFile, snapshotFile } from './files.js';
import { IndexFile } from './index-file.js';
import { isHeld, tryHold } from './liveness.js';
import { transaction } from './open-run.js';
import type { PokeWatch } from './poke.js';
import { copyAside } from './quarantine.js';
import { finishRemoval, removeRun } from './remove-run.js';
import { findHead, loadState } from './schema.js';
import { inWorker } from './worker-host.js';

interface Listing {
  readonly runs: readonly StoredRun[];
  readonly damaged: readonly DamagedRun[];
}

export interface RunDirectoryParts {
  readonly directory: string;
  readonly namespace: string;
  readonly connections: RunConnections;
  readonly pokes: PokeWatch;
  readonly build: RunDirectory['build'];
}

export class SqliteRunDirectory implements RunDirectory {
  readonly #directory: string;
  readonly #namespace: string;
  readonly #connections: RunConnections;
  readonly #pokes: PokeWatch;
  /** Which run a file holds never changes, as long as it is the same file. */
  readonly #known = new Map<string, { readonly inode: number; readonly runId: string }>();
  readonly #index: IndexFile;
  readonly #build: RunDirectory['build'];
  #scanning: Promise<Listing> | null = null;

  constructor({ directory, namespace, connections, pokes, build }: RunDirectoryParts) {
    this.#directory = directory;
    this.#namespace = namespace;
    this.#connections = connections;
    this.#pokes = pokes;
    this.#build = build;
    this.#index = new IndexFile(directory, namespace);
  }

  async list(): Promise<readonly StoredRun[]> {
    return (await this.#scanOnce()).runs;
  }

  async listDamaged(): Promise<readonly DamagedRun[]> {
    return (await this.#scanOnce()).damaged;
  }

  watch(runId: string, listener: () => void): Disposable {
    return this.#pokes.follow(this.#fileOf(runId), listener);
  }

  tryHold(runId: string): Disposable | null {
    return tryHold(holdFile(this.#fileOf(runId)));
  }

  isHeld(runId: string): boolean {
    return isHeld(holdFile(this.#fileOf(runId)));
  }

  verify(runId: string): Promise<RunReport> {
    const name = { namespace: this.#namespace, runId: runOfStream(validateStorageId(runId, '/runId')) };
    return inWorker({ task: 'verify', directory: this.#directory, ...name }, { background: true });
  }

  quarantine(runId: string): Promise<string | null> {
    return copyAside(this.#fileOf(runId));
  }

  cache(runId: string): RunCache {
    return sideFile(snapshotFile(this.#fileOf(runId)));
  }

  build(runId: string, fill: (events: EventStore) => Promise<void>): Promise<void> {
    return this.#build(runOfStream(validateStorageId(runId, '/runId')), fill);
  }

  async remove(runId: string): Promise<boolean> {
    const file = this.#fileOf(runId);
    const isRemoved = removeRun(file, () => this.#connections.close(file));
    this.#known.delete(file);
    await this.#index.forget(file);
    await this.#index.save(await this.#names());
    return isRemoved;
  }

  #fileOf(runId: string): string {
    return runFile(this.#directory, this.#namespace, runOfStream(validateStorageId(runId, '/runId')));
  }

  /** Who asks for both in one breath gets both of one scan. Later there may be more to be seen. */
  #scanOnce(): Promise<Listing> {
    if (this.#scanning !== null) return this.#scanning;
    this.#scanning = this.#scan();
    queueMicrotask(() => (this.#scanning = null));
    return this.#scanning;
  }

  async #scan(): Promise<Listing> {
    const runs: StoredRun[] = [];
    const damaged: DamagedRun[] = [];
    const names = await this.#names();
    for (const name of names) {
      const file = join(this.#directory, name);
      try {
        const run = await this.#lookInto(file);
        if (run !== null) runs.push(run);
      } catch (error) {
        if (!(error instanceof StorageError)) throw error;
        damaged.push(Object.freeze({ file, problem: error.message }));
      }
    }
    await this.#index.save(names);
    runs.sort((left, right) => right.changedAt - left.changedAt);
    return { runs: Object.freeze(runs), damaged: Object.freeze(damaged) };
  }

  async #names(): Promise<readonly string[]> {
    const folder = await statOrNull(this.#directory);
    if (folder === null) return [];
    try {
      const names = await readdir(this.#directory);
      for (const name of names) {
        const removed = fileOfRemoved(this.#namespace, name);
        if (removed !== null) finishRemoval(join(this.#directory, removed));
      }
      return names.filter((name) => isRunFileName(this.#namespace, name)).sort();
    } catch (error) {
      throw storageFailure(error, this.#directory);
    }
  }

  /** @returns null for a file without a run: artifacts only, or nothing committed yet. */
  async #lookInto(file: string): Promise<StoredRun | null> {
    const found = await statOrNull(file);
    if (found === null) return null;
    const known = this.#known.get(file);
    const noted = known?.inode === found.ino ? known.runId : await this.#index.find(file, found);
    const runId = noted ?? (await this.#readRunId(file));
    if (runId === null) return null;
    if (noted === null) this.#index.note(file, found, runId);
    this.#known.set(file, { inode: found.ino, runId });
    const others = await Promise.all([statOrNull(`${file}-wal`), statOrNull(pokeFile(file))]);
    // A log comes, empty, with each connection that only reads.
    const changes = others.filter((other) => other !== null && other.size > 0);
    const changedAt = Math.max(found.mtimeMs, ...changes.map((other) => other?.mtimeMs ?? 0));
    return Object.freeze({ runId, changedAt });
  }

  #readRunId(file: string): Promise<string | null> {
    return this.#connections.glance(file, (run) => {
      if (run === null) return null;
      return transaction(run, 'DEFERRED', () => {
        const state = loadState(run);
        return state === null || findHead(run, state, state.row.runId) === null ? null : state.row.runId;
      });
    });
  }
}

async function statOrNull(path: string): Promise<Stats | null> {
  try {
    return await lstat(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw storageFailure(error, path);
  }
}
