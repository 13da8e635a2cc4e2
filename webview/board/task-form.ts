// A task as it is written: what a person fills in stays theirs, whatever becomes of the task meanwhile. Pure.
import { MAX_SUBJECT, MAX_TASK_DESCRIPTION } from '../../src/core/team/board/task-commands.js';
import type { HostMessage } from '../../src/protocol/messages.js';
import type { TaskItem } from '../../src/protocol/board.js';
import type { TaskStep } from './moves.js';

export type TaskDetail = Extract<HostMessage, { type: 'task' }>;

export interface TaskFields {
  readonly subject: string;
  readonly description: string;
  /** One in a line. */
  readonly scopes: string;
  readonly blockedBy: readonly string[];
}

export interface TaskForm {
  /** Null for a task that is to be made. */
  readonly taskId: string | null;
  /** The revision that `base` is of; 0 for a task that is to be made. */
  readonly revision: number;
  /** What the task was: changes are counted from it. */
  readonly base: TaskFields;
  readonly fields: TaskFields;
  /** A save was asked for: what is missing is said from then on. */
  readonly tried: boolean;
}

const EMPTY: TaskFields = { subject: '', description: '', scopes: '', blockedBy: [] };
export const NEW_TASK: TaskForm = { taskId: null, revision: 0, base: EMPTY, fields: EMPTY, tried: false };

export function fieldsOf(task: TaskItem, { subject, description }: TaskDetail): TaskFields {
  return { subject, description, scopes: task.writeScopes.join('\n'), blockedBy: task.blockedBy };
}

export function editForm(task: TaskItem, detail: TaskDetail): TaskForm {
  const base = fieldsOf(task, detail);
  return { taskId: task.id, revision: task.revision, base, fields: base, tried: false };
}

export type FieldProblems = Readonly<Partial<Record<keyof TaskFields, string>>>;

/** What can be said before the host is asked. */
export function problemsOf({ subject, description }: TaskFields): FieldProblems {
  return {
    ...problem('subject', subject, 'Say in a few words what is to be done.', MAX_SUBJECT),
    ...problem('description', description, 'Say what is to be done, and when it is done.', MAX_TASK_DESCRIPTION),
  };
}

function problem(field: keyof TaskFields, given: string, missing: string, most: number): FieldProblems {
  const { length } = given.trim();
  if (length === 0) return { [field]: missing };
  return length > most ? { [field]: `This is ${length - most} characters too long.` } : {};
}

export function isChanged({ base, fields }: TaskForm): boolean {
  return toSteps({ base, fields }).length > 0;
}

/** The commands that make the task what was filled in: only what was changed is sent, the rest stays as it is. */
export function toSteps({ base, fields }: Pick<TaskForm, 'base' | 'fields'>): readonly TaskStep[] {
  const edit = {
    ...(fields.subject === base.subject ? {} : { subject: fields.subject }),
    ...(fields.description === base.description ? {} : { description: fields.description }),
    ...(fields.scopes === base.scopes ? {} : { writeScopes: linesOf(fields.scopes) }),
  };
  const waits = fields.blockedBy.join('\n') !== base.blockedBy.join('\n');
  return [
    ...(Object.keys(edit).length === 0 ? [] : [{ action: 'edit' as const, ...edit }]),
    ...(waits ? [{ action: 'set_dependencies' as const, blockedBy: fields.blockedBy }] : []),
  ];
}

export function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Puts what the person changed upon what the task is now. */
export function rebase(form: TaskForm, task: TaskItem, detail: TaskDetail): TaskForm {
  const now = fieldsOf(task, detail);
  const { base, fields } = form;
  const isMine = (field: keyof TaskFields): boolean => String(fields[field]) !== String(base[field]);
  return {
    ...form,
    revision: task.revision,
    base: now,
    fields: {
      subject: isMine('subject') ? fields.subject : now.subject,
      description: isMine('description') ? fields.description : now.description,
      scopes: isMine('scopes') ? fields.scopes : now.scopes,
      blockedBy: isMine('blockedBy') ? fields.blockedBy : now.blockedBy,
    },
  };
}
