// A run as a text file and back, what can be saved of a damaged one, and what a verification finds: all in a worker.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { ArtifactInput, NewDomainEvent } from '../../src/storage/port.js';
import { runFile } from '../../src/storage/sqlite/files.js';
import { importRunHere } from '../../src/storage/sqlite/import-run.js';
import { createLocalRunStorage } from '../../src/storage/sqlite/storage.js';
import { exportRun, importRun, salvageRun } from '../../src/storage/sqlite/transfer.js';
import { exportRunHere } from '../../src/storage/sqlite/transfer-tasks.js';
import { bytes, codeOf, collect, event, NAMESPACE, policy, refusal, RUN, SCOPE } from '../contract/storage-fixture.js';

const root = mkdtempSync(join(tmpdir(), 'teamroom-transfer-'));
afterAll(() => rmSync(root, { recursive: true }));
let places = 0;
let directory = '';
let text = '';
beforeEach(() => {
  directory = join(root, `place-${(places += 1)}`);
  text = join(root, `export-${places}.jsonl`);
});

const member = { ...RUN, streamId: 'run-1.m.1' };
const place = () => ({ directory, namespace: NAMESPACE, runId: 'run-1' });
const open = (where = directory, knownSecrets: readonly string[] = []) =>
  createLocalRunStorage({ directory: where, namespace: NAMESPACE, policy: policy(), knownSecrets });
const artifact = (content: string, purpose = 'p'): ArtifactInput => ({
  bytes: bytes(content),
  mediaType: 'text/plain',
  purpose,
  contentMode: 'exact',
});

async function fill() {
  const { eventStore, artifactStore } = open();
  await eventStore.append(RUN, 0, [event('a', { text: 'Zeile\u2028zwei', b: [1, -0], __proto__: null }), event('b')]);
  await eventStore.append(member, 0, [event('m')]);
  await eventStore.append(RUN, 2, [event('c')]);
  const reference = await artifactStore.write(SCOPE, artifact('hello'));
  await artifactStore.write(SCOPE, artifact('hello', 'again'));
  await artifactStore.write({ ...SCOPE, runId: 'run-1.m.1' }, artifact('of a member'));
  return reference;
}

function tamper(sql: string): void {
  const db = new DatabaseSync(runFile(directory, NAMESPACE, 'run-1'));
  db.exec(sql);
  db.close();
}

const at = (revision: number) => `position = ${2 ** 40 + revision}`;

describe('export and import', () => {
  test('a run comes back with its streams, retries and artifacts, and its next export is the same byte for byte', async () => {
    const reference = await fill();
    expect(await exportRun(place(), text)).toBe(4);
    const other = `${directory}-other`;
    expect(await importRun(text, { directory: other, namespace: NAMESPACE, policy: policy() })).toBe('run-1');
    const there = open(other);
    expect(await collect(there.eventStore)).toEqual(await collect(open().eventStore));
    expect(await collect(there.eventStore, member)).toEqual(await collect(open().eventStore, member));
    expect(Buffer.from(await there.artifactStore.read(SCOPE, reference)).toString()).toBe('hello');
    await exportRun({ ...place(), directory: other }, `${text}.again`);
    expect(readFileSync(`${text}.again`, 'utf8')).toBe(readFileSync(text, 'utf8'));
    // An append that was acknowledged before the export is still recognised.
    expect(await there.eventStore.append(RUN, 2, [event('c')])).toBe(3);
    expect(await there.eventStore.append(RUN, 3, [event('d')])).toBe(4);
    expect((await there.runs.verify('run-1')).isWhole).toBe(true);
    expect((await there.runs.list()).map(({ runId }) => runId)).toEqual(['run-1']);
  });

  test('any run: export, import and export again is the same text', async () => {
    const events = fc.array(
      fc.record({
        member: fc.nat(3),
        size: fc.integer({ min: 1, max: 4 }),
        payload: fc.jsonValue({ depthSize: 'small' }),
      }),
      { maxLength: 12 },
    );
    let rounds = 0;
    await fc.assert(
      fc.asyncProperty(
        events,
        fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 3 }),
        async (appends, contents) => {
          rounds += 1;
          const [from, to] = [join(directory, `from-${rounds}`), join(directory, `to-${rounds}`)];
          const { eventStore, artifactStore } = open(from);
          await eventStore.append(RUN, 0, [event('first')]);
          for (const { member: ordinal, size, payload } of appends) {
            const stream = ordinal === 0 ? RUN : { ...RUN, streamId: `run-1.m.${ordinal}` };
            const head = await eventStore.head(stream);
            const json = JSON.parse(JSON.stringify(payload)) as NewDomainEvent['payload'];
            const batch = Array.from({ length: size }, (_, index) => event(`e${head + index}`, json));
            await eventStore.append(stream, head, batch);
          }
          for (const content of contents) await artifactStore.write(SCOPE, artifact(content));
          const [one, two] = [join(directory, `${rounds}.jsonl`), join(directory, `${rounds}-again.jsonl`)];
          exportRunHere({ ...place(), directory: from }, one);
          importRunHere(one, to, { namespace: NAMESPACE, limits: policy(), knownSecrets: [] });
          exportRunHere({ ...place(), directory: to }, two);
          expect(readFileSync(two).equals(readFileSync(one))).toBe(true);
        },
      ),
      { numRuns: 25 },
    );
  });

  test('an import never touches a run that exists, and an export no file that exists', async () => {
    await fill();
    await exportRun(place(), text);
    const before = await collect(open().eventStore);
    const options = { directory, namespace: NAMESPACE, policy: policy() };
    expect(await codeOf(() => importRun(text, options))).toBe('REVISION_CONFLICT');
    expect(await collect(open().eventStore)).toEqual(before);
    const written = readFileSync(text, 'utf8');
    expect(await codeOf(() => exportRun(place(), text))).toBe('STORAGE_UNAVAILABLE');
    expect(readFileSync(text, 'utf8')).toBe(written);
    expect(readdirSync(directory).filter((name) => name.includes('tmp'))).toEqual([]);
  });

  const lines = (change: (lines: string[]) => string[]) => (whole: string) =>
    change(whole.trimEnd().split('\n')).join('\n') + '\n';
  test.each([
    ['cut short', (whole: string) => whole.slice(0, -30)],
    ['without its end', lines((all) => all.slice(0, -1))],
    ['without one event', lines((all) => all.filter((_, index) => index !== 2))],
    ['with two events swapped', lines(([head = '', one = '', two = '', ...rest]) => [head, two, one, ...rest])],
    ['with a changed text', (whole: string) => whole.replace('"b"', '"B"')],
    ['that is empty', () => ''],
    ['of a later format', (whole: string) => whole.replace('"version":1', '"version":2')],
  ])('a file %s is refused, and no run is made', async (_what, change) => {
    await fill();
    await exportRun(place(), text);
    const altered = change(readFileSync(text, 'utf8'));
    writeFileSync(text, altered);
    const other = `${directory}-other`;
    const importing = () => importRun(text, { directory: other, namespace: NAMESPACE, policy: policy() });
    expect(await codeOf(importing)).toBe('CORRUPT_EVENT_STREAM');
    expect(existsSync(other) ? readdirSync(other) : []).toEqual([]);
  });

  test('what may not be appended may not be imported: secrets, other limits, another namespace', async () => {
    await fill();
    await exportRun(place(), text);
    const options = { directory: `${directory}-other`, namespace: NAMESPACE, policy: policy() };
    expect(await codeOf(() => importRun(text, { ...options, knownSecrets: ['Zeile'] }))).toBe('KNOWN_SECRET');
    expect(await codeOf(() => importRun(text, { ...options, knownSecrets: ['hello'] }))).toBe('KNOWN_SECRET');
    expect(await codeOf(() => importRun(text, { ...options, namespace: 'other' }))).toBe('INVALID_STORED_VALUE');
    const lower = policy({ maxEventPayloadBytes: 100 });
    expect(await codeOf(() => importRun(text, { ...options, policy: lower }))).toBe('INVALID_STORED_VALUE');
    expect(existsSync(options.directory) ? readdirSync(options.directory) : []).toEqual([]);
  });
});

describe('a damaged run', () => {
  test('ST-4 one bad row: the good prefix is read, and every later row is listed with what is known of it', async () => {
    await fill();
    await open().eventStore.append(RUN, 3, [event('d'), event('e')]);
    tamper(`UPDATE event SET body = replace(body, 'text', 'next') WHERE ${at(2)}; DELETE FROM event WHERE ${at(4)}`);
    expect(await refusal(() => exportRun(place(), text))).toMatchObject({
      code: 'CORRUPT_EVENT_STREAM',
      details: { streamId: 'run-1', revision: 2 },
    });
    expect(existsSync(text)).toBe(false);
    expect(await salvageRun(place(), text)).toEqual({ good: 2, altered: 1, linked: 1, alone: 1 });
    const rows = readFileSync(text, 'utf8').trimEnd().split('\n').slice(0, -1);
    const listed = rows.map(
      (row) => JSON.parse(row) as { streamId: string; revision: number; state: string; body: string },
    );
    expect(listed.map(({ streamId, revision, state }) => [streamId, revision, state])).toEqual([
      ['run-1', 1, 'good'],
      ['run-1', 2, 'altered'],
      ['run-1', 3, 'linked'],
      ['run-1', 5, 'alone'],
      ['run-1.m.1', 1, 'good'],
    ]);
    expect(JSON.parse(listed[2]?.body ?? '')).toMatchObject({ eventId: 'c' });
  });

  test('ST-4 a broken page in the middle hides only the rows on it', async () => {
    const { eventStore } = open();
    for (let revision = 0; revision < 200; revision += 10) {
      const batch = Array.from({ length: 10 }, (_, index) => event(`e${revision + index}`, 'x'.repeat(500)));
      await eventStore.append(RUN, revision, batch);
    }
    tamper('PRAGMA wal_checkpoint(TRUNCATE)');
    const file = runFile(directory, NAMESPACE, 'run-1');
    const content = readFileSync(file);
    const page = Math.floor(content.indexOf('"e100"') / 4096) * 4096;
    const other = `${directory}-broken`;
    open(other).runs.tryHold('run-1')?.[Symbol.dispose]();
    content.fill(0xff, page, page + 100);
    directory = other;
    writeFileSync(runFile(other, NAMESPACE, 'run-1'), content);
    const counts = await salvageRun(place(), text);
    expect(counts).toMatchObject({ alone: 1 });
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    expect(total).toBeGreaterThan(185);
    expect(total).toBeLessThan(200);
    expect(counts['good']).toBeGreaterThan(80);
    expect(counts['linked']).toBeGreaterThan(70);
  });

  test('a verification names each damaged stream and artifact, and finds the others whole', async () => {
    const reference = await fill();
    const whole = await open().runs.verify('run-1');
    expect(whole).toEqual({
      runId: 'run-1',
      streams: [
        { streamId: 'run-1', goodEvents: 3, problem: null },
        { streamId: 'run-1.m.1', goodEvents: 1, problem: null },
      ],
      damagedArtifacts: [],
      problem: null,
      isWhole: true,
    });
    tamper(`UPDATE event SET sum = 'x' WHERE ${at(2)}; UPDATE blob SET bytes = x'00' WHERE run_id = 'run-1'`);
    expect(await open().runs.verify('run-1')).toMatchObject({
      streams: [
        { goodEvents: 1, problem: expect.stringContaining('from revision 2 on') as string },
        { goodEvents: 1, problem: null },
      ],
      damagedArtifacts: [reference.digest],
      isWhole: false,
    });
    tamper('PRAGMA user_version = 9');
    expect(await open().runs.verify('run-1')).toMatchObject({ streams: [], isWhole: false });
  });

  test('ST-6 a copy goes to quarantine once, byte for byte, and the original stays', async () => {
    await fill();
    const file = runFile(directory, NAMESPACE, 'run-1');
    tamper(`UPDATE event SET sum = 'x' WHERE ${at(2)}; PRAGMA wal_checkpoint(TRUNCATE)`);
    const before = readFileSync(file);
    const folder = await open().runs.quarantine('run-1');
    expect(folder).not.toBeNull();
    const copied = join(folder ?? '', file.slice(directory.length + 1));
    expect(readFileSync(copied).equals(before)).toBe(true);
    writeFileSync(copied, 'looked into');
    expect(await open().runs.quarantine('run-1')).toBe(folder);
    expect(readFileSync(copied, 'utf8')).toBe('looked into');
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(await open().runs.quarantine('run-9')).toBeNull();
    expect((await open().runs.list()).map(({ runId }) => runId)).toEqual(['run-1']);
  });
});

test('neither verifying nor exporting a long run blocks the calling thread', async () => {
  const { eventStore, runs } = open();
  for (let revision = 0; revision < 20_000; revision += 200) {
    const batch = Array.from({ length: 200 }, (_, index) => event(`e${revision + index}`, 'x'.repeat(300)));
    await eventStore.append(RUN, revision, batch);
  }
  let longest = 0;
  let over = false;
  // Processor time of this thread: what others take of a busy machine is no block of ours.
  let last = process.threadCpuUsage();
  const tick = (): void => {
    const { user, system } = process.threadCpuUsage(last);
    longest = Math.max(longest, (user + system) / 1000);
    last = process.threadCpuUsage();
    if (!over) setImmediate(tick);
  };
  setImmediate(tick);
  await Promise.all([runs.verify('run-1'), exportRun(place(), text)]);
  expect(await collect(eventStore)).toHaveLength(20_000);
  over = true;
  console.log(`longest block ${longest.toFixed(1)} ms`);
  // A tenth of what people notice is 10 ms; the margin is for a busy machine.
  expect(longest).toBeLessThan(100);
});
