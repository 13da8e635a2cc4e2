// Texts that must never reach the disk, and how they are found: in the exact bytes that would be stored, and in every
// decoded key and value, where JSON escapes could hide them.
import { isJsonObject, type JsonValue } from '../core/json.js';
import { StorageError } from './error.js';
import { invalidValue } from './invalid.js';

export const REDACTED = '[redacted]';

export class KnownSecrets {
  /** As they were given, frozen. */
  readonly given: readonly string[];
  /** Longest first: a secret inside another one is replaced with the longer. */
  readonly #texts: readonly string[];

  /** @throws StorageError `INVALID_STORED_VALUE` at `/knownSecrets` unless every secret is a non-empty string. */
  constructor(value: unknown = []) {
    const texts: unknown[] = Array.isArray(value) ? Array.from(value, (item: unknown) => item) : [undefined];
    if (!texts.every((text): text is string => typeof text === 'string' && text !== '')) {
      throw invalidValue('/knownSecrets', 'it must be a list of texts that are not empty');
    }
    this.given = Object.freeze(texts);
    this.#texts = [...texts].sort((left, right) => right.length - left.length);
  }

  get none(): boolean {
    return this.#texts.length === 0;
  }

  inText(text: string): boolean {
    return this.#texts.some((secret) => text.includes(secret));
  }

  inBytes(bytes: Uint8Array): boolean {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return this.#texts.some((secret) => buffer.includes(secret, 0, 'utf8'));
  }

  /** Looks into decoded strings and keys, at every depth. */
  inJson(value: JsonValue): boolean {
    if (this.none) return false;
    if (typeof value === 'string') return this.inText(value);
    if (Array.isArray(value)) return (value as readonly JsonValue[]).some((item) => this.inJson(item));
    if (isJsonObject(value)) {
      return Object.entries(value).some(([key, inner]) => this.inText(key) || this.inJson(inner));
    }
    return false;
  }

  redact(text: string): string {
    return this.#texts.reduce((rest, secret) => rest.replaceAll(secret, () => REDACTED), text);
  }

  /** Refuses a configuration whose own texts contain a secret: it could not be named without giving it away. */
  refuseIn(texts: readonly string[], what: string): void {
    if (texts.some((text) => this.inText(text))) {
      throw new StorageError('KNOWN_SECRET', `A known secret is part of the storage's ${what}. Nothing was written.`);
    }
  }
}
