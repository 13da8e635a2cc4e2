// The fold of the team's records: what a history amounts to, and which histories cannot have happened.
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/json.js';
import { createTask } from '../../src/core/team/board/task-commands.js';
import { foldTeam, readTeamRecord, type StoredTeamRecord } from '../../src/core/team/board/team-fold.js';
import { delivered, member, OTHER, queued, record, task, TEAM } from '../support/team-records.js';

const fold = (...records: readonly StoredTeamRecord[]) => foldTeam(TEAM, records);
const active = (fields: JsonObject = {}): StoredTeamRecord => member({ phase: 'active', ...fields });
const INVALID = /payload is invalid$/;

describe('A team is folded from its own records', () => {
  test('F01 a foreign member, an own one, task 7 and a queued message', () => {
    const team = fold(
      member({ id: 'x-1', name: 'stranger' }, { teamId: OTHER }),
      member(),
      active(),
      task({ id: 'task-7' }),
      queued(),
    );
    expect([...team.members.values()].map(({ name, phase }) => [name, phase])).toEqual([['alpha', 'active']]);
    expect([...team.tasks.keys()]).toEqual(['task-7']);
    expect([...team.pending.keys()]).toEqual(['message-1']);
    expect(team.nextTaskNumber).toBe(8);
  });

  test('F02 only the four types count', () => {
    const types = ['team/member', 'team/task', 'team/message/queued', 'team/message/delivered'];
    for (const type of types) expect(() => readTeamRecord(TEAM, record(type, {})), type).toThrow(INVALID);
    for (const type of ['team/changed', 'team/message', 'team', 'task:resulted', 'post:written', 'toString']) {
      expect(readTeamRecord(TEAM, record(type, {})), type).toBeNull();
    }
  });

  test('F14 F37 counts on after the greatest number, whatever its zeros; other ids count for nothing', () => {
    expect(fold(task({ id: 'external-task' })).nextTaskNumber).toBe(1);
    const team = fold(task({ id: 'external-task' }), task({ id: 'task-007' }), task({ id: 'task-3' }));
    expect(team.nextTaskNumber).toBe(8);
    expect(createTask(team, { subject: 's', description: 'd' }, { maxTasks: 9 }).id).toBe('task-8');
  });

  test('F27 keeps a block of an unknown tag as it is', () => {
    const block = { type: 'chart', data: { points: [1, { x: null }], nested: { deep: ['y'] } }, 2: true };
    const team = fold(queued({ content: [block] }));
    expect(team.pending.get('message-1')?.content).toEqual([block]);
  });
});

const accepted: readonly (readonly [string, readonly StoredTeamRecord[]])[] = [
  ['F29 a record of another team in a version that nobody knows', [task({}, { version: 2, teamId: OTHER })]],
  ['F33 a description that changes on the terminal edge', [member(), active({ description: 'other' })]],
  ['F35 work in progress that nobody owns', [task(), task({ revision: 2, status: 'in_progress' })]],
  [
    'F35 a deleted task that is pending in its next revision',
    [task(), task({ revision: 2, status: 'deleted' }), task({ revision: 3 })],
  ],
  ['F38 a message to somebody who never was on the roster', [queued({ targetId: 'nobody' })]],
];

test.each(accepted)('A history may hold %s', (_name, records) => {
  expect(() => fold(...records)).not.toThrow();
});

const refused: readonly (readonly [string, readonly StoredTeamRecord[], RegExp])[] = [
  ['F03 a member that begins active', [active()], /must begin provisioning/],
  ['F05 a member that leaves a terminal phase', [member(), active(), member({ phase: 'failed' })], /active -> failed/],
  ['F06 a second member of the same name', [member(), member({ id: 'm-2' })], /name "alpha" is reused/],
  ['F33 a provider that changes', [member(), active({ provider: 'other' })], /changed immutable identity/],
  ['F33 a context that changes', [member(), active({ context: 'fork' })], /changed immutable identity/],
  ['F07 a task that begins at revision 2', [task({ revision: 2 })], /must begin at revision 1/],
  ['a revision that is left out', [task(), task({ revision: 3 })], /not contiguous/],
  ['a revision that repeats', [task(), task()], /not contiguous/],
  ['F09 a blocker that is not there', [task({ blockedBy: ['task-9'] })], /missing or deleted/],
  ['F10 a task that blocks itself', [task({ blockedBy: ['task-1'] })], /cannot block itself/],
  ['F11 a blocker that repeats', [task(), task({ id: 'task-2', blockedBy: ['task-1', 'task-1'] })], /repeats blocker/],
  [
    'tasks that wait for each other',
    [task(), task({ id: 'task-2', blockedBy: ['task-1'] }), task({ revision: 2, blockedBy: ['task-2'] })],
    /cycle includes task-1 → task-2 → task-1/,
  ],
  [
    'F13 a deletion of what somebody waits for',
    [task(), task({ id: 'task-2', blockedBy: ['task-1'] }), task({ revision: 2, status: 'deleted' })],
    /missing or deleted/,
  ],
  ['F15 a number that is too large', [task({ id: 'task-9007199254740992' })], INVALID],
  ['F17 a message that is queued twice', [queued(), queued()], /was queued twice/],
  ['F18 a receipt before its message', [delivered()], /before queueing/],
  ['a second receipt', [queued(), delivered(), delivered()], /before queueing, or twice/],
  ['F19 a receipt of another target', [queued(), delivered({ targetId: 'm-2' })], /target changed/],
  ['F21 a name that is a number', [member({ name: 1 })], INVALID],
  ['F22 a blocker that is a number', [task({ blockedBy: [1] })], INVALID],
  ['F23 a text that is a number', [queued({ content: [{ type: 'text', text: 1 }] })], INVALID],
  ['a known tag with the fields of none', [queued({ content: [{ type: 'image', text: 'x' }] })], INVALID],
  ['F25 one key too many', [task({}, { more: true })], INVALID],
  ['F26 a team id that is a number', [task({}, { teamId: 7 })], INVALID],
  ['F30 a foreign task that is no task', [task({ revision: 'first' }, { teamId: OTHER })], INVALID],
  ['F31 version 0 of this team', [task({}, { version: 0 })], /unsupported Agent Teams event version 0/],
  ['F31 a version that is a text', [task({}, { version: '1' })], INVALID],
  ['F31 a foreign version that is a text', [task({}, { version: '1', teamId: OTHER })], INVALID],
  ['F31 a version below 0', [task({}, { version: -1 })], INVALID],
  ['F31 a foreign version below 0', [task({}, { version: -1, teamId: OTHER })], INVALID],
  ['F34 a text block with one key too many', [queued({ content: [{ type: 'text', text: 'x', more: 1 }] })], INVALID],
];

test.each(refused)('A history cannot hold %s', (_name, records, words) => {
  const earlier = records.slice(0, -1);
  expect(() => fold(...earlier)).not.toThrow();
  expect(() => fold(...records)).toThrow(words);
  expect(() => fold(...records)).not.toThrow(expect.objectContaining({ code: expect.anything() as unknown }));
});
