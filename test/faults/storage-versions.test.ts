// Databases of every format version that was ever written open, say the same, and can be written to.
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { runFile } from '../../src/storage/sqlite/files.js';
import { formatOf, migrate, MIGRATIONS, SCHEMA_VERSION } from '../../src/storage/sqlite/migrations.js';
import { createLocalRunStorage } from '../../src/storage/sqlite/storage.js';
import { exportRunHere } from '../../src/storage/sqlite/transfer-tasks.js';
import { event, eventIds, NAMESPACE, policy, RUN } from '../contract/storage-fixture.js';
import { NEXT } from './storage-formats.js';
import { bundleStorageChild } from './storage-process.js';

const root = mkdtempSync(join(tmpdir(), 'teamroom-versions-'));
afterAll(() => rmSync(root, { recursive: true }));
const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/storage/${name}`, import.meta.url));
const versions = Array.from({ length: SCHEMA_VERSION }, (_, index) => index + 1);

describe.each(versions)('format %i', (version) => {
  test('its fixture opens, exports the text that was exported then, and takes an append', async () => {
    const directory = join(root, `format-${version}`);
    const storage = createLocalRunStorage({ directory, namespace: NAMESPACE, policy: policy() });
    // Makes the folder with its modes.
    storage.runs.tryHold('run-1')?.[Symbol.dispose]();
    const file = runFile(directory, NAMESPACE, 'run-1');
    copyFileSync(fixture(`v${version}.db`), file);
    expect(await eventIds(storage.eventStore)).toEqual(['a', 'b', 'c']);
    exportRunHere({ directory, namespace: NAMESPACE, runId: 'run-1' }, join(directory, 'export.jsonl'));
    const exported = readFileSync(join(directory, 'export.jsonl'), 'utf8');
    expect(exported).toBe(readFileSync(fixture(`v${version}.jsonl`), 'utf8'));
    expect(await storage.eventStore.append(RUN, 3, [event('d')])).toBe(4);
    expect((await storage.runs.verify('run-1')).isWhole).toBe(true);
    const db = new DatabaseSync(file);
    expect(formatOf(db)).toBe(SCHEMA_VERSION);
    db.close();
  });
});

describe('migrations', () => {
  const next = NEXT.slice(0, -1);

  test('bring a file from each version to the newest, keep what is in it, and are noted once', () => {
    const file = join(root, 'migrated.db');
    copyFileSync(fixture('v1.db'), file);
    const db = new DatabaseSync(file);
    migrate(db, next);
    migrate(db, next);
    expect(formatOf(db)).toBe(next.length);
    expect(
      db
        .prepare('SELECT version FROM migration ORDER BY version')
        .all()
        .map(({ version }) => version),
    ).toEqual(next.map((_, index) => index + 1));
    expect(db.prepare('SELECT colour FROM run').get()?.['colour']).toBe('run-1');
    expect(db.prepare('SELECT count(*) AS events FROM event').get()?.['events']).toBe(4);
    db.close();
  });

  test('of which one fails leave the file as it was', () => {
    const file = join(root, 'failed.db');
    copyFileSync(fixture('v1.db'), file);
    const db = new DatabaseSync(file);
    db.exec('BEGIN IMMEDIATE');
    expect(() => migrate(db, [...next, 'CREATE TABLE run(x)'])).toThrow('already exists');
    db.exec('ROLLBACK');
    db.close();
    const again = new DatabaseSync(file);
    expect(formatOf(again)).toBe(1);
    expect(again.prepare('SELECT max(version) AS version FROM migration').get()?.['version']).toBe(1);
    again.close();
  });

  test('leave a newer file, and one whose version was altered, alone', () => {
    const file = join(root, 'altered.db');
    copyFileSync(fixture('v1.db'), file);
    const db = new DatabaseSync(file);
    migrate(db, next);
    migrate(db, MIGRATIONS);
    expect(formatOf(db)).toBe(next.length);
    db.exec('PRAGMA user_version=1');
    migrate(db, next);
    expect(formatOf(db)).toBe(1);
    db.close();
  });

  test.each(['between two steps', 'before the commit', 'after the commit'])(
    'whose process is killed %s lose nothing, and are done again',
    async (point) => {
      const children = await bundleStorageChild();
      onTestFinished(() => rmSync(children.folder, { recursive: true }));
      const directory = join(children.folder, 'runs');
      const storage = createLocalRunStorage({ directory, namespace: NAMESPACE, policy: policy() });
      storage.runs.tryHold('run-1')?.[Symbol.dispose]();
      const file = runFile(directory, NAMESPACE, 'run-1');
      copyFileSync(fixture('v1.db'), file);
      const child = children.start('migrate', directory, point);
      const [reached] = await child.hearAll();
      expect(await child.end()).toBe('SIGKILL');
      expect(reached).toBe(point === 'between two steps' ? NEXT.length - 1 : NEXT.length);
      if (point !== 'after the commit') {
        // Pages of the later format are in the log, and count for nothing.
        expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
        expect(await eventIds(storage.eventStore)).toEqual(['a', 'b', 'c']);
        expect((await storage.runs.verify('run-1')).isWhole).toBe(true);
      }
      const db = new DatabaseSync(file);
      const stored = (): unknown[] => db.prepare('SELECT body, sum FROM event ORDER BY position').all();
      const before = stored();
      expect(formatOf(db)).toBe(point === 'after the commit' ? NEXT.length : SCHEMA_VERSION);
      migrate(db, NEXT);
      expect(formatOf(db)).toBe(NEXT.length);
      expect(db.prepare('PRAGMA integrity_check').get()?.['integrity_check']).toBe('ok');
      expect(stored()).toEqual(before);
      expect(before).toHaveLength(4);
      db.close();
    },
  );

  test('every version has its fixture', () => {
    expect(versions.filter((version) => !existsSync(fixture(`v${version}.db`)))).toEqual([]);
  });
});
