// One text kept beside a run's file. It is replaced as a whole and never forced to the disk: a crash may lose it, and
// whoever reads it has to find out whether it is any good.
import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { RunCache } from '../port.js';
import { inspect, PRIVATE_FILE } from './files.js';

/** @param file - where the text lies; its folder may be missing, and then nothing is kept. */
export function sideFile(file: string): RunCache {
  return Object.freeze({
    async read() {
      try {
        return inspect(file) === null ? null : await readFile(file, 'utf8');
      } catch {
        return null; // As good as none.
      }
    },
    async write(text) {
      const temporary = `${file}.${randomUUID()}.tmp`;
      try {
        inspect(file);
        await writeFile(temporary, text, { flag: 'wx', mode: PRIVATE_FILE });
        await rename(temporary, file);
      } catch {
        await rm(temporary, { force: true }).catch(() => undefined);
      }
    },
  } satisfies RunCache);
}
