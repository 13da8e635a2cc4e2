// The tools as members call them in a turn: what they take, what they give, and what a refusal reads like.
// Ours go with the ten of the reference, the same set for everybody; a refusal begins with its code.
import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/core/json.js';
import type { Conversation } from '../../src/runtime/conversation.js';
import { teamTools } from '../../src/runtime/tools/team-tools.js';
import { beginTeam, handleOf, recordOf } from '../support/agent-team.js';
import { event } from '../support/stored-event.js';
import { events, post, until, type BegunTurn } from '../support/live-team.js';
import { isIdle, stateOf } from '../support/chat.js';

const TEN = [
  'spawn_teammate',
  'send_message',
  'followup_task',
  'list_agents',
  'wait_agent',
  'interrupt_agent',
  'team_task_create',
  'team_task_list',
  'team_task_get',
  'team_task_update',
];

/** What a call gave: its JSON, or the text of the refusal. */
async function call(turn: Pick<BegunTurn, 'tools'>, name: string, input: JsonObject = {}): Promise<JsonValue> {
  const { text, isError } = await turn.tools.call(name, input);
  return isError ? text : (JSON.parse(text) as JsonValue);
}

/** A conversation with turns of the members that are named, in that order. */
async function working(...members: readonly string[]) {
  const begun = await beginTeam();
  const turns: BegunTurn[] = [];
  for (const member of members) {
    await post(begun.conversation, `@${member} go`);
    turns.push(await begun.engine.begun());
  }
  return { ...begun, turns };
}

async function one(member: string) {
  const { turns, ...begun } = await working(member);
  const [turn] = turns;
  if (turn === undefined) throw new Error('no turn began');
  return { ...begun, turn };
}

async function two(first: string, second: string) {
  const { turns, ...begun } = await working(first, second);
  const [a, b] = turns;
  if (a === undefined || b === undefined) throw new Error('no turn began');
  return { ...begun, a, b };
}

const task = (subject: string, more: JsonObject = {}) => ({ subject, description: 'd', ...more });
const update = (action: string, revision: number, more: JsonObject = {}) => ({
  task_id: 'task-1',
  expected_revision: revision,
  action,
  ...more,
});

/** The tools outside of a turn, for a caller whose signal the case holds. */
async function loose(conversation: Conversation, memberId: string, signal: AbortSignal) {
  const { service, runId } = conversation;
  const state = () => stateOf(conversation);
  const rest = (): Disposable => ({ [Symbol.dispose]: () => undefined });
  const tools = teamTools({ service, state, rest, engineOf: () => 'hand' });
  const caller = { memberId, position: `${runId}/loose`, roomId: null, signal };
  return (name: string, input: JsonObject) => tools.find(({ spec }) => spec.name === name)?.run(input, caller);
}

describe('Every member has the same tools', () => {
  test('L01 L02 with closed schemas, and a text that says how a team works and who it is', async () => {
    const { a, b, runId } = await two('ana', 'alpha');
    for (const { tools } of [a, b]) {
      const names = tools.specs.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(TEN));
      expect(new Set(names).size).toBe(names.length);
      for (const { name, description, inputSchema } of tools.specs) {
        expect(inputSchema, name).toMatchObject({ type: 'object', additionalProperties: false });
        expect(description, name).toMatch(/\.$/);
      }
      const words = [
        /explicitly asks/,
        /stale.*read the file again/,
        /Shell commands.*bypass/,
        /ready starts nobody/,
        /noProgress/,
      ];
      for (const word of words) expect(tools.policy).toMatch(word);
    }
    expect(a.tools.policy).toMatch(new RegExp(`You are lead; your role is lead, in team ${runId}\\.$`));
    expect(b.tools.policy).toMatch(/You are alpha; your role is teammate/);
  });

  test('L03 and only the lead may spawn', async () => {
    const { turn } = await one('alpha');
    const request = { name: 'bob', description: 'b', prompt: 'p' };
    expect(await call(turn, 'spawn_teammate', request)).toMatch(/only the Team Lead/);
  });

  test.each([
    ['team_task_get', {}, 'task_id'],
    ['team_task_get', { task_id: 'task-1', more: 1 }, 'more'],
    ['wait_agent', { timeout_ms: 'long' }, 'timeout_ms'],
    ['spawn_teammate', { name: 'bob', description: 'b', prompt: 'p', context: 'warm' }, 'context'],
    ['team_task_update', { task_id: 'task-1', expected_revision: 1, action: 'finish' }, 'action'],
  ])('%s refuses an input that does not fit, and says where', async (name, input, place) => {
    const { turn } = await one('alpha');
    expect(await call(turn, name, input)).toMatch(new RegExp(`^INVALID_INPUT: At "${place}"`));
  });
});

describe('wait_agent', () => {
  test('L04 with nobody else at work says so at once, and what to do', async () => {
    const { turn } = await one('ana');
    expect(await call(turn, 'wait_agent', { timeout_ms: 3_600_000 })).toEqual({
      timedOut: false,
      noProgress: { reason: 'no-active-peer', message: expect.stringContaining('followup_task') as string },
    });
  });

  test.each([9_999, 3_600_001, 2 ** 53])('L05 %d ms is out of range, whoever is at work', async (timeout) => {
    const { turn } = await one('ana');
    const refused = await call(turn, 'wait_agent', { timeout_ms: timeout });
    expect(refused).toMatch(/^TEAM_INVALID_TIMEOUT: .*10000 to 3600000/);
  });

  test('L06 aborted with an object says so', async () => {
    const { conversation } = await one('alpha');
    const abort = new AbortController();
    const calling = (await loose(conversation, 'ana', abort.signal))('wait_agent', { timeout_ms: 60_000 });
    abort.abort({ kind: 'user' });
    expect(await calling).toEqual({
      text: "TEAM_WAIT_ABORTED: wait_agent aborted: { kind: 'user' }",
      isError: true,
    });
  });

  test('L15 ends when a teammate completes its task', async () => {
    const { a: lead, b: alpha } = await two('ana', 'alpha');
    await call(alpha, 'team_task_create', task('s'));
    await call(alpha, 'team_task_update', update('claim', 1));
    const waiting = call(lead, 'wait_agent', { timeout_ms: 60_000 });
    await call(alpha, 'team_task_update', update('complete', 2, { result: { ok: true } }));
    expect(await waiting).toEqual({ timedOut: false });
  });

  test('L26 without a time ends with what the lead does itself', async () => {
    const { a: lead } = await two('ana', 'alpha');
    const waiting = call(lead, 'wait_agent');
    await call(lead, 'team_task_create', task('s'));
    expect(await waiting).toEqual({ timedOut: false });
  });

  test('misses nothing that happens while it looks who is at work', async () => {
    const { conversation, a: lead, b: alpha } = await two('ana', 'alpha');
    const { service } = conversation;
    const listMembers = service.listMembers.bind(service);
    // Alpha ends between the look at the roster and the wait that follows from it.
    service.listMembers = async (handle) => {
      const rows = await listMembers(handle);
      alpha.answer('');
      await until(conversation, ({ members }) => members.get('alpha')?.open === null);
      return rows;
    };
    expect(await call(lead, 'wait_agent', { timeout_ms: 3_600_000 })).toEqual({ timedOut: false });
  });
});

describe('Roster and mail', () => {
  test('L07 a teammate lists the lead first and itself, in compact JSON', async () => {
    const { turn } = await one('alpha');
    const { text } = await turn.tools.call('list_agents', {});
    const rows = JSON.parse(text) as JsonValue[];
    expect(text).toBe(JSON.stringify(rows));
    expect(rows).toMatchObject([
      { name: 'lead', role: 'lead' },
      { name: 'alpha', role: 'teammate', status: 'running' },
      { name: 'beta', role: 'teammate', status: 'inactive' },
    ]);
  });

  test('L09 a teammate wakes the lead', async () => {
    const { conversation, engine, turn } = await one('alpha');
    expect(await call(turn, 'followup_task', { target: 'lead', message: 'Look.' })).toMatchObject({
      status: 'accepted',
    });
    const lead = await engine.begun();
    expect(lead).toMatchObject({ member: 'ana', input: { mail: [{ sender: 'alpha' }] } });
    lead.answer('');
    turn.answer('');
    await until(conversation, isIdle);
  });

  test('L17 L34 a fork is recorded as one, with the engine of whoever spawned it', async () => {
    const { turn } = await one('ana');
    const request = { name: 'bob', description: 'b', prompt: 'p', context: 'fork' };
    expect(await call(turn, 'spawn_teammate', request)).toMatchObject({
      member: { context: 'fork', provider: 'hand' },
    });
  });
});

describe('Tasks', () => {
  test('L10 L11 L13 L14 a task is made, listed, claimed, and not deleted at a revision that has passed', async () => {
    const { a: lead, b: alpha } = await two('ana', 'alpha');
    const made = await call(alpha, 'team_task_create', task('s', { blocked_by: [], write_scopes: ['src/'] }));
    expect(made).toMatchObject({ id: 'task-1', revision: 1, writeScopes: ['src'] });
    expect(await call(alpha, 'team_task_list', { ready: true, limit: 1 })).toEqual({ tasks: [made], total: 1 });
    expect(await call(alpha, 'team_task_update', update('claim', 1))).toMatchObject({
      status: 'in_progress',
      ownerName: 'alpha',
    });
    expect(await call(lead, 'team_task_update', update('delete', 1))).toMatch(
      /^TEAM_TASK_STALE_REVISION: .*stale team task/,
    );
  });

  test('L18 L19 L20 L21 L22 L23 a list is filtered and comes in pages, with its total', async () => {
    const { turn } = await one('ana');
    for (const subject of ['a', 'b', 'c']) await call(turn, 'team_task_create', task(subject));
    await call(turn, 'team_task_update', update('claim', 1));
    const ids = async (input: JsonObject) => {
      const listed = (await call(turn, 'team_task_list', input)) as {
        tasks: { id: string }[];
        nextCursor?: number;
        total: number;
      };
      return [listed.tasks.map(({ id }) => id), listed.nextCursor, listed.total];
    };
    for (const owner of ['lead', 'ana']) {
      expect(await ids({ status: 'in_progress', owner })).toEqual([['task-1'], undefined, 1]);
    }
    const unowned = { owner: 'unowned' };
    expect(await ids(unowned)).toEqual([['task-2', 'task-3'], undefined, 2]);
    expect(await ids({ ...unowned, cursor: 0, limit: 1 })).toEqual([['task-2'], 1, 2]);
    expect(await ids({ ...unowned, cursor: 1, limit: 1 })).toEqual([['task-3'], undefined, 2]);
    expect(await ids({ ...unowned, cursor: 9 })).toEqual([[], undefined, 2]);
    for (const wrong of [{ cursor: -1 }, { cursor: 0.5 }, { limit: 101 }, { limit: 0 }]) {
      expect(await call(turn, 'team_task_list', wrong)).toMatch(/^INVALID_INPUT/);
    }
  });

  test('L24 L25 a task is edited, then made to wait, and then not given to anybody', async () => {
    const { turn } = await one('ana');
    for (const subject of ['a', 'b']) await call(turn, 'team_task_create', task(subject));
    const fields = { subject: 'new', description: 'new', write_scopes: ['docs'] };
    expect(await call(turn, 'team_task_update', update('edit', 1, fields))).toMatchObject({
      revision: 2,
      subject: 'new',
    });
    const wired = await call(turn, 'team_task_update', update('set_dependencies', 2, { blocked_by: ['task-2'] }));
    expect(wired).toMatchObject({ revision: 3, blockedBy: ['task-2'], ready: false });
    expect(await call(turn, 'team_task_update', update('reassign', 3, { owner: 'alpha' }))).toMatch(
      /^TEAM_TASK_BLOCKED/,
    );
  });

  test('what is handed over with a completion is recorded with it, in one append', async () => {
    const { storage, conversation, runId, turn } = await one('alpha');
    await call(turn, 'team_task_create', task('s'));
    await call(turn, 'team_task_update', update('claim', 1));
    const before = (await events(storage, runId)).length;
    await call(turn, 'team_task_update', update('complete', 2, { result: { files: 3 } }));
    const [completed, resulted] = (await events(storage, runId)).slice(before);
    expect([completed?.type, resulted?.type]).toEqual(['team/task', 'task:resulted']);
    expect(resulted).toMatchObject({
      payload: { taskId: 'task-1', revision: 3, result: { files: 3 } },
      causationId: turn.input.position,
    });
    expect(
      (await conversation.service.taskHistory(await handleOf(conversation, 'lead'), 'task-1')).at(-1),
    ).toMatchObject({
      revision: 3,
      position: turn.input.position,
      result: { files: 3 },
    });
  });
});

describe('What the fold would refuse is never written', () => {
  const member = { id: 'm-9', name: 'bob', description: 'b', provider: 'hand', context: 'fresh' } as const;
  const wrong = {
    id: 'task-1',
    revision: 1,
    subject: 's',
    description: 'd',
    status: 'pending',
    writeScopes: [],
  } as const;

  test('L37 a member that begins provisioning is taken, one that begins active is not', async () => {
    const { storage, runId } = await beginTeam();
    const record = recordOf(storage, runId);
    const head = { version: 1, teamId: runId } as const;
    const append = (phase: 'provisioning' | 'active', id: string) =>
      record.decide(() => [
        { event: { type: 'team/member', payload: { ...head, member: { ...member, id, name: id, phase } } } },
      ]);
    await append('provisioning', 'm-8');
    const before = await events(storage, runId);
    await expect(append('active', 'm-9')).rejects.toMatchObject({ code: 'INVALID_EVENT' });
    expect(await events(storage, runId)).toEqual(before);
  });

  test('L38 nor a task whose blocker is not there, nor a result of what was not completed', async () => {
    const { storage, runId } = await beginTeam();
    await event(storage, runId, 'team/task', { version: 1, teamId: runId, task: { ...wrong, blockedBy: [] } });
    const record = recordOf(storage, runId);
    const before = await events(storage, runId);
    const task2 = { ...wrong, id: 'task-2', blockedBy: ['task-9'] };
    for (const refused of [
      { type: 'team/task', payload: { version: 1, teamId: runId, task: task2 } },
      { type: 'task:resulted', payload: { taskId: 'task-1', revision: 1, result: null } },
    ] as const) {
      await expect(record.decide(() => [{ event: refused }])).rejects.toMatchObject({ code: 'INVALID_EVENT' });
    }
    expect(await events(storage, runId)).toEqual(before);
  });
});
