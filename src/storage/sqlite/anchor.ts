// What was acknowledged last, kept outside the database: SQLite ends a damaged write-ahead log at its first bad frame
// without a word, and a run that is shorter than its anchor has lost something. The anchor is written after the commit,
// so one that is behind means nothing; so does one that is missing or not whole.
import { closeSync, constants, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { seal } from './chain.js';
import { makeFile, pokeFile } from './files.js';

export interface Anchor {
  /** The stream of the last commit, its revision then, and the checksum of its last event. */
  readonly streamId: string;
  readonly revision: number;
  readonly sum: string;
}

/** Every anchor has the same length, so that a shorter one leaves nothing of a longer one behind. */
const LENGTH = 512;
const WORD = 'teamroom-acknowledged';

/**
 * Writes the anchor of a run into its poke file, which followers watch.
 * @throws what the file system throws; the commit itself is safe.
 */
export function writeAnchor(file: string, anchor: Anchor): void {
  const { streamId, revision, sum } = anchor;
  const line = [WORD, streamId, revision, sum, seal(WORD, streamId, revision, sum)].join(' ');
  const target = openForWriting(pokeFile(file));
  try {
    writeSync(target, `${line.padEnd(LENGTH - 1)}\n`, 0, 'latin1');
  } finally {
    closeSync(target);
  }
}

/** @returns the anchor of a run; null when there is none that can be trusted. */
export function readAnchor(file: string): Anchor | null {
  let source: number | undefined;
  try {
    source = openSync(pokeFile(file), constants.O_RDONLY | constants.O_NOFOLLOW);
    const buffer = Buffer.alloc(LENGTH);
    const length = readSync(source, buffer, 0, LENGTH, 0);
    return parseAnchor(buffer.toString('latin1', 0, length));
  } catch {
    return null;
  } finally {
    if (source !== undefined) closeSync(source);
  }
}

/** Forgets the anchor of a run whose file is made anew. */
export function dropAnchor(file: string): void {
  rmSync(pokeFile(file), { force: true });
}

function parseAnchor(text: string): Anchor | null {
  const [word, streamId = '', digits = '', sum = '', sealed] = text.trimEnd().split(' ');
  const revision = Number(digits);
  if (word !== WORD || !Number.isSafeInteger(revision)) return null;
  return sealed === seal(WORD, streamId, revision, sum) ? { streamId, revision, sum } : null;
}

function openForWriting(path: string): number {
  const flags = constants.O_RDWR | constants.O_NOFOLLOW;
  try {
    return openSync(path, flags);
  } catch {
    makeFile(path);
    return openSync(path, flags);
  }
}
