// A runner that is stopped by a signal, not dead: it holds its lock and answers nobody, until it wakes.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Conversation } from '../../src/runtime/conversation.js';
import { createLocalRunStorage } from '../../src/storage/sqlite/storage.js';
import { HandClock } from '../support/hand-clock.js';
import { HandEngine, host, LIVE_POLICY, post, said, settled } from '../support/live-team.js';
import { StorageProcess } from './storage-process.js';

let base: string;
beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'teamroom-runner-'));
  await build({
    entryPoints: [fileURLToPath(new URL('runner-child.ts', import.meta.url))],
    outfile: join(base, 'child.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    mainFields: ['module', 'main'],
    logLevel: 'error',
  });
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

test('MW-1 A runner under SIGSTOP is overruled, and when it wakes it can append nothing and lets go', async () => {
  const directory = join(base, 'storage');
  const child = new StorageProcess([process.execPath, join(base, 'child.mjs'), directory]);
  const runId = (await child.hear()) as string;
  child.signal('SIGSTOP');

  const storage = createLocalRunStorage({ directory, namespace: 'live', policy: LIVE_POLICY });
  const engine = new HandEngine();
  const clock = new HandClock();
  const conversation = await Conversation.open({ ...host(storage, engine), clock }, runId);
  expect(conversation.runnerPlace()).toBe('elsewhere');
  const taking = conversation.takeOver();
  while (conversation.runnerPlace() !== 'here') {
    await Promise.race([clock.nextTimer({ orSet: true }), taking]);
    if (clock.isSet) clock.fire();
  }
  await taking;
  await conversation.resumeTurn('team/legal/1');
  (await engine.begun()).answer('in time');
  await settled(conversation);

  child.signal('SIGCONT');
  child.tell();
  expect(await child.hear()).toEqual({ runsHere: false, epoch: 2 });
  await post(conversation, 'who runs?');
  (await engine.begun()).answer('I do');
  await settled(conversation);
  expect(await said(storage, runId)).toEqual(['you: @legal look', 'legal: in time', 'you: who runs?', 'ana: I do']);
  child.tell();
  expect(await child.end()).toBe(0);
  expect(storage.runs.isHeld(runId)).toBe(true);
  await conversation.close();
  expect(storage.runs.isHeld(runId)).toBe(false);
});
