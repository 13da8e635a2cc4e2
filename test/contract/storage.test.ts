// The contract of storage, run on every implementation.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe } from 'vitest';
import { MemoryDisk } from '../../src/storage/memory/disk.js';
import { createMemoryRunStorage } from '../../src/storage/memory/storage.js';
import { createLocalRunStorage } from '../../src/storage/sqlite/storage.js';
import { eventStoreContract } from './storage-contract.js';
import { NAMESPACE, policy, type StoragePlace } from './storage-fixture.js';
import { artifactStoreContract, runDirectoryContract } from './storage-runs-contract.js';

const root = mkdtempSync(join(tmpdir(), 'teamroom-storage-'));
afterAll(() => rmSync(root, { recursive: true }));
let places = 0;

const MAKERS: readonly [string, () => StoragePlace][] = [
  [
    'memory',
    () => {
      const disk = new MemoryDisk();
      return {
        open: (options) => createMemoryRunStorage({ namespace: NAMESPACE, policy: policy(), ...options, disk }),
      };
    },
  ],
  [
    'sqlite',
    () => {
      const directory = join(root, `place-${(places += 1)}`);
      return {
        open: (options) => createLocalRunStorage({ namespace: NAMESPACE, policy: policy(), ...options, directory }),
      };
    },
  ],
];

describe.each(MAKERS)('storage: %s', (_name, makePlace) => {
  eventStoreContract(makePlace);
  artifactStoreContract(makePlace);
  runDirectoryContract(makePlace);
});
