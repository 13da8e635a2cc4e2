// Boards as the host tells them, for the tests of the board in the panel.
import { expect } from 'vitest';
import type { TaskColumn, TaskItem } from '../../src/protocol/board.js';
import {
  parseHostMessage,
  parsePanelMessage,
  type HostMessage,
  type PanelMessage,
} from '../../src/protocol/messages.js';
import { CLOSED, type BoardState } from '../../webview/board/state.js';
import { boardStep, type BoardInput } from '../../webview/board/step.js';
import { conversation } from './webview-pictures.js';

export const task = (id: string, column: TaskColumn = 'ready', more: Partial<TaskItem> = {}): TaskItem => ({
  ...{ id, column, revision: 4, subject: `Do ${id}`, excerpt: '', owner: null },
  ...{ blockedBy: [], writeScopes: [], overlaps: [] },
  ...more,
});
export const TASKS = [
  task('task-1', 'in_progress', { owner: 'helper', writeScopes: ['src/api'] }),
  task('task-2'),
  task('task-3', 'blocked', { blockedBy: ['task-1'] }),
  task('task-4', 'completed', { owner: 'you' }),
];
export const snapshot = (hostEpoch = 'h1', runId = 'run'): HostMessage => ({
  ...{ type: 'snapshot', hostEpoch, revision: 9, conversation: conversation({ runId }) },
  ...{ roomId: 'main', posts: [], hasOlder: false, drafts: {}, live: [] },
});
export const board = (tasks = TASKS, revision = 9): HostMessage => ({ type: 'board', runId: 'run', revision, tasks });
export const detail = (taskId: string, more: Partial<Extract<HostMessage, { type: 'task' }>> = {}): HostMessage => ({
  ...{ type: 'task', taskId, revision: 4, subject: `Do ${taskId}`, description: 'All of it.', isDeleted: false },
  ...{ result: null, history: [], problem: null },
  ...more,
});
export const host = (message: HostMessage): BoardInput => ({ kind: 'host', message });

export interface Played {
  readonly state: BoardState;
  /** All that was sent, in order. */
  readonly sent: readonly PanelMessage[];
}

/** Requests are called r1, r2 and so on, by the place of their input. */
export function play(inputs: readonly BoardInput[], start: BoardState = CLOSED): Played {
  return inputs.reduce<Played>(
    ({ state, sent }, input, at) => {
      if (input.kind === 'host') expect(parseHostMessage(input.message)).toEqual(input.message);
      const next = boardStep(state, input, `r${at + 1}`);
      for (const message of next.send) expect(parsePanelMessage(message)).toEqual(message);
      return { state: next.state, sent: [...sent, ...next.send] };
    },
    { state: start, sent: [] },
  );
}

/** A board that is open and was heard. */
export const OPEN = play([host(snapshot()), { kind: 'open', taskId: null }, host(board())]).state;
export const updates = ({ sent }: Played) => sent.filter((message) => message.type === 'updateTask');
