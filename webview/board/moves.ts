// What it takes to bring a task from one column to another. Pure: the board's own rules decide, at the host.
import type { TaskAction } from '../../src/core/team/board/task-commands.js';
import { TASK_COLUMNS, type TaskColumn, type TaskItem } from '../../src/protocol/board.js';
import { listOf } from '../words.js';

/** One command on a task, without the revision that it is made from. */
export interface TaskStep {
  readonly action: TaskAction;
  readonly subject?: string;
  readonly description?: string;
  readonly writeScopes?: readonly string[];
  readonly blockedBy?: readonly string[];
  readonly owner?: string;
}

/** The commands, one after the other; or why no command brings it there. */
export type Move =
  { readonly kind: 'steps'; readonly steps: readonly TaskStep[] } | { readonly kind: 'none'; readonly reason: string };

export const COLUMN_WORDS: Readonly<Record<TaskColumn, string>> = {
  blocked: 'Blocked',
  ready: 'Ready',
  in_progress: 'In Progress',
  completed: 'Completed',
};

/**
 * @param task as it is shown
 * @param tasks all of the board
 * @returns null for the column that it is in
 */
export function moveTo(task: TaskItem, to: TaskColumn, tasks: readonly TaskItem[]): Move | null {
  const from = task.column;
  if (from === to) return null;
  switch (to) {
    case 'in_progress':
      return steps(from === 'completed' ? ['reopen', 'claim'] : ['claim']);
    case 'completed':
      return steps(from === 'in_progress' ? ['complete'] : ['claim', 'complete']);
    case 'blocked':
    case 'ready': {
      const open = openBlockers(task, tasks);
      const lands = open.length === 0 ? 'ready' : 'blocked';
      if (to === lands) return steps(from === 'completed' ? ['reopen'] : ['release']);
      const reason = to === 'ready' ? `${task.id} waits for ${listOf(open)}.` : `${task.id} waits for nothing.`;
      return { kind: 'none', reason };
    }
  }
}

/** The columns that a task can be asked to go to, in the order of the board. */
export function targets(task: TaskItem, tasks: readonly TaskItem[]): readonly TaskColumn[] {
  return TASK_COLUMNS.filter((column) => moveTo(task, column, tasks)?.kind === 'steps');
}

/** The next such column in one direction; null where there is none. */
export function neighbour(task: TaskItem, by: -1 | 1, tasks: readonly TaskItem[]): TaskColumn | null {
  const at = TASK_COLUMNS.indexOf(task.column);
  const others = targets(task, tasks).filter((column) => Math.sign(TASK_COLUMNS.indexOf(column) - at) === by);
  return (by > 0 ? others[0] : others.at(-1)) ?? null;
}

/** What a task waits for and is not completed, in its own order. */
export function openBlockers(task: TaskItem, tasks: readonly TaskItem[]): readonly string[] {
  return task.blockedBy.filter((id) => tasks.find((other) => other.id === id)?.column !== 'completed');
}

/** The tasks that wait for one, in the order of the board. */
export function dependents(id: string, tasks: readonly TaskItem[]): readonly TaskItem[] {
  return tasks.filter(({ blockedBy }) => blockedBy.includes(id));
}

function steps(actions: readonly TaskAction[]): Move {
  return { kind: 'steps', steps: actions.map((action) => ({ action })) };
}
