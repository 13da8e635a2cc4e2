// Single bytes that change on disk, anywhere in a run's files: a wrong value is never read.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { StorageError } from '../../src/storage/error.js';
import { readAnchor } from '../../src/storage/sqlite/anchor.js';
import { runFile } from '../../src/storage/sqlite/files.js';
import { createLocalRunStorage } from '../../src/storage/sqlite/storage.js';
import { NAMESPACE, policy, RUN } from '../contract/storage-fixture.js';
import { fuzzRuns, fuzzSeed } from '../support/fuzz.js';
import { bundleStorageChild } from './storage-process.js';

/** In the database and again in its log. */
const FLIPS = fuzzRuns(process.env['TEAMROOM_LONG'] === '1' ? 1_000 : 250);

let children: Awaited<ReturnType<typeof bundleStorageChild>>;
let original = '';
let truth: readonly string[] = [];

/** A run with some forty events, most of them in the write-ahead log: its writer was killed. */
beforeAll(async () => {
  children = await bundleStorageChild();
  const directory = join(children.folder, 'original');
  const child = children.start('append', directory);
  for (let revision = 0; revision < 40;) revision = Number(await child.hear());
  child.signal('SIGKILL');
  await child.end();
  original = runFile(directory, NAMESPACE, 'run-1');
  const copy = copyTo('whole');
  truth = (await read(copy)).lines;
  expect(truth.length).toBeGreaterThanOrEqual(40);
});
afterAll(() => rmSync(children.folder, { recursive: true }));

/** Copies the files. Safe here: no process has them open. */
function copyTo(name: string): string {
  const directory = join(children.folder, name);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory);
  for (const suffix of ['', '-wal', '.poke'])
    copyFileSync(original + suffix, join(directory, basename(original) + suffix));
  return directory;
}

async function read(directory: string): Promise<{ lines: string[]; code: string }> {
  const { eventStore } = createLocalRunStorage({ directory, namespace: NAMESPACE, policy: policy() });
  const lines: string[] = [];
  try {
    for await (const envelope of eventStore.read(RUN)) lines.push(JSON.stringify(envelope));
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return { lines, code: error.code };
  }
  return { lines, code: 'whole' };
}

/** The same numbers for the same seed: a failure can be repeated. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function flip(file: string, random: (below: number) => number): void {
  const content = readFileSync(file);
  const at = random(content.length);
  content[at] = (content[at] ?? 0) ^ (1 << random(8));
  writeFileSync(file, content);
}

test(`A-117 ${FLIPS} flipped bits in the database: what is read is a true prefix, and short only with an error`, async () => {
  const random = randomNumbers(fuzzSeed(117));
  const counts: Record<string, number> = {};
  const settled = copyTo('settled');
  const file = join(settled, basename(original));
  const db = new DatabaseSync(file);
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
  const whole = readFileSync(file);
  const directory = copyTo('flipped');
  const target = join(directory, basename(original));
  for (let round = 0; round < FLIPS; round += 1) {
    for (const suffix of ['-wal', '-shm', '-journal']) rmSync(target + suffix, { force: true });
    // Another file each time, so that no open connection still knows the one before.
    rmSync(target, { force: true });
    writeFileSync(target, whole);
    flip(target, random);
    const { lines, code } = await read(directory);
    expect(lines).toEqual(truth.slice(0, lines.length));
    if (code === 'whole') expect(lines).toHaveLength(truth.length);
    counts[code] = (counts[code] ?? 0) + 1;
  }
  console.log('database', counts);
  expect(counts['CORRUPT_EVENT_STREAM']).toBeGreaterThan(FLIPS / 10);
});

test(`A-117 ${FLIPS} flipped bits in the write-ahead log: what is read is a true prefix`, async () => {
  const random = randomNumbers(fuzzSeed(118));
  const counts: Record<string, number> = {};
  let events = 0;
  const acknowledged = readAnchor(original)?.revision ?? 0;
  expect(acknowledged).toBeGreaterThanOrEqual(40);
  for (let round = 0; round < FLIPS; round += 1) {
    const directory = copyTo('logged');
    flip(`${join(directory, basename(original))}-wal`, random);
    const { lines, code } = await read(directory);
    expect(lines).toEqual(truth.slice(0, lines.length));
    events += lines.length;
    // SQLite ends its log at the first frame that is not sound, as after a crash, and says nothing; the anchor does.
    const found = lines.length === truth.length ? code : `${code}, shorter`;
    counts[found] = (counts[found] ?? 0) + 1;
    if (lines.length < acknowledged) expect(code).toBe('CORRUPT_EVENT_STREAM');
  }
  console.log('log', counts, `${events} events read, ${acknowledged} of ${truth.length} acknowledged`);
  expect(events).toBeGreaterThan(FLIPS);
  expect(counts['CORRUPT_EVENT_STREAM, shorter']).toBeGreaterThan(FLIPS / 2);
});
