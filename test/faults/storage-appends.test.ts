// Where another store keeps each append in a file of its own, this one keeps it as rows that nothing touches again.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { runFile } from '../../src/storage/sqlite/files.js';
import { createLocalRunStorage } from '../../src/storage/sqlite/storage.js';
import { event, NAMESPACE, policy, RUN } from '../contract/storage-fixture.js';

test('A-101 later appends leave the rows of earlier ones as they are, and each append is a batch of its own', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'teamroom-appends-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const { eventStore } = createLocalRunStorage({ directory, namespace: NAMESPACE, policy: policy() });
  const rows = () => {
    const db = new DatabaseSync(runFile(directory, NAMESPACE, 'run-1'), { readOnly: true });
    try {
      return db.prepare('SELECT * FROM event ORDER BY position').all();
    } finally {
      db.close();
    }
  };
  await eventStore.append(RUN, 0, [event('a'), event('b')]);
  const first = rows();
  await eventStore.append(RUN, 2, [event('c')]);
  await eventStore.append(RUN, 3, [event('d')]);
  const all = rows();
  expect(first).toHaveLength(2);
  expect(all.slice(0, 2)).toEqual(first);
  const batches = all.map(({ batch }) => batch);
  expect(batches[1]).toEqual(batches[0]);
  expect(new Set(batches).size).toBe(3);
});
