// How the board's state changes: one function from what happened to the next state and what to tell the host. What is
// shown of tasks is what the host said of them; nothing is moved before it is done.
import type { TaskColumn } from '../../src/protocol/board.js';
import type { HostMessage } from '../../src/protocol/messages.js';
import type { BoardFilter } from './columns.js';
import { hearBoard } from './hear.js';
import { COLUMN_WORDS, moveTo, type TaskStep } from './moves.js';
import { editForm, linesOf, NEW_TASK, problemsOf, rebase, toSteps, type TaskFields } from './task-form.js';
import { closeBoard, isWriting, leave, openBoard, quiet, show, type BoardStep } from './pane.js';
import { refused, updateMessage, withoutRefusal } from './commands.js';
import { isBusy, paneTask, taskOf, type BoardState } from './state.js';

export type BoardInput =
  | { readonly kind: 'host'; readonly message: HostMessage }
  | { readonly kind: 'open'; readonly taskId: string | null }
  | { readonly kind: 'close' }
  | { readonly kind: 'filter'; readonly filter: BoardFilter }
  | { readonly kind: 'task'; readonly taskId: string }
  | { readonly kind: 'write'; readonly taskId: string | null }
  | { readonly kind: 'field'; readonly fields: Partial<TaskFields> }
  | { readonly kind: 'save' }
  /** Puts what was changed upon what the task is now. */
  | { readonly kind: 'rebase' }
  /** Leaves the pane; a form with changes asks first, unless it is told not to. */
  | { readonly kind: 'leave'; readonly drop: boolean }
  | { readonly kind: 'stay' }
  | { readonly kind: 'askDelete'; readonly isAsking: boolean }
  | { readonly kind: 'move'; readonly taskId: string; readonly to: TaskColumn }
  | { readonly kind: 'act'; readonly taskId: string; readonly goal: string; readonly step: TaskStep }
  | { readonly kind: 'claimNext' }
  | { readonly kind: 'dismiss'; readonly taskId: string };

/** @param requestId names the command that this may become; no other has had it */
export function boardStep(state: BoardState, input: BoardInput, requestId: string): BoardStep {
  switch (input.kind) {
    case 'host':
      return hearBoard(state, input.message);
    case 'open':
      return openBoard(state, input.taskId);
    case 'close':
      return closeBoard(state);
    case 'filter':
      return quiet({ ...state, filter: input.filter });
    case 'task':
      return isWriting(state) ? leave(state, false) : show(state, input.taskId);
    case 'write':
      return write(state, input.taskId);
    case 'field':
      return quiet(inForm(state, (form) => ({ ...form, fields: { ...form.fields, ...input.fields } })));
    case 'save':
      return save(state, requestId);
    case 'rebase': {
      const { pane, detail } = state;
      const task = taskOf(state, paneTask(pane));
      if (task === null || detail === null || detail.revision !== task.revision) return quiet(state);
      return quiet(inForm(withoutRefusal(state, task.id), (form) => rebase(form, task, detail)));
    }
    case 'leave':
      return leave(state, input.drop);
    case 'stay':
      return quiet(state.pane?.kind === 'form' ? { ...state, pane: { ...state.pane, isLeaving: false } } : state);
    case 'askDelete':
      return quiet(
        state.pane?.kind === 'task' ? { ...state, pane: { ...state.pane, isDeleting: input.isAsking } } : state,
      );
    case 'move':
      return move(state, requestId, input);
    case 'act':
      return command(state, requestId, input.taskId, input.goal, [input.step]);
    case 'claimNext': {
      if (isBusy(state, null)) return quiet(state);
      const request = { taskId: null, goal: 'Claim Next', rest: [] };
      const requests = { ...state.requests, [requestId]: request };
      const message = { type: 'claimNextTask' as const, requestId: requestId };
      return { state: { ...withoutRefusal(state, ''), requests }, send: [message] };
    }
    case 'dismiss':
      return quiet(withoutRefusal(state, input.taskId));
  }
}

function write(state: BoardState, taskId: string | null): BoardStep {
  if (isWriting(state)) return leave(state, false);
  if (taskId === null) {
    return quiet({ ...withoutRefusal(state, ''), pane: { kind: 'form', form: NEW_TASK, isLeaving: false } });
  }
  const task = taskOf(state, taskId);
  const { detail } = state;
  // What is to be changed has to be there: a card leads to the task first.
  if (task === null || detail?.taskId !== taskId) return show(state, taskId);
  const form = editForm(task, detail);
  return quiet({ ...withoutRefusal(state, taskId), pane: { kind: 'form', form, isLeaving: false } });
}

function save(state: BoardState, requestId: string): BoardStep {
  if (state.pane?.kind !== 'form' || isBusy(state, state.pane.form.taskId)) return quiet(state);
  const { form } = state.pane;
  const { fields, taskId } = form;
  if (Object.keys(problemsOf(fields)).length > 0) return quiet(inForm(state, (one) => ({ ...one, tried: true })));
  if (taskId !== null) {
    const steps = toSteps(form);
    if (steps.length === 0) return leave(state, true);
    return command(state, requestId, taskId, 'Save', steps, form.revision);
  }
  const requests = { ...state.requests, [requestId]: { taskId: null, goal: 'New Task', rest: [] } };
  return {
    state: { ...withoutRefusal(state, ''), requests },
    send: [
      {
        type: 'createTask',
        requestId,
        subject: fields.subject,
        description: fields.description,
        blockedBy: [...fields.blockedBy],
        writeScopes: [...linesOf(fields.scopes)],
      },
    ],
  };
}

function move(
  state: BoardState,
  requestId: string,
  { taskId, to }: { readonly taskId: string; readonly to: TaskColumn },
): BoardStep {
  const task = taskOf(state, taskId);
  const way = task === null ? null : moveTo(task, to, state.tasks ?? []);
  if (way === null) return quiet(state);
  const goal = `Move to ${COLUMN_WORDS[to]}`;
  if (way.kind === 'none') return quiet(refused(state, taskId, { goal, code: '', message: way.reason, changed: null }));
  return command(state, requestId, taskId, goal, way.steps);
}

/** One command at a time for a task: the next one is made from what it has become. */
function command(
  state: BoardState,
  requestId: string,
  taskId: string,
  goal: string,
  steps: readonly TaskStep[],
  revision = taskOf(state, taskId)?.revision,
): BoardStep {
  const [first, ...rest] = steps;
  if (first === undefined || revision === undefined || isBusy(state, taskId)) return quiet(state);
  const requests = { ...state.requests, [requestId]: { taskId, goal, rest } };
  return {
    state: { ...withoutRefusal(state, taskId), requests },
    send: [updateMessage(requestId, taskId, revision, first)],
  };
}

function inForm(state: BoardState, change: (form: typeof NEW_TASK) => typeof NEW_TASK): BoardState {
  if (state.pane?.kind !== 'form') return state;
  return { ...state, pane: { kind: 'form', form: change(state.pane.form), isLeaving: false } };
}
