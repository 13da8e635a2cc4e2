// Windows with nothing to do: no short timers, and nothing is read but the look at a few files every five seconds.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { StorageProcess } from './storage-process.js';
import type { Doings } from './idle-probe.js';

test('Two windows that are idle for ten seconds fire no timer under a second and read nothing but a look every five', async () => {
  const base = mkdtempSync(join(tmpdir(), 'teamroom-idle-'));
  try {
    const program = join(base, 'child.mjs');
    await build({
      entryPoints: [fileURLToPath(new URL('idle-child.ts', import.meta.url))],
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'esm',
      mainFields: ['module', 'main'],
      logLevel: 'error',
    });
    const child = new StorageProcess([process.execPath, program, join(base, 'storage')]);
    const { timers, reads } = (await child.hear()) as Doings;
    expect(await child.end()).toBe(0);
    console.log(`timers that fired: ${timers.join(', ')} ms; reads: ${JSON.stringify(reads)}`);
    expect(timers.filter((delay) => delay < 1_000)).toEqual([]);
    expect(timers.filter((delay) => delay === 5_000).length).toBeGreaterThanOrEqual(2);
    const { lstatSync = 0, ...others } = reads;
    expect(others).toEqual({});
    // Two windows, three looks each (folder, signal, log), at most three times in ten seconds.
    expect(lstatSync).toBeLessThanOrEqual(18);
    expect(lstatSync).toBeGreaterThan(0);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
});
