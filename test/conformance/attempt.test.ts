// How a turn ends, and which event comes of it.
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/core/json.js';
import type { GraphNodeBinding } from '../../src/runtime/ports/binding.js';
import { bindingOf, POLICY, type Effect } from './run-binding.js';
import {
  codeOf,
  graphEvent,
  ManualClock,
  never,
  onceGraph,
  runLab,
  startedRun,
  STORES,
  type RunLab,
} from './run-fixture.js';
import { compileTeam, QUESTION } from './team-fixture.js';

const say: Effect = async () => ({ summary: 'Done.' });
const lastPayload = (events: readonly { payload: JsonValue }[]) => events.at(-1)?.payload;

/** A run of one node that answers with `runData`, and its last event after one `run`. */
async function once(lab: RunLab, runData: Effect, more: Parameters<typeof bindingOf>[2] = {}) {
  const run = await startedRun(lab, onceGraph(['a']), { a: bindingOf(lab.scratch, runData, more) });
  const outcome = await (await run.executor()).run(never());
  const last = (await run.events()).at(-1);
  return { run, outcome, type: last?.type.replace('graph:', ''), payload: last?.payload };
}

describe.each(STORES)('an attempt on %s', (store) => {
  describe.each([
    ['data', {}],
    [
      'permissive contract',
      {
        resultContract: {
          record: { name: 'any', version: 1, schemaDigest: 'sha256:0' as const },
          schema: {},
          validate: (value: unknown) => value as JsonValue,
        },
      },
    ],
    ['resumed attempt', { resume: true }],
  ] as const)(
    'A-60 a result that the graph refuses (%s)',
    (_, { resume = false, ...more }: { resume?: boolean; resultContract?: GraphNodeBinding['resultContract'] }) => {
      test('fails the turn, checked once, with nothing but the code recorded', async () => {
        const lab = await runLab(store);
        let checks = 0;
        const graph = onceGraph(['a'], () => {
          checks += 1;
          return { code: 'WRONG', path: '/result', message: 'No.' };
        });
        const run = await startedRun(lab, graph, { a: bindingOf(lab.scratch, say, more) });
        const place = { nodeId: 'a', position: 'once/a' };
        if (resume) await run.record(graphEvent('node-dispatched', place));
        const executor = await run.executor();
        await (resume ? executor.resume('once/a', never()) : executor.run(never()));
        expect(checks).toBe(1);
        expect(await run.story()).not.toContain('node-completed once/a');
        expect(lastPayload(await run.events())).toEqual({ ...place, code: 'RESULT_INVALID' });
      });
    },
  );

  test('A-61 a result that is too large to store fails the turn, and a fresh run does not call again', async () => {
    const lab = await runLab(store);
    let calls = 0;
    const { run, outcome, payload } = await once(lab, async () => {
      calls += 1;
      return 'x'.repeat(70_000);
    });
    expect(payload).toEqual({ nodeId: 'a', position: 'once/a', code: 'RESULT_TOO_LARGE' });
    expect(await (await run.executor()).run(never())).toEqual(outcome);
    expect(calls).toBe(1);
  });

  test('A-62 a host that wants to wait pauses the turn before it runs; a resume asks it again', async () => {
    const lab = await runLab(store);
    let calls = 0;
    let asked = 0;
    const effect: Effect = async () => {
      calls += 1;
      return { summary: 'Done.' };
    };
    const decideAction: GraphNodeBinding['decideAction'] = async () => {
      asked += 1;
      return asked === 1 ? { kind: 'wait', reason: 'Ask the owner.', request: { who: 'owner' } } : { kind: 'allow' };
    };
    const run = await startedRun(lab, onceGraph(['a']), { a: bindingOf(lab.scratch, effect, { decideAction }) });
    const executor = await run.executor();
    expect(await executor.run(never())).toEqual({ kind: 'pause', reason: 'Ask the owner.' });
    expect(calls).toBe(0);
    expect(lastPayload(await run.events())).toEqual({
      nodeId: 'a',
      position: 'once/a',
      reason: 'Ask the owner.',
      request: { who: 'owner' },
    });
    expect((await executor.resume('once/a', never())).kind).toBe('complete');
    expect([asked, calls]).toEqual([2, 1]);
    expect((await run.story()).filter((line) => line.startsWith('node-attempt-started'))).toHaveLength(1);
  });

  test.each<[string, () => Promise<unknown>, string]>([
    ['A-64 a host that denies', async () => ({ kind: 'deny', reason: 'Not today.' }), 'DENIED'],
    ['A-65 a host that throws', async () => Promise.reject(new Error('Broken.')), 'ACTION_POLICY'],
    ['A-65 an answer with another field', async () => ({ kind: 'allow', why: 'Sure.' }), 'ACTION_POLICY'],
    ['A-65 a reason with space around it', async () => ({ kind: 'deny', reason: ' No. ' }), 'ACTION_POLICY'],
    ['A-65 no answer', async () => undefined, 'ACTION_POLICY'],
  ])('%s fails the turn, and nothing runs', async (_, answer, code) => {
    const lab = await runLab(store);
    let calls = 0;
    const effect: Effect = async () => {
      calls += 1;
      return null;
    };
    const decideAction = answer as GraphNodeBinding['decideAction'];
    expect((await once(lab, effect, { decideAction })).payload).toMatchObject({ code });
    expect(calls).toBe(0);
  });

  test('A-79 an input over its limit fails the turn before anything runs, and nobody else has a turn', async () => {
    const lab = await runLab(store);
    let calls = 0;
    const effect: Effect = async () => {
      calls += 1;
      return QUESTION;
    };
    const bind = (inputBytes: number) => bindingOf(lab.scratch, effect, { policy: { inputBytes } });
    const run = await startedRun(lab, compileTeam(), { writer: bind(1), reviewer: bind(10_000) });
    expect(await (await run.executor()).run(never())).toEqual({
      kind: 'fail',
      code: 'TEAM_NODE_FAILED',
      message: 'Failed team members: writer.',
    });
    expect(calls).toBe(0);
    expect(await run.story()).toEqual([
      'run-started',
      'node-dispatched team/writer/1',
      'node-attempt-started team/writer/1',
      'node-failed team/writer/1',
    ]);
    expect(lastPayload(await run.events())).toMatchObject({ code: 'INPUT_LIMIT' });
  });

  test.each([
    ['input', 'inputBytes', '{"for":"a"}'.length, 'INPUT_LIMIT'],
    ['output', 'outputBytes', '{"summary":"Done."}'.length, 'OUTPUT_LIMIT'],
  ])('an %s as long as its limit passes, one byte more does not', async (_, limit, bytes, code) => {
    const equal = await once(await runLab(store), say, { policy: { [limit]: bytes } });
    expect(equal.type).toBe('node-completed');
    const over = await once(await runLab(store), say, { policy: { [limit]: bytes - 1 } });
    expect(over.payload).toMatchObject({ code });
  });

  test.each<[string, Effect, JsonObject | string]>([
    ['throws', async () => Promise.reject(new Error('Broken.')), 'EFFECT_FAILED'],
    ['returns undefined', async () => undefined as unknown as JsonValue, 'EFFECT_FAILED'],
    ['returns a Date', async () => new Date(0) as unknown as JsonValue, 'EFFECT_FAILED'],
  ])('an effect that %s fails the turn', async (_, effect, code) => {
    expect((await once(await runLab(store), effect)).payload).toMatchObject({ code });
  });

  test('what the contract returns is what is saved; a contract that throws fails the turn', async () => {
    const contract = (validate: (value: unknown) => JsonValue) => ({
      resultContract: { record: { name: 'any', version: 1, schemaDigest: 'sha256:0' as const }, schema: {}, validate },
    });
    const saved = await once(
      await runLab(store),
      say,
      contract(() => 'checked'),
    );
    expect(saved.payload).toMatchObject({ result: 'checked' });
    const refused = await once(
      await runLab(store),
      say,
      contract(() => {
        throw new Error('No.');
      }),
    );
    expect(refused.payload).toMatchObject({ code: 'RESULT_INVALID' });
  });

  describe('A-82 time', () => {
    const policy = { timeoutMs: 100, teardownGraceMs: 50 };
    type End = 'resolve' | 'reject';
    test.each<[string, End, (clock: ManualClock) => void, string, boolean]>([
      ['a value after the soft limit is accepted', 'resolve', (clock) => clock.advance(149), 'node-completed', true],
      ['a rejection after the soft limit is a time-out', 'reject', (clock) => clock.advance(100), 'TIMEOUT', true],
      [
        'a rejection before it is the effect’s own failure',
        'reject',
        (clock) => clock.advance(99),
        'EFFECT_FAILED',
        false,
      ],
      ['a value after the hard limit is ignored', 'resolve', (clock) => clock.advance(150), 'TIMEOUT', true],
      [
        'a value that a blocked event loop let in late is ignored',
        'resolve',
        (clock) => clock.block(150),
        'TIMEOUT',
        false,
      ],
    ])('%s', async (_, end, move, expected, asked) => {
      const lab = await runLab(store);
      const clock = new ManualClock();
      let stopped = false;
      const effect: Effect = ({ signal }) => {
        signal.addEventListener('abort', () => (stopped = true));
        move(clock);
        return end === 'resolve' ? Promise.resolve('late') : Promise.reject(new Error('Late.'));
      };
      const run = await startedRun(lab, onceGraph(['a']), { a: bindingOf(lab.scratch, effect, { policy }) });
      await (await run.executor({ clock })).run(never());
      const last = (await run.events()).at(-1);
      const fields = last?.payload as JsonObject;
      expect(fields['code'] ?? last?.type.replace('graph:', '')).toBe(expected);
      expect(stopped).toBe(asked);
      expect(clock.waiting).toBe(0);
    });
  });

  test('A-83 an effect that ignores an abort is waited for 7 s; then the turn and the team have failed', async () => {
    const lab = await runLab(store);
    const clock = new ManualClock();
    const stop = new AbortController();
    const begun = Promise.withResolvers<undefined>();
    const effect: Effect = () => {
      begun.resolve(undefined);
      return new Promise(() => undefined);
    };
    const run = await startedRun(lab, compileTeam(), { writer: bindingOf(lab.scratch, effect) });
    const running = codeOf(async () => (await run.executor({ clock })).run(stop.signal));
    await begun.promise;
    stop.abort();
    clock.advance(6_999);
    expect(clock.waiting).toBe(1);
    clock.advance(1);
    expect(await running).toBe('ABORTED');
    expect(lastPayload(await run.events())).toMatchObject({ code: 'ABORTED' });
    expect(await (await run.executor()).run(never())).toMatchObject({ kind: 'fail', code: 'TEAM_NODE_FAILED' });
  });

  test('A-85 a scratch directory that is relative, missing, a link or not spelled as it is fails the turn', async () => {
    const lab = await runLab(store);
    const link = join(lab.root, 'link');
    await symlink(lab.scratch, link);
    for (const scratch of ['scratch', join(lab.root, 'missing'), link, `${lab.root}/./scratch`, `${lab.scratch}/`]) {
      const graph = onceGraph(['a']);
      const inner = await runLab(store);
      const run = await startedRun(inner, graph, { a: bindingOf(scratch, say) });
      await (await run.executor()).run(never());
      expect(lastPayload(await run.events()), scratch).toMatchObject({ code: 'INVALID_ATTEMPT' });
    }
  });

  test('limits of the store hold for the outcome, not for the turn', async () => {
    const lab = await runLab(store);
    const policy = { ...POLICY, maxEventPayloadBytes: 4_000, maxAppendBatchBytes: 8_000 };
    const nodes = { a: bindingOf(lab.scratch, async () => 'x'.repeat(5_000)) };
    const run = await startedRun(lab, onceGraph(['a']), nodes, { policy });
    expect(await (await run.executor()).run(never())).toEqual({ kind: 'complete', output: ['RESULT_TOO_LARGE'] });
  });
});
