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
  return copy(value, '', 0, new Set());
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

function copy(value: unknown, path: string, depth: number, open: Set<object>): JsonValue {
  switch (typeof value) {
    case 'boolean':
      return value;
    case 'string':
      if (!value.isWellFormed()) throw new JsonValueError(path, 'the string has a lone surrogate');
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw new JsonValueError(path, 'the number is not finite');
      return value === 0 ? 0 : value;
    case 'object':
      if (value === null) return null;
      break;
    default:
      throw new JsonValueError(path, `a value of type ${typeof value} is not JSON`);
  }
  if (depth >= MAX_DEPTH) throw new JsonValueError(path, `it is nested deeper than ${MAX_DEPTH} levels`);
  if (open.has(value)) throw new JsonValueError(path, 'it contains itself');
  open.add(value);
  const result = Array.isArray(value) ? copyArray(value, path, depth, open) : copyObject(value, path, depth, open);
  open.delete(value);
  return Object.freeze(result);
}

function copyArray(value: readonly unknown[], path: string, depth: number, open: Set<object>): readonly JsonValue[] {
  if (Object.getPrototypeOf(value) !== Array.prototype) throw new JsonValueError(path, 'it is an instance of a class');
  const keys = Reflect.ownKeys(value);
  if (keys.length !== value.length + 1) throw new JsonValueError(path, 'the array has holes or extra properties');
  return Array.from({ length: value.length }, (_, index) =>
    copy(plainProperty(value, String(index), path), `${path}/${index}`, depth + 1, open),
  );
}

function copyObject(value: object, path: string, depth: number, open: Set<object>): JsonObject {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new JsonValueError(path, 'it is an instance of a class');
  }
  const result: Record<string, JsonValue> = {};
  for (const key of Reflect.ownKeys(value)) {
    if (typeof key === 'symbol') throw new JsonValueError(path, 'it has a symbol key');
    if (!key.isWellFormed()) throw new JsonValueError(path, 'a key has a lone surrogate');
    const inner = copy(plainProperty(value, key, path), `${path}/${pointerToken(key)}`, depth + 1, open);
    // defineProperty: a key called "__proto__" is data like any other.
    Object.defineProperty(result, key, { value: inner, enumerable: true, writable: true, configurable: true });
  }
  return result;
}

function plainProperty(owner: object, key: string, path: string): unknown {
  const property = Object.getOwnPropertyDescriptor(owner, key);
  const where = `${path}/${pointerToken(key)}`;
  if (property === undefined) throw new JsonValueError(where, 'the array has a hole');
  if (!('value' in property)) throw new JsonValueError(where, 'it is a getter or setter');
  if (property.enumerable !== true) throw new JsonValueError(where, 'it is not enumerable');
  return property.value;
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
