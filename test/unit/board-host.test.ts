// The host's part of the task board: what the panel is told of tasks, and what becomes of a person's commands.
import * as v from 'valibot';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { BoardHost, isBoardMessage } from '../../src/editor/board-host.js';
import { taskCounts, taskItems } from '../../src/editor/task-view.js';
import { HostMessage, type PanelMessage } from '../../src/protocol/messages.js';
import type { Conversation } from '../../src/runtime/conversation.js';
import { beginChat, stateOf } from '../support/chat.js';
import { post } from '../support/live-team.js';

vi.mock('vscode', () => import('../support/vscode-words.js'));

type Said<Type extends HostMessage['type']> = Extract<HostMessage, { type: Type }>;

/** A board's host over an open conversation, and what it has said. */
function hostOf(conversation: Conversation) {
  const said: HostMessage[] = [];
  const host = new BoardHost({
    session: {
      open: () => Promise.resolve({ conversation, forkOf: null, files: null as never }),
      openToAct: () => Promise.resolve(conversation),
    },
    send: (message) => {
      expect(v.safeParse(HostMessage, JSON.parse(JSON.stringify(message))).issues).toBeUndefined();
      said.push(message);
    },
  });
  const watch = conversation.onDidChange((change) => host.changed(change));
  onTestFinished(() => watch[Symbol.dispose]());
  const tell = async (message: PanelMessage): Promise<void> => {
    if (!isBoardMessage(message)) throw new Error(`${message.type} is not about the board.`);
    await host.handle(message);
  };
  const last = <Type extends HostMessage['type']>(type: Type): Said<Type> => {
    const found = said.findLast((message): message is Said<Type> => message.type === type);
    if (found === undefined) throw new Error(`Nothing was said of the type ${type}.`);
    return found;
  };
  return { host, said, tell, last };
}

const create = (subject: string, more: Partial<Extract<PanelMessage, { type: 'createTask' }>> = {}): PanelMessage => ({
  ...{ type: 'createTask', requestId: subject, subject, description: 'All of it.', blockedBy: [], writeScopes: [] },
  ...more,
});
const update = (
  taskId: string,
  expectedRevision: number,
  action: Extract<PanelMessage, { type: 'updateTask' }>['action'],
  more: Partial<Extract<PanelMessage, { type: 'updateTask' }>> = {},
): PanelMessage => ({
  type: 'updateTask',
  requestId: `${action} ${taskId}`,
  taskId,
  expectedRevision,
  action,
  ...more,
});

/** A conversation with a board: task-2 waits for task-1. */
async function beginBoard() {
  const chat = await beginChat();
  const desk = hostOf(chat.conversation);
  await desk.tell(create('First', { writeScopes: ['src/api'] }));
  await desk.tell(create('Second', { blockedBy: ['task-1'], writeScopes: ['src'] }));
  return { ...chat, ...desk };
}

describe('What the panel is told', () => {
  test('The board is said when it is asked for, pushed while it is open, and no longer than that', async () => {
    const { conversation } = await beginChat();
    const { said, tell, host } = hostOf(conversation);
    await tell(create('First'));
    expect(said.map(({ type }) => type)).toEqual(['taskDone']);
    await tell({ type: 'board' });
    await tell(create('Second'));
    expect(said.map(({ type }) => type)).toEqual(['taskDone', 'board', 'board', 'taskDone']);
    await post(conversation, 'thanks');
    expect(said.filter(({ type }) => type === 'board')).toHaveLength(2);
    host.clear();
    await tell(create('Third'));
    expect(said.filter(({ type }) => type === 'board')).toHaveLength(2);
  });

  test('Cards have column, owner under the id that the panel knows, blockers, scopes and overlaps', async () => {
    const { conversation, tell, last } = await beginBoard();
    await tell(update('task-1', 1, 'reassign', { owner: 'ana' }));
    await tell({ type: 'board' });
    expect(last('board').tasks).toEqual([
      {
        ...{ id: 'task-1', revision: 2, subject: 'First', excerpt: 'All of it.', column: 'in_progress', owner: 'ana' },
        ...{ blockedBy: [], writeScopes: ['src/api'], overlaps: [] },
      },
      {
        ...{ id: 'task-2', revision: 1, subject: 'Second', excerpt: 'All of it.', column: 'blocked', owner: null },
        ...{ blockedBy: ['task-1'], writeScopes: ['src'], overlaps: ['task-1'] },
      },
    ]);
    await tell(update('task-1', 2, 'complete'));
    const state = await stateOf(conversation);
    expect(taskItems(state).map(({ column }) => column)).toEqual(['completed', 'ready']);
    expect(taskCounts(state.board)).toEqual({ blocked: 0, ready: 1, in_progress: 0, completed: 1 });
  });

  test('A task has its description and its history, each revision with who made it and what became of it', async () => {
    const { conversation, engine, tell, last } = await beginBoard();
    await tell(update('task-1', 1, 'edit', { subject: 'First of all', description: 'More.' }));
    await post(conversation, '@legal look');
    const turn = await engine.begun();
    const { service } = conversation;
    const legal = service.handle(await stateOf(conversation), 'legal');
    await service.updateTask(legal, { taskId: 'task-1', expectedRevision: 2, action: 'claim' });
    await service.updateTask(legal, { taskId: 'task-1', expectedRevision: 3, action: 'complete', result: 'Done so.' });
    turn.answer('Done.');
    await tell({ type: 'task', taskId: 'task-1' });
    const said = last('task');
    expect(said).toMatchObject({ revision: 4, description: 'More.', isDeleted: false, problem: null });
    expect(said.result).toBe('Done so.');
    expect(said.history.map(({ revision, by, words }) => [revision, by, words])).toEqual([
      [4, 'legal', 'completed'],
      [3, 'legal', 'in progress, owned by Legal'],
      [2, 'you', 'subject changed, description changed'],
      [1, 'you', 'created'],
    ]);
    await tell(update('task-2', 1, 'delete'));
    await tell({ type: 'task', taskId: 'task-2' });
    expect(last('task')).toMatchObject({ isDeleted: true, subject: 'Second' });
    await tell({ type: 'task', taskId: 'task-99' });
    expect(last('task')).toMatchObject({ isDeleted: true, history: [] });
    expect(last('task').problem).toMatch(/no task "task-99"/);
  });

  test('A board that was asked for outside is said as soon as the panel hears, once', async () => {
    const { host, said } = await beginBoard();
    said.length = 0;
    host.show('task-2', false);
    expect(said).toEqual([]);
    host.sayWanted();
    host.sayWanted();
    expect(said).toEqual([{ type: 'showBoard', taskId: 'task-2' }]);
  });
});

describe('What becomes of commands', () => {
  test('TB-1 Of two updates at one revision the second is refused, with the task as it is and who changed it', async () => {
    const { conversation, engine, tell, last } = await beginBoard();
    await post(conversation, '@legal look');
    await engine.begun();
    const { service } = conversation;
    const legal = service.handle(await stateOf(conversation), 'legal');
    await service.updateTask(legal, { taskId: 'task-1', expectedRevision: 1, action: 'claim' });
    await tell(update('task-1', 1, 'claim'));
    expect(last('taskRefused')).toMatchObject({
      requestId: 'claim task-1',
      code: 'TEAM_TASK_STALE_REVISION',
      message: 'You saw revision 1 of task-1; it is at 2 now.',
      task: { id: 'task-1', revision: 2, column: 'in_progress', owner: 'legal' },
      changed: { revision: 2, by: 'legal', words: 'in progress, owned by Legal' },
    });
  });

  test('TB-7 What the rules forbid is refused under its code, and nothing is written', async () => {
    const { conversation, tell, last } = await beginBoard();
    const before = (await stateOf(conversation)).revision;
    const forbidden: readonly [PanelMessage, string, RegExp][] = [
      [update('task-2', 1, 'claim'), 'TEAM_TASK_BLOCKED', /waits for task-1/],
      [update('task-1', 1, 'complete'), 'TEAM_TASK_INVALID_TRANSITION', /is pending/],
      [update('task-1', 1, 'delete'), 'TEAM_TASK_HAS_DEPENDENTS', /task-2/],
      [update('task-9', 1, 'claim'), 'TEAM_TASK_NOT_FOUND', /task-9/],
      [update('task-1', 1, 'reassign', { owner: 'nobody-here' }), 'TEAM_MEMBER_NOT_FOUND', /nobody-here/],
      [create(' '), 'TEAM_INVALID_ARGUMENT', /subject/],
      [create('Third', { writeScopes: ['/etc'] }), 'TEAM_INVALID_WRITE_SCOPE', /\/etc/],
    ];
    for (const [message, code, words] of forbidden) {
      await tell(message);
      expect(last('taskRefused').code).toBe(code);
      expect(last('taskRefused').message).toMatch(words);
    }
    expect((await stateOf(conversation)).revision).toBe(before);
  });

  test('TB-14 The second of two edges that would be a cycle is refused, naming the path', async () => {
    const { tell, last } = await beginBoard();
    await tell(update('task-1', 1, 'set_dependencies', { blockedBy: ['task-2'] }));
    expect(last('taskRefused')).toMatchObject({
      code: 'TEAM_TASK_DEPENDENCY_CYCLE',
      task: { id: 'task-1', revision: 1, blockedBy: [] },
    });
    expect(last('taskRefused').message).toMatch(/task-1 → task-2 → task-1|task-2 → task-1 → task-2/);
  });

  test('TB-5 A member cannot write what a task of somebody else waits for; the person has the authority of the lead', async () => {
    const { conversation, tell, last } = await beginBoard();
    const { service } = conversation;
    const tech = service.handle(await stateOf(conversation), 'tech');
    const edge = { taskId: 'task-2', expectedRevision: 1, action: 'set_dependencies', blockedBy: [] } as const;
    await expect(service.updateTask(tech, edge)).rejects.toMatchObject({ code: 'TEAM_TASK_UNAUTHORIZED' });
    await tell(update('task-2', 1, 'set_dependencies', { blockedBy: [] }));
    expect(last('taskDone')).toMatchObject({ revision: 2, task: { column: 'ready', blockedBy: [] } });
  });

  test('The next task that is ready is claimed for the person; when there is none, that is the answer', async () => {
    const { tell, last } = await beginBoard();
    await tell({ type: 'claimNextTask', requestId: 'next' });
    expect(last('taskDone')).toMatchObject({ requestId: 'next', task: { id: 'task-1', owner: 'you' } });
    await tell({ type: 'claimNextTask', requestId: 'none' });
    expect(last('taskDone')).toEqual({ type: 'taskDone', requestId: 'none', task: null, revision: 0 });
  });
});
