// Which task waits for which: no task waits for itself, by however many others, and none for one that is not there.
// Rules: docs/rules.md § Task board.
import type { TaskSnapshot } from '../../record/team-schemas.js';

/** What is wrong with the graph; `path` of a cycle begins and ends with the same task. */
export type GraphProblem =
  | { readonly kind: 'cycle'; readonly path: readonly string[] }
  | { readonly kind: 'duplicate' | 'missing'; readonly task: string; readonly blocker: string };

/** @returns the first problem in the order of the board, null when there is none. Edges of deleted tasks do not count. */
export function graphProblem(tasks: ReadonlyMap<string, TaskSnapshot>): GraphProblem | null {
  for (const task of tasks.values()) {
    if (task.status === 'deleted') continue;
    const problem = edgeProblem(task, tasks);
    if (problem !== null) return problem;
  }
  return findCycle(tasks);
}

function edgeProblem(task: TaskSnapshot, tasks: ReadonlyMap<string, TaskSnapshot>): GraphProblem | null {
  const seen = new Set<string>();
  for (const blocker of task.blockedBy) {
    if (blocker === task.id) return { kind: 'cycle', path: [task.id, task.id] };
    if (seen.has(blocker)) return { kind: 'duplicate', task: task.id, blocker };
    if (isGone(tasks.get(blocker))) return { kind: 'missing', task: task.id, blocker };
    seen.add(blocker);
  }
  return null;
}

function isGone(task: TaskSnapshot | undefined): boolean {
  return task === undefined || task.status === 'deleted';
}

/** A walk without recursion: a board may be one long chain. */
function findCycle(tasks: ReadonlyMap<string, TaskSnapshot>): GraphProblem | null {
  const done = new Set<string>();
  for (const root of tasks.values()) {
    if (root.status === 'deleted' || done.has(root.id)) continue;
    const path: string[] = [root.id];
    const rest: string[][] = [[...root.blockedBy]];
    while (path.length > 0) {
      const next = rest.at(-1)?.shift();
      if (next === undefined) {
        done.add(path.at(-1) ?? '');
        path.pop();
        rest.pop();
      } else if (path.includes(next)) {
        return { kind: 'cycle', path: [...path.slice(path.indexOf(next)), next] };
      } else if (!done.has(next)) {
        path.push(next);
        rest.push([...(tasks.get(next)?.blockedBy ?? [])]);
      }
    }
  }
  return null;
}

/** The words of a problem, for whoever caused it. */
export function describeProblem(problem: GraphProblem): string {
  switch (problem.kind) {
    case 'cycle':
      return problem.path.length === 2
        ? `The task ${problem.path[0] ?? ''} cannot block itself.`
        : `The dependency cycle includes ${problem.path.join(' → ')}.`;
    case 'duplicate':
      return `The task ${problem.task} repeats blocker ${problem.blocker}.`;
    case 'missing':
      return `The blocker ${problem.blocker} of ${problem.task} is missing or deleted.`;
  }
}

/** Tasks that are not deleted and wait for `id`, in the order of the board. */
export function dependentsOf(tasks: ReadonlyMap<string, TaskSnapshot>, id: string): readonly TaskSnapshot[] {
  return [...tasks.values()].filter((task) => task.status !== 'deleted' && task.blockedBy.includes(id));
}

/** True when everything that the task waits for is completed. */
export function isUnblocked(tasks: ReadonlyMap<string, TaskSnapshot>, task: TaskSnapshot): boolean {
  return task.blockedBy.every((blocker) => tasks.get(blocker)?.status === 'completed');
}
