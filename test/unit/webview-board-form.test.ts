// The board in the panel: what a person writes stays theirs, and what the board says of its tasks.
import { describe, expect, test } from 'vitest';
import { TASK_COLUMNS, type TaskItem } from '../../src/protocol/board.js';
import type { MemberView } from '../../src/protocol/view.js';
import type { PanelMessage } from '../../src/protocol/messages.js';
import { cardBeside, columnsOf, NO_FILTER, NOBODY } from '../../webview/board/columns.js';
import { createBoardDesk } from '../../webview/board/desk.js';
import { dependents } from '../../webview/board/moves.js';
import type { BoardInput } from '../../webview/board/step.js';
import { boardLabel, openCount, overlapWords, restWords, waitsWords } from '../../webview/board/words.js';
import { member } from './webview-pictures.js';
import { task, TASKS, snapshot, board, detail, host, play, OPEN, updates } from './board-pictures.js';

describe('Writing', () => {
  const EDITING = play(
    [{ kind: 'task', taskId: 'task-3' }, host(detail('task-3')), { kind: 'write', taskId: 'task-3' }],
    OPEN,
  ).state;

  test('A new task is sent when it says what is to be done, and shown when it is there', () => {
    const missing = play([{ kind: 'write', taskId: null }, { kind: 'save' }], OPEN);
    expect(missing.sent).toEqual([]);
    expect(missing.state.pane).toMatchObject({ form: { tried: true } });
    const fields = { subject: 'New', description: 'All', scopes: 'src\n\n docs ', blockedBy: ['task-2'] };
    const made = play([{ kind: 'field', fields }, { kind: 'save' }], missing.state);
    expect(made.sent).toEqual([
      {
        ...{ type: 'createTask', requestId: 'r2', subject: 'New', description: 'All' },
        ...{ blockedBy: ['task-2'], writeScopes: ['src', 'docs'] },
      },
    ]);
    const there = task('task-5', 'blocked', { revision: 1 });
    const { state } = play([host({ type: 'taskDone', requestId: 'r2', task: there, revision: 1 })], made.state);
    expect(state.pane).toEqual({ kind: 'task', taskId: 'task-5', isDeleting: false });
    expect(state.tasks?.at(-1)).toEqual(there);
  });

  test('Only what was changed is sent: texts first, then what it waits for, each at its own revision', () => {
    const saved = play(
      [
        { kind: 'field', fields: { subject: 'Otherwise', blockedBy: ['task-2'] } },
        { kind: 'save' },
        host({ type: 'taskDone', requestId: 'r2', task: task('task-3', 'blocked', { revision: 5 }), revision: 5 }),
      ],
      EDITING,
    );
    expect(updates(saved)).toEqual([
      {
        ...{ type: 'updateTask', requestId: 'r2', taskId: 'task-3', expectedRevision: 4 },
        ...{ action: 'edit', subject: 'Otherwise' },
      },
      {
        ...{ type: 'updateTask', requestId: 'r2.', taskId: 'task-3', expectedRevision: 5 },
        ...{ action: 'set_dependencies', blockedBy: ['task-2'] },
      },
    ]);
  });

  test('TB-14 A cycle is refused in the form, with its path; the texts that are saved are not sent again', () => {
    const message = 'The dependency cycle includes task-3 → task-2 → task-3.';
    const { state, sent } = play(
      [
        { kind: 'field', fields: { subject: 'Otherwise', blockedBy: ['task-2'] } },
        { kind: 'save' },
        host({ type: 'taskDone', requestId: 'r2', task: task('task-3', 'blocked', { revision: 5 }), revision: 5 }),
        host({
          ...{ type: 'taskRefused', requestId: 'r2.', code: 'TEAM_TASK_DEPENDENCY_CYCLE', message },
          ...{ task: null, changed: null },
        }),
        { kind: 'save' },
      ],
      EDITING,
    );
    expect(state.pane).toMatchObject({ kind: 'form', form: { fields: { blockedBy: ['task-2'] } } });
    expect(state.said.text).toContain(message);
    expect(sent.at(-1)).toMatchObject({ action: 'set_dependencies', expectedRevision: 5 });
  });

  test('TB-5 What another task waits for is written at that task alone: the form of a task has nothing of it', () => {
    const saved = play([{ kind: 'field', fields: { blockedBy: [] } }, { kind: 'save' }], EDITING);
    expect(updates(saved).map(({ taskId, action }) => [taskId, action])).toEqual([['task-3', 'set_dependencies']]);
  });

  test('TB-1 A task that was changed meanwhile: the form goes on from what it is now and keeps what was written', () => {
    const now = task('task-3', 'blocked', { revision: 5, blockedBy: ['task-1', 'task-2'], subject: 'Theirs' });
    const heard = play(
      [
        { kind: 'field', fields: { description: 'Mine' } },
        host(board([...TASKS.slice(0, 2), now], 10)),
        { kind: 'rebase' },
      ],
      EDITING,
    );
    // Not before what it is now was heard in full.
    expect(heard.state.pane).toMatchObject({ form: { revision: 4 } });
    const theirs = detail('task-3', { revision: 5, subject: 'Theirs', description: 'Theirs too' });
    const saved = play([host(theirs), { kind: 'rebase' }, { kind: 'save' }], heard.state);
    expect(updates(saved)).toEqual([
      {
        ...{ type: 'updateTask', requestId: 'r3', taskId: 'task-3', expectedRevision: 5 },
        ...{ action: 'edit', description: 'Mine' },
      },
    ]);
    expect(saved.state.pane).toMatchObject({ form: { fields: { subject: 'Theirs', description: 'Mine' } } });
  });

  test('A form with changes is left only when the person says so, whatever leads away from it', () => {
    const written = play([{ kind: 'field', fields: { subject: 'Mine' } }], EDITING).state;
    const ways: readonly BoardInput[] = [
      { kind: 'close' },
      { kind: 'task', taskId: 'task-1' },
      { kind: 'write', taskId: null },
      { kind: 'leave', drop: false },
    ];
    for (const way of ways) {
      const { state } = play([way], written);
      expect(state.pane).toMatchObject({ kind: 'form', isLeaving: true, form: { fields: { subject: 'Mine' } } });
      expect(state.isOpen).toBe(true);
    }
    expect(play([{ kind: 'leave', drop: true }], written).state.pane).toMatchObject({ kind: 'task', taskId: 'task-3' });
  });

  test('A deleted task leaves the board and the place beside it; who waits for one is known before', () => {
    expect(dependents('task-1', TASKS).map(({ id }) => id)).toEqual(['task-3']);
    const { state, sent } = play(
      [
        { kind: 'task', taskId: 'task-2' },
        { kind: 'askDelete', isAsking: true },
        { kind: 'act', taskId: 'task-2', goal: 'Delete', step: { action: 'delete' } },
        host({ type: 'taskDone', requestId: 'r3', task: null, revision: 5 }),
      ],
      OPEN,
    );
    expect(sent.at(-1)).toMatchObject({ action: 'delete', expectedRevision: 4 });
    expect(state.pane).toBeNull();
    expect(state.tasks?.map(({ id }) => id)).toEqual(['task-1', 'task-3', 'task-4']);
  });
});

describe('What is shown', () => {
  const ids = (filter: { owner: string; text: string }) =>
    columnsOf(TASKS, filter, (id) => `Name of ${id}`).map(({ tasks }) => tasks.map(({ id }) => id).join());

  test('Tasks stand in their columns in the order of the board; filters by owner and words leave some out', () => {
    expect(columnsOf(TASKS, NO_FILTER, String).map(({ id }) => id)).toEqual(TASK_COLUMNS);
    expect(ids(NO_FILTER)).toEqual(['task-3', 'task-2', 'task-1', 'task-4']);
    expect(ids({ owner: NOBODY, text: '' })).toEqual(['task-3', 'task-2', '', '']);
    expect(ids({ owner: 'you', text: '' })).toEqual(['', '', '', 'task-4']);
    expect(ids({ owner: '', text: 'API  name OF' })).toEqual(['', '', 'task-1', '']);
    expect(columnsOf(TASKS, { owner: 'you', text: '' }, String)[2]).toMatchObject({ tasks: [], hidden: 1 });
  });

  test('WX-11 Arrows lead from card to card, over columns that are empty', () => {
    const columns = columnsOf([...TASKS, task('task-5'), task('task-6', 'completed')], NO_FILTER, String);
    expect(cardBeside(columns, 'task-2', 'ArrowDown')).toBe('task-5');
    expect(cardBeside(columns, 'task-5', 'ArrowDown')).toBeNull();
    expect(cardBeside(columns, 'task-5', 'ArrowRight')).toBe('task-1');
    const gap = columns.map((one) => (one.id === 'in_progress' ? { ...one, tasks: [] } : one));
    expect(cardBeside(gap, 'task-5', 'ArrowRight')).toBe('task-6');
    expect(cardBeside(gap, 'task-3', 'ArrowLeft')).toBeNull();
  });

  test('TB-11 A task in progress says when its owner does nothing for it', () => {
    const [mine] = TASKS as [TaskItem];
    const words = (status: MemberView['status'], one = mine) =>
      restWords(one, new Map([['helper', member('helper', { status })]]));
    expect(words('idle')).toBe('Idle, not marked as done');
    expect(words('failed')).toBe('Turn failed');
    expect(words('running')).toBe('');
    expect(words('idle', { ...mine, column: 'completed' })).toBe('');
    expect(words('idle', { ...mine, owner: 'you' })).toBe('');
  });

  test('The words of a card and of the way to the board', () => {
    expect(waitsWords(task('task-9', 'blocked', { blockedBy: ['task-1', 'task-4'] }), TASKS)).toBe('Waits for task-1');
    expect(overlapWords(task('task-9', 'ready', { overlaps: ['task-1'] }))).toBe('Overlaps with task-1');
    const counts = { blocked: 1, ready: 0, in_progress: 2, completed: 5 };
    expect(boardLabel(counts)).toBe('Task board: 1 blocked, 2 in progress, 5 completed');
    expect(openCount(counts)).toBe(3);
  });
});

test('The desk names each request anew and keeps what is to be kept, not what the host says', () => {
  const sent: PanelMessage[] = [];
  let kept = 0;
  let serial = 0;
  const desk = createBoardDesk(
    (message) => sent.push(message),
    () => (kept += 1),
    () => `request-${(serial += 1)}`,
    null,
  );
  desk.hear(snapshot());
  desk.act({ kind: 'open', taskId: null });
  desk.hear(board());
  expect(kept).toBe(1);
  desk.act({ kind: 'move', taskId: 'task-2', to: 'in_progress' });
  desk.act({ kind: 'move', taskId: 'task-1', to: 'completed' });
  const requests = sent.flatMap((message) => ('requestId' in message ? [message.requestId] : []));
  expect(new Set(requests).size).toBe(2);
  expect(desk.saved()).toMatchObject({ runId: 'run', taskId: null, form: null });
});
