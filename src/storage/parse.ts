// Reading JSON that a store wrote itself.
import { JsonValueError, canonicalJson, isJsonObject, type JsonValue } from '../core/json.js';
import { invalidValue } from './invalid.js';
import type { DomainEventEnvelope } from './port.js';
import { readEnvelope } from './validate.js';

/**
 * @param line - an envelope as JSON text.
 * @returns it, deeply frozen.
 * @throws SyntaxError or StorageError when it is not an envelope.
 */
export function parseEnvelope(line: string): DomainEventEnvelope {
  const value = deepFreeze(JSON.parse(line) as JsonValue);
  if (!isJsonObject(value)) throw invalidValue('', 'an envelope is an object');
  return readEnvelope(value);
}

/** True when two texts are the same JSON; the order of keys is no difference, and damaged text equals nothing else. */
export function sameJson(left: string, right: string): boolean {
  if (left === right) return true;
  try {
    return canonicalJson(JSON.parse(left)) === canonicalJson(JSON.parse(right));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof JsonValueError) return false;
    throw error;
  }
}

function deepFreeze(value: JsonValue): JsonValue {
  if (Array.isArray(value)) for (const inner of value as readonly JsonValue[]) deepFreeze(inner);
  else if (isJsonObject(value)) for (const key of Object.keys(value)) deepFreeze(value[key] ?? null);
  else return value;
  return Object.freeze(value);
}
