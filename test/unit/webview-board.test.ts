// The board in the panel: what is shown is what the host said, commands name the revision that was seen, and what a
// person writes stays theirs.
import { describe, expect, test } from 'vitest';
import { TASK_COLUMNS, type TaskColumn, type TaskItem } from '../../src/protocol/board.js';
import type { MemberView } from '../../src/protocol/view.js';
import {
  parseHostMessage,
  parsePanelMessage,
  type HostMessage,
  type PanelMessage,
} from '../../src/protocol/messages.js';
import { cardBeside, columnsOf, NO_FILTER, NOBODY } from '../../webview/board/columns.js';
import { createBoardDesk } from '../../webview/board/desk.js';
import { dependents, moveTo, neighbour, targets } from '../../webview/board/moves.js';
import { CLOSED, fromSaved, toSaved, type BoardState } from '../../webview/board/state.js';
import { boardStep, type BoardInput } from '../../webview/board/step.js';
import {
  boardLabel,
  changedWords,
  openCount,
  overlapWords,
  refusalWords,
  restWords,
  waitsWords,
} from '../../webview/board/words.js';
import { conversation, member } from './webview-pictures.js';

const task = (id: string, column: TaskColumn = 'ready', more: Partial<TaskItem> = {}): TaskItem => ({
  ...{ id, column, revision: 4, subject: `Do ${id}`, excerpt: '', owner: null },
  ...{ blockedBy: [], writeScopes: [], overlaps: [] },
  ...more,
});
const TASKS = [
  task('task-1', 'in_progress', { owner: 'helper', writeScopes: ['src/api'] }),
  task('task-2'),
  task('task-3', 'blocked', { blockedBy: ['task-1'] }),
  task('task-4', 'completed', { owner: 'you' }),
];
const snapshot = (hostEpoch = 'h1', runId = 'run'): HostMessage => ({
  ...{ type: 'snapshot', hostEpoch, revision: 9, conversation: conversation({ runId }) },
  ...{ roomId: 'main', posts: [], hasOlder: false, drafts: {}, live: [] },
});
const board = (tasks = TASKS, revision = 9): HostMessage => ({ type: 'board', runId: 'run', revision, tasks });
const detail = (taskId: string, more: Partial<Extract<HostMessage, { type: 'task' }>> = {}): HostMessage => ({
  ...{ type: 'task', taskId, revision: 4, subject: `Do ${taskId}`, description: 'All of it.', isDeleted: false },
  ...{ result: null, history: [], problem: null },
  ...more,
});
const host = (message: HostMessage): BoardInput => ({ kind: 'host', message });

interface Played {
  readonly state: BoardState;
  /** All that was sent, in order. */
  readonly sent: readonly PanelMessage[];
}

/** Requests are called r1, r2 and so on, by the place of their input. */
function play(inputs: readonly BoardInput[], start: BoardState = CLOSED): Played {
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
const OPEN = play([host(snapshot()), { kind: 'open', taskId: null }, host(board())]).state;
const updates = ({ sent }: Played) => sent.filter((message) => message.type === 'updateTask');

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
