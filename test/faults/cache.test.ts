// What lies in the cache is whole: an installer that is killed half-way leaves nothing that could be taken for done.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { cached } from '../../scripts/cache.mjs';
import { root } from '../../scripts/paths.mjs';
import { removeFolder, temporaryFolder } from '../e2e/lab/temporary.js';

let cache = '';
beforeEach(() => {
  cache = temporaryFolder();
});
afterEach(() => {
  removeFolder(cache);
});

const installer = (folder: string) => `
  import { cached } from ${JSON.stringify(new URL(`file://${root}/scripts/cache.mjs`).href)};
  import { writeFileSync } from 'node:fs';
  await cached('thing-1.0.0', async (directory) => {
    writeFileSync(directory + '/first', '');
    console.log('half');
    await new Promise((resolve) => setInterval(resolve, 1e9));
  }, ${JSON.stringify(folder)});
`;

test('An installer killed half-way leaves no whole-looking folder, and the next one clears up and installs', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', installer(cache)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(existsSync(join(cache, 'thing-1.0.0'))).toBe(false);
  expect(readdirSync(cache)).toHaveLength(1);

  const place = await cached('thing-1.0.0', async (directory) => writeFileSync(join(directory, 'whole'), ''), cache);

  expect(readdirSync(place)).toEqual(['whole']);
  expect(readdirSync(cache)).toEqual(['thing-1.0.0']);
});

test('An installer that fails keeps nothing, and its error says why', async () => {
  const attempt = cached('thing-1.0.0', () => Promise.reject(new Error('no network')), cache);
  await expect(attempt).rejects.toThrow('no network');
  expect(readdirSync(cache)).toEqual([]);
});

test('What is there already is not made again', async () => {
  const make = async (directory: string) => writeFileSync(join(directory, 'first'), '');
  const place = await cached('thing-1.0.0', make, cache);
  const again = await cached('thing-1.0.0', () => Promise.reject(new Error('made again')), cache);
  expect(again).toBe(place);
});
