// Quick answers for what nearly every event is made of. A value that does not pass here is not refused: it gets the
// thorough look, which also says what is wrong with it.

import type { JsonValue } from '../core/json.js';

/** Deeper values are left to the thorough look, and with them those that contain themselves. */
const DEEPEST = 32;

/** True only for JSON without surprises: no accessors, symbols, holes or class instances. */
export function isPlainJson(value: unknown, depth = 0): value is JsonValue {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value === 'number') return Number.isFinite(value);
  if (value === null || typeof value === 'boolean') return true;
  return typeof value === 'object' && depth < DEEPEST && isPlainInside(value, depth + 1);
}

function isPlainInside(value: object, depth: number): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  const isList = Array.isArray(value);
  if (prototype !== (isList ? Array.prototype : Object.prototype)) return false;
  const keys = Reflect.ownKeys(value);
  // The last own key of a list is its length.
  const count = isList ? value.length : keys.length;
  if (isList && keys.length !== count + 1) return false;
  for (let index = 0; index < count; index += 1) {
    const key = keys[index];
    if (typeof key !== 'string' || !key.isWellFormed()) return false;
    const property = Object.getOwnPropertyDescriptor(value, key);
    // An accessor has no value, and so none that is JSON.
    if (property?.enumerable !== true || !isPlainJson(property.value, depth)) return false;
  }
  return true;
}

const PLAIN_TEXT = /^[!-~](?:[ -~]*[!-~])?$/;
const MAX_TEXT = 256;

/** True only for text that may be stored in an envelope: here, printable ASCII. */
export function isPlainText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_TEXT && PLAIN_TEXT.test(value);
}

/** The days that every month has. */
const PLAIN_TIME = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** True only for a UTC time as a date prints it. */
export function isPlainTime(value: unknown): value is string {
  return typeof value === 'string' && PLAIN_TIME.test(value);
}
