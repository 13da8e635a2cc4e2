// A process that was stopped in the middle of a write keeps the lock: it is named, nothing waits for it on this thread,
// and when it is ended or goes on, writing does too.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runFile } from '../../src/storage/sqlite/files.js';
import { findLockHolder } from '../../src/storage/sqlite/lock-holder.js';
import { createLocalRunStorage } from '../../src/storage/sqlite/storage.js';
import { event, NAMESPACE, policy, RUN } from '../contract/storage-fixture.js';
import { bundleStorageChild } from './storage-process.js';

let children: Awaited<ReturnType<typeof bundleStorageChild>>;
beforeAll(async () => {
  children = await bundleStorageChild();
});
afterAll(() => rmSync(children.folder, { recursive: true }));

async function locked(name: string) {
  const directory = join(children.folder, name);
  const { eventStore } = createLocalRunStorage({ directory, namespace: NAMESPACE, policy: policy() });
  await eventStore.append(RUN, 0, [event('a')]);
  const child = children.start('lock', directory);
  expect(await child.hear()).toBe('locked');
  return { directory, eventStore, child, file: runFile(directory, NAMESPACE, RUN.streamId) };
}

describe('a process that was stopped in the middle of a write', () => {
  test('MW-1 is reported by its id and program, while this thread goes on, and writing resumes when it is ended', async () => {
    const { eventStore, child, file } = await locked('ended');
    child.signal('SIGSTOP');
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const append = eventStore.append(RUN, 1, [event('b')]);
    await expect(append).rejects.toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
      message: expect.stringMatching(/process \d+ \(.*child\.mjs.*\) was stopped while it wrote/) as string,
      details: { isStopped: true },
    });
    delay.disable();
    const longest = delay.max / 1e6;
    console.log(`longest block of this thread while the store was locked: ${longest.toFixed(1)} ms`);
    // Five seconds were waited for the lock; a margin of ten over the longest slice of work.
    expect(longest).toBeLessThan(500);
    const holder = findLockHolder(file);
    expect(holder?.isStopped).toBe(true);
    process.kill(holder?.pid ?? 0, 'SIGKILL');
    expect(await child.end()).toBe('SIGKILL');
    expect(await eventStore.append(RUN, 1, [event('b')])).toBe(2);
  });

  test('lets writing go on when it goes on itself, and is named as running until then', async () => {
    const { eventStore, child, file } = await locked('resumed');
    expect(findLockHolder(file)).toMatchObject({ isStopped: false });
    const append = eventStore.append(RUN, 1, [event('b')]);
    child.tell();
    expect(await child.hear()).toBe('unlocked');
    expect(await append).toBe(2);
    expect(await child.end()).toBe(0);
    expect(findLockHolder(file)).toBeNull();
  });
});
