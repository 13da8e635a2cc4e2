// The pane beside the columns: which task it shows, and how it is left. A form with changes is never left without asking.
import type { PanelMessage } from '../../src/protocol/messages.js';
import { withoutRefusal } from './commands.js';
import { paneTask, type BoardState, type Pane } from './state.js';
import { isChanged } from './task-form.js';

export interface BoardStep {
  readonly state: BoardState;
  readonly send: readonly PanelMessage[];
}

/** Opens the board, at a task if one is named. */
export function openBoard(state: BoardState, taskId: string | null): BoardStep {
  const pane = taskId === null || isWriting(state) ? state.pane : taskPane(taskId);
  const next = withPane({ ...state, isOpen: true }, pane);
  return { state: next.state, send: state.isOpen ? next.send : [{ type: 'board' }, ...next.send] };
}

/** Closes the board, unless something is written there: then it asks. */
export function closeBoard(state: BoardState): BoardStep {
  if (!state.isOpen) return quiet(state);
  if (isWriting(state)) return leave(state, false);
  return { state: { ...state, isOpen: false, pane: null, detail: null }, send: [{ type: 'boardClosed' }] };
}

export function show(state: BoardState, taskId: string): BoardStep {
  return withPane(state, taskPane(taskId));
}

export function leave(state: BoardState, drop: boolean): BoardStep {
  const { pane } = state;
  if (pane?.kind !== 'form') return quiet({ ...state, pane: null, detail: null });
  if (!drop && isChanged(pane.form)) return quiet({ ...state, pane: { ...pane, isLeaving: true } });
  const { taskId } = pane.form;
  const left = withoutRefusal(state, taskId ?? '');
  return taskId === null ? quiet({ ...left, pane: null, detail: null }) : show(left, taskId);
}

export function quiet(state: BoardState): BoardStep {
  return { state, send: [] };
}

export function isWriting({ pane }: BoardState): boolean {
  return pane?.kind === 'form' && isChanged(pane.form);
}

function taskPane(taskId: string): Pane {
  return { kind: 'task', taskId, isDeleting: false };
}

/** Whatever the pane is about, its detail is asked for. */
function withPane(state: BoardState, pane: Pane | null): BoardStep {
  const taskId = paneTask(pane);
  const detail = state.detail?.taskId === taskId ? state.detail : null;
  return { state: { ...state, pane, detail }, send: taskId === null ? [] : [{ type: 'task', taskId }] };
}
