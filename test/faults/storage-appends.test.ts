// Where another store keeps each append in a file of its own, this one keeps it as rows that nothing touches again.
// Which case of files became what: docs/run-record.md § Conformance of the store.
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { runFile } from '../../src/storage/sqlite/files.js';
import { createLocalRunStorage } from '../../src/storage/sqlite/storage.js';
import { codeOf, collect, event, NAMESPACE, policy, RUN } from '../contract/storage-fixture.js';

function place() {
  const directory = mkdtempSync(join(tmpdir(), 'teamroom-appends-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const open = () => createLocalRunStorage({ directory, namespace: NAMESPACE, policy: policy() });
  const database = () => new DatabaseSync(runFile(directory, NAMESPACE, 'run-1'));
  return { directory, open, database };
}

test('A-101 later appends leave the rows of earlier ones as they are, and each append is a batch of its own', async () => {
  const { open, database } = place();
  const { eventStore } = open();
  const rows = () => {
    const db = database();
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

test.each<[string, string, string]>([
  // The bytes decode to the very text that the checksum covers, so that it cannot tell: what is read is still the event.
  ['stand for what was written', "replace(hex(body), 'EFBFBD', 'FF')", 'whole'],
  ['stand for something else', "replace(hex(body), '74657874', 'FFFFFFFF')", 'CORRUPT_EVENT_STREAM'],
])('A-117 bytes that are no UTF-8 and %s never change what is read', async (_, bytes, end) => {
  const { open, database } = place();
  const text = 'odd: \ufffd';
  await open().eventStore.append(RUN, 0, [event('a', { text })]);
  const db = database();
  db.exec(`UPDATE event SET body = CAST(unhex(${bytes}) AS TEXT)`);
  db.close();
  if (end === 'whole') expect((await collect(open().eventStore)).map(({ payload }) => payload)).toEqual([{ text }]);
  else expect(await codeOf(() => collect(open().eventStore))).toBe(end);
});

test('A-117 a folder among the files of conversations is neither read nor touched', async () => {
  const { directory, open } = place();
  await open().eventStore.append(RUN, 0, [event('a')]);
  const foreign = join(dirname(runFile(directory, NAMESPACE, 'run-1')), 'extra.db');
  mkdirSync(foreign);
  const { eventStore, runs } = open();
  expect((await collect(eventStore)).map(({ eventId }) => eventId)).toEqual(['a']);
  expect((await runs.list()).map(({ runId }) => runId)).toEqual(['run-1']);
  expect(statSync(foreign).isDirectory()).toBe(true);
});
