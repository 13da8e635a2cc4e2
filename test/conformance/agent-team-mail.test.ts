// Mail between members: what is taken, in which order it is made durable, and what a failure on the way leaves.
// The inbox of the reference is here the target's own stream (`mail:received`) and, in the folded state, its inbox: a
// message that wakes adds a turn to the queue, a quiet one does not. There is one lane for both.
import { describe, expect, test } from 'vitest';
import { deliverMail } from '../../src/runtime/mail-delivery.js';
import { systemClock } from '../../src/runtime/system-clock.js';
import type { Conversation } from '../../src/runtime/conversation.js';
import type { SendRequest } from '../../src/runtime/team-service.js';
import type { EventStore, LocalRunStorage, StreamId } from '../../src/storage/port.js';
import { beginTeam, beginTeamOn, blocks, handleOf, outcomeOf, recordOf } from '../support/agent-team.js';
import { isIdle, payloads, stateOf, tapped } from '../support/chat.js';
import { event } from '../support/stored-event.js';
import { events, memoryStorage, post, until } from '../support/live-team.js';

/** Members in the order of their streams. */
const STREAM = { ana: 'm.1', alpha: 'm.2', beta: 'm.3' } as const;

async function send(conversation: Conversation, by: string, request: Partial<SendRequest> = {}) {
  const whole = { target: 'beta', content: blocks('hello'), delivery: 'wakeup', ...request } as const;
  return conversation.service.sendMessage(await handleOf(conversation, by), whole);
}

async function received(storage: LocalRunStorage, runId: string, member: keyof typeof STREAM): Promise<string[]> {
  const all = await events(storage, `${runId}.${STREAM[member]}`);
  return all.filter(({ type }) => type === 'mail:received').map(({ eventId }) => eventId);
}

async function pending(conversation: Conversation): Promise<string[]> {
  return [...(await stateOf(conversation)).board.pending.keys()];
}

/** A storage that tells what is appended about mail, as `<stream> <type>`, in order. */
function watched(order: string[]): LocalRunStorage {
  return tapped(memoryStorage(), ({ streamId }, batch) => {
    const place = streamId.includes('.m.') ? streamId.slice(streamId.indexOf('.') + 1) : 'team';
    for (const { type } of batch) if (/^team\/message|^mail:/.test(type)) order.push(`${place} ${type}`);
    return undefined;
  });
}

const queuedThenDelivered = (stream: string) => [
  'team team/message/queued',
  `${stream} mail:received`,
  'team team/message/delivered',
];

describe('Mail to whoever is at work', () => {
  test('M01 M02 M03 M18 M19 to a busy lead is accepted one by one, keeps it at work, and is there once after a reload', async () => {
    const { storage, conversation, engine, runId, reopen } = await beginTeam({
      teamLimits: { maxPendingMessagesPerMember: 1 },
    });
    await post(conversation, 'Go.');
    const lead = await engine.begun();
    const sent = [
      await send(conversation, 'alpha', { target: 'lead' }),
      await send(conversation, 'alpha', { target: 'lead' }),
    ];
    expect(sent.map(({ status }) => status)).toEqual(['accepted', 'accepted']);
    expect(await pending(conversation)).toEqual([]);
    expect((await conversation.service.listMembers(conversation.service.person))[0]).toMatchObject({
      status: 'running',
    });
    const ids = sent.map(({ messageId }) => messageId);
    const log = (await events(storage, runId)).filter(({ type }) => type.startsWith('team/message/'));
    expect(log.map(({ type }) => type.split('/')[2])).toEqual(['queued', 'delivered', 'queued', 'delivered']);
    expect(await received(storage, runId, 'ana')).toEqual(ids);
    lead.answer('');
    const next = await engine.begun();
    const first = (id: string) => `Team message ${id} from alpha:`;
    expect(next.input.mail.map(({ text }) => text.split('\n')[0])).toEqual(ids.map(first));
    expect(next.input.mail.map(({ id, sender }) => [id, sender])).toEqual(ids.map((id) => [id, 'alpha']));

    const again = await reopen();
    await again.conversation.resumeTeam();
    expect(await received(storage, runId, 'ana')).toEqual(ids);
  });

  test('M04 quiet to a running member is accepted, waits in its inbox and adds no turn', async () => {
    const { conversation, engine } = await beginTeam();
    await post(conversation, '@beta go');
    const busy = await engine.begun();
    const { messageId, status } = await send(conversation, 'alpha', { delivery: 'quiet' });
    expect(status).toBe('accepted');
    expect(await pending(conversation)).toEqual([]);
    const beta = (await stateOf(conversation)).members.get('beta');
    expect(beta?.inbox.map(({ message }) => message.id)).toEqual([messageId]);
    expect(beta?.queue).toEqual([]);
    busy.answer('');
    await until(conversation, isIdle);
  });

  test('M07 M08 is durable with its sender, then with its target, then as delivered; both wait for the next turn', async () => {
    const order: string[] = [];
    const storage = watched(order);
    const { conversation, engine } = await beginTeamOn(storage, { teamLimits: { maxPendingMessagesPerMember: 1 } });
    await post(conversation, '@beta go');
    const busy = await engine.begun();
    const first = await send(conversation, 'lead');
    expect([first.status, order]).toEqual(['accepted', queuedThenDelivered('m.3')]);
    order.length = 0;
    const second = await send(conversation, 'lead');
    expect([second.status, order]).toEqual(['accepted', queuedThenDelivered('m.3')]);
    busy.answer('');
    const next = await engine.begun();
    expect(next.input.mail.map(({ id }) => id)).toEqual([first.messageId, second.messageId]);
    next.answer('');
    (await engine.begun()).answer('');
    await until(conversation, isIdle);
  });

  test('a burst of 42 reaches a busy member once each and in order', async () => {
    const { conversation, engine } = await beginTeam();
    await post(conversation, '@beta go');
    const busy = await engine.begun();
    const texts = Array.from({ length: 42 }, (_, index) => `message ${index}`);
    const sent = await Promise.all(texts.map((text) => send(conversation, 'alpha', { content: blocks(text) })));
    expect(sent.every(({ status }) => status === 'accepted')).toBe(true);
    busy.answer('');
    const next = await engine.begun();
    expect(next.input.mail.map(({ text }) => text.split('\n')[1])).toEqual(texts);
    next.answer('');
    await until(conversation, isIdle);
  });
});

describe('Mail to whoever is not at work', () => {
  test('M16 M17 quiet waits and wakes nobody; the message that wakes comes after it', async () => {
    const { storage, conversation, engine, runId } = await beginTeam();
    await conversation.resumeTeam();
    const quiet = await send(conversation, 'alpha', { content: blocks('quiet'), delivery: 'quiet' });
    expect([quiet.status, engine.calls]).toEqual(['queued', []]);
    const wakeup = await send(conversation, 'alpha', { content: blocks('wake up') });
    expect(wakeup.status).toBe('accepted');
    const turn = await engine.begun();
    expect(turn.input.mail.map(({ text }) => text.split('\n')[1])).toEqual(['quiet', 'wake up']);
    expect(await received(storage, runId, 'beta')).toEqual([quiet.messageId, wakeup.messageId]);
    turn.answer('');
    await until(conversation, isIdle);
    // Its answer is quiet mail to alpha, which is not at work; of what alpha sent nothing is pending.
    expect(await pending(conversation)).not.toContain(quiet.messageId);
  });

  test('M31 without content it is the frame alone', async () => {
    const { conversation, engine } = await beginTeam();
    await conversation.resumeTeam();
    const { messageId } = await send(conversation, 'lead', { content: [] });
    const turn = await engine.begun();
    expect(turn.input.mail.map(({ text }) => text)).toEqual([`Team message ${messageId} from lead:`]);
    turn.answer('');
    (await engine.begun()).answer('');
    await until(conversation, isIdle);
  });

  test.each([
    ['M14 its target’s stream cannot be looked at', 'head'],
    ['M15 its target’s stream takes nothing', 'append'],
  ] as const)('%s: it is queued, and the host is told once', async (_name, what) => {
    const whole = memoryStorage();
    const { eventStore } = whole;
    const check = ({ streamId }: StreamId, of: typeof what): void => {
      if (of === what && streamId.includes('.m.')) throw new Error('broken');
    };
    const head: EventStore['head'] = async (stream) => {
      check(stream, 'head');
      return eventStore.head(stream);
    };
    const append: EventStore['append'] = async (stream, revision, batch) => {
      check(stream, 'append');
      return eventStore.append(stream, revision, batch);
    };
    const storage = { ...whole, eventStore: { ...eventStore, head, append } };
    const { window, conversation, engine } = await beginTeamOn(storage);
    const { messageId, status } = await send(conversation, 'lead');
    expect(status).toBe('queued');
    expect(window.errors).toMatchObject([{ message: 'broken' }]);
    expect(await pending(conversation)).toEqual([messageId]);
    expect(engine.calls).toEqual([]);
  });

  test('M28 aborted while its target is being woken it is queued, and the call does not reject', async () => {
    const abort = new AbortController();
    const storage = tapped(memoryStorage(), (_stream, batch) => {
      if (batch[0]?.type !== 'mail:received') return undefined;
      abort.abort(new Error('enough'));
      return Promise.reject(new Error('cut off'));
    });
    const { conversation } = await beginTeamOn(storage);
    expect((await send(conversation, 'lead', { signal: abort.signal })).status).toBe('queued');
    expect(await pending(conversation)).toHaveLength(1);
  });
});

describe('One message is delivered once', () => {
  /** A message on its way to beta that nobody delivers, as nobody runs the conversation. */
  async function underWay() {
    const order: string[] = [];
    const storage = watched(order);
    const { conversation, runId } = await (async () => {
      const begun = await beginTeamOn(storage);
      await begun.conversation.close();
      return begun;
    })();
    const { lead } = await stateOf(conversation);
    const record = recordOf(storage, runId);
    const { members } = await record.refresh();
    const targetId = members.get('beta')?.handleId ?? '';
    const message = {
      id: 'message-1',
      senderId: runId,
      senderName: lead,
      targetId,
      delivery: 'wakeup',
      content: blocks('hello'),
    };
    await event(storage, runId, 'team/message/queued', { version: 1, teamId: runId, message });
    order.length = 0;
    const onError = (error: unknown): void => expect.unreachable(String(error));
    const options = { storage, runId, clock: systemClock, record, onError, closing: new AbortController().signal };
    return { order, storage, runId, record, message, options, targetId };
  }

  test('M05 M10 that its target has already is acknowledged, and not given again', async () => {
    const { order, storage, runId, record, message, options } = await underWay();
    await event(storage, `${runId}.m.3`, 'mail:received', { message: { ...message, id: 'message-0' } }, 'message-0');
    await event(storage, `${runId}.m.3`, 'mail:received', { message }, 'message-1');
    order.length = 0;
    const after = await deliverMail(options, await record.refresh());
    expect(after.board.pending.size).toBe(0);
    expect(order).toEqual(['m.3 mail:received', 'team team/message/delivered']);
    expect(await received(storage, runId, 'beta')).toEqual(['message-0', 'message-1']);
  });

  test('M06 held while its target takes it, it stays pending', async () => {
    const { storage, runId, record, options } = await underWay();
    const before = await record.refresh();
    await event(storage, runId, 'mail:held', { messageIds: ['message-1'] });
    const after = await deliverMail(options, before);
    expect([...after.board.pending.keys()]).toEqual(['message-1']);
    expect(await payloads(storage, runId, 'team/message/delivered')).toEqual([]);
  });

  test('M11 is acknowledged once, however often', async () => {
    const { storage, runId, record, options } = await underWay();
    const before = await record.refresh();
    await Promise.all([deliverMail(options, before), deliverMail(options, before)]);
    await deliverMail(options, before);
    expect(await payloads(storage, runId, 'team/message/delivered')).toHaveLength(1);
    expect(await received(storage, runId, 'beta')).toEqual(['message-1']);
  });

  test('M12 is not acknowledged for another target', async () => {
    const { storage, runId, record } = await underWay();
    const payload = { version: 1 as const, teamId: runId, messageId: 'message-1', targetId: 'other' };
    const before = await events(storage, runId);
    const delivered = record.decide(() => [{ event: { type: 'team/message/delivered', payload } }]);
    await expect(delivered).rejects.toMatchObject({ code: 'INVALID_EVENT' });
    expect(await events(storage, runId)).toEqual(before);
  });

  test('M30 is dispatched once at a time', async () => {
    const gate = Promise.withResolvers<undefined>();
    const held = Promise.withResolvers<undefined>();
    const storage = tapped(memoryStorage(), (_stream, batch) => {
      if (batch[0]?.type !== 'mail:received') return undefined;
      held.resolve(undefined);
      return gate.promise as Promise<never>;
    });
    const { conversation, engine, runId } = await beginTeamOn(storage);
    const first = send(conversation, 'lead');
    await held.promise;
    const second = send(conversation, 'lead');
    await until(conversation, ({ board }) => board.pending.size === 2);
    gate.resolve(undefined);
    const sent = await Promise.all([first, second]);
    expect(sent.map(({ status }) => status)).toEqual(['accepted', 'accepted']);
    expect(await received(storage, runId, 'beta')).toEqual(sent.map(({ messageId }) => messageId));
    const turn = await engine.begun();
    turn.answer('');
  });
});

describe('Mail is refused', () => {
  test('M20 M27 when it is larger than it may be, by one byte', async () => {
    const { conversation } = await beginTeam({ teamLimits: { maxMessageBytes: 256 } });
    const sized = (length: number) => outcomeOf(send(conversation, 'lead', { content: blocks('x'.repeat(length)) }));
    expect(await sized(300)).toBe('TEAM_MESSAGE_TOO_LARGE');
    // The frame of the lead and an empty text block take 126 bytes.
    expect(await sized(131)).toBe('TEAM_MESSAGE_TOO_LARGE');
    expect(await sized(130)).toMatchObject({ status: 'queued' });
    expect(await outcomeOf(send(conversation, 'lead', { content: blocks('ü'.repeat(66)) }))).toBe(
      'TEAM_MESSAGE_TOO_LARGE',
    );
  });

  test('M22 M23 M24 M26 to oneself, to nobody, or after an abort; a name may have blanks around it', async () => {
    const { storage, conversation, runId } = await beginTeam();
    for (const target of ['lead', 'ana']) {
      expect(await outcomeOf(send(conversation, 'lead', { target })), target).toBe('TEAM_SELF_MESSAGE');
    }
    expect(await outcomeOf(send(conversation, 'lead', { target: 'gamma' }))).toBe('TEAM_MEMBER_NOT_FOUND');
    expect(await outcomeOf(send(conversation, 'lead', { target: 'you' }))).toBe('TEAM_MEMBER_NOT_FOUND');
    const reason = new Error('enough');
    await expect(send(conversation, 'lead', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(await payloads(storage, runId, 'team/message/queued')).toEqual([]);
    await send(conversation, 'lead', { target: ' beta ' });
    await send(conversation, 'alpha', { target: 'ana' });
    const state = await stateOf(conversation);
    expect(await payloads(storage, runId, 'team/message/queued')).toMatchObject([
      { message: { targetId: state.members.get('beta')?.handleId } },
      { message: { targetId: runId } },
    ]);
  });

  test('when as many wait for its target as may, and when a block of it is not valid', async () => {
    const { conversation } = await beginTeam({ teamLimits: { maxPendingMessagesPerMember: 2 } });
    const quiet = { delivery: 'quiet' } as const;
    for (const target of ['beta', 'beta', 'alpha']) await send(conversation, 'lead', { ...quiet, target });
    expect(await outcomeOf(send(conversation, 'lead', quiet))).toBe('TEAM_MAILBOX_FULL');
    const content = [{ type: 'image', text: 'no image' }];
    expect(await outcomeOf(send(conversation, 'lead', { target: 'alpha', content }))).toBe('TEAM_INVALID_ARGUMENT');
  });
});
