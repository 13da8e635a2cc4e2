// What a record may say of engines, and where. A record that says anything else is not continued.
import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/core/json.js';
import type { NewDomainEvent } from '../../src/storage/port.js';
import { answers, identity, laneRun, PlayedEngine, PRIMARY, receiptEvent, SECOND, target } from './engine-fixture.js';
import {
  codeOf,
  completedEvent,
  dispatchedEvent,
  graphEvent,
  identityOf,
  never,
  pausedEvent,
  runLab,
  startedEvent,
  STORES,
} from './run-fixture.js';

const DONE: JsonValue = { summary: 'Done.' };
const OPEN = [dispatchedEvent('writer/1'), startedEvent('writer/1')];
const STRANGER = target('stranger');

const unavailable = (more: JsonObject = {}, version = 1): NewDomainEvent =>
  graphEvent(
    'model-unavailable',
    {
      schemaVersion: 1,
      identity: identityOf('writer/1'),
      selection: identity(PRIMARY),
      effective: null,
      failure: 'auth',
      target: PRIMARY,
      ...more,
    },
    version,
  );
const without = (event: NewDomainEvent, field: string): NewDomainEvent => {
  const { [field]: _, ...payload } = event.payload as JsonObject;
  return { ...event, payload };
};
const CALLED = [...OPEN, receiptEvent('writer/1', 1, { effective: null })];
const foreign = { ...identityOf('writer/1'), streamId: 'another-run' };

type Case = readonly [what: string, events: readonly NewDomainEvent[]];

/** Each event as the last one of a record. */
const after = (
  what: string,
  before: readonly NewDomainEvent[],
  last: readonly (readonly [string, NewDomainEvent])[],
): readonly Case[] => last.map(([how, event]) => [`${what} ${how}`, [...before, event]]);

const MALFORMED_RECEIPTS = after('A-69 a receipt', OPEN, [
  ['of version 2', { ...receiptEvent('writer/1', 1), version: 2 }],
  ['without an answerer', without(receiptEvent('writer/1', 1), 'effective')],
  ['without a request', without(receiptEvent('writer/1', 1), 'requested')],
  ['with another field', receiptEvent('writer/1', 1, { tokens: 3 })],
  ['without a position', receiptEvent('writer/1', 1, { position: '' })],
  ['of an undeclared node', receiptEvent('writer/1', 1, { nodeId: 'stranger' })],
  ['numbered 0', receiptEvent('writer/1', 0)],
  ['numbered 1.5', receiptEvent('writer/1', 1.5)],
  ['numbered with text', receiptEvent('writer/1', '1')],
  ['whose request is text', receiptEvent('writer/1', 1, { requested: 'm-one' })],
  ['whose request has no model', receiptEvent('writer/1', 1, { requested: { ...identity(PRIMARY), model: '' } })],
  ['whose request has tools', receiptEvent('writer/1', 1, { requested: PRIMARY })],
  ['whose answerer is a list', receiptEvent('writer/1', 1, { effective: [] })],
  ['whose answerer has no adapter', receiptEvent('writer/1', 1, { effective: { provider: 'acme' } })],
  ['whose answerer nobody asked', receiptEvent('writer/1', 1, { requested: null })],
  ['of an engine that the plan has not', receiptEvent('writer/1', 1, { requested: identity(STRANGER) })],
]);

const MISPLACED_RECEIPTS: readonly Case[] = [
  ['a receipt before the dispatch', [receiptEvent('writer/1', 1)]],
  ['a receipt before the start', [dispatchedEvent('writer/1'), receiptEvent('writer/1', 1)]],
  ['a receipt twice', [...OPEN, receiptEvent('writer/1', 1), { ...receiptEvent('writer/1', 1), eventId: 'again' }]],
  ['a receipt that skips a number', [...OPEN, receiptEvent('writer/1', 2)]],
  ['a receipt after the end', [...OPEN, completedEvent('writer/1', DONE), receiptEvent('writer/1', 1)]],
  ['a receipt while paused', [...OPEN, pausedEvent('writer/1'), receiptEvent('writer/1', 1)]],
  ['a receipt at the position of another node', [...OPEN, receiptEvent('writer/1', 1, { nodeId: 'reviewer' })]],
];

const BAD_REPORTS = after('A-69 a dead engine', CALLED, [
  ['of version 2', unavailable({}, 2)],
  ['of an engine that the plan has not', unavailable({ selection: identity(STRANGER), target: STRANGER })],
  ['of a target that the plan has not', unavailable({ target: { ...PRIMARY, tools: [] } })],
  ['whose target is another engine', unavailable({ target: SECOND })],
  ['without a target but with null', unavailable({ target: null })],
  ['of another node', unavailable({ identity: { ...identityOf('writer/1'), nodeId: 'reviewer' } })],
  ['of an undeclared node', unavailable({ identity: identityOf('stranger/1') })],
  ['of another run', unavailable({ identity: foreign })],
  ['with another field', unavailable({ why: 'It is old.' })],
  ['without a failure', without(unavailable(), 'failure')],
  ['of a failure that passes', unavailable({ failure: 'rate-limit' })],
  ['of a failure that is none', unavailable({ failure: null })],
  ['of another schema', unavailable({ schemaVersion: 2 })],
  ['of nobody', unavailable({ selection: null })],
  ['of an engine that was not called', unavailable({ selection: identity(SECOND), target: SECOND })],
]);

const MISPLACED_REPORTS: readonly Case[] = [
  ['a dead engine before its receipt', [...OPEN, unavailable()]],
  ['a dead engine twice', [...CALLED, unavailable(), { ...unavailable(), eventId: 'again' }]],
  ['a dead engine while paused', [...CALLED, pausedEvent('writer/1'), unavailable()]],
  ['a dead engine after the end', [...CALLED, completedEvent('writer/1', DONE), unavailable()]],
];

describe.each(STORES)('the record of engines on %s', (store) => {
  test.each([...MALFORMED_RECEIPTS, ...MISPLACED_RECEIPTS, ...BAD_REPORTS, ...MISPLACED_REPORTS])(
    '%s is refused: no call, no event',
    async (_, events) => {
      const lab = await runLab(store);
      const engines = [new PlayedEngine(PRIMARY, answers(PRIMARY, DONE)), new PlayedEngine(SECOND)];
      const run = await laneRun(lab, engines);
      await run.record(...events);
      expect(await codeOf(async () => (await run.executor()).run(never()))).toBe('INVALID_EVENT');
      const resuming = async () => (await run.executor()).resume('team/writer/1', never());
      expect(await codeOf(resuming)).toBe('INVALID_EVENT');
      expect(engines.flatMap(({ requests }) => requests)).toEqual([]);
      expect(await run.story()).toHaveLength(events.length + 1);
    },
  );

  test('a report without a target takes the engine out of use with any tools', async () => {
    const lab = await runLab(store);
    const bare = target('one', { tools: [] });
    const engines = [
      new PlayedEngine(PRIMARY),
      new PlayedEngine(bare),
      new PlayedEngine(SECOND, answers(SECOND, DONE)),
    ];
    const run = await laneRun(lab, engines);
    await run.record(...CALLED, without(unavailable(), 'target'), completedEvent('writer/1', { summary: 'Done.' }));
    expect((await (await run.executor()).run(never())).kind).toBe('complete');

    const asking = { summary: 'Asked.', posts: [{ roomId: 'review', text: 'Well?', mentions: ['reviewer'] }] };
    const other = await laneRun(await runLab(store), engines);
    await other.record(...CALLED, without(unavailable(), 'target'), completedEvent('writer/1', asking));
    expect((await (await other.executor()).run(never())).kind).toBe('complete');
    expect(engines.map(({ requests }) => requests.length)).toEqual([0, 0, 1]);
  });

  test('an event that was read twice by one process changes nothing (a dead engine stays dead)', async () => {
    const lab = await runLab(store);
    const engines = [new PlayedEngine(PRIMARY), new PlayedEngine(SECOND, answers(SECOND, DONE))];
    const run = await laneRun(lab, engines);
    await run.record(...CALLED, unavailable());
    const executor = await run.executor();
    expect((await executor.run(never())).kind).toBe('waiting');
    expect((await executor.run(never())).kind).toBe('waiting');
    expect((await executor.resume('team/writer/1', never())).kind).toBe('pause');
    expect((await executor.resume('team/writer/1', never())).kind).toBe('complete');
    expect(engines.map(({ requests }) => requests.length)).toEqual([0, 1]);
  });
});
