// Which streams belong to which run: `<runId>` tells what happened, `<runId>.m.<k>` is what member k was given.
import { invalidValue } from './invalid.js';

const STORAGE_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const MEMBER_STREAM = /^(.+)\.m\.[1-9][0-9]*$/;

/**
 * @param value - a namespace, run id or stream id.
 * @param path - JSON pointer named in the error.
 * @returns the id: a letter or digit, then at most 127 of letters, digits, dot, underscore and hyphen.
 * @throws StorageError `INVALID_STORED_VALUE`
 */
export function validateStorageId(value: unknown, path: string): string {
  if (isStorageId(value)) return value;
  throw invalidValue(path, 'it must be 1 to 128 letters, digits, ".", "_" or "-", and begin with a letter or digit');
}

export function isStorageId(value: unknown): value is string {
  return typeof value === 'string' && STORAGE_ID.test(value);
}

/**
 * @param runId - the run.
 * @param ordinal - the member's place in the roster, from 1 (the lead).
 * @returns the id of that member's own stream.
 * @throws StorageError `INVALID_STORED_VALUE` when the run id is too long to carry the suffix.
 */
export function memberStreamId(runId: string, ordinal: number): string {
  if (!Number.isSafeInteger(ordinal) || ordinal < 1) throw invalidValue('/ordinal', 'it must be a positive integer');
  return validateStorageId(`${validateStorageId(runId, '/runId')}.m.${ordinal}`, '/runId');
}

/** The run whose file holds a stream. A stream id without a member suffix is its own run. */
export function runOfStream(streamId: string): string {
  return MEMBER_STREAM.exec(streamId)?.[1] ?? streamId;
}
