// The board in its columns, and what the filters leave of it. Pure.
import { TASK_COLUMNS, type TaskColumn, type TaskItem } from '../../src/protocol/board.js';

export interface BoardFilter {
  /** A member's id or `you`; empty for everybody's, `NOBODY` for tasks that nobody owns. */
  readonly owner: string;
  /** Words that must all be found in what a card says. */
  readonly text: string;
}

/** No member's id has a star. */
export const NOBODY = '*nobody';
export const NO_FILTER: BoardFilter = { owner: '', text: '' };

export interface Column {
  readonly id: TaskColumn;
  /** In the order of the board. */
  readonly tasks: readonly TaskItem[];
  /** How many the filters leave out. */
  readonly hidden: number;
}

/** @param nameOf the name that an owner is shown under: it is searched as well */
export function columnsOf(
  tasks: readonly TaskItem[],
  filter: BoardFilter,
  nameOf: (owner: string) => string,
): readonly Column[] {
  const words = filter.text.toLowerCase().split(/\s+/u).filter(Boolean);
  const fits = (task: TaskItem): boolean => {
    if (filter.owner === NOBODY ? task.owner !== null : filter.owner !== '' && task.owner !== filter.owner) {
      return false;
    }
    const owner = task.owner === null ? '' : nameOf(task.owner);
    const said = [task.id, task.subject, task.excerpt, owner, ...task.writeScopes].join('\n').toLowerCase();
    return words.every((word) => said.includes(word));
  };
  return TASK_COLUMNS.map((id) => {
    const all = tasks.filter(({ column }) => column === id);
    const shown = all.filter(fits);
    return { id, tasks: shown, hidden: all.length - shown.length };
  });
}

export type Arrow = 'ArrowUp' | 'ArrowDown' | 'ArrowLeft' | 'ArrowRight';

/**
 * Where an arrow leads from a card: within its column, or to the same height of the nearest column that has cards.
 * @returns null where there is nothing that way
 */
export function cardBeside(columns: readonly Column[], id: string, arrow: Arrow): string | null {
  const column = columns.findIndex(({ tasks }) => tasks.some((task) => task.id === id));
  const here = columns[column]?.tasks ?? [];
  const row = here.findIndex((task) => task.id === id);
  if (arrow === 'ArrowUp' || arrow === 'ArrowDown') return here[row + (arrow === 'ArrowUp' ? -1 : 1)]?.id ?? null;
  const others = arrow === 'ArrowLeft' ? columns.slice(0, column).reverse() : columns.slice(column + 1);
  const next = others.find(({ tasks }) => tasks.length > 0)?.tasks ?? [];
  return next[Math.min(row, next.length - 1)]?.id ?? null;
}
