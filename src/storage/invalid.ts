// How a refused value is reported: which place in it, and why.
import { JsonValueError, checkJson, cloneJson, isJsonObject, type JsonObject, type JsonValue } from '../core/json.js';
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
  return cloneJson(checkedObject(value, keys, path)) as JsonObject;
}

/** The checks of `exactObject` without the copy. */
export function checkedObject(value: unknown, keys: readonly string[], path: string): JsonObject {
  const object = checkedJson(value, path);
  if (!isJsonObject(object)) throw invalidValue(path, 'it must be an object');
  for (const key of Object.keys(object)) {
    if (!keys.includes(key)) throw invalidValue(`${path}/${key}`, 'this field is unknown');
  }
  for (const key of keys)
    if (!Object.hasOwn(object, key)) throw invalidValue(`${path}/${key}`, 'this field is missing');
  return object;
}

function checkedJson(value: unknown, path: string): JsonValue {
  try {
    checkJson(value);
    return value;
  } catch (error) {
    if (error instanceof JsonValueError) throw invalidValue(path + error.path, error.message, error);
    throw error;
  }
}
