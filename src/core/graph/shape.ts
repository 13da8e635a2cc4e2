// Readers for values that nobody has checked yet. Each gives the typed value or refuses it, with a code and a path.
import { cloneJson, isJsonObject, JsonValueError, pointerToken, type JsonObject, type JsonValue } from '../json.js';
import { GraphValidationError } from './error.js';
import type { GraphIssue } from './model.js';

/** How a reader says no. It never leaves the kernel: `guarded` turns it into a GraphValidationError. */
class Refusal extends Error {
  readonly issue: GraphIssue;
  constructor(issue: GraphIssue) {
    super(issue.message);
    this.issue = issue;
  }
}

/** Ends the reading of a value with one issue. */
export function refuse(code: string, path: string, message: string): never {
  throw new Refusal({ code, path, message });
}

/**
 * Runs readers and turns the first refusal into a GraphValidationError with exactly that issue.
 * @param title - its message, given the issue.
 */
export function guarded<Value>(title: (issue: GraphIssue) => string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new GraphValidationError(title(error.issue), [error.issue]);
  }
}

/** A frozen copy of `value`; refused with INVALID_JSON_VALUE and the place when it is not JSON. `path` is its own place. */
export function readJson(value: unknown, path: string): JsonValue {
  try {
    return cloneJson(value);
  } catch (error) {
    if (!(error instanceof JsonValueError)) throw error;
    return refuse(error.code, path + error.path, error.message);
  }
}

export function isJsonArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** True for a name that can be an address: text, not empty, trimmed, without control characters. */
export function isIdentifier(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value === value.trim() && !hasControlCharacter(value);
}

/** True when `text` has a character of U+0000–001F or U+007F. */
export function hasControlCharacter(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x20 || unit === 0x7f) return true;
  }
  return false;
}

export function isPositiveInteger(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

/** The own property `key` of `object`, or undefined: an inherited name such as `constructor` is not a field. */
export function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Reads the fields of one object; `path` is the object's place. */
export class FieldReader {
  readonly #object: JsonObject;
  readonly path: string;

  constructor(value: JsonValue, path: string) {
    if (!isJsonObject(value)) refuse('INVALID_SHAPE', path, 'An object is needed here');
    this.#object = value;
    this.path = path;
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#object, key);
  }

  at(key: string): string {
    return `${this.path}/${pointerToken(key)}`;
  }

  /** Any JSON; it only has to be there. */
  json(key: string): JsonValue {
    const value = own(this.#object, key);
    return value === undefined ? refuse('MISSING_FIELD', this.at(key), `The field "${key}" is missing`) : value;
  }

  object(key: string): FieldReader {
    return new FieldReader(this.json(key), this.at(key));
  }

  /** Each item of a list, read by `read(item, path)`. */
  list<Item>(key: string, read: (item: JsonValue, path: string) => Item): readonly Item[] {
    const value = this.json(key);
    if (!isJsonArray(value)) return refuse('INVALID_SHAPE', this.at(key), 'A list is needed here');
    return value.map((item, index) => read(item, `${this.at(key)}/${index}`));
  }

  id(key: string): string {
    return readId(this.json(key), this.at(key));
  }

  text(key: string): string {
    return readText(this.json(key), this.at(key));
  }

  version(key: string): number {
    const value = this.json(key);
    if (isPositiveInteger(value)) return value;
    return refuse('INVALID_VERSION', this.at(key), 'A version is a positive whole number');
  }

  digest(key: string): `sha256:${string}` {
    const value = this.json(key);
    if (isDigest(value)) return value;
    return refuse('INVALID_DIGEST', this.at(key), 'A digest is "sha256:" and 64 lowercase hex digits');
  }
}

export function readId(value: JsonValue, path: string): string {
  if (isIdentifier(value)) return value;
  return refuse('INVALID_ID', path, 'An id is text without outer white space or control characters');
}

export function readText(value: JsonValue, path: string): string {
  if (isIdentifier(value)) return value;
  return refuse('INVALID_TEXT', path, 'Text without outer white space or control characters is needed here');
}

/** Refuses the second of two equal `keys`; `path` says where the item of an index stands. */
export function refuseRepeated(keys: readonly string[], code: string, path: (index: number) => string): void {
  const seen = new Set<string>();
  keys.forEach((key, index) => {
    if (seen.has(key)) refuse(code, path(index), `It is given twice: ${key}`);
    seen.add(key);
  });
}

function isDigest(value: JsonValue): value is `sha256:${string}` {
  return typeof value === 'string' && /^sha256:[0-9a-f]{64}$/.test(value);
}
