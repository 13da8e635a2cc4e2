// Folders of one test: made in the system's temporary folder, gone at the end.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** @returns the real path of a new empty folder; short, because socket names below it may not be long */
export function temporaryFolder(prefix = 'teamroom-'): string {
  return mkdtempSync(join(realpathSync(tmpdir()), prefix));
}

/** Removes a folder with all that is in it; processes that are just ending may still be writing there. */
export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

/**
 * @param folder where
 * @param files contents by path below `folder`, with `/`
 */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}
