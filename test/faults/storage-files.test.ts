// The files of the store on disk: where they lie, who may read them, and what happens when they are not what was written.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { StorageError } from '../../src/storage/error.js';
import type { StreamId } from '../../src/storage/port.js';
import { RunConnections } from '../../src/storage/sqlite/connections.js';
import { runFile } from '../../src/storage/sqlite/files.js';
import { createLocalRunStorage } from '../../src/storage/sqlite/storage.js';
import {
  bytes,
  codeOf,
  collect,
  event,
  eventIds,
  NAMESPACE,
  policy,
  refusal,
  RUN,
  SCOPE,
} from '../contract/storage-fixture.js';

const root = mkdtempSync(join(tmpdir(), 'teamroom-files-'));
afterAll(() => rmSync(root, { recursive: true }));
let directory = '';
let file = '';
let places = 0;
beforeEach(() => {
  directory = join(root, `place-${(places += 1)}`);
  file = runFile(directory, NAMESPACE, 'run-1');
});

const open = (knownSecrets: readonly string[] = []) =>
  createLocalRunStorage({ directory, namespace: NAMESPACE, policy: policy(), knownSecrets });

/** Reads until damage: what came before it, and the code. */
async function prefix(stream: StreamId = RUN, after = 0) {
  const ids: string[] = [];
  try {
    for await (const { eventId } of open().eventStore.read(stream, after)) ids.push(eventId);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return { ids, code: error.code, revision: error.details['revision'] };
  }
  return { ids, code: 'whole', revision: undefined };
}

/** Changes the database behind the store's back. */
function tamper(sql: string): void {
  const db = new DatabaseSync(file);
  db.exec(sql);
  db.close();
}

describe('the folder', () => {
  test('nothing is made before the first append: not by opening, reading, preflighting, listing or a refused append', async () => {
    const { eventStore, artifactStore, runs } = open(['hunter2']);
    await collect(eventStore);
    await eventStore.preflightAppend(RUN, 0, [event('a')]);
    await artifactStore.preflightWrite(SCOPE, []);
    await artifactStore.deleteRun(SCOPE);
    await runs.list();
    expect(runs.isHeld('run-1')).toBe(false);
    using _watching = runs.watch('run-1', () => undefined);
    expect(await codeOf(() => eventStore.append(RUN, 0, [event('a', 'hunter2')]))).toBe('KNOWN_SECRET');
    expect(await codeOf(() => eventStore.append(RUN, 3, [event('a')]))).toBe('REVISION_CONFLICT');
    expect(existsSync(directory)).toBe(false);
  });

  test('folder and files are for this user only, and names are hashes', async () => {
    const { eventStore, runs } = open();
    await eventStore.append(RUN, 0, [event('a')]);
    await runs.cache('run-1').write('{}');
    using _hold = runs.tryHold('run-1');
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    const names = readdirSync(directory);
    expect(names.length).toBeGreaterThanOrEqual(3);
    for (const name of names) {
      expect(statSync(join(directory, name)).mode & 0o777, name).toBe(0o600);
      expect(name).toMatch(/^[0-9a-f]{16}-[0-9a-f]{40}\.db(-wal|-shm|\.poke|\.hold|\.snapshot)?$/);
    }
  });

  test('all streams of a run lie in one file, another run in another', async () => {
    const { eventStore } = open();
    await eventStore.append(RUN, 0, [event('a')]);
    await eventStore.append({ ...RUN, streamId: 'run-1.m.1' }, 0, [event('b')]);
    await eventStore.append({ ...RUN, streamId: 'run-2' }, 0, [event('c')]);
    expect(readdirSync(directory).filter((name) => name.endsWith('.db'))).toHaveLength(2);
  });

  test('a moved folder opens', async () => {
    await open().eventStore.append(RUN, 0, [event('a')]);
    renameSync(directory, `${directory}-moved`);
    directory = `${directory}-moved`;
    expect(await eventIds(open().eventStore)).toEqual(['a']);
  });

  test('a folder that is replaced under an open binding is not written into the void', async () => {
    const { eventStore } = open();
    await eventStore.append(RUN, 0, [event('a'), event('b')]);
    rmSync(directory, { recursive: true });
    expect(await refusal(() => eventStore.append(RUN, 2, [event('c')]))).toEqual({
      code: 'REVISION_CONFLICT',
      details: { expectedRevision: 2, actualRevision: 0 },
    });
    expect(await eventStore.append(RUN, 0, [event('anew')])).toBe(1);
    expect(await eventIds(open().eventStore)).toEqual(['anew']);
  });

  test('A-118 a file that a crash left behind is ignored and kept', async () => {
    mkdirSync(directory);
    const orphan = `${file}.0b0e1c1e.tmp`;
    writeFileSync(orphan, 'left');
    const { eventStore, runs } = open();
    await eventStore.append(RUN, 0, [event('a')]);
    expect((await runs.list()).map(({ runId }) => runId)).toEqual(['run-1']);
    expect(await runs.listDamaged()).toEqual([]);
    expect(readFileSync(orphan, 'utf8')).toBe('left');
  });

  test('a kept text that cannot be read or written is as good as none, and harms nothing', async () => {
    const cache = open().runs.cache('run-1');
    await cache.write('nowhere to go');
    expect(existsSync(directory)).toBe(false);
    await open().eventStore.append(RUN, 0, [event('a')]);
    mkdirSync(`${file}.snapshot`);
    await cache.write('a folder is in the way');
    expect(await cache.read()).toBeNull();
    rmSync(`${file}.snapshot`, { recursive: true });
    writeFileSync(`${directory}-secret`, 'outside');
    symlinkSync(`${directory}-secret`, `${file}.snapshot`);
    await cache.write('through a link');
    expect(await cache.read()).toBeNull();
    expect(readFileSync(`${directory}-secret`, 'utf8')).toBe('outside');
    expect(readdirSync(directory).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    expect(await eventIds(open().eventStore)).toEqual(['a']);
  });

  test('A-115 a folder that is a link is neither read nor written through', async () => {
    const outside = `${directory}-outside`;
    mkdirSync(outside);
    symlinkSync(outside, directory);
    const { eventStore, artifactStore, runs } = open();
    const input = { bytes: bytes('x'), mediaType: 'text/plain', purpose: 'p', contentMode: 'exact' } as const;
    const actions = [
      () => eventStore.append(RUN, 0, [event('a')]),
      () => eventStore.preflightAppend(RUN, 0, [event('a')]),
      () => collect(eventStore),
      () => artifactStore.write(SCOPE, input),
      () => runs.tryHold('run-1'),
      () => runs.isHeld('run-1'),
    ];
    for (const action of actions) expect(await codeOf(action)).toBe('UNSAFE_STORAGE_PATH');
    expect(readdirSync(outside)).toEqual([]);
  });

  test.each(['', '-wal', '.hold'])('A-115 a link in the place of a file%s is refused', async (suffix) => {
    await open().eventStore.append(RUN, 0, [event('a')]);
    const outside = `${directory}-outside`;
    writeFileSync(outside, '');
    rmSync(file + suffix, { force: true });
    symlinkSync(outside, file + suffix);
    const { eventStore, runs } = open();
    if (suffix === '.hold') {
      expect(await codeOf(() => runs.tryHold('run-1'))).toBe('UNSAFE_STORAGE_PATH');
      expect(await codeOf(() => runs.isHeld('run-1'))).toBe('UNSAFE_STORAGE_PATH');
    } else {
      expect(await codeOf(() => eventStore.append(RUN, 1, [event('b')]))).toBe('UNSAFE_STORAGE_PATH');
      expect(await codeOf(() => eventStore.preflightAppend(RUN, 1, [event('b')]))).toBe('UNSAFE_STORAGE_PATH');
      expect(await codeOf(() => collect(eventStore))).toBe('UNSAFE_STORAGE_PATH');
    }
    expect(readFileSync(outside, 'utf8')).toBe('');
  });
});

describe('a lock of somebody else', () => {
  test('is waited for without blocking the thread, and then the append succeeds', async () => {
    const { eventStore } = open();
    await eventStore.append(RUN, 0, [event('a')]);
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    const pending = eventStore.append(RUN, 1, [event('b')]);
    // Reading is not even delayed.
    expect(await eventIds(eventStore)).toEqual(['a']);
    expect(await Promise.race([pending, Promise.resolve('waits')])).toBe('waits');
    other.exec('ROLLBACK');
    expect(await pending).toBe(2);
    other.close();
  });

  test('that lasts is reported with its file and reason', async () => {
    await open().eventStore.append(RUN, 0, [event('a')]);
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    const waiting = new RunConnections(30).use(file, (run) => run?.db.exec('BEGIN IMMEDIATE'));
    expect(await refusal(() => waiting)).toEqual({
      code: 'STORAGE_UNAVAILABLE',
      details: { path: file, reason: 'busy' },
    });
    other.close();
  });
});

describe('files that are not ours to read', () => {
  const cases: [string, string, () => void][] = [
    ['garbage', 'not-a-database', () => writeFileSync(file, 'garbage, and much of it. '.repeat(500))],
    [
      'a database of a newer format',
      'newer-version',
      () => tamper('PRAGMA user_version=99; INSERT INTO migration VALUES (99, 0)'),
    ],
    [
      'the file of another run',
      'foreign-database',
      () => {
        const other = runFile(directory, NAMESPACE, 'run-2');
        renameSync(file, other);
        file = other;
      },
    ],
    [
      'a database of another program',
      'foreign-database',
      () => {
        rmSync(file);
        tamper('CREATE TABLE t(a)');
      },
    ],
    [
      'a folder in its place',
      'not-a-file',
      () => {
        rmSync(file);
        mkdirSync(file);
      },
    ],
  ];
  test.each(cases)(
    'A-117 ST-6 ST-17 %s is refused with path and reason, and left as it is',
    async (_what, reason, change) => {
      await open().eventStore.append(RUN, 0, [event('a')]);
      tamper('PRAGMA wal_checkpoint(TRUNCATE)');
      for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
      change();
      const before = statSync(file).isFile() ? readFileSync(file) : null;
      const stream = { ...RUN, streamId: file === runFile(directory, NAMESPACE, 'run-2') ? 'run-2' : 'run-1' };
      const { eventStore, runs } = open();
      const expected = { code: 'STORAGE_UNAVAILABLE', details: { path: file, reason } };
      expect(await refusal(() => collect(eventStore, stream))).toMatchObject(expected);
      expect(await refusal(() => eventStore.append(stream, 0, [event('b')]))).toMatchObject(expected);
      expect(await refusal(() => eventStore.append(stream, 1, [event('b')]))).toMatchObject(expected);
      if (before !== null) expect(readFileSync(file).equals(before)).toBe(true);
      if (reason === 'not-a-database' || reason === 'newer-version') {
        expect(await runs.list()).toEqual([]);
        expect(await runs.listDamaged()).toEqual([{ file, problem: expect.stringContaining(file) as string }]);
      }
    },
  );

  test('one damaged file does not hide the other runs', async () => {
    const { eventStore, runs } = open();
    await eventStore.append({ ...RUN, streamId: 'run-2' }, 0, [event('a')]);
    writeFileSync(file, 'x'.repeat(5_000));
    expect((await runs.list()).map(({ runId }) => runId)).toEqual(['run-2']);
    expect(await runs.listDamaged()).toHaveLength(1);
  });
});

describe('rows that are not what was written', () => {
  const member = { ...RUN, streamId: 'run-1.m.1' };
  beforeEach(async () => {
    const { eventStore } = open();
    await eventStore.append(RUN, 0, [event('a'), event('b'), event('c')]);
    await eventStore.append(member, 0, [event('m')]);
    await eventStore.append(RUN, 3, [event('d')]);
  });

  const at = (revision: number) => `position = ${2 ** 40 + revision}`;
  test.each([
    ['an altered body', `UPDATE event SET body = replace(body, 'text', 'next') WHERE ${at(2)}`, ['a'], 2],
    ['an altered append', `UPDATE event SET batch = 2 WHERE ${at(2)}`, ['a'], 2],
    ['an altered checksum', `UPDATE event SET sum = 'x' WHERE ${at(4)}`, ['a', 'b', 'c'], 4],
    ['a missing event', `DELETE FROM event WHERE ${at(2)}`, ['a'], 2],
    ['a missing first event', `DELETE FROM event WHERE ${at(1)}`, [], 1],
    ['a missing last event', `DELETE FROM event WHERE ${at(4)}`, ['a', 'b', 'c'], 4],
    ['an end that is set back', `UPDATE stream SET revision = 3 WHERE ordinal = 1`, ['a', 'b', 'c', 'd'], 5],
    ['an end that is set forward', `UPDATE stream SET revision = 9 WHERE ordinal = 1`, ['a', 'b', 'c', 'd'], 5],
    ['a stream that has lost its name', `UPDATE stream SET stream_id = 'x' WHERE ordinal = 1`, [], undefined],
    ['a stream that is not listed', `DELETE FROM stream WHERE ordinal = 1`, [], undefined],
    ['an altered run', `UPDATE run SET run_id = 'run-7'`, [], undefined],
    ['an altered version', `PRAGMA user_version = 7`, [], undefined],
    ['a lost table', `DROP TABLE event`, [], undefined],
  ])('A-117 %s is noticed, and what comes before can be read', async (_what, sql, ids, revision) => {
    tamper(sql);
    expect(await prefix()).toEqual({ ids, code: 'CORRUPT_EVENT_STREAM', revision });
  });

  test('damage in one stream leaves the others whole', async () => {
    tamper(`UPDATE event SET body = 'x' WHERE ${at(1)}`);
    expect(await prefix()).toEqual({ ids: [], code: 'CORRUPT_EVENT_STREAM', revision: 1 });
    expect(await prefix(member)).toEqual({ ids: ['m'], code: 'whole', revision: undefined });
    // Good events after the damage can still be read by who asks for them.
    expect((await prefix(RUN, 2)).ids).toEqual(['c', 'd']);
  });

  test('nothing is appended after an end that was altered, and no empty stream is begun in its place', async () => {
    for (const sql of [`UPDATE stream SET sum = 'x' WHERE ordinal = 1`, `DELETE FROM stream WHERE ordinal = 1`]) {
      tamper(sql);
      const { eventStore } = open();
      for (const expected of [0, 4]) {
        expect(await codeOf(() => eventStore.append(RUN, expected, [event('z')]))).toBe('CORRUPT_EVENT_STREAM');
        expect(await codeOf(() => eventStore.preflightAppend(RUN, expected, [event('z')]))).toBe(
          'CORRUPT_EVENT_STREAM',
        );
      }
    }
  });

  test('A-113 a secret that is part of a stored checksum is refused', async () => {
    const db = new DatabaseSync(file);
    const sum = String(db.prepare(`SELECT sum FROM event WHERE ${at(1)}`).get()?.['sum']);
    db.close();
    rmSync(directory, { recursive: true });
    const { eventStore } = open([sum.slice(10, 30)]);
    expect(await codeOf(() => eventStore.append(RUN, 0, [event('a'), event('b'), event('c')]))).toBe('KNOWN_SECRET');
    expect(existsSync(directory)).toBe(false);
  });

  test.each([
    ['altered bytes', `UPDATE blob SET bytes = x'00'`, 'ARTIFACT_INTEGRITY'],
    ['lost bytes', 'DELETE FROM blob', 'ARTIFACT_NOT_FOUND'],
    ['an altered seal', `UPDATE admission SET seal = 'x'`, 'ARTIFACT_INTEGRITY'],
    ['an altered reference', `UPDATE admission SET reference = '{}'`, 'ARTIFACT_INTEGRITY'],
    ['an admission that was removed', 'DELETE FROM admission', 'ARTIFACT_NOT_ADMITTED'],
  ])('an artifact with %s is not given out', async (_what, sql, code) => {
    const input = { bytes: bytes('hello'), mediaType: 'text/plain', purpose: 'p', contentMode: 'exact' } as const;
    const reference = await open().artifactStore.write(SCOPE, input);
    tamper(sql);
    expect(await codeOf(() => open().artifactStore.read(SCOPE, reference))).toBe(code);
  });
});
