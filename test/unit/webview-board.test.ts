// The board in the panel: what is shown is what the host said, and commands name the revision that was seen.
import { describe, expect, test } from 'vitest';
import type { TaskColumn, TaskItem } from '../../src/protocol/board.js';
import type { HostMessage } from '../../src/protocol/messages.js';
import { moveTo, neighbour, targets } from '../../webview/board/moves.js';
import { CLOSED, fromSaved, toSaved } from '../../webview/board/state.js';
import type { BoardInput } from '../../webview/board/step.js';
import { changedWords, refusalWords } from '../../webview/board/words.js';
import { task, TASKS, snapshot, board, detail, host, play, OPEN, updates } from './board-pictures.js';

describe('The board and its host', () => {
  test('Nothing is asked for before it is opened, and closing it says so', () => {
    expect(play([host(snapshot())]).sent).toEqual([]);
    const opened = play([host(snapshot()), { kind: 'open', taskId: 'task-2' }, { kind: 'close' }]);
    expect(opened.sent).toEqual([{ type: 'board' }, { type: 'task', taskId: 'task-2' }, { type: 'boardClosed' }]);
  });

  test('WV-7 A new picture asks for the board again; another conversation begins with nothing of the one before', () => {
    expect(play([host(snapshot())], OPEN).sent).toEqual([{ type: 'board' }]);
    const other = play([{ kind: 'task', taskId: 'task-1' }, host(snapshot('h1', 'another'))], OPEN);
    expect(other.state).toMatchObject({ isOpen: true, tasks: null, pane: null, runId: 'another' });
    expect(play([host(board([], 12))], other.state).state.tasks).toBeNull();
  });

  test('What is chosen outside the panel and is beneath the board closes it, unless something is written there', () => {
    const messages: readonly HostMessage[] = [
      { type: 'show', roomId: 'side' },
      { type: 'insert', text: '@helper' },
    ];
    for (const message of messages) {
      expect(play([host(message)], OPEN)).toMatchObject({ state: { isOpen: false }, sent: [{ type: 'boardClosed' }] });
      const writing: readonly BoardInput[] = [
        { kind: 'write', taskId: null },
        { kind: 'field', fields: { subject: 'Mine' } },
      ];
      const { state } = play([...writing, host(message)], OPEN);
      expect(state).toMatchObject({ isOpen: true, pane: { kind: 'form', isLeaving: true } });
    }
  });

  test('A board that was overtaken by a newer one changes nothing', () => {
    const { state } = play([host(board([task('task-2', 'completed')], 12)), host(board(TASKS, 11))], OPEN);
    expect(state.tasks).toEqual([task('task-2', 'completed')]);
  });

  test('A task that is open beside the columns is asked for again when its revision changes, and not otherwise', () => {
    const shown = play([{ kind: 'task', taskId: 'task-2' }, host(detail('task-2'))], OPEN).state;
    expect(play([host(board(TASKS, 10))], shown).sent).toEqual([]);
    const changed = TASKS.map((one) => (one.id === 'task-2' ? { ...one, revision: 5 } : one));
    expect(play([host(board(changed, 11))], shown).sent).toEqual([{ type: 'task', taskId: 'task-2' }]);
  });

  test('What was open, filtered and written outlives the panel', () => {
    const { state } = play(
      [
        { kind: 'filter', filter: { owner: 'helper', text: 'api' } },
        { kind: 'write', taskId: null },
        { kind: 'field', fields: { subject: 'New', blockedBy: ['task-2'] } },
      ],
      OPEN,
    );
    const saved = toSaved(state);
    const again = fromSaved(JSON.parse(JSON.stringify(saved)) as typeof saved);
    expect(again).toMatchObject({ isOpen: true, filter: { owner: 'helper', text: 'api' } });
    expect(again.pane).toMatchObject({ kind: 'form', form: { fields: { subject: 'New', blockedBy: ['task-2'] } } });
    expect(toSaved(CLOSED)).toBeNull();
  });
});

describe('Moves', () => {
  const steps = (from: string, to: TaskColumn) => {
    const found = TASKS.find(({ id }) => id === from);
    const move = found === undefined ? null : moveTo(found, to, TASKS);
    return move?.kind === 'steps' ? move.steps.map(({ action }) => action) : (move?.reason ?? null);
  };

  test.each<[string, TaskColumn, readonly string[] | string | null]>([
    ['task-2', 'in_progress', ['claim']],
    ['task-2', 'completed', ['claim', 'complete']],
    ['task-2', 'blocked', 'task-2 waits for nothing.'],
    ['task-2', 'ready', null],
    ['task-1', 'completed', ['complete']],
    ['task-1', 'ready', ['release']],
    ['task-4', 'ready', ['reopen']],
    ['task-4', 'in_progress', ['reopen', 'claim']],
    ['task-3', 'ready', 'task-3 waits for task-1.'],
    ['task-3', 'in_progress', ['claim']],
  ])('%s to %s', (id, to, expected) => {
    expect(steps(id, to)).toEqual(expected);
  });

  test('WX-11 Alt and an arrow go to the next column that a command leads to', () => {
    const [one, two, three, four] = TASKS as [TaskItem, TaskItem, TaskItem, TaskItem];
    expect(neighbour(two, 1, TASKS)).toBe('in_progress');
    expect(neighbour(two, -1, TASKS)).toBeNull();
    expect(neighbour(three, 1, TASKS)).toBe('in_progress');
    expect(neighbour(one, -1, TASKS)).toBe('ready');
    expect(neighbour(four, -1, TASKS)).toBe('in_progress');
    expect(targets(four, TASKS)).toEqual(['ready', 'in_progress']);
  });

  test('TB-1 A move names the revision that was seen and shows nothing as moved before the host has said so', () => {
    const moved = play([{ kind: 'move', taskId: 'task-2', to: 'in_progress' }], OPEN);
    expect(moved.sent).toEqual([
      { type: 'updateTask', requestId: 'r1', taskId: 'task-2', expectedRevision: 4, action: 'claim' },
    ]);
    expect(moved.state.tasks).toEqual(TASKS);
    // One at a time: the next one is made from what it has become.
    expect(play([{ kind: 'move', taskId: 'task-2', to: 'completed' }], moved.state).sent).toEqual([]);
  });

  test('TB-1 A stale move is refused at its card with who changed it, and the card shows the task as it is', () => {
    const changed = {
      revision: 5,
      at: '2026-03-02T10:00:00.000Z',
      by: 'helper',
      words: 'in progress, owned by Helper',
    };
    const now = task('task-2', 'in_progress', { revision: 5, owner: 'helper' });
    const { state } = play(
      [
        { kind: 'move', taskId: 'task-2', to: 'in_progress' },
        host({
          ...{ type: 'taskRefused', requestId: 'r1', code: 'TEAM_TASK_STALE_REVISION', message: 'It is at 5.' },
          ...{ task: now, changed },
        }),
      ],
      OPEN,
    );
    expect(state.tasks?.[1]).toEqual(now);
    const refusal = { goal: 'Move to In Progress', code: 'TEAM_TASK_STALE_REVISION', message: 'It is at 5.', changed };
    expect(state.refusals).toEqual({ 'task-2': refusal });
    expect(refusalWords(refusal)).toBe('“Move to In Progress” was refused: It is at 5.');
    expect(changedWords(changed, 'Helper')).toBe(
      'Helper changed it meanwhile: in progress, owned by Helper (revision 5).',
    );
    // Said once; what is tried next puts it away.
    expect(state.said).toEqual({
      serial: 1,
      text: '“Move to In Progress” of task-2 was refused: It is at 5.',
    });
    const again = play([{ kind: 'move', taskId: 'task-2', to: 'completed' }], state);
    expect(again.state.refusals).toEqual({});
    expect(updates(again)).toMatchObject([{ action: 'complete', expectedRevision: 5 }]);
  });

  test('TB-7 A refused move leaves the board as it was, under its code', () => {
    const { state } = play(
      [
        { kind: 'move', taskId: 'task-3', to: 'completed' },
        host({
          ...{ type: 'taskRefused', requestId: 'r1', code: 'TEAM_TASK_BLOCKED', message: 'It waits for task-1.' },
          ...{ task: TASKS[2] ?? null, changed: null },
        }),
      ],
      OPEN,
    );
    expect(state.tasks).toEqual(TASKS);
    expect(state.refusals).toMatchObject({ 'task-3': { goal: 'Move to Completed', code: 'TEAM_TASK_BLOCKED' } });
    expect(state.requests).toEqual({});
  });

  test('Of two commands the second is made from what the first has made; it is one move', () => {
    const half = task('task-2', 'in_progress', { revision: 5, owner: 'you' });
    const first = play(
      [
        { kind: 'move', taskId: 'task-2', to: 'completed' },
        host({ type: 'taskDone', requestId: 'r1', task: half, revision: 5 }),
      ],
      OPEN,
    );
    expect(updates(first).map(({ action, expectedRevision }) => [action, expectedRevision])).toEqual([
      ['claim', 4],
      ['complete', 5],
    ]);
    expect(first.state.said.serial).toBe(0);
    const done = task('task-2', 'completed', { revision: 6, owner: 'you' });
    const { state } = play([host({ type: 'taskDone', requestId: 'r1.', task: done, revision: 6 })], first.state);
    expect(state).toMatchObject({ requests: {}, said: { serial: 1, text: 'task-2: Completed' } });
  });

  test('A column that no command leads to refuses the card at once, and nothing is sent', () => {
    const { state, sent } = play([{ kind: 'move', taskId: 'task-3', to: 'ready' }], OPEN);
    expect(sent).toEqual([]);
    expect(state.refusals).toMatchObject({ 'task-3': { code: '', message: 'task-3 waits for task-1.' } });
  });

  test('WV-7 A command that a killed host never answered is said to be unknown, and can be asked for again', () => {
    const { state } = play([{ kind: 'move', taskId: 'task-2', to: 'in_progress' }, host(snapshot('h2'))], OPEN);
    expect(state.requests).toEqual({});
    expect(state.refusals['task-2']?.message).toContain('restarted before it answered');
    expect(updates(play([{ kind: 'move', taskId: 'task-2', to: 'in_progress' }], state))).toHaveLength(1);
  });

  test('Claim Next asks once at a time; none that is ready is said', () => {
    const asked = play([{ kind: 'claimNext' }, { kind: 'claimNext' }], OPEN);
    expect(asked.sent).toEqual([{ type: 'claimNextTask', requestId: 'r1' }]);
    const { state } = play([host({ type: 'taskDone', requestId: 'r1', task: null, revision: 0 })], asked.state);
    expect(state.said.text).toMatch(/^No task is ready/);
    expect(state.tasks).toEqual(TASKS);
  });
});
