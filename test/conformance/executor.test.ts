// The executor: what it decides to run, what it refuses, and what it does with turns that were left open.
import { describe, expect, test } from 'vitest';
import type { GraphCommand } from '../../src/core/graph/model.js';
import type { JsonValue } from '../../src/core/json.js';
import { bindingOf, type Effect } from './run-binding.js';
import {
  codeOf,
  completedEvent,
  dispatchedEvent,
  graphEvent,
  identityOf,
  never,
  onceGraph,
  plainGraph,
  runLab,
  runOn,
  startedEvent,
  startedRun,
  STORES,
  type RunLab,
} from './run-fixture.js';
import { bentTeam, compileTeam, FINAL } from './team-fixture.js';

const say: Effect = async () => ({ summary: 'Done.' });
const lastPayload = (events: readonly { payload: JsonValue }[]) => events.at(-1)?.payload;

/** A run of one node that answers with `runData`, and its last event after one `run`. */
async function once(lab: RunLab, runData: Effect, more: Parameters<typeof bindingOf>[2] = {}) {
  const run = await startedRun(lab, onceGraph(['a']), { a: bindingOf(lab.scratch, runData, more) });
  const outcome = await (await run.executor()).run(never());
  const last = (await run.events()).at(-1);
  return { run, outcome, type: last?.type.replace('graph:', ''), payload: last?.payload };
}

describe.each(STORES)('the executor on %s', (store) => {
  test('A-50 a graph that decides nothing when nothing happened is refused', async () => {
    const lab = await runLab(store);
    const run = await startedRun(
      lab,
      plainGraph(['a'], () => []),
      {},
    );
    expect(await codeOf(async () => (await run.executor()).run(never()))).toBe('EMPTY_DECISION');
    expect(await run.story()).toEqual(['run-started']);
  });

  test('A-51 a dispatch that an earlier process left makes run wait and append nothing', async () => {
    const lab = await runLab(store);
    const run = await startedRun(lab, compileTeam(), { writer: bindingOf(lab.scratch, say) });
    await run.record(dispatchedEvent('writer/1'));
    const outcome = await (await run.executor()).run(never());
    expect(outcome).toEqual({ kind: 'waiting', positions: ['team/writer/1'] });
    expect(await run.story()).toEqual(['run-started', 'node-dispatched team/writer/1']);
  });

  test('A-52 resume runs that turn once, with the input that was decided and without a second dispatch', async () => {
    const lab = await runLab(store);
    const inputs: JsonValue[] = [];
    const effect: Effect = async ({ input }) => {
      inputs.push(input);
      return { summary: 'Done.' };
    };
    const run = await startedRun(lab, compileTeam(), { writer: bindingOf(lab.scratch, effect) });
    await run.record(dispatchedEvent('writer/1'));
    const outcome = await (await run.executor()).resume('team/writer/1', never());
    expect(outcome.kind).toBe('complete');
    expect(inputs).toEqual([
      {
        task: 'Prepare a release note.',
        role: 'writer',
        brief: 'Draft the release note.',
        result: null,
        messages: [],
      },
    ]);
    expect(await run.story()).toEqual([
      'run-started',
      'node-dispatched team/writer/1',
      'node-attempt-started team/writer/1',
      'node-completed team/writer/1',
    ]);
    expect((await run.events())[2]?.payload).toEqual({ identity: identityOf('writer/1'), retrySafe: false });
  });

  test('A-53 a started turn that was not safe to repeat pauses on resume, whatever the binding says now', async () => {
    const lab = await runLab(store);
    let calls = 0;
    const effect: Effect = async () => {
      calls += 1;
      return { summary: 'Done.' };
    };
    const nodes = { writer: bindingOf(lab.scratch, effect, { retrySafe: true }) };
    const run = await startedRun(lab, compileTeam(), nodes);
    await run.record(dispatchedEvent('writer/1'), startedEvent('writer/1', false));
    const reason = 'The previous process stopped after node code started, so its outcome is uncertain.';
    expect(await (await run.executor()).resume('team/writer/1', never())).toEqual({ kind: 'pause', reason });
    expect(calls).toBe(0);
    expect(lastPayload(await run.events())).toEqual({
      nodeId: 'writer',
      position: 'team/writer/1',
      reason,
      request: { kind: 'reconcile-attempt', attemptId: identityOf('writer/1').attemptId },
    });

    // The second resume is the person's word: it runs.
    expect((await (await run.executor()).resume('team/writer/1', never())).kind).toBe('complete');
    expect(calls).toBe(1);
    expect((await run.story()).slice(3)).toEqual([
      'node-paused team/writer/1',
      'node-resumed team/writer/1',
      'node-completed team/writer/1',
    ]);
  });

  test('A-54 a started turn that was safe to repeat runs again under the same attempt', async () => {
    const lab = await runLab(store);
    const run = await startedRun(lab, compileTeam(), { writer: bindingOf(lab.scratch, say) });
    await run.record(dispatchedEvent('writer/1'), startedEvent('writer/1', true));
    expect((await (await run.executor()).resume('team/writer/1', never())).kind).toBe('complete');
    expect(await run.story()).toEqual([
      'run-started',
      'node-dispatched team/writer/1',
      'node-attempt-started team/writer/1',
      'node-resumed team/writer/1',
      'node-completed team/writer/1',
    ]);
  });

  test.each(['complete', 'dispatch'] as const)('A-56 %s decided while a turn is open is refused', async (kind) => {
    const lab = await runLab(store);
    const command = (events: readonly { type: string }[]): GraphCommand =>
      events.length > 0 && kind === 'complete'
        ? { kind, output: null }
        : { kind: 'dispatch', nodeId: 'a', input: null, position: `team/a/${events.length + 1}` };
    const run = await startedRun(
      lab,
      plainGraph(['a'], (events) => [command(events)]),
      {},
    );
    await run.record(dispatchedEvent('a/1'));
    expect(await codeOf(async () => (await run.executor()).run(never()))).toBe('PROTOCOL');
    expect(await run.story()).toHaveLength(2);
  });

  test('A-57 a graph that uses a position again is refused after exactly one call', async () => {
    const lab = await runLab(store);
    let calls = 0;
    const effect: Effect = async () => {
      calls += 1;
      return null;
    };
    const graph = plainGraph(['a'], () => [{ kind: 'dispatch', nodeId: 'a', input: null, position: 'same' }]);
    const run = await startedRun(lab, graph, { a: bindingOf(lab.scratch, effect) });
    expect(await codeOf(async () => (await run.executor()).run(never()))).toBe('DUPLICATE_POSITION');
    expect(calls).toBe(1);
  });

  test('A-58 inside each node of a batch both dispatches and its own start can be read', async () => {
    const lab = await runLab(store);
    const seen = new Map<string, string[]>();
    const graph = onceGraph(['a', 'b']);
    const look =
      (nodeId: string): Effect =>
      async () => {
        seen.set(nodeId, await runOn(lab.open(), graph, {}).story());
        return null;
      };
    const nodes = { a: bindingOf(lab.scratch, look('a')), b: bindingOf(lab.scratch, look('b')) };
    const run = await startedRun(lab, graph, nodes);
    await (await run.executor()).run(never());
    for (const nodeId of ['a', 'b']) {
      expect(seen.get(nodeId)).toEqual(
        expect.arrayContaining([
          'node-dispatched once/a',
          'node-dispatched once/b',
          `node-attempt-started once/${nodeId}`,
        ]),
      );
    }
    expect((await run.story()).slice(1, 3)).toEqual(['node-dispatched once/a', 'node-dispatched once/b']);
  });

  test('A-67 another definition than the stored one is refused when the executor is made', async () => {
    const lab = await runLab(store);
    const run = await startedRun(lab, compileTeam(), {});
    const other = bentTeam((definition) => (definition.id = 'other-team'));
    expect(await codeOf(() => runOn(run.storage, other, {}).executor())).toBe('STORED_GRAPH_MISMATCH');
  });

  test('a graph that needs a memory is refused without one, and its nodes are given it', async () => {
    const lab = await runLab(store);
    const seen: unknown[] = [];
    const effect: Effect = async ({ memory }) => {
      seen.push(memory);
      return null;
    };
    const run = await startedRun(lab, onceGraph(['a'], undefined, 'required'), { a: bindingOf(lab.scratch, effect) });
    expect(await codeOf(() => run.executor())).toBe('MISSING_MEMORY');
    const memory = new Map([['a', 1]]);
    await (await run.executor({ bindings: { memory } })).run(never());
    expect(seen).toEqual([memory]);
  });

  test('a node without a binding is refused when it is its turn, and nothing is recorded', async () => {
    const lab = await runLab(store);
    const run = await startedRun(lab, onceGraph(['a', 'toString']), { a: bindingOf(lab.scratch, say) });
    expect(await codeOf(async () => (await run.executor()).run(never()))).toBe('MISSING_NODE_BINDING');
    expect(await run.story()).toEqual(['run-started']);
  });

  test('one run at a time: a second one of the same executor is refused, and the first goes on', async () => {
    const lab = await runLab(store);
    const run = await startedRun(lab, onceGraph(['a']), { a: bindingOf(lab.scratch, say) });
    const executor = await run.executor();
    const first = executor.run(never());
    expect(await codeOf(() => executor.run(never()))).toBe('PROTOCOL');
    expect((await first).kind).toBe('complete');
  });

  test('A-78 a node may run another stored run, with its own signal', async () => {
    const lab = await runLab(store);
    const inner = await startedRun(lab, onceGraph(['b']), { b: bindingOf(lab.scratch, say) }, { namespace: 'inner' });
    const effect: Effect = async ({ signal }) => {
      const outcome = await (await inner.executor()).run(signal);
      return { inner: outcome.kind };
    };
    expect((await once(lab, effect)).outcome).toEqual({ kind: 'complete', output: [{ inner: 'complete' }] });
  });

  test('A-83 an abort before the first dispatch leaves the record as it was', async () => {
    const lab = await runLab(store);
    const run = await startedRun(lab, compileTeam(), { writer: bindingOf(lab.scratch, say) });
    expect(await codeOf(async () => (await run.executor()).run(AbortSignal.abort()))).toBe('ABORTED');
    expect(await run.story()).toEqual(['run-started']);
  });

  test.each<[string, Parameters<typeof bindingOf>[2]]>([
    ['no time', { policy: { timeoutMs: 0 } }],
    ['more time than a timer has', { policy: { timeoutMs: 2_147_483_647, teardownGraceMs: 1 } }],
    ['half a byte', { policy: { inputBytes: 0.5 } }],
    ['a prompt beside a data effect', { prompt: () => 'Hello.' }],
    ['neither an engine nor a data effect', { runData: null }],
    ['a permission twice', { permissions: ['read', 'read'] }],
    ['a caller that is not JSON', { trustedCaller: { when: new Date(0) } as never }],
    ['tokens without a budget', { policy: { callTokens: { mode: 'hard', tokens: 1 } } }],
    ['a workspace without a directory', { workspace: { mode: 'read', directory: null, allowedPaths: [] } }],
    ['a directory without a workspace', { workspace: { mode: 'none', directory: '/', allowedPaths: [] } }],
    ['a glob that leaves the workspace', { workspace: { mode: 'write', directory: '/', allowedPaths: ['../x'] } }],
  ])('a binding with %s fails the turn as INVALID_ATTEMPT', async (_, more) => {
    expect((await once(await runLab(store), say, more)).payload).toMatchObject({ code: 'INVALID_ATTEMPT' });
  });

  test('a prompt that throws ends run with that error, and nothing is recorded', async () => {
    const lab = await runLab(store);
    const prompt = () => {
      throw new RangeError('No words.');
    };
    const run = await startedRun(lab, onceGraph(['a']), { a: bindingOf(lab.scratch, say, { prompt }) });
    await expect((await run.executor()).run(never())).rejects.toThrow(RangeError);
    expect(await run.story()).toEqual(['run-started']);
  });

  test.each<[string, (run: Awaited<ReturnType<typeof startedRun>>) => Promise<void>]>([
    ['that never was', async () => undefined],
    ['that has settled', (run) => run.record(dispatchedEvent('writer/1'), completedEvent('writer/1', FINAL))],
  ])('resume of a turn %s is refused', async (_, prepare) => {
    const lab = await runLab(store);
    const run = await startedRun(lab, compileTeam(), { writer: bindingOf(lab.scratch, say) });
    await prepare(run);
    const before = await run.story();
    expect(await codeOf(async () => (await run.executor()).resume('team/writer/1', never()))).toBe('PROTOCOL');
    const preflight = { preflightEventId: 'nothing' };
    expect(await codeOf(async () => (await run.executor()).resume(preflight, never()))).toBe('RESUME_EVENT_MISMATCH');
    expect(await run.story()).toEqual(before);
  });

  test('several open turns are resumed one by one; between them the rest is waited for', async () => {
    const lab = await runLab(store);
    const graph = onceGraph(['a', 'b']);
    const run = await startedRun(lab, graph, { a: bindingOf(lab.scratch, say), b: bindingOf(lab.scratch, say) });
    await run.record(
      graphEvent('node-dispatched', { nodeId: 'a', position: 'once/a' }),
      graphEvent('node-dispatched', { nodeId: 'b', position: 'once/b' }),
    );
    const executor = await run.executor();
    expect(await executor.run(never())).toEqual({ kind: 'waiting', positions: ['once/a', 'once/b'] });
    expect(await executor.resume('once/b', never())).toEqual({ kind: 'waiting', positions: ['once/a'] });
    expect((await executor.resume('once/a', never())).kind).toBe('complete');
  });
});
