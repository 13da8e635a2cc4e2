// The text file of an exported run: lines of JSON, the last of which vouches for all before it.
import { createHash, randomUUID } from 'node:crypto';
import { closeSync, constants, fsyncSync, linkSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { StorageError } from '../error.js';
import { storageFailure, systemCode } from './failure.js';
import { PRIVATE_FILE } from './files.js';

const CHUNK = 1_048_576;

/**
 * Writes lines to a new file: all of them or no file at all.
 * @param target - never overwritten.
 * @throws StorageError `STORAGE_UNAVAILABLE`, also when `target` exists; what `lines` throws.
 */
export function writeLines(target: string, lines: Iterable<string>): void {
  const unfinished = `${target}.${randomUUID()}.tmp`;
  try {
    const file = openSync(unfinished, 'wx', PRIVATE_FILE);
    try {
      const digest = createHash('sha256');
      let waiting: string[] = [];
      let size = 0;
      const flush = (): void => {
        const bytes = Buffer.from(waiting.join(''), 'utf8');
        digest.update(bytes);
        writeAll(file, bytes);
        waiting = [];
        size = 0;
      };
      for (const line of lines) {
        waiting.push(line, '\n');
        size += line.length;
        if (size > CHUNK) flush();
      }
      flush();
      writeAll(file, Buffer.from(`${JSON.stringify({ end: digest.digest('hex') })}\n`, 'utf8'));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    linkSync(unfinished, target);
    unlinkSync(unfinished);
  } catch (error) {
    remove(unfinished);
    throw storageFailure(error, target);
  }
}

/**
 * Reads a file of `writeLines`.
 * @returns the parsed lines without the last one.
 * @throws StorageError `CORRUPT_EVENT_STREAM` when it is not what was written, at the latest after its last line.
 */
export function* readLines(source: string): Generator {
  const digest = createHash('sha256');
  let end: string | null = null;
  for (const line of rawLines(source)) {
    if (end !== null) throw altered(source, 'something follows its end');
    const value = parse(source, line);
    if (typeof value === 'object' && value !== null && 'end' in value && Object.keys(value).length === 1) {
      end = String(value.end);
      if (end !== digest.digest('hex')) throw altered(source, 'its lines are not what was written');
    } else {
      digest.update(line).update('\n');
      yield value;
    }
  }
  if (end === null) throw altered(source, 'its end is missing');
}

/** @param reason - what is wrong with the file. */
export function altered(path: string, reason: string): StorageError {
  const message = `The exported run in ${path} was altered or cut short: ${reason}. Nothing was imported.`;
  return new StorageError('CORRUPT_EVENT_STREAM', message, { path, reason });
}

function* rawLines(source: string): Generator<Buffer> {
  let file: number | undefined;
  try {
    file = openSync(source, constants.O_RDONLY);
    let rest: Buffer = Buffer.alloc(0);
    for (;;) {
      const chunk = Buffer.alloc(CHUNK);
      const length = readSync(file, chunk, 0, CHUNK, null);
      if (length === 0) break;
      let bytes = Buffer.concat([rest, chunk.subarray(0, length)]);
      for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10)) {
        yield bytes.subarray(0, at);
        bytes = bytes.subarray(at + 1);
      }
      rest = bytes;
    }
    if (rest.length > 0) throw altered(source, 'its last line has no end');
  } catch (error) {
    throw storageFailure(error, source);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function parse(source: string, line: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line));
  } catch {
    throw altered(source, 'a line cannot be read');
  }
}

function writeAll(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
  }
}
