// A storage that lives in memory: for tests, and for runs that nobody wants to keep.
/* eslint-disable @typescript-eslint/require-await -- async turns a throw into a rejection, as the port promises */
import type { WriteRules } from '../batch.js';
import { coalesced } from '../coalesce.js';
import { StorageError } from '../error.js';
import { limitsOf, storageRecord, validateRunStoragePolicy } from '../policy.js';
import type { LocalRunStorage, RunDirectory, RunStoragePolicy } from '../port.js';
import { KnownSecrets } from '../secrets.js';
import { validateStorageId } from '../streams.js';
import { memoryArtifactStore } from './artifacts.js';
import { MemoryDisk, runKey } from './disk.js';
import { memoryEventStore } from './events.js';

export interface MemoryRunStorageOptions {
  readonly namespace: string;
  readonly policy: RunStoragePolicy;
  /** Texts that may never be stored. Default: none. */
  readonly knownSecrets?: readonly string[];
  /** What to keep the runs on. Two storages with one disk are two bindings of one store. Default: a new one. */
  readonly disk?: MemoryDisk;
}

/**
 * @returns a frozen storage that passes the same contract as the one on disk.
 * @throws StorageError `INVALID_STORED_VALUE` or `KNOWN_SECRET` for bad options.
 */
export function createMemoryRunStorage(options: MemoryRunStorageOptions): LocalRunStorage {
  const namespace = validateStorageId(options.namespace, '/namespace');
  const policy = validateRunStoragePolicy(options.policy);
  const secrets = new KnownSecrets(options.knownSecrets);
  secrets.refuseIn([namespace], 'namespace');
  secrets.refuseIn(Object.values(limitsOf(policy)).map(String), 'limits');
  const disk = options.disk ?? new MemoryDisk();
  const rules: WriteRules = { namespace, limits: limitsOf(policy), secrets };
  return Object.freeze({
    record: storageRecord('memory', '1', namespace, policy),
    knownSecrets: secrets.given,
    eventStore: memoryEventStore(disk, rules),
    artifactStore: memoryArtifactStore(disk, rules),
    runs: memoryRunDirectory(disk, rules),
  });
}

function memoryRunDirectory(disk: MemoryDisk, rules: WriteRules): RunDirectory {
  const { namespace } = rules;
  return Object.freeze({
    async list() {
      const runs = disk.all(namespace).filter(({ runId, streams }) => streams.has(runId));
      const stored = runs.map(({ runId, changedAt }) => Object.freeze({ runId, changedAt }));
      return Object.freeze(stored.sort((left, right) => right.changedAt - left.changedAt));
    },
    async listDamaged() {
      return [];
    },
    watch(runId, listener) {
      const signal = coalesced(listener);
      const listening = disk.listen(namespace, validateStorageId(runId, '/runId'), () => signal.raise());
      return {
        [Symbol.dispose]() {
          listening[Symbol.dispose]();
          signal[Symbol.dispose]();
        },
      };
    },
    tryHold(runId) {
      const key = runKey(namespace, validateStorageId(runId, '/runId'));
      if (disk.held.has(key)) return null;
      disk.held.add(key);
      let open = true;
      return {
        [Symbol.dispose]() {
          if (open) disk.held.delete(key);
          open = false;
        },
      };
    },
    isHeld: (runId) => disk.held.has(runKey(namespace, validateStorageId(runId, '/runId'))),
    async verify(runId) {
      const streams = [...(disk.find(namespace, validateStorageId(runId, '/runId'))?.streams ?? [])];
      return Object.freeze({
        runId,
        streams: streams.map(([streamId, events]) => ({ streamId, goodEvents: events.length, problem: null })),
        damagedArtifacts: [],
        problem: null,
        isWhole: true,
      });
    },
    async quarantine() {
      return null;
    },
    cache(runId) {
      const key = runKey(namespace, validateStorageId(runId, '/runId'));
      return Object.freeze({
        read: async () => disk.caches.get(key) ?? null,
        write: async (text: string) => void disk.caches.set(key, text),
      });
    },
    async build(runId, fill) {
      const conflict = (): StorageError =>
        new StorageError('REVISION_CONFLICT', `The conversation ${runId} exists already.`, { runId });
      if (disk.find(namespace, validateStorageId(runId, '/runId')) !== undefined) throw conflict();
      const scratch = new MemoryDisk();
      await fill(memoryEventStore(scratch, rules));
      const run = scratch.find(namespace, runId);
      if (run !== undefined && !disk.add(run)) throw conflict();
    },
    async remove(runId) {
      const key = runKey(namespace, validateStorageId(runId, '/runId'));
      if (disk.held.has(key)) throw new StorageError('RUN_HELD', `The conversation ${runId} is run by somebody now.`);
      return disk.remove(namespace, runId);
    },
  } satisfies RunDirectory);
}
