// The task board: what the panel shows of tasks, and what a person asks to be done with them. Every change names the
// revision that it was made from, and is answered under its request's id: done, or refused with a code and words.
import * as v from 'valibot';
import { TASK_ACTIONS } from '../core/team/board/task-commands.js';

/** The most that a request carries; lengths are UTF-16 code units. What is too much for a task the rules say. */
export const BOARD_BOUNDS = {
  requestId: 64,
  id: 128,
  owner: 256,
  subject: 10_000,
  description: 100_000,
  blockers: 256,
  scopes: 256,
  scope: 4_096,
} as const;

const text = v.string();
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const bounded = (most: number) => v.pipe(text, v.maxLength(most));

/** `blocked` and `ready`: pending, and what it waits for is not, or is, completed. */
export const TASK_COLUMNS = ['blocked', 'ready', 'in_progress', 'completed'] as const;
export type TaskColumn = (typeof TASK_COLUMNS)[number];

/** How many tasks stand in each column. */
export const TaskCounts = v.strictObject({ blocked: count, ready: count, in_progress: count, completed: count });
export type TaskCounts = v.InferOutput<typeof TaskCounts>;

/** A task as its card shows it. */
export const TaskItem = v.strictObject({
  id: text,
  revision: count,
  subject: text,
  /** The beginning of the description, in one line. */
  excerpt: text,
  column: v.picklist(TASK_COLUMNS),
  /** Id of the member that owns it, or `you`; null for nobody. */
  owner: v.nullable(text),
  blockedBy: v.array(text),
  writeScopes: v.array(text),
  /** Other tasks in progress that may write to the same places. */
  overlaps: v.array(text),
});
export type TaskItem = v.InferOutput<typeof TaskItem>;

/** One revision of a task, as people read it. */
export const TaskRevisionView = v.strictObject({
  revision: count,
  /** ISO timestamp. */
  at: text,
  /** Id of the member that made it, or `you`; null when that is not known. */
  by: v.nullable(text),
  /** What became of the task, in words for the person. */
  words: text,
});
export type TaskRevisionView = v.InferOutput<typeof TaskRevisionView>;

const requestId = v.pipe(text, v.minLength(1), v.maxLength(BOARD_BOUNDS.requestId));
const taskId = bounded(BOARD_BOUNDS.id);
const ids = v.pipe(v.array(taskId), v.maxLength(BOARD_BOUNDS.blockers));
const scopes = v.pipe(v.array(bounded(BOARD_BOUNDS.scope)), v.maxLength(BOARD_BOUNDS.scopes));

export const BOARD_PANEL_MESSAGES = [
  /** Asks for the board; it is pushed from then on, until it is closed. */
  v.strictObject({ type: v.literal('board') }),
  v.strictObject({ type: v.literal('boardClosed') }),
  /** Asks for what a card does not show. */
  v.strictObject({ type: v.literal('task'), taskId }),
  v.strictObject({
    type: v.literal('createTask'),
    requestId,
    subject: bounded(BOARD_BOUNDS.subject),
    description: bounded(BOARD_BOUNDS.description),
    blockedBy: ids,
    writeScopes: scopes,
  }),
  v.strictObject({
    type: v.literal('updateTask'),
    requestId,
    taskId,
    /** The revision that the person has seen: another one refuses the change. */
    expectedRevision: count,
    action: v.picklist(TASK_ACTIONS),
    subject: v.exactOptional(bounded(BOARD_BOUNDS.subject)),
    description: v.exactOptional(bounded(BOARD_BOUNDS.description)),
    writeScopes: v.exactOptional(scopes),
    blockedBy: v.exactOptional(ids),
    /** For `reassign`: a member's id, or `you`; absent for nobody. */
    owner: v.exactOptional(bounded(BOARD_BOUNDS.owner)),
  }),
  /** Claims, for the person, the next task that can be begun and is in nobody's way. */
  v.strictObject({ type: v.literal('claimNextTask'), requestId }),
] as const;
export type UpdateTask = v.InferOutput<(typeof BOARD_PANEL_MESSAGES)[4]>;

export const BOARD_HOST_MESSAGES = [
  /** The whole board, in its order; of the conversation's record up to `revision`. */
  v.strictObject({ type: v.literal('board'), runId: text, revision: count, tasks: v.array(TaskItem) }),
  /** What a card does not show. */
  v.strictObject({
    type: v.literal('task'),
    taskId: text,
    revision: count,
    subject: text,
    description: text,
    isDeleted: v.boolean(),
    /** What the owner handed over with its completion; null where there is nothing. */
    result: v.nullable(text),
    /** The newest first. */
    history: v.array(TaskRevisionView),
    /** Why the history cannot be read, in words for the person. */
    problem: v.nullable(text),
  }),
  v.strictObject({
    type: v.literal('taskDone'),
    requestId: text,
    /** What the task is now; null when there was none to be claimed, or it is deleted. */
    task: v.nullable(TaskItem),
    /** The revision that it has now. */
    revision: count,
  }),
  v.strictObject({
    type: v.literal('taskRefused'),
    requestId: text,
    /** Stable, e.g. `TEAM_TASK_STALE_REVISION`; empty for what is no matter of rules. */
    code: text,
    message: text,
    /** TB-1: what the task is now; null where it is not on the board. */
    task: v.nullable(TaskItem),
    /** For a task that was changed meanwhile: its newest revision. */
    changed: v.nullable(TaskRevisionView),
  }),
  /** The board was asked for outside the panel; `taskId`: the task to be shown. */
  v.strictObject({ type: v.literal('showBoard'), taskId: v.nullable(text) }),
] as const;
