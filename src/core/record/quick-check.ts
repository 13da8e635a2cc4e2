// A short look at the payloads that a record has most of: what is plainly of its type's shape needs no longer one. Every
// other payload is read by its schema, which has the last word and says what is wrong.
import { isJsonObject, type JsonObject, type JsonValue } from '../json.js';

type Check = (value: JsonValue | undefined) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isName: Check = (value) => typeof value === 'string' && value !== '';
const isCount: Check = (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
const isAmount: Check = (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0;
const isBoolean: Check = (value) => typeof value === 'boolean';
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const listOf =
  (check: Check): Check =>
  (value) => {
    if (!Array.isArray(value)) return false;
    for (const one of value) if (!check(one as JsonValue)) return false;
    return true;
  };

/** Exactly these fields, and those of `more` where they are there. */
function shape(fields: Readonly<Record<string, Check>>, more: Readonly<Record<string, Check>> = {}): Check {
  const wanted = Object.entries(fields);
  const extra = Object.entries(more);
  return (value) => {
    if (!isJsonObject(value)) return false;
    for (const [key, check] of wanted) if (!check(own(value, key))) return false;
    let count = wanted.length;
    for (const [key, check] of extra) {
      const field = own(value, key);
      if (field === undefined) continue;
      if (!check(field)) return false;
      count += 1;
    }
    let keys = 0;
    for (const key in value) if (Object.hasOwn(value, key)) keys += 1;
    return keys === count;
  };
}

/** A field of a payload; what it inherits is none. */
function own(value: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

const isNames = listOf(isName);
const isTexts = listOf(isText);
const isAnything: Check = () => true;

const post = shape({
  id: isName,
  sender: isName,
  roomId: isName,
  text: isText,
  mentions: isNames,
  unresolved: isTexts,
});

const identity = shape({
  schemaVersion: (value) => value === 1,
  namespace: isName,
  streamId: isName,
  nodeId: isName,
  position: isName,
  attemptId: isName,
});

const resultPost = shape(
  { roomId: isName, text: isText, mentions: isNames },
  { unresolved: isTexts, acknowledgement: isBoolean },
);

const result = shape(
  { summary: isText, posts: listOf(resultPost) },
  {
    data: isAnything,
    turn: shape(
      { chain: isName, hop: isCount, cap: isCount },
      { answers: listOf(shape({ id: isName, sender: isName })) },
    ),
  },
);

const count = orNull(isCount);
const amount = orNull(isAmount);

const usage = shape({
  model: orNull(isText),
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
  reasoningTokens: count,
  reportedCost: amount,
  pricedCost: amount,
});

const CHECKS: Readonly<Record<string, Check>> = {
  'post:written': post,
  'graph:node-dispatched': shape({ nodeId: isName, position: isName }),
  'graph:node-attempt-started': shape({ identity, retrySafe: isBoolean }),
  'graph:node-completed': shape({ nodeId: isName, position: isName, result }),
  'usage:recorded': shape({ member: isName, position: isName, chain: isName, usage }),
  'input:given': shape({ position: isName, digest: isName, messageIds: isNames }),
};

/**
 * @param type - of an event in the version that this build writes.
 * @returns true when the payload is certainly of its type's shape; false says nothing.
 */
export function isPlainly(type: string, payload: JsonValue): boolean {
  return CHECKS[type]?.(payload) ?? false;
}

/** The types that are looked at. */
export const QUICK_TYPES = Object.keys(CHECKS);
