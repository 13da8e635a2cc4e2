// An engine that is buggy or means harm: whatever it reports, answers or throws, its turn ends, the conversation goes on,
// and the record can be read again.
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/core/json.js';
import { parseRecordEvent, type TurnUsage } from '../../src/core/record/catalogue.js';
import { Conversation } from '../../src/runtime/conversation.js';
import { StepPieces } from '../../src/runtime/step-pieces.js';
import { systemClock } from '../../src/runtime/system-clock.js';
import type { Engine, EngineStep, EngineTurn, TurnResult } from '../../src/runtime/ports/engine.js';
import { memberStreamId } from '../../src/storage/streams.js';
import { beginChat, isIdle, payloads, stateOf, tapped } from '../support/chat.js';
import { events, HandEngine, host, memoryStorage, post, said, settled, team, until } from '../support/live-team.js';

/** An engine that does what the test says, whatever its types promise. */
function anyEngine(run: (turn: EngineTurn) => unknown): Engine {
  return { id: 'hand', label: 'Any', runTurn: (_input, turn) => run(turn) as Promise<TurnResult> };
}

async function oneTurn(run: (turn: EngineTurn) => unknown) {
  const storage = memoryStorage();
  const window = host(storage, anyEngine(run));
  const conversation = await Conversation.start(window, team(['ana']), []);
  await post(conversation, 'go');
  await until(conversation, isIdle);
  const { runId } = conversation;
  const state = await stateOf(conversation);
  await conversation.close();
  expect(window.errors).toEqual([]);
  for (const stream of [runId, memberStreamId(runId, 1)]) {
    for (const event of await events(storage, stream)) parseRecordEvent(event);
  }
  return { storage, runId, ana: state.members.get('ana') };
}

const BAD_USAGE: readonly [string, unknown][] = [
  ['a negative number of tokens', { inputTokens: -1 }],
  ['half a token', { outputTokens: 1.5 }],
  ['no number', { cacheReadTokens: Number.NaN }],
  ['an endless cost', { reportedCost: Number.POSITIVE_INFINITY }],
  ['a negative cost', { reportedCost: -0.01 }],
  ['a text for a number', { reasoningTokens: '12' }],
  ['a model that is no text', { model: 7 }],
  ['a figure that nobody knows', { totalTokens: 12 }],
  ['nothing at all', null],
];

describe('Usage that cannot be', () => {
  test.each(BAD_USAGE)('CO-1 of an answer (%s) is unknown, and the turn ends', async (_what, usage) => {
    const { storage, runId, ana } = await oneTurn(() => Promise.resolve({ text: 'done', usage }));
    expect(await said(storage, runId)).toEqual(['you: go', 'ana: done']);
    expect(ana?.usage).toMatchObject({ turns: 1, unknownCost: 1, inputTokens: 0 });
  });

  test.each(BAD_USAGE)('CO-1 of a step (%s) is unknown, and the turn ends', async (_what, usage) => {
    const { storage, runId, ana } = await oneTurn((turn) => {
      turn.step({ kind: 'usage', usage: usage as Partial<TurnUsage> });
      return Promise.resolve({ text: 'done' });
    });
    expect(await said(storage, runId)).toEqual(['you: go', 'ana: done']);
    expect(ana?.usage).toMatchObject({ turns: 1, unknownCost: 1 });
  });

  test('CO-1 by the price table is unknown, and the turn ends', async () => {
    const { conversation, engine, storage, runId } = await beginChat(team(['ana']), { price: () => Number.NaN });
    await post(conversation, 'go');
    (await engine.begun()).answer('done', { model: 'm', inputTokens: 4 });
    await settled(conversation);
    expect(await payloads(storage, runId, 'usage:recorded')).toMatchObject([{ usage: { pricedCost: null } }]);
  });

  test('CO-1 costs that add up to more than a number holds keep the chain’s limits readable', async () => {
    const { conversation, engine } = await beginChat(team(['ana', 'b'], { limits: { costCeiling: 1 } }));
    await post(conversation, '@ana @b go');
    (await engine.begun()).answer('@b on', { reportedCost: Number.MAX_VALUE });
    await until(conversation, ({ chains }) => [...chains.values()].some(({ parked }) => parked.length > 0));
    await conversation.continueChain('you/1/0', 'costCeiling');
    await until(conversation, ({ chains }) => [...chains.values()].some(({ parked }) => parked.length > 0));
    const { usage } = await stateOf(conversation);
    expect(Number.isFinite(usage.cost)).toBe(true);
  });
});

describe('An answer that is none', () => {
  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a text alone', 'hello'],
    ['no text', {}],
    ['a number for a text', { text: 7 }],
    ['data that is no JSON', { text: 'hi', data: { deep: () => 1 } }],
    ['data with half a character', { text: 'hi', data: ['\ud83d'] }],
  ])('MR-10 (%s) fails the turn', async (_what, answer) => {
    const { storage, runId, ana } = await oneTurn(() => Promise.resolve(answer));
    expect(await said(storage, runId)).toEqual(['you: go', '* failed']);
    expect(ana?.left).toMatchObject([{ ended: 'failed', position: 'team/ana/1' }]);
  });
});

describe('A failure', () => {
  test.each<[string, unknown]>([
    ['a text', 'broken'],
    ['nothing', undefined],
    ['an object that cannot be written as text', Object.create(null)],
    ['an error without words', new Error('')],
    ['an error whose words are no text', Object.assign(new Error('x'), { message: 7 })],
    ['an error with half a character', new Error('half \ud83d')],
    ['an error of ten million characters', new Error('x'.repeat(10_000_000))],
    [
      'an error that throws when it is read',
      Object.defineProperty(new Error('x'), 'message', {
        get: () => {
          throw new Error('no');
        },
      }),
    ],
  ])('MR-10 that is thrown as %s ends the turn with words', async (_what, error) => {
    const { storage, runId } = await oneTurn(() => {
      throw error;
    });
    expect(await said(storage, runId)).toEqual(['you: go', '* failed']);
    const [failed] = await payloads(storage, runId, 'turn:failed');
    const words: unknown = expect.stringMatching(/./);
    expect(failed).toMatchObject({ code: 'EFFECT_FAILED', message: words });
  });
});

describe('A step that cannot be', () => {
  test.each<[string, unknown]>([
    ['an unknown kind', { kind: 'dance' }],
    ['no object', null],
    ['an empty id', { kind: 'thought', id: '', text: 'x' }],
    ['an id with half a character', { kind: 'thought', id: '\ud83d', text: 'x' }],
    ['an endless id', { kind: 'thought', id: 'x'.repeat(200_000), text: 'x' }],
    ['an empty parent', { kind: 'thought', parent: '', text: 'x' }],
    ['an empty call', { kind: 'tool-result', callId: '', text: 'x', isError: false }],
    ['no text', { kind: 'thought' }],
    ['a text that is none', { kind: 'text', text: 7 }],
    ['a call with no input', { kind: 'tool-call', name: 'look', input: undefined }],
    ['a call with a function for an input', { kind: 'tool-call', name: 'look', input: () => 1 }],
    ['a call with half a character', { kind: 'tool-call', name: 'look', input: { a: '\ud83d' } }],
    ['a call without a name', { kind: 'tool-call', input: {} }],
    ['a plan of unknown state', { kind: 'plan', entries: [{ text: 'x', status: 'maybe' }] }],
    ['a plan of nothing', { kind: 'plan' }],
    ['an error without words', { kind: 'error' }],
  ])('SP-3 (%s) takes neither the turn nor the record with it', async (_what, step) => {
    const { storage, runId } = await oneTurn((turn) => {
      turn.step({ kind: 'thought', text: 'before' });
      turn.step(step as EngineStep);
      turn.step({ kind: 'thought', text: 'after' });
      return Promise.resolve({ text: 'done' });
    });
    expect(await said(storage, runId)).toEqual(['you: go', 'ana: done']);
    const steps = (await payloads(storage, memberStreamId(runId, 1), 'step:recorded')).map((payload) =>
      JSON.stringify(payload),
    );
    expect(steps.some((line) => line.includes('before'))).toBe(true);
    expect(steps.some((line) => line.includes('after'))).toBe(true);
  });

  test('SP-3 of which there are endlessly many is cut, however little each of them says', () => {
    let recorded = 0;
    const pieces = new StepPieces(systemClock, () => (recorded += 1));
    for (let index = 0; index < 100_000; index += 1) pieces.add({ kind: 'thought', text: '' });
    pieces.end();
    expect(recorded).toBeLessThan(70_000);
  });
});

describe('A tool', () => {
  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['a function', () => 1],
    ['half a character', { room: '\ud83d' }],
    ['a number that is none', { limit: Number.NaN }],
  ])('SP-3 that is called with %s three times is refused each time and ends the turn', async (_what, input) => {
    const refusals: string[] = [];
    const { storage, runId } = await oneTurn(async (turn) => {
      for (let times = 0; times < 3; times += 1) {
        refusals.push((await turn.tools.call('no_such_tool', input as JsonValue)).text.slice(0, 14));
      }
      return { text: 'done' };
    });
    expect(refusals).toEqual(['TOOL_NOT_FOUND', 'TOOL_NOT_FOUND', 'TOOL_NOT_FOUND']);
    const [failed] = await payloads(storage, runId, 'turn:failed');
    expect(failed).toMatchObject({ code: 'TOOL_LOOP' });
  });

  test('SP-11 is closed to a turn that has ended, and so is its mail', async () => {
    const { conversation, engine } = await beginChat(team(['ana', 'b']));
    await post(conversation, '@ana go');
    const turn = await engine.begun();
    turn.answer('done');
    await settled(conversation);
    await expect(turn.tools.call('team_task_create', { subject: 'late', description: 'late' })).rejects.toThrow();
    expect((await stateOf(conversation)).board.tasks.size).toBe(0);
    expect(await turn.takeMail()).toEqual([]);
  });
});

test('MR-10 A record that holds a step which this build cannot read can be opened, and what was cut off waits for a person', async () => {
  const { conversation, engine, storage, runId, reopen } = await beginChat(team(['ana']));
  await post(conversation, 'go');
  await engine.begun();
  const stream = { namespace: 'live', streamId: memberStreamId(runId, 1) };
  await until(conversation, () => true);
  const again = await reopen();
  await again.conversation.close();
  const head = await storage.eventStore.head(stream);
  await storage.eventStore.append(stream, head, [
    {
      eventId: 'odd',
      type: 'step:recorded',
      version: 99,
      timestamp: '2026-01-01T00:00:00.000Z',
      correlationId: runId,
      causationId: null,
      payload: { position: 'team/ana/1' },
    },
  ]);
  const third = await reopen();
  await post(third.conversation, 'and on');
  expect((await stateOf(third.conversation)).members.get('ana')?.queue).toHaveLength(1);
});

test('ML-8 An answer that its conversation cannot hold, cut off before its outcome, fails when it is opened again', async () => {
  const { disk, storage } = await beginChat(team(['ana']));
  const engine = new HandEngine();
  const dying = tapped(storage, (_stream, batch) =>
    batch.some(({ type }) => type === 'graph:node-completed' || type === 'graph:node-failed')
      ? Promise.withResolvers<never>().promise
      : undefined,
  );
  const first = await Conversation.start(host(dying, engine), team(['ana']), []);
  await post(first, 'go');
  // One step holds it; the outcome, which says it twice, does not.
  (await engine.begun()).answer('x'.repeat(40_000));
  const stream = memberStreamId(first.runId, 1);
  while (!(await events(storage, stream)).some(({ payload }) => JSON.stringify(payload).includes('"final"'))) {
    await turn();
  }
  disk.held.clear();
  const window = host(memoryStorage(disk), new HandEngine());
  const second = await Conversation.open(window, first.runId);
  expect(window.errors).toEqual([]);
  expect(await said(storage, first.runId)).toEqual(['you: go', '* failed']);
  await post(second, 'again');
  await second.close();
});
