// Mail, spawning and tasks in a live conversation: whom they wake, in which chain, and what is left when it stops.
import { describe, expect, onTestFinished, test } from 'vitest';
import { Conversation } from '../../src/runtime/conversation.js';
import { beginChat, CHAT_TEAM, isIdle, payloads, stateOf } from '../support/chat.js';
import {
  HandEngine,
  events,
  host,
  memoryStorage,
  post,
  said,
  settled,
  team,
  until,
  type BegunTurn,
} from '../support/live-team.js';

async function call(turn: BegunTurn, name: string, input: Record<string, string | number>) {
  const { text, isError } = await turn.tools.call(name, input);
  return isError ? text : (JSON.parse(text) as Record<string, unknown>);
}

describe('Mail that wakes', () => {
  test('C25 belongs to the chain of the turn that sent it, one hop on; its answer goes to the sender, quietly, and not into the room', async () => {
    const { storage, conversation, engine, runId } = await beginChat();
    await post(conversation, '@ana begin');
    (await engine.begun()).answer('@tech first hop');
    (await engine.begun()).answer('@legal second hop');
    const sender = await engine.begun();
    expect(await call(sender, 'followup_task', { target: 'tech', message: 'Check the clause.' })).toMatchObject({
      status: 'accepted',
    });
    const woken = await engine.begun();
    expect(woken.input).toMatchObject({ roomId: null, triggers: [], messages: [] });
    expect(woken.input.mail.map(({ sender: from, text }) => [from, text])).toEqual([
      ['legal', expect.stringMatching(/^Team message team-message-[\w-]+ from legal:\nCheck the clause\.$/)],
    ]);
    const open = (await stateOf(conversation)).members.get('tech')?.open;
    expect([open?.chain, open?.hop]).toEqual(['you/1/0', 3]);
    woken.answer('The clause holds.');
    sender.answer('Done.');
    await until(conversation, isIdle);
    expect((await said(storage, runId)).filter((line) => line.startsWith('tech: The clause'))).toEqual([]);
    const queued = await payloads(storage, runId, 'team/message/queued');
    expect(queued.at(-1)).toMatchObject({
      message: { senderName: 'tech', delivery: 'quiet', content: [{ text: 'tech finished: The clause holds.' }] },
    });
    expect(engine.calls).toEqual(['ana', 'tech', 'legal', 'tech']);
  });

  test('is counted against the hop cap of its chain', async () => {
    const { storage, conversation, engine, runId } = await beginChat(team(CHAT_TEAM, { limits: { hopCap: 0 } }));
    await post(conversation, '@legal begin');
    const turn = await engine.begun();
    await call(turn, 'followup_task', { target: 'tech', message: 'Go on.' });
    turn.answer('Done.');
    await until(conversation, isIdle);
    expect(engine.calls).toEqual(['legal']);
    expect(await payloads(storage, runId, 'conversation:limited')).toMatchObject([
      { chain: 'you/1/0', next: ['tech'] },
    ]);
  });

  test('ML-8 is durable in its target’s stream before it counts as delivered', async () => {
    const { storage, conversation, engine, runId } = await beginChat();
    await post(conversation, '@legal begin');
    const turn = await engine.begun();
    const sent = await call(turn, 'followup_task', { target: 'tech', message: 'Go on.' });
    const received = (await events(storage, `${runId}.m.3`)).map(({ type, eventId }) => [type, eventId]);
    expect(received[0]).toEqual(['mail:received', typeof sent === 'string' ? '' : sent['messageId']]);
    expect(await payloads(storage, runId, 'team/message/delivered')).toHaveLength(1);
    (await engine.begun()).answer('');
    turn.answer('');
    await until(conversation, isIdle);
  });
});

describe('Quiet mail', () => {
  test('M16 M17 wakes nobody; it is read, the older first, in the turn that something else wakes', async () => {
    const { conversation, engine } = await beginChat();
    await post(conversation, '@legal begin');
    const turn = await engine.begun();
    expect(await call(turn, 'send_message', { target: 'tech', message: 'quiet' })).toMatchObject({ status: 'queued' });
    expect(engine.pending).toBe(0);
    await call(turn, 'followup_task', { target: 'tech', message: 'wake up' });
    const woken = await engine.begun();
    expect(woken.input.mail.map(({ text }) => text.split('\n')[1])).toEqual(['quiet', 'wake up']);
    woken.answer('');
    turn.answer('');
    await until(conversation, isIdle);
  });

  test('M04 to a running member is taken between two of its steps, once', async () => {
    const { conversation, engine } = await beginChat();
    await post(conversation, '@legal begin');
    await post(conversation, '@tech begin');
    const sender = await engine.begun();
    const busy = await engine.begun();
    expect(await busy.takeMail()).toEqual([]);
    expect(await call(sender, 'send_message', { target: 'tech', message: 'by the way' })).toMatchObject({
      status: 'accepted',
    });
    expect((await busy.takeMail()).map(({ sender: from }) => from)).toEqual(['legal']);
    expect(await busy.takeMail()).toEqual([]);
    sender.answer('');
    busy.answer('');
    await until(conversation, isIdle);
    await post(conversation, '@tech again');
    const next = await engine.begun();
    expect(next.input.mail).toEqual([]);
    next.answer('');
    await settled(conversation);
  });

  test('ML-1 to nobody is refused with the names of the members, and recorded nowhere', async () => {
    const { storage, conversation, engine, runId } = await beginChat();
    await post(conversation, '@legal begin');
    const turn = await engine.begun();
    expect(await call(turn, 'send_message', { target: 'enginer', message: 'hello' })).toMatch(
      /^TEAM_MEMBER_NOT_FOUND: .*lead, legal, tech/,
    );
    expect(await call(turn, 'send_message', { target: 'legal', message: 'me' })).toMatch(/^TEAM_SELF_MESSAGE/);
    expect(await payloads(storage, runId, 'team/message/queued')).toEqual([]);
    turn.answer('');
    await settled(conversation);
  });
});

describe('Stop', () => {
  test('C27 holds mail that was on its way; Deliver lets it wake its target', async () => {
    const { disk, storage, conversation, engine, runId } = await beginChat();
    await post(conversation, '@legal begin');
    const turn = await engine.begun();
    // A window that only follows sends, and the runner stops before it has delivered.
    const follower = await Conversation.open(host(memoryStorage(disk), new HandEngine()), runId);
    onTestFinished(() => follower.close());
    await conversation.close();
    const handle = follower.service.person;
    await follower.service.sendMessage(handle, {
      target: 'tech',
      content: [{ type: 'text', text: 'Have a look.' }],
      delivery: 'wakeup',
    });
    await follower.stop();
    turn.fail('gone');
    const held = await stateOf(follower);
    expect([...held.heldMail]).toHaveLength(1);
    expect(isIdle(held)).toBe(true);
    expect(await payloads(storage, runId, 'mail:held')).toHaveLength(1);
    await follower.close();

    const next = new HandEngine();
    const again = await Conversation.open(host(memoryStorage(disk), next), runId);
    onTestFinished(() => again.close());
    await again.resumeTeam();
    expect(next.pending).toBe(0);
    await again.deliverMail([...held.heldMail]);
    const woken = await next.begun();
    expect(woken.member).toBe('tech');
    woken.answer('');
    await until(again, isIdle);
  });
});

describe('A lead that spawns', () => {
  test('C26 and waits, with one slot, gives it to the new member and wakes when that has answered', async () => {
    const { storage, conversation, engine, runId } = await beginChat(team(['ana'], { limits: { concurrency: 1 } }));
    await post(conversation, 'Build it.');
    const lead = await engine.begun();
    const row = await call(lead, 'spawn_teammate', { name: 'bob', description: 'builder', prompt: 'Build the thing.' });
    expect(row).toMatchObject({ member: { name: 'bob', role: 'teammate', provider: 'hand' } });
    expect(engine.pending).toBe(0);
    const waiting = call(lead, 'wait_agent', { timeout_ms: 60_000 });
    const bob = await engine.begun();
    expect(bob.input).toMatchObject({ member: { id: 'bob' }, prompt: 'Build the thing.', roomId: null });
    expect(await waiting).toEqual({ timedOut: false });
    bob.answer('Built.');
    lead.answer('On it.');
    const told = await engine.begun();
    expect(told.member).toBe('ana');
    expect(told.input.mail.map(({ text }) => text.split('\n')[1])).toEqual(['bob finished: Built.']);
    told.answer('');
    await until(conversation, isIdle);
    expect(await payloads(storage, runId, 'team/member')).toMatchObject([
      { member: { name: 'bob', phase: 'provisioning' } },
      { member: { name: 'bob', phase: 'active' } },
    ]);
    await post(conversation, '@bob again');
    const again = await engine.begun();
    expect(again.member).toBe('bob');
    again.answer('Again.');
    await settled(conversation);
    expect((await said(storage, runId)).at(-1)).toBe('bob: Again.');
  });

  test('SP-10 CO-6 a name that was used is refused, and nobody is run twice', async () => {
    const { conversation, engine } = await beginChat(team(['ana']));
    await post(conversation, 'Build it.');
    const lead = await engine.begun();
    const request = { name: 'bob', description: 'builder', prompt: 'Build.' };
    await call(lead, 'spawn_teammate', request);
    expect(await call(lead, 'spawn_teammate', request)).toMatch(/^TEAM_MEMBER_NAME_TAKEN/);
    (await engine.begun()).answer('Built.');
    lead.answer('');
    (await engine.begun()).answer('');
    await until(conversation, isIdle);
    expect(engine.calls).toEqual(['ana', 'bob', 'ana']);
  });

  test('R30 is the lead or the person: a teammate is refused', async () => {
    const { conversation, engine } = await beginChat();
    await post(conversation, '@legal begin');
    const turn = await engine.begun();
    expect(await call(turn, 'spawn_teammate', { name: 'bob', description: 'b', prompt: 'p' })).toMatch(
      /^TEAM_LEAD_REQUIRED: only the Team Lead/,
    );
    expect(await call(turn, 'interrupt_agent', { target: 'tech' })).toMatch(/^TEAM_LEAD_REQUIRED/);
    turn.answer('');
    await settled(conversation);
  });

  test('P02 whose window died before the prompt was durable has a failed member, and its name stays taken', async () => {
    const { storage, conversation, runId, reopen } = await beginChat(team(['ana']));
    const member = {
      id: 'm-1',
      name: 'bob',
      description: 'b',
      provider: 'hand',
      context: 'fresh',
      phase: 'provisioning',
    };
    const stream = { namespace: storage.record.namespace, streamId: runId };
    await storage.eventStore.append(stream, await storage.eventStore.head(stream), [
      {
        eventId: 'spawned',
        type: 'team/member',
        version: 1,
        timestamp: new Date(0).toISOString(),
        correlationId: runId,
        causationId: null,
        payload: { version: 1, teamId: runId, member },
      },
    ]);
    expect((await stateOf(conversation)).spawning.size).toBe(1);
    const again = await reopen();
    const row = (await again.conversation.service.listMembers(again.conversation.service.person)).at(-1);
    expect(row).toMatchObject({
      name: 'bob',
      status: 'failed',
      diagnostics: [expect.stringMatching(/^child Session recovery failed:/)],
    });
  });
});

describe('The task board', () => {
  test('TB-6 wakes the lead once, with what became ready, when the last blocker is completed', async () => {
    const { conversation, engine } = await beginChat();
    const { service } = conversation;
    const you = service.person;
    const first = await service.createTask(you, { subject: 'first', description: 'd' });
    await service.createTask(you, { subject: 'second', description: 'd', blockedBy: [first.id] });
    await service.createTask(you, { subject: 'third', description: 'd', blockedBy: [first.id] });
    await post(conversation, '@legal do it');
    const turn = await engine.begun();
    await call(turn, 'team_task_update', { task_id: 'task-1', expected_revision: 1, action: 'claim' });
    await call(turn, 'team_task_update', { task_id: 'task-1', expected_revision: 2, action: 'complete' });
    turn.answer('Done.');
    const lead = await engine.begun();
    expect(lead.input).toMatchObject({ member: { id: 'ana' }, roomId: null, readyTasks: ['task-2', 'task-3'] });
    lead.answer('');
    await until(conversation, isIdle);
    expect(engine.calls).toEqual(['legal', 'ana']);
  });

  test('TB-1 TB-3 takes 32 creations at once with ids of their own, and one of two updates at the same revision', async () => {
    const { conversation } = await beginChat();
    const { service } = conversation;
    const you = service.person;
    const made = await Promise.all(
      Array.from({ length: 32 }, (_, index) => service.createTask(you, { subject: `s${index}`, description: 'd' })),
    );
    expect(new Set(made.map(({ id }) => id)).size).toBe(32);
    const update = { taskId: 'task-1', expectedRevision: 1, action: 'claim' } as const;
    const both = await Promise.allSettled([service.updateTask(you, update), service.updateTask(you, update)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const refused = both.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    expect(refused).toMatchObject([{ code: 'TEAM_TASK_STALE_REVISION' }]);
  });
});
