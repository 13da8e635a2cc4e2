// Connections to run files do not stay open: a list of hundreds of conversations must not use up a process's files.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runFile } from '../../src/storage/sqlite/files.js';
import { createLocalRunStorage } from '../../src/storage/sqlite/storage.js';
import { event, NAMESPACE, policy, RUN } from './storage-fixture.js';

test('a connection closes after one to two seconds without use, and not while it is used', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const directory = mkdtempSync(join(tmpdir(), 'teamroom-idle-'));
  onTestFinished(() => {
    vi.useRealTimers();
    rmSync(directory, { recursive: true });
  });
  const { eventStore } = createLocalRunStorage({ directory, namespace: NAMESPACE, policy: policy() });
  // SQLite removes its log when the last connection closes.
  const isOpen = (): boolean => existsSync(`${runFile(directory, NAMESPACE, RUN.streamId)}-wal`);
  await eventStore.append(RUN, 0, [event('a')]);
  vi.advanceTimersByTime(1_000);
  expect(isOpen()).toBe(true);
  await eventStore.append(RUN, 1, [event('b')]);
  vi.advanceTimersByTime(1_000);
  expect(isOpen()).toBe(true);
  vi.advanceTimersByTime(1_000);
  expect(isOpen()).toBe(false);
  expect(await eventStore.append(RUN, 2, [event('c')])).toBe(3);
});
