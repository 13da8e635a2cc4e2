// What the preview shows of the task board.
import { SOME_USAGE, snapshot, TALK } from './scenes.mjs';

const TASKS = [
  ['task-1', 'Collect what changed since 2.3', 'completed', 'lead', [], ['docs']],
  ['task-2', 'Measure the search on the large sample', 'in_progress', 'tester', ['task-1'], ['bench/search.ts']],
  [
    'task-3',
    'Draft the release note, with a short summary for the news page and a long one for the docs',
    'in_progress',
    'writer',
    ['task-1'],
    ['docs/release-2.4.md', 'docs/news'],
    ['task-2'],
  ],
  ['task-4', 'Check every claim against the code', 'blocked', null, ['task-2', 'task-3'], []],
  ['task-5', 'Translate the note', 'blocked', null, ['task-3'], ['docs/de', 'docs/fr']],
  ['task-6', 'Mend the three crashes in the importer', 'ready', null, [], ['src/import'], ['task-2']],
  ['task-7', `Supercalifragilistic${'overlong'.repeat(12)}`, 'ready', 'you', [], []],
];

const board = () => ({
  type: 'board',
  runId: 'run-1',
  revision: 100,
  tasks: TASKS.map(([id, subject, column, owner, blockedBy, writeScopes, overlaps = []], at) => ({
    id,
    revision: at + 1,
    subject,
    excerpt: 'What is to be done, and when it is done.',
    column,
    owner,
    blockedBy,
    writeScopes,
    overlaps,
  })),
});

const task = (id, changes = {}) => {
  const at = TASKS.findIndex(([one]) => one === id);
  const day = (hours) => new Date(Date.now() - hours * 3_600_000).toISOString();
  return {
    type: 'task',
    taskId: id,
    revision: at + 1,
    subject: TASKS[at][1],
    description:
      'Keep it to what users can see.\n\n- one paragraph for the news page\n- the long form in docs/release-2.4.md\n\nDone when Reviewer has found no claim that does not hold.',
    isDeleted: false,
    result: null,
    history: [
      { revision: 3, at: day(0.2), by: 'lead', words: 'in progress, owned by Writer' },
      { revision: 2, at: day(1), by: 'you', words: 'description changed, waits for task-1 now' },
      { revision: 1, at: day(30), by: 'lead', words: 'created' },
    ],
    problem: null,
    ...changes,
  };
};

const refused = (changes) => ({ type: 'taskRefused', requestId: '', task: null, changed: null, ...changes });
const BLOCKED = refused({
  code: 'TEAM_TASK_BLOCKED',
  message: 'The task task-4 cannot be claimed: it waits for task-2, task-3.',
});
const STALE = refused({
  code: 'TEAM_TASK_STALE_REVISION',
  message:
    'This is a stale team task: task-3 is at revision 4, not 3; it is completed, owned by writer. Read it again.',
  changed: { revision: 4, at: new Date().toISOString(), by: 'writer', words: 'completed' },
});
const COUNTS = { blocked: 2, ready: 2, in_progress: 2, completed: 1 };
const answer = () => snapshot(TALK, { tasks: COUNTS, usage: SOME_USAGE });
const SHOW = { ready: [{ type: 'showBoard', taskId: null }] };
const replies = (more = {}) => ({ ...SHOW, board: [board()], task: [task('task-3')], ...more });
const card = (id) => `[data-task="${id}"]`;

export const BOARD_SCENES = {
  'board-button': { answer },
  board: { answer, replies },
  'board-empty': { answer: () => snapshot(TALK), replies: () => ({ ...SHOW, board: [{ ...board(), tasks: [] }] }) },
  'board-menu': { answer, replies, click: [`${card('task-6')} .card-menu`] },
  'board-refused': {
    answer,
    replies: () => replies({ updateTask: [BLOCKED] }),
    click: [`${card('task-4')} .card-menu`, '.menu-item:visible >> nth=0'],
  },
  'board-task': { answer, replies, click: [`${card('task-3')} .card-main`] },
  'board-delete': {
    answer,
    replies: () => replies({ updateTask: [STALE] }),
    click: [
      `${card('task-3')} .card-main`,
      '.pane-actions vscode-button >> nth=0',
      '.pane-actions vscode-button:has-text("Delete")',
    ],
  },
  'board-new': { answer, replies, click: ['.board-head vscode-button', '.pane-foot vscode-button >> nth=0'] },
  'board-edit': {
    answer,
    replies,
    click: [`${card('task-3')} .card-main`, '.pane-actions vscode-button:has-text("Edit")'],
  },
};
