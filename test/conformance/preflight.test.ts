// The check of engines before the first turn: what it records, when it pauses or fails a run, and how a run goes on.
import { describe, expect, test } from 'vitest';
import type { PlanResolution } from '../../src/core/graph/model.js';
import type { JsonObject, JsonValue } from '../../src/core/json.js';
import { GraphEngineError, type EngineFailureKind } from '../../src/runtime/ports/graph-engine.js';
import type { NewDomainEvent } from '../../src/storage/port.js';
import { answers, fails, identity, laneRun, PlayedEngine, PRIMARY, SECOND, type Play } from './engine-fixture.js';
import { codeOf, graphEvent, ManualClock, never, runLab, STORES, type RunLab } from './run-fixture.js';

const DONE: JsonValue = { summary: 'Done.' };
const OK = answers(PRIMARY, 'OK');

const check = (live: 'required' | 'skip', unsupportedStatic: 'block' | 'allow' = 'allow') =>
  ({ timeoutMs: 100, lanes: [{ laneId: 'fast', live, unsupportedStatic }] }) satisfies PlanResolution['preflight'];

/** An engine that says whether it could answer: each call throws the next failure, or nothing for null. */
function admitting(engine: PlayedEngine, ...failures: (EngineFailureKind | null)[]) {
  return Object.assign(engine, {
    admit: async () => {
      const kind = failures.shift() ?? null;
      if (kind !== null) throw new GraphEngineError(kind, 'Not now.');
    },
  });
}

async function checkedRun(lab: RunLab, engines: PlayedEngine[], preflight: PlanResolution['preflight']) {
  const run = await laneRun(lab, engines, { preflight });
  const executor = (more = {}) => run.executor({ preflightScratchDirectory: lab.scratch, ...more });
  const checks = async () =>
    (await run.events())
      .filter(({ type }) => type.startsWith('preflight:'))
      .map(({ type, payload }) => [type.replace('preflight:', ''), payload as JsonObject] as const);
  const kinds = async () => (await checks()).map(([kind]) => kind);
  return { run, executor, checks, kinds };
}

const checkEvent = (kind: string, payload: JsonObject): NewDomainEvent => ({
  ...graphEvent('x', payload),
  type: `preflight:${kind}`,
});
const lane = { laneId: 'fast', identity: identity(PRIMARY) };

describe.each(STORES)('the engine check on %s', (store) => {
  test('an engine that passes is checked once, before the first dispatch', async () => {
    const lab = await runLab(store);
    const engine = admitting(new PlayedEngine(PRIMARY, OK, answers(PRIMARY, DONE)));
    const { run, executor, checks } = await checkedRun(lab, [engine], check('required'));
    expect((await (await executor()).run(never())).kind).toBe('complete');
    expect(await checks()).toEqual([
      ['probe-started', lane],
      ['probe-finished', { ...lane, effective: identity(PRIMARY), failure: null }],
    ]);
    expect((await run.events()).map(({ type }) => type).slice(0, 4)).toEqual([
      'graph:run-started',
      'preflight:probe-started',
      'preflight:probe-finished',
      'graph:node-dispatched',
    ]);
    expect(engine.requests[0]).toMatchObject({ cwd: lab.scratch, workspaceMode: 'none', allowedTools: [] });
    const before = (await run.events()).length;
    await (await executor()).run(never());
    expect(await run.events()).toHaveLength(before);
    expect(engine.requests).toHaveLength(2);
  });

  test.each<[string, 'block' | 'allow', 'required' | 'skip', string]>([
    ['that cannot say is refused when the plan blocks that', 'block', 'skip', 'fail'],
    ['that cannot say passes when the plan allows that', 'allow', 'skip', 'complete'],
    ['that cannot say may still have to answer', 'allow', 'required', 'complete'],
  ])('an engine %s', async (_, unsupported, live, end) => {
    const lab = await runLab(store);
    const plays = live === 'required' ? [OK, answers(PRIMARY, DONE)] : [answers(PRIMARY, DONE)];
    const { executor } = await checkedRun(lab, [new PlayedEngine(PRIMARY, ...plays)], check(live, unsupported));
    expect((await (await executor()).run(never())).kind).toBe(end);
  });

  test.each<[string, EngineFailureKind]>([
    ['auth', 'auth'],
    ['rate-limit', 'rate-limit'],
    ['unknown', 'unknown'],
  ])('a failure that somebody can mend (%s) pauses the run; nothing is dispatched', async (_, kind) => {
    const lab = await runLab(store);
    const engine = admitting(new PlayedEngine(PRIMARY, OK, answers(PRIMARY, DONE)), kind);
    const { run, executor, kinds } = await checkedRun(lab, [engine], check('required'));
    const outcome = await (await executor()).run(never());
    const paused = (await run.events()).at(-1);
    const reason = `Engines did not pass their check: fast (${kind}).`;
    expect(outcome).toEqual({ kind: 'pause', reason, preflightEventId: paused?.eventId });
    expect(await kinds()).toEqual(['probe-started', 'probe-finished', 'paused']);
    // A fresh process pauses at the same event and adds nothing.
    expect(await (await executor()).run(never())).toEqual(outcome);
    expect(await run.events()).toHaveLength(4);

    const preflightEventId = paused?.eventId ?? '';
    const wrong = { preflightEventId: 'another' };
    expect(await codeOf(async () => (await executor()).resume(wrong, never()))).toBe('RESUME_EVENT_MISMATCH');
    expect(await codeOf(async () => (await executor()).resume('team/writer/1', never()))).toBe('PROTOCOL');
    expect((await (await executor()).resume({ preflightEventId }, never())).kind).toBe('complete');
    expect((await kinds()).slice(3)).toEqual(['resumed', 'probe-started', 'probe-finished']);
    const again = async () => (await executor()).resume({ preflightEventId }, never());
    expect(await codeOf(again)).toBe('RESUME_EVENT_MISMATCH');
  });

  test.each<[string, Play, string]>([
    ['model-unavailable', fails('model-unavailable'), 'model-unavailable'],
    ['no name', async () => ({ parts: ['OK'], effective: null, tokens: 1 }), 'invalid-config'],
  ])('a failure that stays while the plan stays (%s) fails the run for good', async (_, play, failure) => {
    const lab = await runLab(store);
    const { run, executor, kinds } = await checkedRun(lab, [new PlayedEngine(PRIMARY, play)], check('required'));
    const message = `Engines did not pass their check: fast (${failure}).`;
    const outcome = { kind: 'fail', code: 'PREFLIGHT_FAILED', message };
    expect(await (await executor()).run(never())).toEqual(outcome);
    expect(await (await executor()).run(never())).toEqual(outcome);
    expect(await kinds()).toEqual(['probe-started', 'probe-finished', 'failed']);
    expect(await run.events()).toHaveLength(4);
  });

  test('a dead engine leaves the check to its fallback', async () => {
    const lab = await runLab(store);
    const engines = [
      admitting(new PlayedEngine(PRIMARY, fails('auth')), 'missing-cli'),
      new PlayedEngine(SECOND, answers(SECOND, 'OK'), answers(SECOND, DONE)),
    ];
    const { executor, checks } = await checkedRun(lab, engines, check('required'));
    expect((await (await executor()).run(never())).kind).toBe('complete');
    expect((await checks()).map(([, { identity: engine, failure }]) => [engine, failure])).toEqual([
      [identity(PRIMARY), undefined],
      [identity(PRIMARY), 'missing-cli'],
      [identity(SECOND), undefined],
      [identity(SECOND), null],
    ]);
  });

  test('an engine that does not answer in time pauses the run', async () => {
    const lab = await runLab(store);
    const clock = new ManualClock();
    const engine = new PlayedEngine(PRIMARY, ({ signal }) => {
      clock.advance(100);
      expect(signal.aborted).toBe(true);
      return Promise.reject(new Error('Stopped.'));
    });
    const { executor, checks } = await checkedRun(lab, [engine], check('required'));
    expect((await (await executor({ clock })).run(never())).kind).toBe('pause');
    expect((await checks())[1]?.[1]).toMatchObject({ failure: 'timeout' });
  });

  test('an abort in a check records no end of it, and the next run checks again', async () => {
    const lab = await runLab(store);
    const stop = new AbortController();
    const engine = new PlayedEngine(
      PRIMARY,
      ({ signal }) => {
        stop.abort();
        expect(signal.aborted).toBe(true);
        return Promise.reject(new Error('Stopped.'));
      },
      OK,
      answers(PRIMARY, DONE),
    );
    const { executor, kinds } = await checkedRun(lab, [engine], check('required'));
    expect(await codeOf(async () => (await executor()).run(stop.signal))).toBe('ABORTED');
    expect(await kinds()).toEqual(['probe-started']);
    expect((await (await executor()).run(never())).kind).toBe('complete');
    expect(await kinds()).toEqual(['probe-started', 'probe-started', 'probe-finished']);
  });

  test.each([[undefined], ['relative'], ['/does/not/exist']])(
    'engines that are to answer need a real folder (%s)',
    async (preflightScratchDirectory) => {
      const lab = await runLab(store);
      const { run } = await checkedRun(lab, [new PlayedEngine(PRIMARY)], check('required'));
      expect(await codeOf(() => run.executor({ preflightScratchDirectory } as never))).toBe('INVALID_PREFLIGHT_CONFIG');
      const other = await checkedRun(await runLab(store), [new PlayedEngine(PRIMARY)], check('skip'));
      expect(await other.run.executor()).toBeDefined();
    },
  );

  const began = checkEvent('probe-started', lane);
  const dead = checkEvent('probe-finished', { ...lane, effective: null, failure: 'auth' });
  const passed = checkEvent('probe-finished', { ...lane, effective: null, failure: null });
  const paused = { ...checkEvent('paused', { reason: 'Wait.', lanes: ['fast'] }), eventId: 'the-pause' };
  test.each<[string, readonly NewDomainEvent[]]>([
    ['an unknown step', [checkEvent('guessed', {})]],
    ['a step of version 2', [{ ...began, version: 2 }]],
    ['another field', [checkEvent('probe-started', { ...lane, why: '' })]],
    ['a lane that is not checked', [checkEvent('probe-started', { ...lane, laneId: 'slow' })]],
    ['an engine that the lane has not', [checkEvent('probe-started', { ...lane, identity: identity(SECOND) })]],
    ['an end without a begin', [passed]],
    ['a number as failure', [began, checkEvent('probe-finished', { ...lane, effective: null, failure: 3 })]],
    ['a nobody that answered', [began, checkEvent('probe-finished', { ...lane, effective: {}, failure: null })]],
    ['a lane that had passed', [began, passed, { ...began, eventId: 'again' }]],
    ['a step while paused', [began, dead, paused, { ...began, eventId: 'again' }]],
    ['a resume of no pause', [checkEvent('resumed', { preflightEventId: 'the-pause' })]],
    ['a resume of another pause', [began, dead, paused, checkEvent('resumed', { preflightEventId: 'another' })]],
    ['a pause without a reason', [checkEvent('paused', { reason: '', lanes: [] })]],
    ['a step after the failure', [checkEvent('failed', { message: 'No.', lanes: [] }), began]],
  ])('a record with %s is not continued', async (_, events) => {
    const lab = await runLab(store);
    const { run, executor } = await checkedRun(lab, [new PlayedEngine(PRIMARY)], check('required'));
    await run.record(...events);
    expect(await codeOf(async () => (await executor()).run(never()))).toBe('INVALID_EVENT');
  });
});
