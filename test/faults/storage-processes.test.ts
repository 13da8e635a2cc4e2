// Storage used by several processes, and by processes that die.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLocalRunStorage } from '../../src/storage/sqlite/storage.js';
import { collect, event, eventIds, NAMESPACE, policy, RUN } from '../contract/storage-fixture.js';
import { bundleStorageChild, StorageProcess } from './storage-process.js';

const isLong = process.env['TEAMROOM_LONG'] === '1';
/** At each point. */
const KILLS = isLong ? 40 : 20;
const RANDOM_KILLS = isLong ? 200 : 20;

let children: Awaited<ReturnType<typeof bundleStorageChild>>;
let places = 0;
beforeAll(async () => {
  children = await bundleStorageChild();
});
afterAll(() => rmSync(children.folder, { recursive: true }));

const makePlace = () => join(children.folder, `place-${(places += 1)}`);
const open = (directory: string) => createLocalRunStorage({ directory, namespace: NAMESPACE, policy: policy() });

describe('two processes', () => {
  test('A-106 of two appends at revision 0 one wins, the other is told so', async () => {
    for (let round = 0; round < 15; round += 1) {
      const directory = makePlace();
      const racers = ['a', 'b'].map((name) => children.start('race', directory, name));
      for (const racer of racers) expect(await racer.hear()).toBe('ready');
      for (const racer of racers) racer.tell();
      const ends = await Promise.all(racers.map((racer) => racer.hear()));
      expect(ends).toContainEqual({ won: 1 });
      expect(ends).toContainEqual({ code: 'REVISION_CONFLICT', details: { expectedRevision: 0, actualRevision: 1 } });
      expect(await Promise.all(racers.map((racer) => racer.end()))).toEqual([0, 0]);
      expect(await collect(open(directory).eventStore)).toHaveLength(1);
    }
  });

  test('MW-1 writers that compete for one stream lose no event and tear none', async () => {
    const directory = makePlace();
    const writers = ['a', 'b', 'c'].map((name) => children.start('compete', directory, name));
    for (const writer of writers) expect(await writer.hear()).toBe('ready');
    for (const writer of writers) writer.tell();
    for (const writer of writers) expect(await writer.hear()).toBe('done');
    const ids = await eventIds(open(directory).eventStore);
    expect(ids).toHaveLength(150);
    for (const name of ['a', 'b', 'c']) {
      expect(ids.filter((id) => id.startsWith(`${name}-`))).toEqual(
        Array.from({ length: 50 }, (_, i) => `${name}-${i}`),
      );
    }
  });

  test('who reads and lists while others make runs and streams sees each whole or not at all', async () => {
    const directory = makePlace();
    const { eventStore, runs } = open(directory);
    const child = children.start('spread', directory);
    const work = { over: false };
    const said = child.hear().finally(() => (work.over = true));
    let looks = 0;
    while (!work.over) {
      for (let run = 1; run <= 10; run += 1) {
        const ids = await eventIds(eventStore, { ...RUN, streamId: `run-${run}.m.${1 + (looks % 10)}` });
        expect([0, 1]).toContain(ids.length);
      }
      expect(await runs.listDamaged()).toEqual([]);
      looks += 1;
      // Lets the child's line in.
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await said).toBe('done');
    expect(looks).toBeGreaterThan(1);
    expect(await runs.list()).toHaveLength(10);
    expect(await child.end()).toBe(0);
  });

  test('a watcher is told of a commit by another process, and can read it then', async () => {
    const directory = makePlace();
    const { eventStore, runs } = open(directory);
    await eventStore.append({ ...RUN, streamId: 'other' }, 0, [event('x')]);
    const told = Promise.withResolvers<null>();
    using _watching = runs.watch('run-1', () => told.resolve(null));
    const child = children.start('race', directory, 'theirs');
    expect(await child.hear()).toBe('ready');
    child.tell();
    await told.promise;
    expect(await eventIds(eventStore)).toEqual(['theirs']);
    await child.end();
  });

  test('a hold is seen by other processes, survives a stopped holder, and is free at once after kill -9', async () => {
    const directory = makePlace();
    const { runs } = open(directory);
    const holder = children.start('hold', directory);
    expect(await holder.hear()).toBe('held');
    expect(runs.isHeld('run-1')).toBe(true);
    expect(runs.tryHold('run-1')).toBeNull();
    const second = children.start('hold', directory);
    expect(await second.hear()).toBe('refused');
    holder.signal('SIGSTOP');
    expect(runs.tryHold('run-1')).toBeNull();
    holder.signal('SIGKILL');
    expect(await holder.end()).toBe('SIGKILL');
    expect(runs.isHeld('run-1')).toBe(false);
    using mine = runs.tryHold('run-1');
    expect(mine).not.toBeNull();
    second.signal('SIGKILL');
    await second.end();
  });

  test('a hold is not disturbed by many looks at it, and a release is seen', async () => {
    const directory = makePlace();
    const { runs } = open(directory);
    const holder = children.start('hold', directory);
    expect(await holder.hear()).toBe('held');
    for (let look = 0; look < 200; look += 1) expect(runs.isHeld('run-1')).toBe(true);
    expect(runs.tryHold('run-1')).toBeNull();
    holder.tell();
    expect(await holder.hear()).toBe('released');
    expect(runs.isHeld('run-1')).toBe(false);
    holder.tell();
    expect(await holder.end()).toBe(0);
  });
});

describe('a process that dies', () => {
  test('ST-1 kill -9 in the middle of appends, 20 times: nothing acknowledged is lost, nothing torn is read', async () => {
    const directory = makePlace();
    let acknowledged = 0;
    for (let round = 0; round < 20; round += 1) {
      const child = children.start('append', directory, `r${round}`);
      for (let heard = 0; heard < 3 + round; heard += 1) acknowledged = Number(await child.hear());
      child.signal('SIGKILL');
      for (const said of await child.hearAll()) acknowledged = Number(said);
      expect(await child.end()).toBe('SIGKILL');
      const stored = await collect(open(directory).eventStore);
      // One append may have been committed without its reply.
      expect(stored.length).toBeGreaterThanOrEqual(acknowledged);
      expect(stored.length).toBeLessThanOrEqual(acknowledged + 3);
      expect(stored.map(({ revision }) => revision)).toEqual(stored.map((_, index) => index + 1));
    }
    expect(acknowledged).toBeGreaterThan(20 * 3);
  });

  test.each(['before the write', 'after the write', 'after the commit', 'before the reply', 'between the two streams'])(
    `ST-1 ST-2 kill -9 %s, ${KILLS} times: both streams hold what was acknowledged, whole appends only`,
    async (point) => {
      const directory = makePlace();
      const member = { ...RUN, streamId: 'run-1.m.1' };
      let unacknowledged = 0;
      for (let round = 0; round < KILLS; round += 1) {
        const child = children.start('dieAt', directory, point);
        const said = (await child.hearAll()) as [number, number][];
        expect(await child.end()).toBe('SIGKILL');
        const [main = -1, steps = -1] = said.at(-1) ?? [];
        const { eventStore } = open(directory);
        const stored = await collect(eventStore);
        const extra = stored.length - main;
        expect([0, 2]).toContain(extra);
        if (point === 'after the commit' || point === 'before the reply') expect(extra).toBe(2);
        else expect(extra).toBe(0);
        unacknowledged += extra;
        expect(await collect(eventStore, member)).toHaveLength(steps);
        // Appends of two come in pairs: none is torn.
        expect(stored.map(({ eventId }) => eventId.slice(0, 2))).toEqual(
          stored.map((_, i) => (i % 2 === 0 ? 'a-' : 'b-')),
        );
      }
      console.log(`${point}: ${KILLS} kills, ${unacknowledged} events committed without a reply, none lost`);
    },
  );

  test(`ST-1 MW-1 ${RANDOM_KILLS} kills at random with two writers of one conversation: nothing acknowledged is lost`, async () => {
    const directory = makePlace();
    const acknowledged = new Set<string>();
    const hear = async (child: StorageProcess, count: number): Promise<void> => {
      for (let heard = 0; heard < count; heard += 1) acknowledged.add(String(await child.hear()));
    };
    let survivor = children.start('contend', directory, 'w0');
    for (let round = 1; round <= RANDOM_KILLS; round += 1) {
      const other = children.start('contend', directory, `w${round}`);
      await Promise.all([hear(survivor, 1 + (round % 5)), hear(other, 1)]);
      survivor.signal('SIGKILL');
      for (const said of await survivor.hearAll()) acknowledged.add(String(said));
      await survivor.end();
      survivor = other;
    }
    survivor.signal('SIGKILL');
    for (const said of await survivor.hearAll()) acknowledged.add(String(said));
    await survivor.end();
    const stored = await collect(open(directory).eventStore);
    expect(stored.map(({ revision }) => revision)).toEqual(stored.map((_, index) => index + 1));
    const ids = new Set(stored.map(({ eventId }) => eventId));
    expect([...acknowledged].filter((id) => !ids.has(id))).toEqual([]);
    expect(stored.length - acknowledged.size).toBeLessThanOrEqual(RANDOM_KILLS + 1);
    expect((await open(directory).runs.verify('run-1')).isWhole).toBe(true);
    console.log(`${RANDOM_KILLS} kills: ${acknowledged.size} acknowledged, ${stored.length} stored`);
  }, 300_000);

  test('a process with open storage, a watcher and a hold ends by itself', async () => {
    const directory = makePlace();
    const child = children.start('leave', directory);
    const said = await child.hearAll();
    expect(said).toContain('left');
    expect(await child.end()).toBe(0);
    expect(await eventIds(open(directory).eventStore)).toEqual(['a']);
    expect(open(directory).runs.isHeld('run-1')).toBe(false);
  });

  test('storage that is deleted while open reads as empty and harms nobody', async () => {
    const directory = makePlace();
    const child = children.start('remove', directory);
    expect(await child.hearAll()).toEqual([0, 'alive']);
    expect(await child.end()).toBe(0);
    expect(existsSync(directory)).toBe(false);
  });
});

describe('a full disk', () => {
  const inside = (mount: string, command: readonly string[]) => [
    'unshare',
    '-rm',
    'sh',
    '-c',
    'mount -t tmpfs -o size=2m tmpfs "$0" && exec "$@"',
    mount,
    ...command,
  ];
  const canMount = spawnSync('unshare', ['-rm', 'true']).status === 0;

  test.runIf(canMount)(
    'ST-5 the message names the cause, nothing acknowledged is lost, and writing goes on when there is room',
    async () => {
      const mount = makePlace();
      mkdirSync(mount);
      const child = new StorageProcess(inside(mount, children.command('fill', join(mount, 'store'))));
      const full = (await child.hear()) as { revision: number };
      expect(full).toMatchObject({ code: 'STORAGE_UNAVAILABLE', reason: 'disk-full' });
      expect(full).toHaveProperty('message', expect.stringContaining('disk is full'));
      expect(full.revision).toBeGreaterThan(20);
      expect(await child.hear()).toEqual({ readable: full.revision });
      expect(await child.hear()).toEqual({ revision: full.revision + 1, readable: full.revision + 1 });
      expect(await child.end()).toBe(0);
    },
  );

  test('ST-5 a file that may not grow is named, and what was acknowledged is there', async () => {
    const directory = makePlace();
    const limited = ['sh', '-c', 'ulimit -f 1000; exec "$@"', 'sh', ...children.command('outgrow', directory)];
    const child = new StorageProcess(limited);
    const refused = (await child.hear()) as { revision: number };
    expect(refused).toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    expect(refused).toHaveProperty('message', expect.stringContaining('writing failed'));
    expect(await child.end()).toBe(0);
    expect(refused.revision).toBeGreaterThan(20);
    expect(await collect(open(directory).eventStore)).toHaveLength(refused.revision);
  });
});
