// The task board, through the service that members act by: each case is what is done, by whom, and what comes of it.
import { describe, expect, test } from 'vitest';
import type { NewTask, TaskUpdate } from '../../src/core/team/board/task-commands.js';
import type { TaskView } from '../../src/core/team/board/task-view.js';
import type { Conversation } from '../../src/runtime/conversation.js';
import { beginTeam, handleOf, keyed, outcomeOf, type Actor } from '../support/agent-team.js';
import { event } from '../support/stored-event.js';

/** A code, or fields of the view; `owner: null` means that the view has no such key. */
type Expected = string | object;
type Step = (conversation: Conversation) => Promise<void>;

async function check(call: Promise<TaskView>, expected: Expected): Promise<void> {
  const outcome = await outcomeOf(call);
  if (typeof expected === 'string') expect(outcome).toBe(expected);
  else expect(typeof outcome === 'string' ? outcome : keyed(outcome)).toMatchObject(expected);
}

/** Creates a task. */
function add(fields: Partial<NewTask> = {}, expected: Expected = {}, by: Actor = 'lead'): Step {
  return async (conversation) => {
    const request = { subject: 's', description: 'd', ...fields };
    await check(conversation.service.createTask(await handleOf(conversation, by), request), expected);
  };
}

type Change = Partial<Omit<TaskUpdate, 'action'>>;

/** Changes task 1 at its newest revision, unless the fields say another one. */
function act(by: Actor, action: TaskUpdate['action'], fields: Change = {}, expected: Expected = {}): Step {
  return async (conversation) => {
    const { service } = conversation;
    const handle = await handleOf(conversation, by);
    const taskId = fields.taskId ?? 'task-1';
    const known = await service.getTask(handle, taskId).catch(() => null);
    const update = { taskId, expectedRevision: known?.revision ?? 1, action, ...fields };
    await check(service.updateTask(handle, update), expected);
  };
}

function see(expected: Expected, id = 'task-1', by: Actor = 'lead'): Step {
  return async (conversation) => check(conversation.service.getTask(await handleOf(conversation, by), id), expected);
}

function list(expected: readonly object[]): Step {
  return async (conversation) => {
    const tasks = await conversation.service.listTasks(await handleOf(conversation, 'beta'));
    expect(tasks.map(keyed)).toMatchObject(expected);
    expect(tasks).toHaveLength(expected.length);
  };
}

const TWO = { taskId: 'task-2' };
const ONE_BLOCKS_TWO = [add(), add({ blockedBy: ['task-1'] })];
const DONE_BY_ALPHA = [add(), act('alpha', 'claim'), act('alpha', 'complete')];
const DELETED = [add(), act('lead', 'delete')];

const cases: Readonly<Record<string, readonly Step[]>> = {
  'T05 each scope is kept once, normalised': [
    add({ writeScopes: ['src', './src/', 'src'] }, { writeScopes: ['src'] }),
    add(
      { writeScopes: ['src\\a\\b', '.hidden', 'ab:cd', 'a/...', ' src ', 'SRC'] },
      {
        writeScopes: ['src/a/b', '.hidden', 'ab:cd', 'a/...', ' src ', 'SRC'],
      },
    ),
  ],
  'T06 what is blocked cannot be claimed': [...ONE_BLOCKS_TWO, act('alpha', 'claim', TWO, 'TEAM_TASK_BLOCKED')],
  'T07 who claims a ready task owns it': [
    add(),
    act('alpha', 'claim', {}, { status: 'in_progress', revision: 2, owner: 'alpha' }),
  ],
  'T09 a scope inside of one that is at work warns, and names the task': [
    add({ writeScopes: ['src'] }),
    act('alpha', 'claim'),
    add(
      { blockedBy: ['task-1'], writeScopes: ['src/feature', 'src/other'] },
      {
        ready: false,
        writeScopeWarnings: ['write scopes overlap with task-1'],
      },
    ),
    add({ writeScopes: ['srcs'] }, { writeScopeWarnings: [] }),
  ],
  'T10 others cannot edit it': [
    add(),
    act('alpha', 'claim'),
    act('beta', 'edit', { subject: 'mine' }, 'TEAM_TASK_UNAUTHORIZED'),
  ],
  'T11 an old revision is refused': [
    add(),
    act('alpha', 'claim'),
    act('alpha', 'complete', { expectedRevision: 1 }, 'TEAM_TASK_STALE_REVISION'),
  ],
  'T13 who releases it owns it no longer': [
    add(),
    act('beta', 'claim'),
    act('beta', 'release', {}, { status: 'pending', ready: true, owner: null }),
  ],
  'T14 a blocker must be there': [add({ blockedBy: ['task-9'] }, 'TEAM_TASK_NOT_FOUND'), list([])],
  'a new task cannot name the id that it will have': [add({ blockedBy: ['task-1'] }, 'TEAM_TASK_NOT_FOUND')],
  'T15 two tasks cannot wait for each other': [
    ...ONE_BLOCKS_TWO,
    act('lead', 'set_dependencies', { blockedBy: ['task-2'] }, 'TEAM_TASK_DEPENDENCY_CYCLE'),
    act('lead', 'set_dependencies', { blockedBy: ['task-1'] }, 'TEAM_TASK_DEPENDENCY_CYCLE'),
    see({ revision: 1, blockedBy: [] }),
  ],
  'T17 a repeated blocker is found before the cycle that it makes': [
    ...ONE_BLOCKS_TWO,
    act('lead', 'set_dependencies', { blockedBy: ['task-2', 'task-2'] }, 'TEAM_INVALID_ARGUMENT'),
  ],
  ...Object.fromEntries(
    ['', '.', '..', '/root', 'C:\\root', 'C:root', 'a//b', 'a/../b'].map((scope, index) => [
      `T${18 + index} the scope "${scope}" is refused`,
      [add({ writeScopes: [scope] }, 'TEAM_INVALID_WRITE_SCOPE')],
    ]),
  ),
  'T26 a subject is needed': [add({ subject: ' \n' }, 'TEAM_INVALID_ARGUMENT')],
  'T27 a description is needed': [add({ description: '' }, 'TEAM_INVALID_ARGUMENT')],
  'texts have a length at which they are taken and one at which they are not': [
    add({ subject: ` ${'s'.repeat(200)} `, description: 'd'.repeat(16_384) }, { subject: 's'.repeat(200) }),
    add({ subject: 's'.repeat(201) }, 'TEAM_INVALID_ARGUMENT'),
    add({ description: 'd'.repeat(16_385) }, 'TEAM_INVALID_ARGUMENT'),
  ],
  'T29 what is not there cannot be read': [see('TEAM_TASK_NOT_FOUND', 'task-9')],
  'T30 what is pending cannot be released': [add(), act('lead', 'release', {}, 'TEAM_TASK_INVALID_TRANSITION')],
  'T31 nor completed': [add(), act('lead', 'complete', {}, 'TEAM_TASK_INVALID_TRANSITION')],
  'T32 nor reopened': [add(), act('lead', 'reopen', {}, 'TEAM_TASK_INVALID_TRANSITION')],
  'T33 an edit changes something': [add(), act('lead', 'edit', {}, 'TEAM_INVALID_ARGUMENT')],
  'T34 new blockers are said': [add(), act('lead', 'set_dependencies', {}, 'TEAM_INVALID_ARGUMENT')],
  'T36 the lead gives a task to a member, whoever made it': [
    add({}, {}, 'alpha'),
    act('lead', 'reassign', { owner: ' alpha ' }, { status: 'in_progress', owner: 'alpha' }),
  ],
  'T37 an owner cannot pass it on': [
    add(),
    act('alpha', 'claim'),
    act('alpha', 'reassign', { owner: 'lead' }, 'TEAM_LEAD_REQUIRED'),
  ],
  'T38 what is completed stays with who did it': [
    ...DONE_BY_ALPHA,
    act('lead', 'reassign', { owner: 'beta' }, 'TEAM_TASK_INVALID_TRANSITION'),
    see({ status: 'completed', owner: 'alpha' }),
  ],
  'T40 an owner deletes what it works on': [
    ...DONE_BY_ALPHA,
    act('alpha', 'reopen'),
    act('alpha', 'claim'),
    act('alpha', 'delete', {}, { status: 'deleted', owner: 'alpha' }),
    list([]),
    see({ status: 'deleted' }),
  ],
  'T41 what is deleted cannot be edited': [
    add(),
    act('alpha', 'claim'),
    act('alpha', 'delete'),
    act('alpha', 'edit', { subject: 'x' }, 'TEAM_TASK_DELETED'),
  ],
  'T42 what is not there cannot be changed': [act('lead', 'claim', { taskId: 'task-9' }, 'TEAM_TASK_NOT_FOUND')],
  'T44 the lead is called lead': [add(), act('lead', 'claim', {}, { owner: 'lead' })],
  'T45 each edit keeps what the others changed': [
    add({ writeScopes: ['old'] }),
    act('alpha', 'claim'),
    act('alpha', 'edit', { subject: ' new subject ' }),
    act('alpha', 'edit', { description: 'new description' }),
    act('alpha', 'edit', { writeScopes: ['new'] }),
    see({ revision: 5, subject: 'new subject', description: 'new description', writeScopes: ['new'], owner: 'alpha' }),
  ],
  'T46 a blank owner is nobody': [
    add(),
    act('alpha', 'claim'),
    act('lead', 'reassign', { owner: '  ' }, { status: 'pending', owner: null }),
  ],
  'T48 of a deleted task an old revision is stale first': [
    ...DELETED,
    act('lead', 'edit', { expectedRevision: 1, subject: 'x' }, 'TEAM_TASK_STALE_REVISION'),
  ],
  'T49 nobody claims twice': [add(), act('alpha', 'claim'), act('alpha', 'claim', {}, 'TEAM_TASK_BLOCKED')],
  'T50 what another completed is taken': [...DONE_BY_ALPHA, act('beta', 'claim', {}, 'TEAM_TASK_ALREADY_CLAIMED')],
  'T52 a deleted task blocks nothing': [
    ...DELETED,
    add(),
    act('lead', 'set_dependencies', { taskId: 'task-2', blockedBy: ['task-1'] }, 'TEAM_TASK_NOT_FOUND'),
  ],
  'T53 an empty list takes all blockers away': [
    ...ONE_BLOCKS_TWO,
    act('lead', 'set_dependencies', { ...TWO, blockedBy: [] }, { blockedBy: [], revision: 2, ready: true }),
  ],
  'T54 a blocker that is reopened takes no work away': [
    ...DONE_BY_ALPHA,
    add({ blockedBy: ['task-1'] }),
    add({ blockedBy: ['task-1'] }, { ready: true }),
    act('beta', 'claim', TWO),
    act('lead', 'reopen'),
    see({ status: 'in_progress', revision: 2, owner: 'beta' }, 'task-2'),
    see({ status: 'pending', revision: 1, ready: false }, 'task-3'),
  ],
  'T56 a task is given to members that are there only': [
    add(),
    act('lead', 'reassign', { owner: 'gamma' }, 'TEAM_MEMBER_NOT_FOUND'),
  ],
  'T57 what nobody owns can be taken from nobody': [
    ...ONE_BLOCKS_TWO,
    act('lead', 'reassign', TWO, { status: 'pending', revision: 2, owner: null }),
  ],
  'what is blocked is given to nobody': [
    ...ONE_BLOCKS_TWO,
    act('lead', 'reassign', { ...TWO, owner: 'alpha' }, 'TEAM_TASK_BLOCKED'),
  ],
  'TB-2 what was given to another is not completed by the one before, who sees why': [
    add(),
    act('alpha', 'claim'),
    act('lead', 'reassign', { owner: 'beta' }),
    act('alpha', 'complete', { expectedRevision: 2 }, 'TEAM_TASK_STALE_REVISION'),
    act('alpha', 'complete', {}, 'TEAM_TASK_UNAUTHORIZED'),
    see({ status: 'in_progress', owner: 'beta' }),
  ],
  // Where we differ on purpose: the reference does not look at blockers again.
  'a blocker that came while a member worked keeps the task from being completed': [
    add(),
    add(),
    act('alpha', 'claim'),
    act('alpha', 'set_dependencies', { blockedBy: ['task-2'] }, { status: 'in_progress' }),
    act('alpha', 'complete', {}, 'TEAM_TASK_BLOCKED'),
  ],
  'what others wait for cannot be deleted': [...ONE_BLOCKS_TWO, act('lead', 'delete', {}, 'TEAM_TASK_HAS_DEPENDENTS')],
  'the person has the lead’s authority and a name of its own': [
    add({}, {}, 'you'),
    act('you', 'claim', {}, { owner: 'you' }),
    act('you', 'reassign', { owner: 'alpha' }, { owner: 'alpha' }),
    act('you', 'release', {}, { owner: null }),
    act('lead', 'reassign', { owner: 'you' }, { owner: 'you' }),
  ],
};

test.each(Object.entries(cases))('%s', async (_name, steps) => {
  const { conversation } = await beginTeam();
  for (const step of steps) await step(conversation);
});

describe('The board', () => {
  test('T01 takes no task when the numbers are used up', async () => {
    const { storage, conversation, runId } = await beginTeam();
    const task = { id: 'task-9007199254740991', revision: 1, subject: 's', description: 'd', status: 'pending' };
    await event(storage, runId, 'team/task', {
      version: 1,
      teamId: runId,
      task: { ...task, blockedBy: [], writeScopes: [] },
    });
    await add({}, 'TEAM_TASK_LIMIT')(conversation);
  });

  test('T02 T03 takes as many tasks as it may hold; a deleted one counts no more, and its id is not used again', async () => {
    const { conversation } = await beginTeam({ teamLimits: { maxTasks: 1 } });
    const steps = [add(), add({}, 'TEAM_TASK_LIMIT'), act('lead', 'delete'), add({}, { id: 'task-2' })];
    for (const step of steps) await step(conversation);
  });

  test('T58 lets one of two updates at the same revision in', async () => {
    const { conversation } = await beginTeam();
    await add()(conversation);
    const { service } = conversation;
    const claims = (['alpha', 'beta'] as const).map(async (by) =>
      outcomeOf(
        service.updateTask(await handleOf(conversation, by), {
          taskId: 'task-1',
          expectedRevision: 1,
          action: 'claim',
        }),
      ),
    );
    const outcomes = await Promise.all(claims);
    expect(outcomes.filter((outcome) => typeof outcome === 'string')).toEqual(['TEAM_TASK_STALE_REVISION']);
  });

  test('TB-2 tells six of seven that claim at once who owns the task now', async () => {
    const names = ['b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const { conversation } = await beginTeam({}, ['ana', ...names]);
    await add()(conversation);
    const { service } = conversation;
    const update = { taskId: 'task-1', expectedRevision: 1, action: 'claim' } as const;
    const handles = await Promise.all(names.map((name) => handleOf(conversation, name)));
    const claims = await Promise.allSettled(handles.map((handle) => service.updateTask(handle, update)));
    const refusals = claims.flatMap((claim) => (claim.status === 'rejected' ? [String(claim.reason)] : []));
    expect(refusals).toHaveLength(6);
    const { ownerName: owner = '' } = await service.getTask(service.person, 'task-1');
    for (const refusal of refusals)
      expect(refusal).toContain(`revision 2, not 1; it is in_progress, owned by ${owner}.`);
  });

  test('says who waits for a task that is to be deleted', async () => {
    const { conversation } = await beginTeam();
    for (const step of [...ONE_BLOCKS_TWO, add({ blockedBy: ['task-1'] })]) await step(conversation);
    const you = conversation.service.person;
    const update = { taskId: 'task-1', expectedRevision: 1, action: 'delete' } as const;
    await expect(conversation.service.updateTask(you, update)).rejects.toThrow(/task-2, task-3/);
  });

  test('gives the next ready task that gets in nobody’s way', async () => {
    const { conversation } = await beginTeam();
    const { service } = conversation;
    const scopes = [['src/api'], ['src'], ['docs']];
    for (const writeScopes of scopes) await add({ writeScopes })(conversation);
    await add({ blockedBy: ['task-1'] })(conversation);
    const claimed = [];
    for (const by of ['alpha', 'beta', 'alpha'])
      claimed.push(await service.claimNext(await handleOf(conversation, by)));
    expect(claimed.map((task) => task && [task.id, task.ownerName])).toEqual([
      ['task-1', 'alpha'],
      ['task-3', 'beta'],
      null,
    ]);
  });

  test('tells a task’s history by revision, with what was handed over', async () => {
    const { conversation } = await beginTeam();
    const { service } = conversation;
    const result = { files: ['src/a.ts'], note: null };
    const steps = [
      add(),
      act('alpha', 'claim', { result: 'not yet' }),
      act('alpha', 'complete', { result }),
      act('lead', 'reopen'),
      act('beta', 'claim'),
      act('beta', 'complete'),
      act('lead', 'delete'),
    ];
    for (const step of steps) await step(conversation);
    const history = await service.taskHistory(service.person, 'task-1');
    expect(
      history.map(({ revision, status, ownerName, result: given }) => [revision, status, ownerName, given]),
    ).toEqual([
      [1, 'pending', undefined, undefined],
      [2, 'in_progress', 'alpha', undefined],
      [3, 'completed', 'alpha', result],
      [4, 'pending', undefined, undefined],
      [5, 'in_progress', 'beta', undefined],
      [6, 'completed', 'beta', undefined],
      [7, 'deleted', 'beta', undefined],
    ]);
    expect(history.every((entry) => !('ownerId' in entry))).toBe(true);
    await expect(service.taskHistory(service.person, 'task-2')).rejects.toMatchObject({ code: 'TEAM_TASK_NOT_FOUND' });
  });

  test('takes a result of a size that can be kept', async () => {
    const { conversation } = await beginTeam();
    const steps = [
      add(),
      act('alpha', 'claim'),
      act('alpha', 'complete', { result: 'x'.repeat(32_767) }, 'TEAM_INVALID_ARGUMENT'),
      act('alpha', 'complete', { result: 'x'.repeat(32_766) }, { status: 'completed' }),
    ];
    for (const step of steps) await step(conversation);
  });
});
