// A team that changes while it works: who leaves, comes back, is made the lead or was spawned stays who it is.
import { describe, expect, test } from 'vitest';
import { Conversation } from '../../src/runtime/conversation.js';
import { forkConversation } from '../../src/runtime/fork.js';
import { findReasoning, readReasoning } from '../../src/runtime/reasoning.js';
import { beginChat, CHAT_TEAM, isIdle, stateOf } from '../support/chat.js';
import { events, HandEngine, host, post, said, settled, team, until, type BegunTurn } from '../support/live-team.js';

async function call(turn: BegunTurn, name: string, input: Record<string, string>) {
  const { text, isError } = await turn.tools.call(name, input);
  return isError ? text : (JSON.parse(text) as Record<string, unknown>);
}

/** The team of a chat, led by the first of `members`. */
function fileOf(members: readonly string[]): string {
  return team(members).canonicalText;
}

async function spawned(name = 'helper') {
  const chat = await beginChat();
  await post(chat.conversation, '@ana go');
  const lead = await chat.engine.begun();
  await call(lead, 'spawn_teammate', { name, description: 'helps', prompt: 'Help.' });
  const first = await chat.engine.begun();
  return { ...chat, lead, first };
}

describe('A member that was spawned', () => {
  test('CO-3 stays when the team file changes, in its rooms and with its mail', async () => {
    const { conversation, engine, lead, first } = await spawned();
    first.answer('Ready.');
    lead.answer('Done.');
    await until(conversation, isIdle);
    (await engine.begun().then((turn) => turn)).answer('Heard.');
    await until(conversation, isIdle);
    await conversation.changeTeam(fileOf(['ana', 'legal']));
    const { members, rooms } = await stateOf(conversation);
    expect([...members.keys()]).toEqual(['ana', 'legal', 'helper']);
    expect(rooms.get('room')?.members).toEqual(['ana', 'legal', 'helper']);
    await post(conversation, '@helper still there?');
    const turn = await engine.begun();
    expect([turn.member, turn.input.position]).toEqual(['helper', 'team/helper/2']);
    turn.answer('Yes.');
    await settled(conversation);
  });

  test.each(['you', 'all', 'guest', 'system', 'everyone', 'user', 'lead'])(
    'SP-10 cannot be called %s: that is somebody else',
    async (name) => {
      const { conversation, engine } = await beginChat();
      await post(conversation, '@ana go');
      const lead = await engine.begun();
      expect(await call(lead, 'spawn_teammate', { name, description: 'x', prompt: 'x' })).toMatch(
        /^TEAM_INVALID_MEMBER_NAME/,
      );
      lead.answer('Done.');
      await settled(conversation);
    },
  );

  test('SP-10 cannot be called as the lead is, nor as any name that is mentioned', async () => {
    const { conversation, engine } = await beginChat();
    await post(conversation, '@ana go');
    const lead = await engine.begun();
    for (const name of ['ana', 'legal']) {
      expect(await call(lead, 'spawn_teammate', { name, description: 'x', prompt: 'x' })).toMatch(
        /^TEAM_MEMBER_NAME_TAKEN/,
      );
    }
    lead.answer('Done.');
    await settled(conversation);
    const { members, board } = await stateOf(conversation);
    expect([...members.keys()]).toEqual(CHAT_TEAM);
    expect([...board.members.values()].map(({ name }) => name)).toEqual(['legal', 'tech']);
  });

  test('MR-19 has reasoning that can be read, with mail before it, in it and between its turns', async () => {
    const { conversation, engine, storage, runId, lead, first } = await spawned();
    first.step('thought one');
    await call(lead, 'send_message', { target: 'helper', message: 'By the way.' });
    first.step('thought two');
    first.answer('Ready.');
    lead.answer('Done.');
    await until(conversation, ({ members }) => members.get('helper')?.open === null);
    (await engine.begun()).answer('Heard.');
    await until(conversation, isIdle);
    for (let round = 2; round <= 4; round += 1) {
      await post(conversation, '@helper @ana on');
      const turn = await engine.begun();
      turn.step(`thought of ${round}`);
      turn.answer('ok then, next part');
      const other = await engine.begun();
      for (const word of ['a', 'b', 'c']) await call(other, 'send_message', { target: 'helper', message: word });
      other.answer('fine by me today');
      await until(conversation, isIdle);
    }
    const thoughts = async (position: string) => {
      const place = await findReasoning(storage, runId, position);
      if (place === null || place === 'deleted') return place;
      const page = await readReasoning(storage, place, null);
      return page.pieces.flatMap(({ step }) => (step.kind === 'thought' ? [step.text] : []));
    };
    expect(await thoughts('team/helper/1')).toEqual(['thought one', 'thought two']);
    for (let round = 2; round <= 4; round += 1) {
      expect(await thoughts(`team/helper/${round}`)).toEqual([`thought of ${round}`]);
    }
  });

  test('CO-3 is no member of a fork, and a room that was made for it does not break the fork', async () => {
    const { conversation, engine, storage, runId, lead, first } = await spawned();
    first.answer('Ready.');
    lead.answer('Done.');
    await until(conversation, ({ members }) => members.get('helper')?.open === null);
    (await engine.begun()).answer('Heard.');
    await until(conversation, isIdle);
    await conversation.createRoom({ name: 'Both', members: ['helper', 'tech'] });
    await conversation.createRoom({ name: 'Alone', members: ['helper'] });
    const id = await post(conversation, '@tech last words');
    (await engine.begun()).answer('Amen.');
    await settled(conversation);
    const fork = await forkConversation({ storage }, runId, id);
    const window = host(storage, new HandEngine());
    const again = await Conversation.open(window, fork);
    expect([...(await stateOf(again)).rooms.values()].map((room) => [room.id, room.members])).toEqual([
      ['room', CHAT_TEAM],
      ['both', ['tech']],
    ]);
    await again.close();
  });
});

describe('A member of the team file', () => {
  test('CO-3 that leaves and comes back goes on where it was: no position is used twice', async () => {
    const { conversation, engine, storage, runId } = await beginChat();
    await post(conversation, '@tech first');
    (await engine.begun()).answer('One.');
    await settled(conversation);
    await conversation.changeTeam(fileOf(['ana', 'legal']));
    await conversation.changeTeam(fileOf(['ana', 'legal', 'tech']));
    await post(conversation, '@tech second');
    const turn = await engine.begun();
    expect(turn.input.position).toBe('team/tech/2');
    expect(await call(turn, 'list_agents', {})).toMatchObject([
      { name: 'lead' },
      { name: 'legal' },
      { name: 'tech', status: 'running' },
    ]);
    turn.answer('Two.');
    await settled(conversation);
    expect(await said(storage, runId)).toEqual(['you: @tech first', 'tech: One.', 'you: @tech second', 'tech: Two.']);
    expect((await events(storage, `${runId}.m.3`)).length).toBeGreaterThan(2);
  });

  test('CO-3 that was the lead keeps its tools and its mail, and so does the one that becomes it', async () => {
    const { conversation, engine } = await beginChat();
    await conversation.changeTeam(team(['legal', 'ana', 'tech']).canonicalText);
    await post(conversation, '@ana go');
    const old = await engine.begun();
    expect(await call(old, 'send_message', { target: 'lead', message: 'Yours now.' })).toMatchObject({
      status: 'queued',
    });
    expect(await call(old, 'spawn_teammate', { name: 'x', description: 'x', prompt: 'x' })).toMatch(
      /^TEAM_LEAD_REQUIRED/,
    );
    old.answer('Done.');
    await settled(conversation);
    await post(conversation, 'to the lead');
    const lead = await engine.begun();
    expect(lead.member).toBe('legal');
    const { text } = await lead.tools.call('list_agents', {});
    const names = (JSON.parse(text) as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual(['lead', 'tech', 'ana']);
    expect(lead.input.mail.map(({ text }) => text)).toEqual([expect.stringContaining('Yours now.')]);
    expect(await call(lead, 'followup_task', { target: 'ana', message: 'Back to you.' })).toMatchObject({
      status: 'accepted',
    });
    const woken = await engine.begun();
    expect(woken.member).toBe('ana');
    woken.answer('ok, it is done');
    lead.answer('Done.');
    await until(conversation, ({ members }) => members.get('ana')?.open === null);
    (await engine.begun()).answer('Heard.');
    await until(conversation, isIdle);
  });
});
