// The index of a workspace is a cache: lost, damaged or false, the list of conversations is the same.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { seal } from '../../src/storage/sqlite/chain.js';
import { indexFile, runFile } from '../../src/storage/sqlite/files.js';
import { createLocalRunStorage } from '../../src/storage/sqlite/storage.js';
import { event, NAMESPACE, policy, RUN } from '../contract/storage-fixture.js';

const root = mkdtempSync(join(tmpdir(), 'teamroom-index-'));
afterAll(() => rmSync(root, { recursive: true }));
let directory = '';
let index = '';
let places = 0;
const ids = ['run-1', 'run-2', 'run-3'];

const open = () => createLocalRunStorage({ directory, namespace: NAMESPACE, policy: policy() });
const listed = async () => (await open().runs.list()).map(({ runId }) => runId).sort();

/** Runs whose files are at rest, as after a restart, and an index that is written. */
beforeEach(async () => {
  directory = join(root, `place-${(places += 1)}`);
  index = indexFile(directory, NAMESPACE);
  for (const runId of ids) {
    await open().eventStore.append({ ...RUN, streamId: runId }, 0, [event('a')]);
    const db = new DatabaseSync(runFile(directory, NAMESPACE, runId));
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    db.close();
  }
  expect(await listed()).toEqual(ids);
  expect(existsSync(index)).toBe(true);
});

interface Written {
  readonly runs: Record<string, { runId: string }>;
}

function falsify(change: (runs: Written['runs']) => void): void {
  const { runs } = JSON.parse(readFileSync(index, 'utf8')) as Written;
  change(runs);
  // With a seal that fits: nobody but the files can tell that it is false.
  writeFileSync(index, JSON.stringify({ version: 1, runs, seal: seal('index', JSON.stringify(runs)) }));
}

test.each([
  ['deleted', () => rmSync(index)],
  ['empty', () => writeFileSync(index, '')],
  ['cut short', () => writeFileSync(index, readFileSync(index, 'utf8').slice(0, -20))],
  ['altered', () => writeFileSync(index, readFileSync(index, 'utf8').replace('run-2', 'run-7'))],
  ['of another version', () => writeFileSync(index, readFileSync(index, 'utf8').replace('"version":1', '"version":2'))],
  ['without a run', () => falsify((runs) => void Reflect.deleteProperty(runs, Object.keys(runs)[0] ?? ''))],
  ['false about a run', () => falsify((runs) => Object.values(runs).forEach((run) => (run.runId = 'run-9')))],
  [
    'naming a run that is not there',
    () => falsify((runs) => (runs['x.db'] = { ...Object.values(runs)[0], runId: 'x' })),
  ],
])('ST-8 RM-4 an index that is %s changes nothing, and is made anew', async (_what, change) => {
  change();
  expect(await listed()).toEqual(ids);
  const text = readFileSync(index, 'utf8');
  for (const runId of ids) expect(text).toContain(`"${runId}"`);
});

test('ST-8 what the index knows is not opened again, and what changed since is', async () => {
  const opened = () => readdirSync(directory).filter((name) => /-(wal|shm)$/.test(name));
  for (const name of opened()) rmSync(join(directory, name));
  expect(await listed()).toEqual(ids);
  expect(opened()).toEqual([]);
  writeFileSync(runFile(directory, NAMESPACE, 'run-2'), 'garbage, and much of it. '.repeat(300));
  expect(await listed()).toEqual(['run-1', 'run-3']);
  expect(await open().runs.listDamaged()).toHaveLength(1);
});

test('ST-8 a deleted conversation leaves the list and the index', async () => {
  rmSync(runFile(directory, NAMESPACE, 'run-3'));
  await open().eventStore.append({ ...RUN, streamId: 'run-4' }, 0, [event('a')]);
  expect(await listed()).toEqual(['run-1', 'run-2', 'run-4']);
  expect(readFileSync(index, 'utf8')).not.toContain('run-3');
});
