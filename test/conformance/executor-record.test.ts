// The executor and its record: what it refuses to continue, and what happens when others write too.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { StorageError } from '../../src/storage/error.js';
import { bindingOf, type Effect } from './run-binding.js';
import {
  codeOf,
  completedEvent,
  dispatchedEvent,
  failedEvent,
  graphEvent,
  identityOf,
  never,
  onceGraph,
  pausedEvent,
  refusalOf,
  resumedEvent,
  runLab,
  runOn,
  startedEvent,
  startedRun,
  STORES,
} from './run-fixture.js';
import { compileTeam, FINAL, REPLY } from './team-fixture.js';

const say: Effect = async () => ({ summary: 'Done.' });

describe.each(STORES)('the record of a run on %s', (store) => {
  test('a known secret in a result ends run with the store’s error and leaves the turn open', async () => {
    const lab = await runLab(store);
    const nodes = { a: bindingOf(lab.scratch, async () => 'the key is sesame') };
    const run = await startedRun(lab, onceGraph(['a']), nodes, { knownSecrets: ['sesame'] });
    const refusal = await refusalOf(async () => (await run.executor()).run(never()));
    expect(refusal).toBeInstanceOf(StorageError);
    expect(refusal.code).toBe('KNOWN_SECRET');
    expect(await (await run.executor()).run(never())).toEqual({ kind: 'waiting', positions: ['once/a'] });
  });

  test('an event of somebody else that lands during a turn does not cost its outcome', async () => {
    const lab = await runLab(store);
    const graph = onceGraph(['a']);
    const effect: Effect = async () => {
      await runOn(lab.open(), graph, {}).record({ ...graphEvent('x', {}), type: 'host:looked' });
      return 'kept';
    };
    const run = await startedRun(lab, graph, { a: bindingOf(lab.scratch, effect) });
    expect(await (await run.executor()).run(never())).toEqual({ kind: 'complete', output: ['kept'] });
    expect((await run.events()).map(({ revision }) => revision)).toEqual([1, 2, 3, 4, 5]);
  });

  test('whoever else writes before any of its appends, no outcome is lost and none is there twice', async () => {
    const pattern = fc.array(fc.boolean(), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(pattern, async (races) => {
        const left = [...races];
        const lab = await runLab(store);
        const graph = onceGraph(['a', 'b', 'c']);
        const bind = (result: string) => bindingOf(lab.scratch, async () => result);
        const nodes = { a: bind('one'), b: bind('two'), c: bind('three') };
        const run = await startedRun(lab, graph, nodes);
        const { eventStore } = run.storage;
        let added = 0;
        const storage = {
          ...run.storage,
          eventStore: {
            ...eventStore,
            append: async (...[stream, revision, events]: Parameters<typeof eventStore.append>) => {
              if (left.shift() === true) {
                added += 1;
                await run.record({ ...graphEvent('x', {}), type: 'host:looked' });
              }
              return eventStore.append(stream, revision, events);
            },
          },
        };
        const outcome = await (await run.executor({ storage })).run(never());
        expect(outcome).toMatchObject({ kind: 'complete' });
        const story = await run.story();
        expect(story).toHaveLength(10 + added);
        expect(story.filter((line) => line.startsWith('node-completed')).sort()).toEqual([
          'node-completed once/a',
          'node-completed once/b',
          'node-completed once/c',
        ]);
      }),
      { numRuns: store === 'memory' ? 25 : 6 },
    );
  });

  test('a turn that another process settled meanwhile keeps that outcome', async () => {
    const lab = await runLab(store);
    const graph = onceGraph(['a']);
    const effect: Effect = async () => {
      await runOn(lab.open(), graph, {}).record(
        graphEvent('node-completed', { nodeId: 'a', position: 'once/a', result: 'theirs' }),
      );
      return 'ours';
    };
    const run = await startedRun(lab, graph, { a: bindingOf(lab.scratch, effect) });
    expect(await codeOf(async () => (await run.executor()).run(never()))).toBe('REVISION_CONFLICT');
    expect(await (await run.executor()).run(never())).toEqual({ kind: 'complete', output: ['theirs'] });
  });

  test('a dispatch that loses a race is decided again, and nothing of the lost one ran', async () => {
    const lab = await runLab(store);
    const graph = onceGraph(['a']);
    let calls = 0;
    const effect: Effect = async () => {
      calls += 1;
      return null;
    };
    const run = await startedRun(lab, graph, { a: bindingOf(lab.scratch, effect) });
    const { eventStore } = run.storage;
    let raced = false;
    const storage = {
      ...run.storage,
      eventStore: {
        ...eventStore,
        append: async (...[stream, revision, events]: Parameters<typeof eventStore.append>) => {
          if (!raced) {
            raced = true;
            await run.record(graphEvent('node-dispatched', { nodeId: 'a', position: 'once/a' }));
          }
          return eventStore.append(stream, revision, events);
        },
      },
    };
    const outcome = await (await run.executor({ storage })).run(never());
    expect(outcome).toEqual({ kind: 'waiting', positions: ['once/a'] });
    expect(calls).toBe(0);
  });

  describe('a record that no executor wrote is not continued', () => {
    const open = [dispatchedEvent('writer/1'), startedEvent('writer/1')];
    const place = { nodeId: 'writer', position: 'team/writer/1' };
    const foreign = { ...identityOf('writer/1'), streamId: 'another-run' };
    test.each([
      ['a dispatch of version 2', [{ ...dispatchedEvent('writer/1'), version: 2 }]],
      ['a dispatch with another field', [graphEvent('node-dispatched', { ...place, why: '' })]],
      ['a dispatch without a position', [graphEvent('node-dispatched', { nodeId: 'writer' })]],
      ['a dispatch of an undeclared node', [dispatchedEvent('stranger/1')]],
      ['a dispatch that the graph would not have made', [dispatchedEvent('reviewer/1')]],
      ['a dispatch twice', [dispatchedEvent('writer/1'), dispatchedEvent('writer/1')]],
      ['a start without a dispatch', [startedEvent('writer/1')]],
      ['a start twice', [...open, startedEvent('writer/1')]],
      ['a start of another run', [open[0], graphEvent('node-attempt-started', { identity: foreign, retrySafe: true })]],
      [
        'a start with a wrong retrySafe',
        [open[0], { ...startedEvent('writer/1'), payload: { identity: identityOf('writer/1'), retrySafe: 1 } }],
      ],
      ['a completion without a dispatch', [completedEvent('writer/1', FINAL)]],
      [
        'a completion of another node',
        [...open, graphEvent('node-completed', { ...place, nodeId: 'reviewer', result: REPLY })],
      ],
      ['a completion twice', [...open, completedEvent('writer/1', FINAL), completedEvent('writer/1', FINAL)]],
      ['a completion while paused', [...open, pausedEvent('writer/1'), completedEvent('writer/1', FINAL)]],
      ['a failure without a code', [...open, failedEvent('writer/1', '')]],
      ['a pause without a reason', [...open, pausedEvent('writer/1', '')]],
      ['a pause twice', [...open, pausedEvent('writer/1'), pausedEvent('writer/1')]],
      ['a resume of a turn that had not started', [dispatchedEvent('writer/1'), resumedEvent('writer/1')]],
      ['a second start of the run', [graphEvent('run-started', {})]],
      [
        'an engine’s receipt on a data node',
        [...open, graphEvent('engine-attempt-recorded', { ...place, sequence: 1, requested: null, effective: null })],
      ],
      ['a model that no plan has', [...open, graphEvent('model-unavailable', {})]],
    ])('%s', async (_, events) => {
      const lab = await runLab(store);
      const run = await startedRun(lab, compileTeam(), { writer: bindingOf(lab.scratch, say) });
      const added = events.filter((event) => event !== undefined);
      for (const [index, event] of added.entries()) await run.record({ ...event, eventId: `made-here-${index}` });
      expect(await codeOf(async () => (await run.executor()).run(never()))).toBe('INVALID_EVENT');
      expect(await run.story()).toHaveLength(added.length + 1);
    });

    test('events of others and unknown kinds are passed over', async () => {
      const lab = await runLab(store);
      const run = await startedRun(lab, compileTeam(), { writer: bindingOf(lab.scratch, say) });
      await run.record(
        { ...graphEvent('x', {}), type: 'host:looked', version: 7 },
        graphEvent('node-praised', place, 3),
      );
      expect((await (await run.executor()).run(never())).kind).toBe('complete');
    });
  });
});
