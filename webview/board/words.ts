// Words of the board that more than one of its parts says. Pure.
import { TASK_COLUMNS, type TaskCounts, type TaskItem, type TaskRevisionView } from '../../src/protocol/board.js';
import type { MemberView } from '../../src/protocol/view.js';
import { listOf } from '../words.js';
import { COLUMN_WORDS, openBlockers } from './moves.js';
import type { Refusal } from './state.js';

/** @returns e.g. "Task board: 2 ready, 1 in progress" */
export function boardLabel(counts: TaskCounts): string {
  const words = TASK_COLUMNS.filter((column) => counts[column] > 0).map(
    (column) => `${counts[column]} ${COLUMN_WORDS[column].toLowerCase()}`,
  );
  return `Task board: ${words.length === 0 ? 'no tasks' : words.join(', ')}`;
}

/** How many tasks are not completed. */
export function openCount({ blocked, ready, in_progress }: TaskCounts): number {
  return blocked + ready + in_progress;
}

/** @returns e.g. "Waits for task-1 and task-2"; empty when it waits for nothing that is open */
export function waitsWords(task: TaskItem, tasks: readonly TaskItem[]): string {
  const open = openBlockers(task, tasks);
  return open.length === 0 ? '' : `Waits for ${listOf(open)}`;
}

/** @returns e.g. "Overlaps with task-2"; empty when it is in nobody's way */
export function overlapWords({ overlaps }: TaskItem): string {
  return overlaps.length === 0 ? '' : `Overlaps with ${listOf(overlaps)}`;
}

/** TB-11: why nothing is done for a task in progress; empty while its owner works, or is the person. Its name stands beside. */
export function restWords({ column, owner }: TaskItem, members: ReadonlyMap<string, MemberView>): string {
  const member = column === 'in_progress' ? members.get(owner ?? '') : undefined;
  switch (member?.status) {
    case 'idle':
      return 'Idle, not marked as done';
    case 'interrupted':
      return 'Turn interrupted';
    case 'stopped':
      return 'Turn stopped';
    case 'failed':
      return 'Turn failed';
    case 'queued':
    case 'running':
    case 'stopping':
    case undefined:
      return '';
  }
}

export function refusalWords({ goal, message }: Refusal): string {
  return `“${goal}” was refused: ${message}`;
}

/** @param by the name of who changed it. @returns e.g. "Ada changed it meanwhile: completed (revision 5)." */
export function changedWords({ revision, words }: TaskRevisionView, by: string): string {
  return `${by} changed it meanwhile: ${words} (revision ${revision}).`;
}
