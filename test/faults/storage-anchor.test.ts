// What was acknowledged is known outside the database, so that a log which lost its end does not go unnoticed.
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { StorageError } from '../../src/storage/error.js';
import { readAnchor, writeAnchor } from '../../src/storage/sqlite/anchor.js';
import { runFile } from '../../src/storage/sqlite/files.js';
import { createLocalRunStorage } from '../../src/storage/sqlite/storage.js';
import { bytes, codeOf, event, eventIds, NAMESPACE, policy, refusal, RUN, SCOPE } from '../contract/storage-fixture.js';

const root = mkdtempSync(join(tmpdir(), 'teamroom-anchor-'));
afterAll(() => rmSync(root, { recursive: true }));
let directory = '';
let file = '';
let places = 0;
const member = { ...RUN, streamId: 'run-1.m.1' };

const open = () => createLocalRunStorage({ directory, namespace: NAMESPACE, policy: policy() });

/** Writes with a connection of its own that is never closed, as a process that was killed leaves its files. */
beforeEach(async () => {
  const living = join(root, `living-${(places += 1)}`);
  const { eventStore } = createLocalRunStorage({ directory: living, namespace: NAMESPACE, policy: policy() });
  await eventStore.append(RUN, 0, [event('a'), event('b')]);
  await eventStore.append(member, 0, [event('m')]);
  await eventStore.append(RUN, 2, [event('c')]);
  await new Promise((resolve) => setImmediate(resolve));
  directory = join(root, `place-${places}`);
  file = runFile(directory, NAMESPACE, 'run-1');
  const source = runFile(living, NAMESPACE, 'run-1');
  // Makes the folder with its modes.
  open().runs.tryHold('run-1')?.[Symbol.dispose]();
  for (const suffix of ['', '-wal', '.poke']) copyFileSync(source + suffix, file + suffix);
});

async function prefix(stream = RUN) {
  const ids: string[] = [];
  try {
    for await (const { eventId } of open().eventStore.read(stream)) ids.push(eventId);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return { ids, code: error.code, details: error.details };
  }
  return { ids, code: 'whole' };
}

describe('a log that lost its end', () => {
  test('ST-1 is reported with what was acknowledged; what is left can be read', async () => {
    truncateSync(`${file}-wal`, statSync(`${file}-wal`).size - 100);
    expect(await prefix()).toMatchObject({
      ids: ['a', 'b'],
      code: 'CORRUPT_EVENT_STREAM',
      details: { path: file, revision: 3, acknowledgedStream: 'run-1', acknowledgedRevision: 3 },
    });
    // The member's stream is whole, but nobody can know that.
    expect(await prefix(member)).toMatchObject({ ids: ['m'], code: 'CORRUPT_EVENT_STREAM' });
    expect(await codeOf(() => open().eventStore.head(RUN))).toBe('CORRUPT_EVENT_STREAM');
  });

  test('ST-1 ST-2 cut at any byte, also inside a character, leaves whole events and no error of decoding', async () => {
    const living = join(root, `torn-${places}`);
    const writer = createLocalRunStorage({ directory: living, namespace: NAMESPACE, policy: policy() });
    const text = '日本語🙂'.repeat(60);
    for (let revision = 0; revision < 6; revision += 1) {
      await writer.eventStore.append(RUN, revision, [event(`e${revision}`, text)]);
    }
    const source = runFile(living, NAMESPACE, 'run-1');
    const log = readFileSync(`${source}-wal`);
    const counts = new Set<number>();
    for (let length = log.length; length > 0; length -= 1_237) {
      directory = join(root, `torn-${places}-${length}`);
      file = runFile(directory, NAMESPACE, 'run-1');
      open().runs.tryHold('run-1')?.[Symbol.dispose]();
      copyFileSync(source, file);
      writeFileSync(`${file}-wal`, log.subarray(0, length));
      const { ids, code } = await prefix();
      expect([ids, code]).toEqual([Array.from(ids, (_, index) => `e${index}`), 'whole']);
      counts.add(ids.length);
      // The next append stands behind the last whole event, and is read with it.
      expect(await open().eventStore.append(RUN, ids.length, [event('next', text)])).toBe(ids.length + 1);
      expect((await prefix()).ids).toEqual([...ids, 'next']);
    }
    expect(counts.size).toBe(7);
  });

  test('ST-6 ST-17 is neither written to nor checkpointed: every byte stays as it was', async () => {
    const log = readFileSync(`${file}-wal`);
    log[log.length - 5_000] = (log[log.length - 5_000] ?? 0) ^ 1;
    writeFileSync(`${file}-wal`, log);
    const before = readFileSync(file);
    const { eventStore, artifactStore, runs } = open();
    const artifact = { bytes: bytes('x'), mediaType: 'text/plain', purpose: 'p', contentMode: 'exact' } as const;
    for (const expected of [0, 2, 3]) {
      expect(await codeOf(() => eventStore.append(RUN, expected, [event('z')]))).toBe('CORRUPT_EVENT_STREAM');
      expect(await codeOf(() => eventStore.preflightAppend(RUN, expected, [event('z')]))).toBe('CORRUPT_EVENT_STREAM');
    }
    expect(await codeOf(() => artifactStore.write(SCOPE, artifact))).toBe('CORRUPT_EVENT_STREAM');
    expect(await codeOf(() => artifactStore.deleteRun(SCOPE))).toBe('CORRUPT_EVENT_STREAM');
    await runs.list();
    expect(readFileSync(`${file}-wal`).equals(log)).toBe(true);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('ST-1 ST-17 a log that is gone altogether is no empty run', async () => {
    rmSync(`${file}-wal`);
    expect(await refusal(() => eventIds(open().eventStore))).toMatchObject({
      code: 'CORRUPT_EVENT_STREAM',
      details: { acknowledgedRevision: 3 },
    });
    expect(await codeOf(() => open().eventStore.append(RUN, 0, [event('z')]))).toBe('CORRUPT_EVENT_STREAM');
    expect(await open().runs.list()).toEqual([]);
    expect(await open().runs.listDamaged()).toEqual([{ file, problem: expect.stringContaining('.poke') as string }]);
  });
});

describe('an anchor', () => {
  test.each([
    ['that is missing', () => rmSync(`${file}.poke`)],
    ['that is empty', () => writeFileSync(`${file}.poke`, '')],
    ['that is cut short', () => truncateSync(`${file}.poke`, 60)],
    ['with a changed revision', () => falsify((text) => text.replace(' 3 ', ' 9 '))],
    ['that is behind', () => writeAnchor(file, { streamId: 'run-1', revision: 1, sum: 'x' })],
  ])('%s changes nothing', async (_what, change) => {
    change();
    expect(await prefix()).toEqual({ ids: ['a', 'b', 'c'], code: 'whole' });
    const { eventStore } = open();
    expect(await eventStore.append(RUN, 3, [event('d')])).toBe(4);
    await new Promise((resolve) => setImmediate(resolve));
    expect(readAnchor(file)).toMatchObject({ streamId: 'run-1', revision: 4 });
  });

  test('of a file that was deleted does not bind the new one', async () => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
    expect(existsSync(`${file}.poke`)).toBe(true);
    expect(await open().eventStore.append(RUN, 0, [event('anew')])).toBe(1);
    expect(await prefix()).toEqual({ ids: ['anew'], code: 'whole' });
  });

  test('names the last of a burst of commits, and every commit is told', async () => {
    const { eventStore, runs } = open();
    const told = Promise.withResolvers<null>();
    const seen: number[] = [];
    using _watching = runs.watch('run-1', () => {
      void eventIds(eventStore).then((ids) => {
        seen.push(ids.length);
        if (ids.length === 53) told.resolve(null);
      });
    });
    for (let revision = 3; revision < 53; revision += 1)
      await eventStore.append(RUN, revision, [event(`e${revision}`)]);
    await told.promise;
    expect(readAnchor(file)?.revision).toBe(53);
  });

  function falsify(change: (text: string) => string): void {
    const text = readFileSync(`${file}.poke`, 'utf8');
    expect(change(text)).not.toBe(text);
    writeFileSync(`${file}.poke`, change(text));
  }
});

test('a copy that a backup put in the place of a newer file is told apart from damage by nobody, so the message says what to do', async () => {
  const db = new DatabaseSync(file);
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
  copyFileSync(file, `${file}.backup`);
  await open().eventStore.append(RUN, 3, [event('d')]);
  await new Promise((resolve) => setImmediate(resolve));
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
  copyFileSync(`${file}.backup`, file);
  expect(await refusal(() => eventIds(open().eventStore))).toMatchObject({
    code: 'CORRUPT_EVENT_STREAM',
    details: { reason: expect.stringContaining(`delete ${file}.poke`) as string },
  });
  rmSync(`${file}.poke`);
  expect(await eventIds(open().eventStore)).toEqual(['a', 'b', 'c']);
  expect(await open().eventStore.append(RUN, 3, [event('D')])).toBe(4);
});
