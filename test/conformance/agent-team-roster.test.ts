// Who is in the team: limits, identity, and spawning with all that can go wrong on the way.
// Of a teammate's own Session here its stream takes the place; the checkpoint of its first prompt is the append of
// `prompt:given`, and a child that is live elsewhere is a window that spawns while another one opens.
import { describe, expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../src/core/json.js';
import { Conversation, type ConversationHost } from '../../src/runtime/conversation.js';
import { forkConversation } from '../../src/runtime/fork.js';
import { teamLimits } from '../../src/runtime/team-limits.js';
import type { MemberRow, TeamHandle } from '../../src/runtime/team-service.js';
import type { LocalRunStorage } from '../../src/storage/port.js';
import { MemoryDisk } from '../../src/storage/memory/disk.js';
import { beginTeam, blocks, handleOf, outcomeOf } from '../support/agent-team.js';
import { beginChat, isIdle, payloads, stateOf, tapped } from '../support/chat.js';
import { event } from '../support/stored-event.js';
import { events, HandEngine, host, memoryStorage, post, settled, team, until } from '../support/live-team.js';

const never = new AbortController().signal;
const REQUEST = { name: 'bob', description: 'builder', prompt: 'Build.', context: 'fresh', provider: 'hand' } as const;

type Request = Partial<Parameters<Conversation['service']['spawnTeammate']>[1]>;

async function spawn(conversation: Conversation, fields: Request = {}, by = 'lead'): Promise<MemberRow> {
  const caller = await handleOf(conversation, by);
  return conversation.service.spawnTeammate(caller, { ...REQUEST, signal: never, ...fields });
}

async function rows(conversation: Conversation): Promise<readonly MemberRow[]> {
  return conversation.service.listMembers(conversation.service.person);
}

/** A window on `disk` whose appends to a spawned member's stream do what the case wants, once. */
async function spawningWindow(before: () => Promise<void>, more: Partial<ConversationHost> = {}) {
  const disk = new MemoryDisk();
  const whole = memoryStorage(disk);
  const state = { isDue: true };
  const storage = tapped(whole, (_stream, batch) => {
    if (!state.isDue || batch[0]?.type !== 'prompt:given') return undefined;
    state.isDue = false;
    return before() as Promise<never>;
  });
  const engine = new HandEngine();
  const conversation = await Conversation.start({ ...host(storage, engine), ...more }, team(['ana']), []);
  onTestFinished(() => conversation.close());
  return { disk, storage: whole, engine, conversation, runId: conversation.runId };
}

/** What somebody else writes about the member that is being spawned. */
async function settleAs(storage: LocalRunStorage, runId: string, fields: JsonObject): Promise<void> {
  const all = await payloads(storage, runId, 'team/member');
  const newest = all.at(-1) as JsonObject;
  await event(storage, runId, 'team/member', { ...newest, member: { ...(newest['member'] as JsonObject), ...fields } });
}

const LIMITS = ['maxMembers', 'maxTasks', 'maxPendingMessagesPerMember', 'maxMessageBytes', 'disposalTimeoutMs'];

test.each(LIMITS.flatMap((key) => [['R01', key, 0] as const, ['R02', key, 1.5] as const]))(
  '%s the limit %s cannot be %d',
  (_id, key, value) => {
    expect(() => teamLimits({ [key]: value })).toThrow(expect.objectContaining({ code: 'TEAM_INVALID_CONFIG' }));
  },
);

describe('The roster', () => {
  test('R04 of a lead alone is one idle row', async () => {
    const { conversation, runId } = await beginTeam({}, ['ana']);
    expect(await rows(conversation)).toEqual([
      { id: runId, name: 'lead', role: 'lead', status: 'idle', diagnostics: [] },
    ]);
  });

  test('R05 shows a member that is being provisioned, without a model', async () => {
    const { storage, conversation, runId } = await beginTeam({}, ['ana']);
    const member = {
      id: 'm-1',
      name: 'bob',
      description: 'b',
      provider: 'hand',
      context: 'fresh',
      phase: 'provisioning',
    };
    await event(storage, runId, 'team/member', { version: 1, teamId: runId, member });
    const [, row] = await rows(conversation);
    expect(row).toMatchObject({ name: 'bob', status: 'provisioning', diagnostics: [] });
    expect(row).not.toHaveProperty('model');
  });

  test('R06 R08 has a fork and a fresh one in the order of provisioning; the fork alone knows what the lead had said', async () => {
    const { conversation, engine } = await beginTeam({}, ['ana']);
    await post(conversation, 'First.');
    (await engine.begun()).answer('Said before.');
    await settled(conversation);
    await post(conversation, 'Now spawn.');
    const lead = await engine.begun();
    await spawn(conversation, { name: 'fork-worker', context: 'fork', prompt: 'Fork.' });
    await spawn(conversation, { name: 'fresh-worker', prompt: 'Fresh.' });
    lead.answer('');
    const turns = [await engine.begun(), await engine.begun()];
    const given = turns.map(({ input }) => [input.prompt, input.messages.map(({ text }) => text)]);
    expect(given).toEqual([
      ['Fork.', ['First.', 'Said before.']],
      ['Fresh.', []],
    ]);
    for (const turn of turns) turn.answer('');
    (await engine.begun()).answer('');
    await until(conversation, isIdle);
    expect((await rows(conversation)).map(({ name, context, status }) => [name, context, status])).toEqual([
      ['lead', undefined, 'idle'],
      ['fork-worker', 'fork', 'inactive'],
      ['fresh-worker', 'fresh', 'inactive'],
    ]);
  });

  test('R06 a fork of a lead that has not answered yet knows nothing', async () => {
    const { conversation, engine } = await beginTeam({}, ['ana']);
    await post(conversation, 'First.');
    const lead = await engine.begun();
    await spawn(conversation, { context: 'fork' });
    const turn = await engine.begun();
    expect(turn.input.messages).toEqual([]);
    lead.answer('');
    turn.answer('');
    (await engine.begun()).answer('');
    await until(conversation, isIdle);
  });

  test('R09 R10 takes as many members as it may have; a name that was used is said first', async () => {
    const { conversation } = await beginTeam({ teamLimits: { maxMembers: 2 } }, ['ana', 'alpha']);
    await spawn(conversation);
    expect(await outcomeOf(spawn(conversation, { name: 'third' }))).toBe('TEAM_MEMBER_LIMIT');
    expect(await outcomeOf(spawn(conversation, { name: 'bob' }))).toBe('TEAM_MEMBER_NAME_TAKEN');
    expect(await outcomeOf(spawn(conversation, { name: 'alpha' }))).toBe('TEAM_MEMBER_NAME_TAKEN');
  });

  test.each(['Lead', 'lead', '-bad', 'bad-', 'bad_name', 'x'.repeat(65)])(
    'R28 no member is called %s',
    async (name) => {
      const { conversation } = await beginTeam();
      expect(await outcomeOf(spawn(conversation, { name }))).toBe('TEAM_INVALID_MEMBER_NAME');
    },
  );

  test.each(['a--b', ' a', 'é', ''])('R29 nor "%s"', async (name) => {
    const { conversation } = await beginTeam();
    expect(await outcomeOf(spawn(conversation, { name }))).toBe('TEAM_INVALID_MEMBER_NAME');
  });

  test.each(['x'.repeat(64), 'a', '9', 'unowned', 'lead-2'])('R29 a member may be called %s', async (name) => {
    const { conversation } = await beginTeam();
    expect(await spawn(conversation, { name })).toMatchObject({ name, status: 'idle' });
  });

  test('no new member acts under the name of the person, of everybody, or of somebody in the team', async () => {
    const { storage, conversation, runId } = await beginTeam();
    const before = await events(storage, runId);
    for (const name of ['you', 'all', 'system']) {
      expect(await outcomeOf(spawn(conversation, { name })), name).toBe('TEAM_INVALID_MEMBER_NAME');
    }
    // The lead's id, and a name that mentions would take for the same.
    expect(await outcomeOf(spawn(conversation, { name: 'ana' }))).toBe('TEAM_MEMBER_NAME_TAKEN');
    expect(await events(storage, runId)).toEqual(before);
    expect((await stateOf(conversation)).members.get('ana')?.handleId).toBeNull();
  });

  test('R30 R32 R33 nothing is recorded of a member that may not be made', async () => {
    const { storage, conversation, runId } = await beginTeam({}, ['ana', 'alpha']);
    const before = await events(storage, runId);
    expect(await outcomeOf(spawn(conversation, {}, 'alpha'))).toBe('TEAM_LEAD_REQUIRED');
    expect(await outcomeOf(spawn(conversation, { provider: '  ' }))).toBe('TEAM_INVALID_ARGUMENT');
    expect(await outcomeOf(spawn(conversation, { description: 'd'.repeat(201) }))).toBe('TEAM_INVALID_ARGUMENT');
    const reason = new Error('enough');
    await expect(spawn(conversation, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(await events(storage, runId)).toEqual(before);
  });
});

describe('Identity', () => {
  test('R34 M32 a fork leads a team of its own: no task, no mail and no spawned member of its ancestor', async () => {
    const { storage, conversation, engine, runId } = await beginTeam({}, ['ana', 'alpha']);
    const { service } = conversation;
    await service.createTask(service.person, { subject: 's', description: 'd' });
    await service.sendMessage(service.person, { target: 'alpha', content: blocks('later'), delivery: 'quiet' });
    const id = await post(conversation, 'Go.');
    (await engine.begun()).answer('');
    await settled(conversation);
    const forked = await forkConversation({ storage }, runId, id);
    await conversation.close();
    await storage.runs.remove(runId);
    // R37: its ancestor is gone, and it leads all the same.
    const own = await Conversation.open(host(storage, new HandEngine()), forked);
    onTestFinished(() => own.close());
    const lead = await handleOf(own, 'lead');
    expect(await own.service.membership(lead)).toEqual({ id: forked, name: 'lead', role: 'lead', teamId: forked });
    const { board } = await stateOf(own);
    expect([board.tasks.size, board.pending.size, [...board.members.values()].map(({ name }) => name)]).toEqual([
      0,
      0,
      ['alpha'],
    ]);
    expect(await own.service.createTask(lead, { subject: 's', description: 'd' })).toMatchObject({ id: 'task-1' });
  });

  test('R36 R38 a copy of a handle, and the handle of whoever has left, are nobody', async () => {
    const { conversation } = await beginTeam();
    const { service } = conversation;
    const lead = await handleOf(conversation, 'lead');
    const copy: TeamHandle = { ...lead };
    expect(await service.tryMembership(copy)).toBeNull();
    expect(await outcomeOf(service.membership(copy))).toBe('TEAM_NOT_MEMBER');
    expect(await outcomeOf(service.waitForChange(copy, 10_000, never))).toBe('TEAM_NOT_MEMBER');
    const beta = await handleOf(conversation, 'beta');
    expect(await service.tryMembership(beta)).toMatchObject({ name: 'beta', role: 'teammate' });
    await conversation.changeTeam(team(['ana', 'alpha']).canonicalText);
    expect(await service.tryMembership(beta)).toBeNull();
    expect(await outcomeOf(service.listTasks(beta))).toBe('TEAM_NOT_MEMBER');
  });
});

describe('Spawning', () => {
  test('R12 ends when the prompt is durable, whatever else is written meanwhile', async () => {
    const gate = Promise.withResolvers<undefined>();
    const held = Promise.withResolvers<undefined>();
    const { conversation } = await spawningWindow(() => (held.resolve(undefined), gate.promise));
    let hasEnded = false;
    const spawning = spawn(conversation).finally(() => (hasEnded = true));
    await held.promise;
    await conversation.rename('Something else');
    await conversation.service.createTask(conversation.service.person, { subject: 's', description: 'd' });
    expect(hasEnded).toBe(false);
    expect((await rows(conversation))[1]).toMatchObject({ status: 'provisioning' });
    gate.resolve(undefined);
    expect(await spawning).toMatchObject({ name: 'bob', status: 'idle' });
  });

  test('R13 takes the prompt that is in the stream already for its own', async () => {
    const window = await spawningWindow(async () => {
      const [, member] = await payloadMember(window.storage, window.runId);
      const stream = `${window.runId}.m.2`;
      await event(window.storage, stream, 'prompt:given', { member, prompt: 'Build.', posts: [] }, idOf(member));
    });
    expect(await spawn(window.conversation)).toMatchObject({ status: 'idle' });
  });

  test('R14 is a conflict when the stream begins with something else', async () => {
    const window = await spawningWindow(async () => {
      const [, member] = await payloadMember(window.storage, window.runId);
      const other = { member: { ...member, id: 'other' }, prompt: 'Other.', posts: [] };
      await event(window.storage, `${window.runId}.m.2`, 'prompt:given', other);
    });
    expect(await outcomeOf(spawn(window.conversation))).toBe('TEAM_PROVISIONING_CONFLICT');
    expect((await rows(window.conversation))[1]).toMatchObject({ status: 'failed' });
  });

  test.each([
    ['R16 a plain object', { kind: 'user' }, { code: 'TEAM_DISPOSED' }],
    ['R17 an Error', new Error('enough'), { message: 'enough' }],
  ])(
    'aborted while the prompt is on its way with %s rejects, and the member has failed',
    async (_name, reason, error) => {
      const abort = new AbortController();
      const { conversation, engine } = await spawningWindow(async () => {
        abort.abort(reason);
      });
      await expect(spawn(conversation, { signal: abort.signal })).rejects.toMatchObject(error);
      expect((await rows(conversation))[1]).toMatchObject({ name: 'bob', status: 'failed' });
      expect(engine.calls).toEqual([]);
    },
  );

  test('R18 rejects with what the store said; the member has failed with its words and never runs', async () => {
    const { conversation, engine } = await spawningWindow(() => Promise.reject(new Error('the disk is gone')));
    await expect(spawn(conversation)).rejects.toThrow('the disk is gone');
    expect((await rows(conversation))[1]).toMatchObject({ status: 'failed', diagnostics: ['the disk is gone'] });
    await conversation.resumeTeam();
    expect(engine.calls).toEqual([]);
  });

  test('R19 R20 R21 T56 with an engine that is not there fails; the member keeps its name and its place, and owns nothing', async () => {
    const { conversation } = await beginTeam({ teamLimits: { maxMembers: 1 } }, ['ana']);
    expect(await outcomeOf(spawn(conversation, { provider: ' nowhere ' }))).toBe('TEAM_INVALID_ARGUMENT');
    expect((await rows(conversation))[1]).toMatchObject({ status: 'failed', provider: 'nowhere' });
    expect(await outcomeOf(spawn(conversation))).toBe('TEAM_MEMBER_NAME_TAKEN');
    expect(await outcomeOf(spawn(conversation, { name: 'carl' }))).toBe('TEAM_MEMBER_LIMIT');
    const { service } = conversation;
    await service.createTask(service.person, { subject: 's', description: 'd' });
    const update = { taskId: 'task-1', expectedRevision: 1, action: 'reassign', owner: 'bob' } as const;
    expect(await outcomeOf(service.updateTask(service.person, update))).toBe('TEAM_MEMBER_NOT_FOUND');
  });

  test('R22 rejects with the very text that was thrown', async () => {
    const engines = { find: (): null => thrown('x') };
    const { conversation } = await beginChat(team(['ana']), { engines });
    await expect(spawn(conversation)).rejects.toBe('x');
    expect((await rows(conversation))[1]).toMatchObject({ status: 'failed', diagnostics: ['x'] });
  });

  test('R24 that throws after somebody recorded the member as active says both, and the member stays active', async () => {
    const window = await spawningWindow(async () => {
      await settleAs(window.storage, window.runId, { phase: 'active' });
      throw new Error('too late');
    });
    const error = await spawn(window.conversation).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AggregateError);
    expect((error as AggregateError).errors).toMatchObject([
      { message: 'too late' },
      { code: 'TEAM_PROVISIONING_CONFLICT' },
    ]);
    expect((await stateOf(window.conversation)).members.has('bob')).toBe(true);
  });

  test('R25 R26 that another window settled as failed meanwhile is a conflict, and nobody runs', async () => {
    const window = await spawningWindow(async () => {
      // Nobody runs the conversation, so the window that opens it takes the spawning for one that was cut off.
      const other = await Conversation.open(host(memoryStorage(window.disk), new HandEngine()), window.runId);
      await other.close();
    });
    expect(await outcomeOf(spawn(window.conversation))).toBe('TEAM_PROVISIONING_CONFLICT');
    expect((await rows(window.conversation))[1]).toMatchObject({ status: 'failed' });
    await window.conversation.resumeTeam();
    expect(window.engine.calls).toEqual([]);
  });
});

async function payloadMember(storage: LocalRunStorage, runId: string): Promise<readonly [string, JsonObject]> {
  const all = await payloads(storage, runId, 'team/member');
  return [runId, (all.at(-1) as { readonly member: JsonObject }).member];
}

function idOf({ id }: JsonObject): string {
  return typeof id === 'string' ? id : '';
}

function thrown(what: string): never {
  // eslint-disable-next-line @typescript-eslint/only-throw-error -- an engine of somebody else may throw anything
  throw what;
}
