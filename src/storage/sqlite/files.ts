// Names, places and modes of the files in a storage folder.
// Beware: closing any descriptor of a file drops this process's POSIX locks on it, SQLite's included. So nothing here,
// and nothing elsewhere, may open a database or a hold file but SQLite itself.
import { hash, randomUUID } from 'node:crypto';
import { linkSync, lstatSync, mkdirSync, unlinkSync, writeFileSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { notAFile, systemCode, unsafePath } from './failure.js';

export const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

/** Tells one file on disk from another that took its name. */
export interface FileIdentity {
  readonly device: number;
  readonly inode: number;
}

/** The database file of a run. The name is a hash, so that ids which differ only in case stay apart on every disk. */
export function runFile(directory: string, namespace: string, runId: string): string {
  const run = hash('sha256', `${namespace}/${runId}`, 'hex').slice(0, 40);
  return join(directory, `${namespacePrefix(namespace)}${run}.db`);
}

/** How many names are remembered. */
const REMEMBERED = 256;

/** @returns `runFile` for one folder; it remembers names, for each append asks for one. */
export function runFiles(directory: string, namespace: string): (runId: string) => string {
  const known = new Map<string, string>();
  return (runId) => {
    const found = known.get(runId);
    if (found !== undefined) return found;
    const file = runFile(directory, namespace, runId);
    if (known.size >= REMEMBERED) known.clear();
    known.set(runId, file);
    return file;
  };
}

/** True for names that `runFile` gives for runs of the namespace. */
export function isRunFileName(namespace: string, name: string): boolean {
  return name.startsWith(namespacePrefix(namespace)) && /^[0-9a-f]{16}-[0-9a-f]{40}\.db$/.test(name);
}

/** Written after each commit: what followers watch, and what was acknowledged last. */
export function pokeFile(file: string): string {
  return `${file}.poke`;
}

/** A text that saves a reader time. */
export function snapshotFile(file: string): string {
  return `${file}.snapshot`;
}

/** Which database holds which run: one for each namespace of a folder. */
export function indexFile(directory: string, namespace: string): string {
  return join(directory, `${namespacePrefix(namespace)}index.json`);
}

/** What a database is called once it is being removed: whoever finds it removes the rest. */
export function removedFile(file: string): string {
  return `${file}.removed`;
}

/** @returns the database that a name of `removedFile` belongs to; null for any other name. */
export function fileOfRemoved(namespace: string, name: string): string | null {
  const file = name.endsWith('.removed') ? name.slice(0, -'.removed'.length) : '';
  return isRunFileName(namespace, file) ? file : null;
}

/** Locked by who runs the conversation. */
export function holdFile(file: string): string {
  return `${file}.hold`;
}

/**
 * Looks at a file of the storage without following links.
 * @returns what identifies it, or null when it or its folder does not exist.
 * @throws StorageError `UNSAFE_STORAGE_PATH` for a link, `STORAGE_UNAVAILABLE` for anything that is no regular file.
 */
export function inspect(file: string): FileIdentity | null {
  const directory = dirname(file);
  const folder = lookAt(directory);
  if (folder === undefined) return null;
  if (!folder.isDirectory()) throw notAFile(directory);
  const found = lookAt(file);
  if (found === undefined) return null;
  if (!found.isFile()) throw notAFile(file);
  return { device: found.dev, inode: found.ino };
}

/** True when the name still leads to the file that it led to when it was inspected. */
export function isSameFile(file: string, known: FileIdentity): boolean {
  const found = lstatSync(file, { throwIfNoEntry: false });
  return found?.ino === known.inode && found.dev === known.device;
}

/** True when SQLite keeps commits for this database outside of it. */
export function hasLog(file: string): boolean {
  return (lstatSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Refuses links in the place of the files that SQLite keeps beside a database. */
export function inspectCompanions(file: string): void {
  for (const suffix of ['-wal', '-shm', '-journal']) {
    const found = lookAt(file + suffix);
    if (found !== undefined && !found.isFile()) throw notAFile(file + suffix);
  }
}

/** Makes the storage folder if it is missing, for this user only. */
export function makeFolder(directory: string): void {
  if (lookAt(directory) === undefined) mkdirSync(directory, { recursive: true, mode: PRIVATE_FOLDER });
}

/**
 * Makes an empty file for this user only, if it is missing.
 * It gets its name by a link, after its descriptor was closed: see the warning at the head.
 */
export function makeFile(file: string): void {
  const temporary = `${file}.${randomUUID()}.tmp`;
  writeFileSync(temporary, '', { flag: 'wx', mode: PRIVATE_FILE });
  try {
    linkSync(temporary, file);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  } finally {
    unlinkSync(temporary);
  }
}

function namespacePrefix(namespace: string): string {
  return `${hash('sha256', namespace, 'hex').slice(0, 16)}-`;
}

function lookAt(path: string): Stats | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isSymbolicLink() === true) throw unsafePath(path);
  return found;
}
