// Runs that are removed or built by processes that die on the way.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLocalRunStorage } from '../../src/storage/sqlite/storage.js';
import { collect, event, NAMESPACE, policy, RUN } from '../contract/storage-fixture.js';
import { bundleStorageChild } from './storage-process.js';

let children: Awaited<ReturnType<typeof bundleStorageChild>>;
let places = 0;
beforeAll(async () => {
  children = await bundleStorageChild();
});
afterAll(() => rmSync(children.folder, { recursive: true }));

const makePlace = () => join(children.folder, `place-${(places += 1)}`);
const open = (directory: string) => createLocalRunStorage({ directory, namespace: NAMESPACE, policy: policy() });
const others = (directory: string) => readdirSync(directory).filter((name) => !name.endsWith('-index.json'));

describe('a removal', () => {
  // Six companions, then the database itself.
  test.each([1, 2, 3, 4, 5, 6, 7])('that is killed before it unlinks file %i has removed the run', async (point) => {
    const directory = makePlace();
    const child = children.start('dieRemoving', directory, String(point));
    expect(await child.hearAll()).toEqual([]);
    expect(await child.end()).toBe('SIGKILL');
    expect(others(directory).some((name) => name.endsWith('.removed'))).toBe(true);

    const { runs, eventStore } = open(directory);
    expect(await collect(eventStore)).toEqual([]);
    expect(await runs.list()).toEqual([]);
    expect(await runs.listDamaged()).toEqual([]);
    expect(others(directory)).toEqual([]);
  });

  test.each([1, 2, 7])('that is killed at file %i leaves nothing to a new run of the same id', async (point) => {
    const directory = makePlace();
    await children.start('dieRemoving', directory, String(point)).end();
    const { runs, eventStore } = open(directory);
    await eventStore.append(RUN, 0, [event('new')]);
    expect(await collect(eventStore)).toMatchObject([{ eventId: 'new' }]);
    expect(await runs.verify('run-1')).toMatchObject({ isWhole: true });
    expect(others(directory).some((name) => name.endsWith('.removed'))).toBe(false);
  });

  test('is refused while another process runs the run', async () => {
    const directory = makePlace();
    const { runs, eventStore } = open(directory);
    await eventStore.append(RUN, 0, [event('a')]);
    const child = children.start('hold', directory);
    expect(await child.hear()).toBe('held');
    await expect(runs.remove('run-1')).rejects.toMatchObject({ code: 'RUN_HELD' });
    expect(await collect(eventStore)).toHaveLength(1);
    child.tell();
    expect(await child.hear()).toBe('released');
    expect(await runs.remove('run-1')).toBe(true);
    child.tell();
    expect(await child.end()).toBe(0);
  });
});

test('a building that is killed on the way has made no run', async () => {
  const directory = makePlace();
  const child = children.start('dieBuilding', directory);
  expect(await child.hear()).toBe('two appends');
  expect(await child.end()).toBe('SIGKILL');
  const { runs, eventStore } = open(directory);
  expect(await runs.list()).toEqual([]);
  expect(await runs.listDamaged()).toEqual([]);
  expect(await collect(eventStore)).toEqual([]);
  await runs.build('run-1', async (events) => {
    await events.append(RUN, 0, [event('a')]);
  });
  expect(await collect(eventStore)).toHaveLength(1);
});
