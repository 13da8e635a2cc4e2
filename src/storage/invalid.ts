// How a refused value is reported: which place in it, and why.
import { JsonValueError, cloneJson, isJsonObject, type JsonObject } from '../core/json.js';
import { StorageError } from './error.js';

/** The error for a value that may not be stored. @param path - JSON pointer into the value that was given. */
export function invalidValue(path: string, reason: string, cause?: unknown): StorageError {
  const where = path === '' ? 'The value' : `The value at "${path}"`;
  return new StorageError('INVALID_STORED_VALUE', `${where} cannot be stored: ${reason}.`, { path }, cause);
}

/**
 * Copies a value that must be an object with exactly these keys.
 * @param path - JSON pointer of the value, the beginning of every path in an error.
 * @returns a frozen deep copy.
 * @throws StorageError `INVALID_STORED_VALUE`
 */
export function exactObject(value: unknown, keys: readonly string[], path: string): JsonObject {
  const copy = storableJson(value, path);
  if (!isJsonObject(copy)) throw invalidValue(path, 'it must be an object');
  for (const key of Object.keys(copy)) {
    if (!keys.includes(key)) throw invalidValue(`${path}/${key}`, 'this field is unknown');
  }
  for (const key of keys) if (!Object.hasOwn(copy, key)) throw invalidValue(`${path}/${key}`, 'this field is missing');
  return copy;
}

function storableJson(value: unknown, path: string) {
  try {
    return cloneJson(value);
  } catch (error) {
    if (error instanceof JsonValueError) throw invalidValue(path + error.path, error.message, error);
    throw error;
  }
}
