// Turns on engine lanes: who is called, who stands in, what is recorded of it and what the turn gets.
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/core/json.js';
import type { EngineFailureKind } from '../../src/runtime/ports/graph-engine.js';
import { StorageError } from '../../src/storage/error.js';
import type { RunStorage } from '../../src/storage/port.js';
import {
  answers,
  failure,
  fails,
  identity,
  laneRun,
  oneTurn,
  payloads,
  PlayedEngine,
  PRIMARY,
  SECOND,
  target,
  THIRD,
  TURNS,
} from './engine-fixture.js';
import { codeOf, dispatchedEvent, identityOf, never, runLab, startedEvent, STORES } from './run-fixture.js';
import { FINAL, QUESTION } from './team-fixture.js';

const DONE: JsonValue = { summary: 'Done.' };
const FAILED = { kind: 'fail', code: 'TEAM_NODE_FAILED', message: 'Failed team members: writer.' };

/** The storage of a run with an `append` that fails for one type of event. */
function refusing(storage: RunStorage, type: string, error: Error): RunStorage {
  const { eventStore } = storage;
  return {
    ...storage,
    eventStore: {
      ...eventStore,
      append: async (stream, revision, events) => {
        if (events.some((event) => event.type === type)) throw error;
        return eventStore.append(stream, revision, events);
      },
    },
  };
}

describe.each(STORES)('engine lanes on %s', (store) => {
  test('A-48 the release team on engines has one receipt for each call, thirteen events in all', async () => {
    const lab = await runLab(store);
    const engine = new PlayedEngine(PRIMARY, ...TURNS.map((turn) => answers(PRIMARY, 'Thinking.', turn)));
    const run = await laneRun(lab, [engine]);
    expect((await (await run.executor()).run(never())).kind).toBe('complete');
    const place = (short: string) => ({ nodeId: short.slice(0, -2), position: `team/${short}` });
    const said = { sequence: 1, requested: identity(PRIMARY), effective: identity(PRIMARY) };
    expect(await payloads(run, 'engine-attempt-recorded')).toEqual(
      ['writer/1', 'reviewer/1', 'writer/2'].map((short) => ({ ...place(short), ...said })),
    );
    expect(await run.events()).toHaveLength(13);
    expect((await payloads(run, 'node-completed')).map(({ result }) => result)).toEqual(TURNS);
    // Again: nobody is called, nothing is added.
    expect((await (await run.executor()).run(never())).kind).toBe('complete');
    expect(engine.requests).toHaveLength(3);
    expect(await run.events()).toHaveLength(13);
  });

  test('an engine is given the prompt, its model and tools, and the limits of the turn', async () => {
    const lab = await runLab(store);
    const { engine } = await oneTurn(lab, answers(PRIMARY, DONE), { permissions: ['read'] });
    expect(engine.requests).toEqual([
      {
        prompt: 'Your turn.',
        model: 'm-one',
        tools: ['read'],
        allowedTools: ['read'],
        jsonSchema: null,
        cwd: lab.scratch,
        workspaceMode: 'none',
        timeoutMs: expect.closeTo(5_000, -3) as number,
        outputBytes: 100_000,
        memoryBytes: 10_000_000,
        maxTokens: null,
        signal: expect.any(AbortSignal) as AbortSignal,
      },
    ]);
  });

  test('A-60 a result of an engine that the graph refuses fails the turn, checked once', async () => {
    const lab = await runLab(store);
    const engine = new PlayedEngine(PRIMARY, answers(PRIMARY, DONE));
    const run = await laneRun(lab, [engine]);
    let checks = 0;
    const validateNodeResult = () => {
      checks += 1;
      return { code: 'WRONG', path: '', message: 'No.' };
    };
    await (await run.executor({ graph: { ...run.graph, validateNodeResult } })).run(never());
    expect(checks).toBe(1);
    expect(await failure(run)).toBe('RESULT_INVALID');
    expect(await payloads(run, 'node-completed')).toEqual([]);
  });

  test('A-79 an input over its limit fails the turn, and the engine is not called', async () => {
    const lab = await runLab(store);
    const { run, outcome, engine } = await oneTurn(lab, answers(PRIMARY, DONE), { policy: { inputBytes: 1 } });
    expect(outcome).toEqual(FAILED);
    expect(await failure(run)).toBe('INPUT_LIMIT');
    expect(engine.requests).toEqual([]);
    expect(await payloads(run, 'engine-attempt-recorded')).toEqual([]);
  });

  test('A-66 an engine that was stopped ends the turn as ABORTED, and no other is asked', async () => {
    const lab = await runLab(store);
    const second = new PlayedEngine(SECOND, answers(SECOND, DONE));
    const run = await laneRun(lab, [new PlayedEngine(PRIMARY, fails('aborted')), second]);
    expect(await (await run.executor()).run(never())).toEqual(FAILED);
    expect(await failure(run)).toBe('ABORTED');
    expect(second.requests).toEqual([]);
  });

  test('A-70 an engine that is dead is replaced for the turn, and passed over by the next ones', async () => {
    const lab = await runLab(store);
    const primary = new PlayedEngine(PRIMARY, fails('auth'));
    const second = new PlayedEngine(SECOND, answers(SECOND, QUESTION), answers(SECOND, DONE));
    const run = await laneRun(lab, [primary, second]);
    expect((await (await run.executor()).run(never())).kind).toBe('complete');
    expect(await run.story()).toEqual([
      'run-started',
      'node-dispatched team/writer/1',
      'node-attempt-started team/writer/1',
      'engine-attempt-recorded team/writer/1',
      'model-unavailable team/writer/1',
      'engine-attempt-recorded team/writer/1',
      'node-completed team/writer/1',
      'node-dispatched team/reviewer/1',
      'node-attempt-started team/reviewer/1',
      'engine-attempt-recorded team/reviewer/1',
      'node-completed team/reviewer/1',
    ]);
    const receipts = await payloads(run, 'engine-attempt-recorded');
    expect(receipts.map(({ sequence, requested, effective }) => [sequence, requested, effective])).toEqual([
      [1, identity(PRIMARY), null],
      [2, identity(SECOND), identity(SECOND)],
      [1, identity(SECOND), identity(SECOND)],
    ]);
    expect(await payloads(run, 'model-unavailable')).toEqual([
      {
        schemaVersion: 1,
        identity: identityOf('writer/1'),
        selection: identity(PRIMARY),
        effective: null,
        failure: 'auth',
        target: PRIMARY,
      },
    ]);
    expect(primary.requests).toHaveLength(1);
  });

  test('A-70 a fresh process knows from the record which engine is dead', async () => {
    const lab = await runLab(store);
    const engines = () => [
      new PlayedEngine(PRIMARY, fails('missing-cli')),
      new PlayedEngine(SECOND, answers(SECOND, QUESTION)),
    ];
    const run = await laneRun(lab, engines());
    await (await run.executor()).run(never());
    expect(await failure(run)).toBe('EFFECT_FAILED');
    const events = (await run.events()).slice(1, -4);

    const other = await runLab(store);
    const primary = new PlayedEngine(PRIMARY);
    const second = new PlayedEngine(SECOND, answers(SECOND, DONE));
    const resumed = await laneRun(other, [primary, second]);
    await resumed.record(...events.map(({ envelopeVersion: _, streamId: __, revision: ___, ...event }) => event));
    expect((await (await resumed.executor()).run(never())).kind).toBe('complete');
    expect([primary.requests.length, second.requests.length]).toEqual([0, 1]);
  });

  test.each<[EngineFailureKind, string]>([
    ['rate-limit', 'EFFECT_FAILED'],
    ['transient', 'EFFECT_FAILED'],
    ['unknown', 'EFFECT_FAILED'],
    ['timeout', 'TIMEOUT'],
  ])('A-71 a failure of the kind %s ends the turn as %s without a fallback or an exclusion', async (kind, code) => {
    const lab = await runLab(store);
    const second = new PlayedEngine(SECOND, answers(SECOND, DONE));
    const run = await laneRun(lab, [new PlayedEngine(PRIMARY, fails(kind)), second]);
    expect(await (await run.executor()).run(never())).toEqual(FAILED);
    expect(await failure(run)).toBe(code);
    expect(second.requests).toEqual([]);
    expect(await payloads(run, 'model-unavailable')).toEqual([]);
    expect(await payloads(run, 'engine-attempt-recorded')).toHaveLength(1);
  });

  const twin = target('twin', { model: PRIMARY.model });
  test.each<[EngineFailureKind, boolean]>([
    ['model-unavailable', true],
    ['billing', true],
    ['quota', true],
    ['auth', false],
    ['missing-cli', false],
    ['invalid-config', false],
  ])('A-73 %s: another adapter of the same model is passed over too: %s', async (kind, passedOver) => {
    const lab = await runLab(store);
    const second = new PlayedEngine(twin, answers(twin, DONE));
    const third = new PlayedEngine(THIRD, answers(THIRD, DONE));
    const run = await laneRun(lab, [new PlayedEngine(PRIMARY, fails(kind)), second, third]);
    expect((await (await run.executor()).run(never())).kind).toBe('complete');
    expect([second.requests.length, third.requests.length]).toEqual(passedOver ? [0, 1] : [1, 0]);
  });

  test('two dead engines end the turn: one fallback an attempt, and then nobody is called any more', async () => {
    const lab = await runLab(store);
    const third = new PlayedEngine(THIRD, answers(THIRD, DONE));
    const engines = [new PlayedEngine(PRIMARY, fails('auth')), new PlayedEngine(SECOND, fails('quota')), third];
    const run = await laneRun(lab, engines);
    expect(await (await run.executor()).run(never())).toEqual(FAILED);
    expect(await failure(run)).toBe('ENGINE_UNAVAILABLE');
    expect(await payloads(run, 'model-unavailable')).toHaveLength(2);
    expect(third.requests).toEqual([]);
  });

  test('A-31 a turn for which no engine is left fails without a call', async () => {
    const lab = await runLab(store);
    const engine = new PlayedEngine(PRIMARY, answers(PRIMARY, QUESTION), fails('billing'));
    const run = await laneRun(lab, [engine]);
    await (await run.executor()).run(never());
    expect(await failure(run)).toBe('ENGINE_UNAVAILABLE');
    // The same lane for a turn that an earlier process left open.
    const other = await laneRun(await runLab(store), [new PlayedEngine(PRIMARY, fails('auth'))]);
    await other.record(dispatchedEvent('writer/1'));
    await (await other.executor()).resume('team/writer/1', never());
    expect(await failure(other)).toBe('ENGINE_UNAVAILABLE');
    expect(await payloads(other, 'engine-attempt-recorded')).toHaveLength(1);
  });

  test('A-74 a dead engine that cannot be recorded fails the turn, and the queue goes on', async () => {
    const lab = await runLab(store);
    const second = new PlayedEngine(SECOND, answers(SECOND, DONE));
    const run = await laneRun(lab, [new PlayedEngine(PRIMARY, fails('auth')), second]);
    const broken = new StorageError('STORAGE_UNAVAILABLE', 'The disk is full.');
    const storage = refusing(run.storage, 'graph:model-unavailable', broken);
    expect(await (await run.executor({ storage })).run(never())).toEqual(FAILED);
    expect(await failure(run)).toBe('MODEL_UNAVAILABLE_RECORD');
    expect(second.requests).toEqual([]);
  });

  test('A-75 a receipt that cannot be recorded ends run with that very error', async () => {
    const lab = await runLab(store);
    const second = new PlayedEngine(SECOND, answers(SECOND, DONE));
    const run = await laneRun(lab, [new PlayedEngine(PRIMARY, fails('auth')), second]);
    const broken = new StorageError('STORAGE_UNAVAILABLE', 'The disk is full.');
    const storage = refusing(run.storage, 'graph:engine-attempt-recorded', broken);
    await expect((await run.executor({ storage })).run(never())).rejects.toBe(broken);
    expect(await run.story()).toEqual([
      'run-started',
      'node-dispatched team/writer/1',
      'node-attempt-started team/writer/1',
    ]);
    expect(second.requests).toEqual([]);
  });

  test.each([true, false])(
    'A-77 a call that a crash cut off gets a receipt on resume (retrySafe: %s)',
    async (safe) => {
      const lab = await runLab(store);
      const engine = new PlayedEngine(PRIMARY, answers(PRIMARY, DONE));
      const run = await laneRun(lab, [engine]);
      await run.record(dispatchedEvent('writer/1'), startedEvent('writer/1', safe));
      const outcome = await (await run.executor()).resume('team/writer/1', never());
      const events = await run.events();
      expect(events[3]?.payload).toEqual({
        nodeId: 'writer',
        position: 'team/writer/1',
        sequence: 1,
        requested: null,
        effective: null,
      });
      expect((await run.story()).slice(3)).toEqual(
        safe
          ? [
              'engine-attempt-recorded team/writer/1',
              'node-resumed team/writer/1',
              'engine-attempt-recorded team/writer/1',
              'node-completed team/writer/1',
            ]
          : ['engine-attempt-recorded team/writer/1', 'node-paused team/writer/1'],
      );
      expect(outcome.kind).toBe(safe ? 'complete' : 'pause');
      if (safe) return;
      // The second resume is the person's word. The pause closed the call, so that it needs no second receipt.
      expect((await (await run.executor()).resume('team/writer/1', never())).kind).toBe('complete');
      expect((await payloads(run, 'engine-attempt-recorded')).map(({ sequence }) => sequence)).toEqual([1, 2]);
    },
  );

  test('each engine of the plan has exactly one binding', async () => {
    const lab = await runLab(store);
    const one = new PlayedEngine(PRIMARY);
    const run = await laneRun(lab, [one], { targets: [PRIMARY, SECOND] });
    const bind = (...engines: PlayedEngine[]) => ({
      engines: engines.map((engine) => ({ target: engine.target, engine })),
    });
    const two = new PlayedEngine(SECOND);
    for (const engines of [[], [one], [one, two, two], [one, two, new PlayedEngine(THIRD)]]) {
      expect(await codeOf(() => run.executor(bind(...engines)))).toBe('MISSING_ENGINE_BINDING');
    }
    expect(await run.executor(bind(two, one))).toBeDefined();
  });

  test.each([
    ['no prompt', { prompt: null }],
    ['a data effect beside its engine', { runData: async () => null }],
  ])('a member with %s fails as INVALID_ATTEMPT', async (_, binding) => {
    const { run, engine } = await oneTurn(await runLab(store), answers(PRIMARY, FINAL), binding);
    expect(await failure(run)).toBe('INVALID_ATTEMPT');
    expect(engine.requests).toEqual([]);
  });
});
