// What an engine says, and what a turn makes of it.
import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/core/json.js';
import type { ResultContract } from '../../src/runtime/ports/binding.js';
import { answers, failure, identity, oneTurn, payloads, PRIMARY, type LaneOptions } from './engine-fixture.js';
import { runLab, STORES } from './run-fixture.js';

const DONE: JsonValue = { summary: 'Done.' };

describe.each(STORES)('answers of engines on %s', (store) => {
  test('an engine that does not say who it is fails the turn, with a receipt', async () => {
    const lab = await runLab(store);
    const { run } = await oneTurn(lab, async () => ({ parts: [DONE], effective: null, tokens: 1 }));
    expect(await failure(run)).toBe('ENGINE_IDENTITY_UNRESOLVED');
    expect(await payloads(run, 'engine-attempt-recorded')).toMatchObject([
      { requested: identity(PRIMARY), effective: null },
    ]);
  });

  test('an engine may say that another model answered, and the receipt says so', async () => {
    const lab = await runLab(store);
    const effective = { ...identity(PRIMARY), model: 'm-one-2026-01-01' };
    const { run, outcome } = await oneTurn(lab, async () => ({ parts: [DONE], effective, tokens: 1 }));
    expect(outcome.kind).toBe('complete');
    expect(await payloads(run, 'engine-attempt-recorded')).toMatchObject([{ requested: identity(PRIMARY), effective }]);
  });

  const contract: ResultContract = {
    record: { name: 'any', version: 1, schemaDigest: 'sha256:0' },
    schema: { type: 'object' },
    validate: (value) => ({ summary: JSON.stringify(value) }),
  };
  const parseResult = (last: JsonValue, parts: readonly JsonValue[]): JsonValue => ({
    summary: `${parts.length}: ${JSON.stringify(last)}`,
  });
  test.each<[string, readonly JsonValue[], LaneOptions['binding'], JsonValue]>([
    ['a structured last part is the result', ['Hm.', DONE], {}, DONE],
    ['a structured last part is not parsed', [DONE], { parseResult }, DONE],
    ['text alone is no result', [DONE, 'Done.'], {}, 'RESULT_INVALID'],
    ['text is parsed, with all parts at hand', ['a', 'b'], { parseResult }, { summary: '2: "b"' }],
    ['text goes to a contract as it is', ['a'], { resultContract: contract }, { summary: '"a"' }],
    [
      'what was parsed goes to the contract',
      ['a'],
      { parseResult, resultContract: contract },
      { summary: '{"summary":"1: \\"a\\""}' },
    ],
    [
      'a parser that throws refuses the result',
      ['a'],
      {
        parseResult: () => {
          throw new Error('No.');
        },
      },
      'RESULT_INVALID',
    ],
    ['no parts are no answer', [], {}, 'EFFECT_FAILED'],
    ['parts that are not JSON are no answer', [undefined as never], {}, 'EFFECT_FAILED'],
  ])('%s', async (_, parts, binding, expected) => {
    const lab = await runLab(store);
    const { run } = await oneTurn(lab, answers(PRIMARY, ...parts), binding);
    const last = (await run.events()).at(-1)?.payload as JsonObject;
    expect(last['result'] ?? last['code']).toEqual(expected);
    expect(await payloads(run, 'engine-attempt-recorded')).toHaveLength(1);
  });

  test('outputBytes counts all parts: equal passes, one byte more does not, and is not parsed', async () => {
    const parts = ['Hm.', DONE];
    const bytes = parts.reduce<number>((sum, part) => sum + JSON.stringify(part).length, 0);
    const equal = await oneTurn(await runLab(store), answers(PRIMARY, ...parts), { policy: { outputBytes: bytes } });
    expect(equal.outcome.kind).toBe('complete');
    let parsed = 0;
    const over = await oneTurn(await runLab(store), answers(PRIMARY, ...parts, 'x'), {
      policy: { outputBytes: bytes + 2 },
      parseResult: () => {
        parsed += 1;
        return DONE;
      },
    });
    expect(await failure(over.run)).toBe('OUTPUT_LIMIT');
    expect(parsed).toBe(0);
  });
});
