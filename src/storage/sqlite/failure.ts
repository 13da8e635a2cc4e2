// What SQLite and the file system report, as errors that a person can act on.
import type { JsonValue } from '../../core/json.js';
import { StorageError } from '../error.js';
import type { LockHolder } from './lock-holder.js';
import type { Anchor } from './anchor.js';

const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const PROTOCOL = 15;
const NOTADB = 26;
const UNIQUE_VIOLATION = 2067;
/** SQLite's own "no such table or column": in a file of ours this is a damaged schema. */
const ERROR = 1;

/** True when another connection has the lock and trying again will help. */
export function isBusy(error: unknown): boolean {
  const code = primaryCode(error);
  return code === BUSY || code === LOCKED || code === PROTOCOL;
}

export function isUniqueViolation(error: unknown): boolean {
  return sqliteCode(error) === UNIQUE_VIOLATION;
}

/** True when SQLite itself found the file's structure broken. */
export function isDamage(error: unknown): boolean {
  const code = primaryCode(error);
  return code === CORRUPT || code === ERROR;
}

/**
 * @param error - what was thrown while `file` was used.
 * @returns a StorageError that names the file, the cause and what to do; a StorageError is returned as it is.
 */
export function storageFailure(error: unknown, file: string): unknown {
  if (error instanceof StorageError) return error;
  const code = primaryCode(error) ?? systemCode(error) ?? '';
  switch (code) {
    case FULL:
    case 'ENOSPC':
    case 'EDQUOT':
      return unavailable(
        file,
        'disk-full',
        'the disk is full. Nothing that was saved is lost; make room and try again',
        error,
      );
    case 'EFBIG':
      return unavailable(
        file,
        'file-too-large',
        'the file may not grow further (a file size limit). Raise it and try again',
        error,
      );
    case CORRUPT:
    case ERROR:
      return corrupt(file, {}, 'the database file is damaged', error);
    case NOTADB:
      return unavailable(
        file,
        'not-a-database',
        'this is not a database that can be read. It was left as it is; move it away or restore a copy',
        error,
      );
    case READONLY:
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return unavailable(
        file,
        'permission',
        'the file may not be written. Check the permissions of file and folder',
        error,
      );
    case BUSY:
    case LOCKED:
    case PROTOCOL:
      return busyTooLong(file, error);
    case IOERR:
      return unavailable(
        file,
        'io',
        `reading or writing failed (${sqliteText(error)}). Is the disk full or gone?`,
        error,
      );
    case CANTOPEN:
      return unavailable(
        file,
        'cannot-open',
        'the file cannot be opened. Check the permissions of file and folder',
        error,
      );
    default:
      return typeof code === 'string' && code !== ''
        ? unavailable(file, 'io', `the file system refused (${code})`, error)
        : error;
  }
}

/** @param holder - who has the lock, as far as the system tells. */
export function busyTooLong(file: string, cause: unknown, holder: LockHolder | null = null): StorageError {
  if (holder === null) {
    return unavailable(
      file,
      'busy',
      'another program keeps it locked. Close or resume that program and try again',
      cause,
    );
  }
  const { pid, command, isStopped } = holder;
  const help = isStopped
    ? `process ${pid} (${command}) was stopped while it wrote to it. Let that process go on, or end it`
    : `process ${pid} (${command}) keeps it locked. Close that program and try again`;
  return unavailable(file, 'busy', help, cause, { pid, command, isStopped });
}

export function newerSchema(file: string, version: number): StorageError {
  const help = `a newer Teamroom wrote it (format ${version}). Update Teamroom to open it; the file was left as it is`;
  return unavailable(file, 'newer-version', help, undefined, { version });
}

export function foreignDatabase(file: string): StorageError {
  const help = 'it holds no conversation of this storage. It was left as it is; move it away';
  return unavailable(file, 'foreign-database', help, undefined);
}

export function notAFile(file: string): StorageError {
  return unavailable(file, 'not-a-file', 'something that is no regular file has its place. Move it away', undefined);
}

export function unsafePath(path: string): StorageError {
  const message = `${path} is a symbolic link. Storage is neither read nor written through links.`;
  return new StorageError('UNSAFE_STORAGE_PATH', message, { path });
}

/** @param where - what is known about the place: stream, revision. */
export function corrupt(
  file: string,
  where: Record<string, string | number>,
  reason: string,
  cause?: unknown,
): StorageError {
  const place = where['revision'] === undefined ? '' : ` from revision ${where['revision']} on`;
  const message = `The record in ${file} is damaged${place}: ${reason}. What comes before can be read; nothing was changed.`;
  return new StorageError('CORRUPT_EVENT_STREAM', message, { path: file, reason, ...where }, cause);
}

/** @param anchor - what was acknowledged last and is no longer there. */
export function endsTooEarly(file: string, anchor: Anchor, where: Record<string, string | number> = {}): StorageError {
  const { streamId, revision } = anchor;
  const facts = { ...where, acknowledgedStream: streamId, acknowledgedRevision: revision };
  const reason = `it ends before revision ${revision} of ${streamId}, which was saved; if an older copy was put in its place, delete ${file}.poke`;
  return corrupt(file, facts, reason);
}

export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  return error.code === 'ERR_SQLITE_ERROR' ? undefined : /^E[A-Z0-9]+$/.exec(error.code)?.[0];
}

function unavailable(
  path: string,
  reason: string,
  help: string,
  cause: unknown,
  facts: Record<string, JsonValue> = {},
): StorageError {
  return new StorageError('STORAGE_UNAVAILABLE', `Cannot use ${path}: ${help}.`, { path, reason, ...facts }, cause);
}

function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode : undefined;
}

/** Extended codes carry the primary one in their lowest byte. */
function primaryCode(error: unknown): number | undefined {
  const code = sqliteCode(error);
  return code === undefined ? undefined : code & 0xff;
}

function sqliteText(error: unknown): string {
  return error instanceof Error && 'errstr' in error && typeof error.errstr === 'string' ? error.errstr : 'I/O error';
}
