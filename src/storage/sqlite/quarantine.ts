// A copy of a damaged run's files, made by another process: closing a database file here would drop the locks that
// SQLite holds on it for this one.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { StorageError } from '../error.js';
import { inspect } from './files.js';

const COPY = `
const { copyFileSync, existsSync, mkdirSync, renameSync } = require('node:fs');
const { basename, join } = require('node:path');
const [file, folder, unfinished] = process.argv.slice(1);
mkdirSync(unfinished, { recursive: true, mode: 0o700 });
for (const suffix of ['', '-wal', '.poke']) {
  if (existsSync(file + suffix)) copyFileSync(file + suffix, join(unfinished, basename(file) + suffix));
}
renameSync(unfinished, folder);
`;

/**
 * Copies a run's file, its log and its anchor into `quarantine/<name>-<inode>` beside it, once for each file.
 * @returns the folder of the copy; null when there is no such file.
 * @throws StorageError `STORAGE_UNAVAILABLE` when it cannot be copied.
 */
export async function copyAside(file: string): Promise<string | null> {
  const identity = inspect(file);
  if (identity === null) return null;
  const folder = join(dirname(file), 'quarantine', `${basename(file, '.db')}-${identity.inode}`);
  if (existsSync(folder)) return folder;
  const environment = { ...process.env, ELECTRON_RUN_AS_NODE: '1' };
  const unfinished = `${folder}.${randomUUID()}.tmp`;
  try {
    await promisify(execFile)(process.execPath, ['-e', COPY, file, folder, unfinished], { env: environment });
  } catch (error) {
    // Another window may have been first.
    if (!existsSync(folder)) {
      const details = { path: file, reason: 'quarantine' };
      throw new StorageError('STORAGE_UNAVAILABLE', `A copy of ${file} could not be made.`, details, error);
    }
  }
  return folder;
}
