// What a turn did to its workspace, as an inspector tells it: what is allowed, and what counts for more than its result.
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/json.js';
import type { GraphNodeBinding, WorkspaceRequest } from '../../src/runtime/ports/binding.js';
import type { WorkspaceChanges, WorkspaceInspector } from '../../src/runtime/ports/workspace.js';
import { bindingOf, type Effect } from './run-binding.js';
import { never, onceGraph, runLab, startedRun, STORES, type RunLab } from './run-fixture.js';

type Look = () => Promise<WorkspaceChanges>;

/** An inspector that has seen these changes by the end of the attempt. */
function inspector(changes: Look, begins: string[] = []): WorkspaceInspector {
  return {
    begin: async (directory) => {
      begins.push(directory);
      return { changes };
    },
  };
}

const changed =
  (linesChanged: number, ...paths: string[]): Look =>
  async () => ({ paths, linesChanged });

interface Turn {
  readonly effect?: Effect;
  readonly workspace?: Partial<WorkspaceRequest>;
  readonly policy?: Partial<GraphNodeBinding['policy']>;
  readonly inspector?: WorkspaceInspector | undefined;
}

/** The code of the failed turn, or `completed`. */
async function endOf(lab: RunLab, { effect = async () => 'Done.', workspace = {}, policy = {}, ...turn }: Turn) {
  const node = bindingOf(lab.scratch, effect, {
    workspace: { mode: 'write', directory: lab.root, allowedPaths: ['src/**', 'README.md'], ...workspace },
    policy: { filesChanged: 2, linesChanged: 10, ...policy },
  });
  const run = await startedRun(lab, onceGraph(['a']), { a: node });
  const executor = await run.executor(turn.inspector === undefined ? {} : { workspaceInspector: turn.inspector });
  await executor.run(never());
  const last = (await run.events()).at(-1);
  return (last?.payload as JsonObject)['code'] ?? last?.type.replace('graph:node-', '');
}

describe.each(STORES)('the workspace of a turn on %s', (store) => {
  test.each<[string, Look, Turn, string]>([
    ['nothing changed', changed(0), {}, 'completed'],
    ['what is allowed changed', changed(3, 'src/a/b.ts', 'README.md'), {}, 'completed'],
    ['something else changed', changed(1, 'src/a.ts', 'package.json'), {}, 'WORKSPACE_VIOLATION'],
    [
      'something changed in a workspace for reading',
      changed(1, 'src/a.ts'),
      { workspace: { mode: 'read', allowedPaths: [] } },
      'WORKSPACE_VIOLATION',
    ],
    ['as many files as allowed changed', changed(1, 'src/a', 'src/b'), {}, 'completed'],
    ['one file too many changed', changed(1, 'src/a', 'src/b', 'src/c'), {}, 'WORKSPACE_LIMIT'],
    ['as many lines as allowed changed', changed(10, 'src/a'), {}, 'completed'],
    ['one line too many changed', changed(11, 'src/a'), {}, 'WORKSPACE_LIMIT'],
    ['nobody can say what changed', () => Promise.reject(new Error('Gone.')), {}, 'WORKSPACE_INSPECTION'],
  ])('%s', async (_, look, turn, end) => {
    expect(await endOf(await runLab(store), { ...turn, inspector: inspector(look) })).toBe(end);
  });

  const bad = inspector(changed(1, 'elsewhere'));
  test.each<[string, Turn, string]>([
    ['a throw', { effect: () => Promise.reject(new Error('No.')) }, 'EFFECT_FAILED'],
    ['a result that is too long', { policy: { outputBytes: 1 } }, 'OUTPUT_LIMIT'],
  ])('a change that is not allowed counts for more than %s', async (_, turn, otherwise) => {
    const good = inspector(changed(0));
    expect(await endOf(await runLab(store), { ...turn, inspector: good })).toBe(otherwise);
    expect(await endOf(await runLab(store), { ...turn, inspector: bad })).toBe('WORKSPACE_VIOLATION');
  });

  test.each<[string, WorkspaceInspector | undefined]>([
    ['no inspector', undefined],
    ['an inspector that cannot look', { begin: () => Promise.reject(new Error('No worktree.')) }],
  ])('with %s the turn fails before anything runs', async (_, broken) => {
    let calls = 0;
    const effect: Effect = async () => {
      calls += 1;
      return null;
    };
    expect(await endOf(await runLab(store), { effect, inspector: broken })).toBe('WORKSPACE_INSPECTION');
    expect(calls).toBe(0);
  });

  test('a turn without a workspace is not looked at; one with a workspace is told where it is', async () => {
    const lab = await runLab(store);
    const begins: string[] = [];
    const looks = inspector(changed(0), begins);
    const none = { mode: 'none', directory: null, allowedPaths: [] } as const;
    const seen: (string | null)[] = [];
    const effect: Effect = async ({ workspaceDirectory }) => {
      seen.push(workspaceDirectory);
      return null;
    };
    await endOf(lab, { effect, workspace: none, inspector: looks });
    expect(begins).toEqual([]);
    const other = await runLab(store);
    await endOf(other, { effect, inspector: looks });
    expect(begins).toEqual([other.root]);
    expect(seen).toEqual([null, other.root]);
  });
});
