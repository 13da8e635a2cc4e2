// Tasks as the panel and the sidebar show them, and the words of their history.
import * as vscode from 'vscode';
import type { TaskSnapshot } from '../core/record/team-schemas.js';
import { isUnblocked } from '../core/team/board/task-graph.js';
import { LEAD_NAME, type AgentTeam } from '../core/team/board/team-state.js';
import { ownerName } from '../core/team/board/task-commands.js';
import { overlapping } from '../core/team/board/write-scopes.js';
import type { LiveState } from '../core/team/live-state.js';
import type { TaskColumn, TaskCounts, TaskItem } from '../protocol/board.js';

/** How much of a description a card gets, in UTF-16 code units. */
const EXCERPT = 200;

type BoardState = Pick<LiveState, 'board' | 'lead'>;

/** The tasks that are not deleted, in the order of the board. */
export function taskItems(state: BoardState): readonly TaskItem[] {
  return liveTasks(state.board).map((task) => taskItem(state, task));
}

/** One task by its id; null for one that is deleted or was never there. */
export function taskItemOf(state: BoardState, id: string): TaskItem | null {
  const task = state.board.tasks.get(id);
  return task === undefined || task.status === 'deleted' ? null : taskItem(state, task);
}

export function taskCounts(board: AgentTeam): TaskCounts {
  const counts: Record<TaskColumn, number> = { blocked: 0, ready: 0, in_progress: 0, completed: 0 };
  for (const task of liveTasks(board)) counts[columnOf(board, task)] += 1;
  return counts;
}

/** The id under which the panel knows an owner: a member's, or `you`. */
export function actorOf(owner: string, { lead }: Pick<LiveState, 'lead'>): string {
  return owner === LEAD_NAME ? lead : owner;
}

function taskItem(state: BoardState, task: TaskSnapshot): TaskItem {
  const { board } = state;
  const { id, revision, subject, description, ownerId, blockedBy, writeScopes } = task;
  const owner = ownerId === undefined ? null : ownerName(board, ownerId);
  return {
    id,
    revision,
    subject,
    excerpt: description.slice(0, EXCERPT).replaceAll(/\s+/gu, ' ').trim(),
    column: columnOf(board, task),
    owner: owner === null ? null : actorOf(owner, state),
    blockedBy: [...blockedBy],
    writeScopes: [...writeScopes],
    overlaps: overlapping(board.tasks, task).map((other) => other.id),
  };
}

function columnOf({ tasks }: AgentTeam, task: TaskSnapshot): TaskColumn {
  if (task.status === 'in_progress' || task.status === 'completed') return task.status;
  return isUnblocked(tasks, task) ? 'ready' : 'blocked';
}

function liveTasks({ tasks }: AgentTeam): readonly TaskSnapshot[] {
  return [...tasks.values()].filter(({ status }) => status !== 'deleted');
}

/** A revision of a task as its history has it. */
export type TaskState = Omit<TaskSnapshot, 'ownerId'> & { readonly ownerName?: string };

/**
 * What a revision made of a task.
 * @param before - the revision before; null for the first.
 * @param nameOf - the name of an owner, for the screen.
 */
export function revisionWords(before: TaskState | null, task: TaskState, nameOf: (owner: string) => string): string {
  const { l10n } = vscode;
  if (before === null) return l10n.t('created');
  if (task.status === 'deleted') return l10n.t('deleted');
  if (task.status !== before.status) return statusWords(before, task, nameOf);
  const parts = [
    task.ownerName === before.ownerName ? '' : ownerWords(task, nameOf),
    task.subject === before.subject ? '' : l10n.t('subject changed'),
    task.description === before.description ? '' : l10n.t('description changed'),
    same(task.writeScopes, before.writeScopes) ? '' : l10n.t('write scopes changed'),
    same(task.blockedBy, before.blockedBy) ? '' : blockerWords(task),
  ].filter((part) => part !== '');
  return parts.length === 0 ? l10n.t('written again, unchanged') : parts.join(', ');
}

function statusWords(before: TaskState, task: TaskState, nameOf: (owner: string) => string): string {
  const { l10n } = vscode;
  if (task.status === 'completed') return l10n.t('completed');
  if (task.status === 'pending') return before.status === 'completed' ? l10n.t('reopened') : l10n.t('released');
  return task.ownerName === undefined
    ? l10n.t('in progress')
    : l10n.t('in progress, owned by {owner}', { owner: nameOf(task.ownerName) });
}

function ownerWords({ ownerName: owner }: TaskState, nameOf: (owner: string) => string): string {
  const { l10n } = vscode;
  return owner === undefined ? l10n.t('owned by nobody') : l10n.t('given to {owner}', { owner: nameOf(owner) });
}

function blockerWords({ blockedBy }: TaskState): string {
  const { l10n } = vscode;
  return blockedBy.length === 0
    ? l10n.t('waits for nothing now')
    : l10n.t('waits for {tasks} now', { tasks: blockedBy.join(', ') });
}

function same(some: readonly string[], others: readonly string[]): boolean {
  return some.join('\n') === others.join('\n');
}
