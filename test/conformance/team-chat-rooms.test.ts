// The cases of a team's chat on rooms: what a member may read, whom a short reply wakes, rooms and teams that change.
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/json.js';
import { readTranscript } from '../../src/runtime/transcript-pages.js';
import { beginChat, CHAT_TEAM, stateOf } from '../support/chat.js';
import { events, post, said, settled, team, until } from '../support/live-team.js';

describe('read_room_channel', () => {
  async function reading(posts: number) {
    const begun = await beginChat(
      team(CHAT_TEAM, {
        rooms: [
          { id: 'room', members: CHAT_TEAM },
          { id: 'den', members: ['ana', 'tech'] },
        ],
      }),
    );
    for (let index = 1; index < posts; index += 1) {
      await post(begun.conversation, `@legal post ${index}`);
      (await begun.engine.begun()).answer(`answer ${index}`);
      await settled(begun.conversation);
    }
    await post(begun.conversation, '@legal read');
    const turn = await begun.engine.begun();
    const read = async (input: JsonObject) => {
      const { text, isError } = await turn.tools.call('read_room_channel', input);
      return isError
        ? text
        : (JSON.parse(text) as { posts: { id: string; sender: string; text: string }[]; hasOlder: boolean });
    };
    return { ...begun, turn, read };
  }

  test('C19 gives the last five of a room with ids and senders, the oldest of them first', async () => {
    const { read } = await reading(7);
    const page = await read({ limit: 5 });
    expect(page).toMatchObject({
      hasOlder: true,
      posts: [
        { id: 'you/5/0', sender: 'you', text: '@legal post 5' },
        { id: 'team/legal/5/0', sender: 'legal', text: 'answer 5' },
        { id: 'you/6/0', sender: 'you' },
        { id: 'team/legal/6/0', sender: 'legal' },
        { id: 'you/7/0', sender: 'you', text: '@legal read' },
      ],
    });
    expect(await read({ limit: 2, before: 'team/legal/5/0' })).toMatchObject({
      posts: [{ id: 'team/legal/4/0' }, { id: 'you/5/0' }],
    });
    expect(await read({ limit: 200 })).toMatchObject({ hasOlder: false });
  });

  test('C20 refuses a room that the member is not in, and one that is not there in the same words', async () => {
    const { read } = await reading(1);
    expect(await read({ room: 'den' })).toMatch(/^ROOM_NOT_MEMBER: /);
    expect(await read({ room: 'nowhere' })).toMatch(/^ROOM_NOT_MEMBER: /);
  });

  test('names what is wrong with its input, and what the tools are', async () => {
    const { read, turn } = await reading(1);
    expect(await read({ limit: 201 })).toMatch(/^INVALID_INPUT: At "limit"/);
    expect(await read({ before: 'team/legal/99/0' })).toMatch(/^POST_NOT_FOUND: /);
    expect((await turn.tools.call('delete_everything', {})).text).toMatch(/^TOOL_NOT_FOUND: .*read_room_channel/);
  });

  test('C18 leaves the call and its result as steps of the turn', async () => {
    const { storage, runId, turn, conversation, read } = await reading(1);
    await read({ limit: 1 });
    turn.answer('Read.');
    await settled(conversation);
    const steps = (await events(storage, `${runId}.m.2`)).map(({ payload }) => payload);
    expect(steps).toMatchObject([
      {},
      { id: 'call/1', step: { kind: 'tool-call', name: 'read_room_channel', input: { limit: 1 } } },
      { step: { kind: 'tool-result', callId: 'call/1', isError: false } },
      { step: { kind: 'final' } },
    ]);
  });
});

describe('A reply that only acknowledges', () => {
  test.each([
    ['@tech ok, thanks!', []],
    ['@tech Thank you!', []],
    ['@tech 👍', []],
    ['@tech please', ['tech']],
    ['@tech ok?', ['tech']],
    ['@tech ok, now check the clause', ['tech']],
    ['@tech', ['tech']],
  ])('C30 MR-13 "%s" wakes %j', async (reply, woken) => {
    const { storage, conversation, engine, runId } = await beginChat();
    await post(conversation, '@legal look');
    (await engine.begun()).answer(reply);
    for (const member of woken) {
      const turn = await engine.begun();
      expect(turn.member).toBe(member);
      turn.answer('Fine by me.');
    }
    await settled(conversation);
    expect(engine.calls).toEqual(['legal', ...woken]);
    const quiet: boolean[] = [];
    for await (const entry of readTranscript(storage, runId, 'room')) {
      if (entry.kind === 'post' && entry.sender === 'legal') quiet.push(entry.isAcknowledgement);
    }
    expect(quiet).toEqual([woken.length === 0]);
  });

  test('C30 wakes all the same where the setting says so', async () => {
    const settings = () => ({ limits: {}, acknowledgements: 'wake' as const });
    const { conversation, engine } = await beginChat(team(CHAT_TEAM), { settings });
    await post(conversation, '@legal look');
    (await engine.begun()).answer('@tech ok, thanks!');
    (await engine.begun()).answer('You are welcome.');
    await settled(conversation);
    expect(engine.calls).toEqual(['legal', 'tech']);
  });
});

describe('Each post', () => {
  test('C29 names the posts that it answers', async () => {
    const { storage, conversation, engine, runId } = await beginChat();
    await post(conversation, '@legal slow');
    await post(conversation, '@tech quick');
    const slow = await engine.begun();
    const quick = await engine.begun();
    quick.answer('Quick.');
    await until(conversation, ({ members }) => members.get('tech')?.open === null);
    slow.answer('Slow.');
    await settled(conversation);
    const answers: unknown[] = [];
    for await (const entry of readTranscript(storage, runId, 'room')) {
      if (entry.kind === 'post' && entry.sender !== 'you') answers.push([entry.sender, entry.answers]);
    }
    expect(answers).toEqual([
      ['tech', [{ id: 'you/2/0', sender: 'you' }]],
      ['legal', [{ id: 'you/1/0', sender: 'you' }]],
    ]);
  });
});

describe('Rooms and teams that people change', () => {
  test('A room that a person made is posted to, answered in, and there after a reload', async () => {
    const { storage, conversation, engine, runId, reopen } = await beginChat();
    const roomId = await conversation.createRoom({ name: 'The Den', members: ['tech', 'legal'] });
    expect(roomId).toBe('the-den');
    await post(conversation, 'hello', roomId);
    (await engine.begun()).answer('Hi.');
    await settled(conversation);
    expect(await said(storage, runId, roomId)).toEqual(['you: hello', 'legal: Hi.']);
    await expect(conversation.createRoom({ name: 'the den', members: ['tech'] })).rejects.toMatchObject({
      code: 'ROOM_EXISTS',
    });
    await expect(conversation.createRoom({ name: ' ', members: ['tech'] })).rejects.toMatchObject({
      code: 'NAME_INVALID',
    });
    await expect(conversation.createRoom({ name: 'x', members: ['ghost'] })).rejects.toMatchObject({
      code: 'MEMBER_NOT_FOUND',
    });
    const again = await reopen();
    expect([...(await stateOf(again.conversation)).rooms.keys()]).toEqual(['room', 'the-den']);
  });

  test('The direct room with a member is made once', async () => {
    const { conversation, engine } = await beginChat();
    const first = await conversation.directRoom('tech');
    expect(await conversation.directRoom('tech')).toBe(first);
    await post(conversation, 'only you', first);
    expect((await engine.begun()).member).toBe('tech');
  });

  test('A changed team file is in force from there on: who is new answers, who is gone does not, and streams stay apart', async () => {
    const { storage, conversation, engine, runId, reopen } = await beginChat();
    await conversation.changeTeam(team(['ana', 'sales', 'tech']).canonicalText);
    await post(conversation, '@sales @legal hello');
    const turn = await engine.begun();
    expect(turn.member).toBe('sales');
    turn.step('new here');
    turn.answer('Hi.');
    await settled(conversation);
    expect(engine.calls).toEqual(['sales']);
    expect((await events(storage, `${runId}.m.4`)).map(({ type }) => type)).toContain('step:recorded');
    const again = await reopen();
    expect(again.conversation.team.members.map(({ id }) => id)).toEqual(['ana', 'sales', 'tech']);
  });

  test('A member with a turn cannot be left out', async () => {
    const { conversation, engine } = await beginChat();
    await post(conversation, '@legal look');
    await engine.begun();
    await expect(conversation.changeTeam(team(['ana', 'tech']).canonicalText)).rejects.toMatchObject({
      code: 'MEMBER_BUSY',
    });
  });

  test('A name and an archive mark are kept', async () => {
    const { conversation, reopen } = await beginChat();
    await conversation.rename('  The release  ');
    await conversation.setArchived(true);
    const again = await reopen();
    expect(await stateOf(again.conversation)).toMatchObject({ name: 'The release', isArchived: true });
  });
});

test('C24 What a member answered in one room is not given to it in another', async () => {
  const rooms = ['room', 'den'].map((id) => ({ id, members: CHAT_TEAM }));
  const { conversation, engine } = await beginChat(team(CHAT_TEAM, { rooms }));
  const answer = async (roomId: string, text: string) => {
    await post(conversation, '@legal and?', roomId);
    const turn = await engine.begun();
    turn.answer(text);
    await settled(conversation);
    return turn.input.previous?.text ?? null;
  };
  expect(await answer('den', 'A secret of the den.')).toBe(null);
  expect(await answer('room', 'Said to all.')).toBe(null);
  expect(await answer('room', 'More for all.')).toBe('Said to all.');
  expect(await answer('den', 'More for the den.')).toBe('A secret of the den.');
});
