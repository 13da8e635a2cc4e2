// Which process keeps a database locked, as the system tells it: looked up only when waiting for the lock has failed.
import { readFileSync, statSync } from 'node:fs';
import { systemCode } from './failure.js';

export interface LockHolder {
  readonly pid: number;
  /** The program as it was called, shortened. */
  readonly command: string;
  /** True when it was stopped by a signal: it will not let go by itself. */
  readonly isStopped: boolean;
}

const LONGEST_COMMAND = 120;

/**
 * Finds who has a write lock on a database or on the shared memory of its log.
 * @param file - the database file.
 * @returns null when nobody else has one any more, or where the system does not tell (anything but Linux).
 */
export function findLockHolder(file: string): LockHolder | null {
  const inodes = new Set([file, `${file}-shm`].flatMap(inodeOf));
  for (const line of readOrEmpty('/proc/locks').split('\n')) {
    // 12: POSIX  ADVISORY  WRITE 4711 fe:00:1234567 120 120
    const [, , , mode, pid, place] = line.trim().split(/\s+/);
    const inode = Number(place?.split(':')[2]);
    if (mode !== 'WRITE' || !inodes.has(inode) || Number(pid) === process.pid) continue;
    return describe(Number(pid));
  }
  return null;
}

function describe(pid: number): LockHolder {
  const stat = readOrEmpty(`/proc/${pid}/stat`);
  // The name in brackets may hold anything; the state is the first field after the last bracket.
  const state = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[0];
  const command = readOrEmpty(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim().slice(0, LONGEST_COMMAND);
  return { pid, command: command === '' ? 'a program' : command, isStopped: state === 'T' || state === 't' };
}

function inodeOf(path: string): number[] {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? [] : [found.ino];
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (systemCode(error) !== undefined) return '';
    throw error;
  }
}
