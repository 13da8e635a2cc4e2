// A command on its way to the host, and what is said of one that was refused.
import type { PanelMessage } from '../../src/protocol/messages.js';
import type { TaskStep } from './moves.js';
import type { BoardState, Refusal } from './state.js';

export function updateMessage(
  requestId: string,
  taskId: string,
  expectedRevision: number,
  { writeScopes, blockedBy, ...rest }: TaskStep,
): PanelMessage {
  return {
    type: 'updateTask',
    requestId,
    taskId,
    expectedRevision,
    ...rest,
    ...(writeScopes === undefined ? {} : { writeScopes: [...writeScopes] }),
    ...(blockedBy === undefined ? {} : { blockedBy: [...blockedBy] }),
  };
}

export function withoutRefusal(state: BoardState, taskId: string): BoardState {
  if (!Object.hasOwn(state.refusals, taskId)) return state;
  const refusals = Object.fromEntries(Object.entries(state.refusals).filter(([id]) => id !== taskId));
  return { ...state, refusals };
}

/** Shows a refusal where it belongs, and says it once. */
export function refused(state: BoardState, taskId: string, refusal: Refusal): BoardState {
  const { goal, message } = refusal;
  const text = `“${goal}”${taskId === '' ? '' : ` of ${taskId}`} was refused: ${message}`;
  return { ...say(state, text), refusals: { ...state.refusals, [taskId]: refusal } };
}

export function say(state: BoardState, text: string): BoardState {
  return { ...state, said: { serial: state.said.serial + 1, text } };
}
