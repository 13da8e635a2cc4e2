// What the panel knows of the board, and what a person is at with it.
import * as v from 'valibot';
import type { TaskItem, TaskRevisionView } from '../../src/protocol/board.js';
import { NO_FILTER, type BoardFilter } from './columns.js';
import type { TaskStep } from './moves.js';
import type { TaskDetail, TaskForm } from './task-form.js';

/** A command that is on its way. */
export interface BoardRequest {
  /** Null for a task that is to be made, or to be found. */
  readonly taskId: string | null;
  /** What was wanted, as its menu says it: "Move to Completed". */
  readonly goal: string;
  /** What is to follow when it is done. */
  readonly rest: readonly TaskStep[];
}

/** A command that was not done, until something else is tried or it is put away. */
export interface Refusal {
  readonly goal: string;
  readonly code: string;
  readonly message: string;
  readonly changed: TaskRevisionView | null;
}

/** Beside the columns: one task, or the form of one. */
export type Pane =
  | { readonly kind: 'task'; readonly taskId: string; readonly isDeleting: boolean }
  | { readonly kind: 'form'; readonly form: TaskForm; readonly isLeaving: boolean };

export interface BoardState {
  readonly isOpen: boolean;
  readonly runId: string | null;
  readonly hostEpoch: string | null;
  readonly revision: number;
  /** Null until the host has said what there is. */
  readonly tasks: readonly TaskItem[] | null;
  readonly filter: BoardFilter;
  readonly pane: Pane | null;
  /** Of the task in the pane, as it was heard last. */
  readonly detail: TaskDetail | null;
  readonly requests: Readonly<Record<string, BoardRequest>>;
  /** By task id; those about none stand under the empty one. */
  readonly refusals: Readonly<Record<string, Refusal>>;
  /** What the live region says. */
  readonly said: { readonly serial: number; readonly text: string };
}

export const CLOSED: BoardState = {
  isOpen: false,
  runId: null,
  hostEpoch: null,
  revision: 0,
  tasks: null,
  filter: NO_FILTER,
  pane: null,
  detail: null,
  requests: {},
  refusals: {},
  said: { serial: 0, text: '' },
};

const Fields = v.strictObject({
  subject: v.string(),
  description: v.string(),
  scopes: v.string(),
  blockedBy: v.array(v.string()),
});

/** What is kept of an open board. */
export const SavedBoard = v.strictObject({
  runId: v.nullable(v.string()),
  filter: v.strictObject({ owner: v.string(), text: v.string() }),
  taskId: v.nullable(v.string()),
  form: v.nullable(
    v.strictObject({
      taskId: v.nullable(v.string()),
      revision: v.number(),
      base: Fields,
      fields: Fields,
      tried: v.boolean(),
    }),
  ),
});
export type SavedBoard = v.InferOutput<typeof SavedBoard>;

export function toSaved({ isOpen, runId, filter, pane }: BoardState): SavedBoard | null {
  if (!isOpen) return null;
  const form = pane?.kind === 'form' ? pane.form : null;
  return {
    runId,
    filter: { ...filter },
    taskId: pane?.kind === 'task' ? pane.taskId : null,
    form: form === null ? null : { ...form, base: plain(form.base), fields: plain(form.fields) },
  };
}

function plain({ blockedBy, ...rest }: TaskForm['base']) {
  return { ...rest, blockedBy: [...blockedBy] };
}

export function fromSaved(saved: SavedBoard | null): BoardState {
  if (saved === null) return CLOSED;
  const { runId, filter, taskId, form } = saved;
  const pane: Pane | null =
    form !== null
      ? { kind: 'form', form, isLeaving: false }
      : taskId !== null
        ? { kind: 'task', taskId, isDeleting: false }
        : null;
  return { ...CLOSED, isOpen: true, runId, filter, pane };
}

/** The task that the pane is about; null for none, or a new one. */
export function paneTask(pane: Pane | null): string | null {
  return pane?.kind === 'form' ? pane.form.taskId : (pane?.taskId ?? null);
}

/** True while something of a task is on its way. */
export function isBusy({ requests }: BoardState, taskId: string | null): boolean {
  return Object.values(requests).some((request) => request.taskId === taskId);
}

export function taskOf({ tasks }: Pick<BoardState, 'tasks'>, id: string | null): TaskItem | null {
  return tasks?.find((task) => task.id === id) ?? null;
}
