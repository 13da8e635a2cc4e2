// What a memory storage keeps: a stand-in for the disk, which several bindings can share and a test can reopen.
import type { ArtifactReference, DomainEventEnvelope } from '../port.js';
import type { StorageLimits } from '../policy.js';

/** One stored event, with the line that was appended and the revision its append began with. */
export interface MemoryEvent {
  readonly envelope: DomainEventEnvelope;
  readonly line: string;
  readonly batch: number;
}

export interface MemoryRun {
  readonly namespace: string;
  readonly runId: string;
  limits: StorageLimits;
  changedAt: number;
  readonly streams: Map<string, MemoryEvent[]>;
  /** Event ids by stream. */
  readonly eventIds: Map<string, Set<string>>;
  /** Artifacts by the run id that they were admitted under. */
  readonly artifacts: Map<string, MemoryArtifacts>;
}

export interface MemoryArtifacts {
  readonly blobs: Map<string, Uint8Array>;
  /** Admitted references, by their canonical text. */
  readonly admitted: Map<string, ArtifactReference>;
}

/** Shared by every memory storage that is given it; forgotten with the process. */
export class MemoryDisk {
  readonly #runs = new Map<string, MemoryRun>();
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly held = new Set<string>();
  /** Cached texts, by run. */
  readonly caches = new Map<string, string>();

  find(namespace: string, runId: string): MemoryRun | undefined {
    return this.#runs.get(runKey(namespace, runId));
  }

  open(namespace: string, runId: string, limits: StorageLimits): MemoryRun {
    const found = this.find(namespace, runId);
    if (found !== undefined) return found;
    const run: MemoryRun = {
      namespace,
      runId,
      limits,
      changedAt: Date.now(),
      streams: new Map(),
      eventIds: new Map(),
      artifacts: new Map(),
    };
    this.#runs.set(runKey(namespace, runId), run);
    return run;
  }

  /** @returns false when there is a run of that id. */
  add(run: MemoryRun): boolean {
    const key = runKey(run.namespace, run.runId);
    if (this.#runs.has(key)) return false;
    this.#runs.set(key, run);
    return true;
  }

  /** @returns false when there is no run of that id. */
  remove(namespace: string, runId: string): boolean {
    const key = runKey(namespace, runId);
    const isRemoved = this.#runs.delete(key);
    this.caches.delete(key);
    for (const listener of isRemoved ? (this.#listeners.get(key) ?? []) : []) listener();
    return isRemoved;
  }

  all(namespace: string): readonly MemoryRun[] {
    return [...this.#runs.values()].filter((run) => run.namespace === namespace);
  }

  /** Marks a commit and calls who watches the run, not before the current call has ended. */
  committed(run: MemoryRun): void {
    run.changedAt = Date.now();
    for (const listener of this.#listeners.get(runKey(run.namespace, run.runId)) ?? []) listener();
  }

  listen(namespace: string, runId: string, listener: () => void): Disposable {
    const key = runKey(namespace, runId);
    const listeners = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, listeners.add(listener));
    return { [Symbol.dispose]: () => void listeners.delete(listener) };
  }
}

/** A key that tells apart every pair of ids: neither can contain the separator. */
export function runKey(namespace: string, runId: string): string {
  return `${namespace}/${runId}`;
}
