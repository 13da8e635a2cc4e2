// Reads the fields of a team file and collects what is wrong with them, so that one look at a file shows every problem.
import { isJsonObject, type JsonObject, type JsonValue } from '../json.js';
import type { FileIssue, JsonPath, JsonText } from './team-json.js';

/** Each method gives the value, or null after it has noted why there is none. */
export class TeamFileReader {
  readonly issues: FileIssue[];
  readonly #json: JsonText;

  constructor(json: JsonText) {
    this.#json = json;
    this.issues = [...json.issues];
  }

  /** Notes a problem with the value at `path`. */
  refuse(path: JsonPath, message: string): void {
    this.issues.push(this.#json.issueAt(path, message));
  }

  object(value: JsonValue, path: JsonPath): JsonObject | null {
    if (isJsonObject(value)) return value;
    this.refuse(path, 'An object { … } is needed here.');
    return null;
  }

  /** A member of `owner` that may be missing. */
  optionalObject(owner: JsonObject, key: string, path: JsonPath): JsonObject | null {
    const value = owner[key];
    return value === undefined ? null : this.object(value, [...path, key]);
  }

  /** A list; an empty one in place of something else. */
  list(owner: JsonObject, key: string, path: JsonPath): readonly JsonValue[] {
    const value = owner[key];
    if (Array.isArray(value)) return value as readonly JsonValue[];
    this.refuse([...path, key], `"${key}" is missing or no list. Write a list [ … ].`);
    return [];
  }

  /** Text that is not blank. */
  text(owner: JsonObject, key: string, path: JsonPath): string | null {
    const value = owner[key];
    if (typeof value === 'string' && value.trim() !== '') return value;
    this.refuse([...path, key], `"${key}" is missing, empty or no text. Write it in double quotes.`);
    return null;
  }

  /** Text that may be missing, but not blank. */
  optionalText(owner: JsonObject, key: string, path: JsonPath): string | null {
    return owner[key] === undefined ? null : this.text(owner, key, path);
  }

  /** A whole number from `least` on. */
  count(owner: JsonObject, key: string, path: JsonPath, least: number): number | null {
    const value = owner[key];
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value;
    this.refuse([...path, key], `"${key}" is ${JSON.stringify(value)}. Write a whole number, ${least} or more.`);
    return null;
  }
}
