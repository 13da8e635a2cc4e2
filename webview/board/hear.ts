// What the host says of the board: the whole of it, one task, and what became of a command.
import type { TaskItem } from '../../src/protocol/board.js';
import type { HostMessage, PanelMessage } from '../../src/protocol/messages.js';
import { refused, say, updateMessage } from './commands.js';
import { COLUMN_WORDS } from './moves.js';
import { CLOSED, paneTask, taskOf, type BoardState } from './state.js';
import { closeBoard, leave, openBoard, quiet, show, type BoardStep } from './pane.js';

type Message<Type extends HostMessage['type']> = Extract<HostMessage, { type: Type }>;

/** Messages about other things change nothing. */
export function hearBoard(state: BoardState, message: HostMessage): BoardStep {
  const { type } = message;
  if (type === 'snapshot') return onSnapshot(state, message);
  if (type === 'board') return message.runId === state.runId ? onBoard(state, message) : quiet(state);
  if (type === 'task') return quiet(message.taskId === paneTask(state.pane) ? { ...state, detail: message } : state);
  if (type === 'taskDone') return onDone(state, message);
  if (type === 'taskRefused') return onRefused(state, message);
  if (type === 'showBoard') return openBoard(state, message.taskId);
  // A room or a mention was chosen outside the panel: what it leads to is beneath the board.
  if (type === 'show' || type === 'insert') return closeBoard(state);
  return quiet(state);
}

/** A host that was not there before knows of no command that an earlier one was given. */
function onSnapshot(state: BoardState, { hostEpoch, conversation: { runId } }: Message<'snapshot'>): BoardStep {
  const isOther = state.runId !== null && state.runId !== runId;
  const same = isOther ? { ...CLOSED, isOpen: state.isOpen, said: state.said } : state;
  const isLost = state.hostEpoch !== null && state.hostEpoch !== hostEpoch && !isOther;
  const next = { ...(isLost ? lost(same) : same), runId, hostEpoch };
  return { state: next, send: next.isOpen ? [{ type: 'board' }, ...askFor(paneTask(next.pane))] : [] };
}

function lost(state: BoardState): BoardState {
  const message = 'Teamroom was restarted before it answered. Look at the board, then try again.';
  return Object.values(state.requests).reduce<BoardState>(
    (before, { taskId, goal }) => refused(before, taskId ?? '', { goal, code: '', message, changed: null }),
    { ...state, requests: {} },
  );
}

function onBoard(state: BoardState, { revision, tasks }: Message<'board'>): BoardStep {
  // An answer that was overtaken by a push.
  if (revision < state.revision && state.tasks !== null) return quiet(state);
  const next = { ...state, revision, tasks };
  const shown = paneTask(state.pane);
  const isNews = taskOf(state, shown)?.revision !== taskOf(next, shown)?.revision;
  return { state: next, send: isNews ? askFor(shown) : [] };
}

function askFor(taskId: string | null): readonly PanelMessage[] {
  return taskId === null ? [] : [{ type: 'task', taskId }];
}

function onDone(state: BoardState, { requestId, task, revision }: Message<'taskDone'>): BoardStep {
  const request = state.requests[requestId];
  if (request === undefined) return quiet(state);
  const done = withTask(withoutRequest(state, requestId), request.taskId, task);
  const [next, ...rest] = request.rest;
  if (next !== undefined && request.taskId !== null) {
    const following = `${requestId}.`;
    const requests = { ...done.requests, [following]: { ...request, rest } };
    // A form goes on from what its first half has made.
    const half = request.goal === 'Save' ? halfSaved(done, revision) : done;
    return { state: { ...half, requests }, send: [updateMessage(following, request.taskId, revision, next)] };
  }
  const said = say(done, doneWords(request.goal, request.taskId, task));
  const { pane } = said;
  if (request.goal === 'Save' && pane?.kind === 'form' && pane.form.taskId === request.taskId) {
    return leave(said, true);
  }
  if (request.goal === 'New Task' && pane?.kind === 'form' && pane.form.taskId === null && task !== null) {
    return show({ ...said, pane: null }, task.id);
  }
  if (task === null && pane?.kind === 'task' && pane.taskId === request.taskId) {
    return quiet({ ...said, pane: null, detail: null });
  }
  return quiet(said);
}

/** The texts are saved and what it waits for is not yet: what is refused from here on is that alone. */
function halfSaved(state: BoardState, revision: number): BoardState {
  const { pane } = state;
  if (pane?.kind !== 'form') return state;
  const { form } = pane;
  const base = { ...form.fields, blockedBy: form.base.blockedBy };
  return { ...state, pane: { ...pane, form: { ...form, revision, base } } };
}

function onRefused(state: BoardState, message: Message<'taskRefused'>): BoardStep {
  const { requestId, code, task, changed } = message;
  const request = state.requests[requestId];
  if (request === undefined) return quiet(state);
  const { goal, taskId } = request;
  const known = withTask(withoutRequest(state, requestId), task === null ? null : taskId, task);
  return quiet(refused(known, taskId ?? '', { goal, code, message: message.message, changed }));
}

function withoutRequest(state: BoardState, requestId: string): BoardState {
  return {
    ...state,
    requests: Object.fromEntries(Object.entries(state.requests).filter(([id]) => id !== requestId)),
  };
}

/** What the host said of one task, before the board that says it too: the newer of both counts. */
function withTask(state: BoardState, taskId: string | null, task: TaskItem | null): BoardState {
  if (state.tasks === null) return state;
  if (task === null) return { ...state, tasks: state.tasks.filter(({ id }) => id !== taskId) };
  const known = taskOf(state, task.id);
  if (known === null) return { ...state, tasks: [...state.tasks, task] };
  if (known.revision >= task.revision) return state;
  return { ...state, tasks: state.tasks.map((one) => (one.id === task.id ? task : one)) };
}

function doneWords(goal: string, taskId: string | null, task: TaskItem | null): string {
  if (task !== null) return `${task.id}: ${COLUMN_WORDS[task.column]}`;
  return taskId === null ? 'No task is ready that keeps out of the way of those in progress.' : `${goal}: ${taskId}`;
}
