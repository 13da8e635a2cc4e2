// The short look at payloads agrees with their schemas: what it lets pass, the schema takes as it is.
import fc from 'fast-check';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { isJsonObject, type JsonValue } from '../../src/core/json.js';
import { CATALOGUE } from '../../src/core/record/catalogue.js';
import { isPlainly, QUICK_TYPES } from '../../src/core/record/quick-check.js';

const identity = { schemaVersion: 1, namespace: 'n', streamId: 's', nodeId: 'b', position: 'team/b/1', attemptId: 'a' };
const usage = {
  ...{ model: null, inputTokens: 1, outputTokens: null, cacheReadTokens: 0, cacheWriteTokens: null },
  ...{ reasoningTokens: null, reportedCost: 0.5, pricedCost: null },
};
const post = { roomId: 'room', text: 'Hi.', mentions: ['b'], unresolved: [], acknowledgement: true };
const turn = { chain: 'you/1/0', hop: 0, cap: 8, answers: [{ id: 'you/1/0', sender: 'you' }] };

/** A payload of each type as this build writes it. */
const WRITTEN: Readonly<Record<string, JsonValue>> = {
  'post:written': { id: 'you/1/0', sender: 'you', roomId: 'room', text: '', mentions: ['b'], unresolved: ['@x'] },
  'graph:node-dispatched': { nodeId: 'b', position: 'team/b/1' },
  'graph:node-attempt-started': { identity, retrySafe: false },
  'graph:node-completed': {
    nodeId: 'b',
    position: 'team/b/1',
    result: { summary: 'Hi.', data: { any: [1] }, posts: [post], turn },
  },
  'usage:recorded': { member: 'b', position: 'team/b/1', chain: 'you/1/0', usage },
  'input:given': { position: 'team/b/1', digest: 'sha256:x', messageIds: ['you/1/0'] },
};

const odd: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constantFrom<JsonValue>(null, '', 'x', 0, 1, -1, 0.5, 2 ** 53, true, false, [], {}, [''], ['x'], [1], { x: 1 }),
  fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as JsonValue),
);

/** The payload with one place in it changed, taken away or added to. */
function changed(value: JsonValue, path: readonly number[], by: JsonValue | undefined): JsonValue {
  const [step, ...rest] = path;
  if (step === undefined || value === null || typeof value !== 'object') return by ?? null;
  if (!isJsonObject(value)) {
    const list = value;
    const at = step % (list.length + 1);
    return list.toSpliced(at, 1, ...(by === undefined ? [] : [changed(list[at] ?? null, rest, by)]));
  }
  const keys = Object.keys(value);
  const key = keys[step % (keys.length + 1)];
  if (key === undefined) return { ...value, more: by ?? null };
  if (by === undefined && rest.length === 0) {
    return Object.fromEntries(Object.entries(value).filter(([other]) => other !== key));
  }
  return { ...value, [key]: changed(value[key] ?? null, rest, by) };
}

test('every type that is looked at quickly has a payload here that passes', () => {
  expect(Object.keys(WRITTEN).toSorted()).toEqual([...QUICK_TYPES].toSorted());
  for (const [type, payload] of Object.entries(WRITTEN)) expect([type, isPlainly(type, payload)]).toEqual([type, true]);
});

test('what passes the quick look, the schema takes unchanged, whatever was changed in it', () => {
  const type = fc.constantFrom(...QUICK_TYPES);
  const path = fc.array(fc.nat(9), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(type, path, fc.option(odd, { nil: undefined }), (of, where, by) => {
      const payload = changed(WRITTEN[of] ?? null, where, by);
      if (!isPlainly(of, payload)) return;
      const [, schema] = CATALOGUE[of as keyof typeof CATALOGUE];
      const read = v.safeParse(schema, payload);
      expect(read.success).toBe(true);
      expect(read.output).toEqual(payload);
    }),
    { numRuns: 4000 },
  );
});
