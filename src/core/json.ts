// JSON as the record knows it: what a value may be, its one canonical text, and the digest over that text.
// Rules: docs/run-record.md § Canonical JSON.
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** A SHA-256 digest as it is stored: `sha256:` and 64 lowercase hex digits. */
export type Sha256Digest = `sha256:${string}`;

const MAX_DEPTH = 256;

/** A value that cannot be stored as JSON. `path` is the JSON pointer of the offending place (`''` = the root). */
export class JsonValueError extends TypeError {
  override readonly name = 'JsonValueError';
  readonly code = 'INVALID_JSON_VALUE';
  readonly path: string;
  constructor(path: string, reason: string) {
    super(`Invalid JSON value at "${path}": ${reason}.`);
    this.path = path;
  }
}

/**
 * Copies a value deeply and freezes the copy, keeping the order of keys.
 * @param value - anything; refused unless it is JSON without surprises (no accessors, symbols, holes or class instances).
 * @returns the frozen copy; `-0` has become `0`.
 * @throws JsonValueError naming the path and the reason.
 */
export function cloneJson(value: unknown): JsonValue {
  checkJson(value);
  return copy(value);
}

/**
 * Runs the checks of `cloneJson` without copying: for a value that is made text at once.
 * @throws JsonValueError naming the path and the reason.
 */
export function checkJson(value: unknown): asserts value is JsonValue {
  check(value, { keys: [], open: [] });
}

/**
 * The canonical text: no white space, keys sorted by UTF-16 code units at every level.
 * @throws JsonValueError when `value` is not JSON.
 */
export function canonicalJson(value: unknown): string {
  return write(cloneJson(value));
}

/** `sha256:` + hex of the SHA-256 over the UTF-8 bytes of the canonical text of `value`. */
export function digestJson(value: unknown): Sha256Digest {
  return digestText(canonicalJson(value));
}

/** `sha256:` + hex of the SHA-256 over the UTF-8 bytes of `text`. */
export function digestText(text: string): Sha256Digest {
  return digestBytes(utf8ToBytes(text));
}

/** `sha256:` + hex of the SHA-256 over `bytes`. */
export function digestBytes(bytes: Uint8Array): Sha256Digest {
  return `sha256:${bytesToHex(sha256(bytes))}`;
}

/** Length of `text` in UTF-8 bytes. Lone surrogates count as the three bytes of U+FFFD. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/** True when two JSON values have the same canonical text. */
export function jsonEquals(left: unknown, right: unknown): boolean {
  return canonicalJson(left) === canonicalJson(right);
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Where a walk stands. The pointer to it is made only when it has to be told. */
interface Place {
  /** Keys and indices from the root. */
  readonly keys: (string | number)[];
  /** The objects and arrays that the walk is inside of. */
  readonly open: object[];
}

function invalid({ keys }: Place, reason: string): JsonValueError {
  return new JsonValueError(keys.map((key) => `/${pointerToken(String(key))}`).join(''), reason);
}

function check(value: unknown, place: Place): void {
  if (value === null || typeof value === 'boolean') return;
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw invalid(place, 'the string has a lone surrogate');
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw invalid(place, 'the number is not finite');
  } else if (typeof value === 'object') {
    checkInside(value, place);
  } else {
    throw invalid(place, `a value of type ${typeof value} is not JSON`);
  }
}

function checkInside(value: object, place: Place): void {
  if (place.open.length >= MAX_DEPTH) throw invalid(place, `it is nested deeper than ${MAX_DEPTH} levels`);
  if (place.open.includes(value)) throw invalid(place, 'it contains itself');
  place.open.push(value);
  if (Array.isArray(value)) checkArray(value, place);
  else checkObject(value, place);
  place.open.pop();
}

function checkArray(value: readonly unknown[], place: Place): void {
  if (Object.getPrototypeOf(value) !== Array.prototype) throw invalid(place, 'it is an instance of a class');
  if (Reflect.ownKeys(value).length !== value.length + 1) {
    throw invalid(place, 'the array has holes or extra properties');
  }
  for (let index = 0; index < value.length; index += 1) checkProperty(value, index, place);
}

function checkObject(value: object, place: Place): void {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw invalid(place, 'it is an instance of a class');
  for (const key of Reflect.ownKeys(value)) {
    if (typeof key === 'symbol') throw invalid(place, 'it has a symbol key');
    if (!key.isWellFormed()) throw invalid(place, 'a key has a lone surrogate');
    checkProperty(value, key, place);
  }
}

function checkProperty(owner: object, key: string | number, place: Place): void {
  const property = Object.getOwnPropertyDescriptor(owner, key);
  place.keys.push(key);
  if (property === undefined) throw invalid(place, 'the array has a hole');
  if (!('value' in property)) throw invalid(place, 'it is a getter or setter');
  if (property.enumerable !== true) throw invalid(place, 'it is not enumerable');
  check(property.value, place);
  place.keys.pop();
}

/** Copies what was found to be JSON. */
function copy(value: JsonValue): JsonValue {
  if (value === null || typeof value !== 'object') return value === 0 ? 0 : value;
  if (Array.isArray(value)) return Object.freeze((value as readonly JsonValue[]).map(copy));
  const object = value as JsonObject;
  const result: Record<string, JsonValue> = {};
  for (const key of Object.keys(object)) {
    const inner = object[key] ?? null;
    // Assigning to "__proto__" would set the prototype; as a key it is data like any other.
    if (key === '__proto__') Object.defineProperty(result, key, { value: copy(inner), enumerable: true });
    else result[key] = copy(inner);
  }
  return Object.freeze(result);
}

/** One key as a token of a JSON pointer (RFC 6901). */
export function pointerToken(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function write(value: JsonValue): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${(value as readonly JsonValue[]).map(write).join(',')}]`;
  const object = value as JsonObject;
  const members = Object.keys(object)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${write(object[key] ?? null)}`);
  return `{${members.join(',')}}`;
}
