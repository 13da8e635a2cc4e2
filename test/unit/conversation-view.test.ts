// What the panel, the sidebar and the status bar are told of a conversation: states, waits, limits and the words of
// notices.
import * as v from 'valibot';
import { describe, expect, test, vi } from 'vitest';
import type { TeamFile } from '../../src/core/team/team-file.js';
import type { Notice } from '../../src/core/team/transcript.js';
import { conversationView } from '../../src/editor/conversation-view.js';
import { dollars } from '../../src/editor/money.js';
import { noticeWords } from '../../src/editor/notice-words.js';
import { postView } from '../../src/editor/post-view.js';
import { statusWords } from '../../src/editor/status-bar.js';
import { HostMessage } from '../../src/protocol/messages.js';
import { ConversationView } from '../../src/protocol/view.js';
import type { Conversation } from '../../src/runtime/conversation.js';
import { readTranscript } from '../../src/runtime/transcript-pages.js';
import type { LocalRunStorage } from '../../src/storage/port.js';
import { beginChat, CHAT_TEAM } from '../support/chat.js';
import { post, settled, team, until } from '../support/live-team.js';

vi.mock('vscode', () => import('../support/vscode-words.js'));

async function viewOf(conversation: Conversation) {
  const { state, runner } = await conversation.status();
  const { runId, team: file } = conversation;
  const view = conversationView(state, { runId, forkOf: null, team: file, engines: { find: () => null }, runner });
  expect(v.is(ConversationView, view)).toBe(true);
  return view;
}

async function postsOf(conversation: Conversation, storage: LocalRunStorage, roomId = 'room') {
  const { state } = await conversation.status();
  const context = { team: conversation.team, rooms: state.rooms };
  const posts = [];
  for await (const entry of readTranscript(storage, conversation.runId, roomId)) posts.push(postView(entry, context));
  const page = { type: 'page', roomId, posts, hasOlder: false };
  expect(v.safeParse(HostMessage, JSON.parse(JSON.stringify(page))).issues).toBeUndefined();
  return posts;
}

async function memberIn(conversation: Conversation, id: string) {
  return (await viewOf(conversation)).members.find((member) => member.id === id);
}

describe('What a member is shown to do', () => {
  test('A member is idle, running with its position and room, and idle again', async () => {
    const { conversation, engine } = await beginChat();
    expect(await memberIn(conversation, 'tech')).toMatchObject({ status: 'idle', position: null, queued: 0 });
    await post(conversation, '@tech look');
    const turn = await engine.begun();
    expect(await memberIn(conversation, 'tech')).toMatchObject({
      status: 'running',
      position: 'team/tech/1',
      roomId: 'room',
    });
    const running = await viewOf(conversation);
    expect(running).toMatchObject({ busy: true, stopping: false, waits: [] });
    expect(statusWords(running)).toMatchObject({ text: '$(debug-stop) Team: 1 running', command: 'teamroom.stop' });
    turn.answer('Done.', { inputTokens: 10, outputTokens: 5, reportedCost: 0.25 });
    await settled(conversation);
    expect(await memberIn(conversation, 'tech')).toMatchObject({
      status: 'idle',
      usage: { turns: 1, cost: 0.25, inputTokens: 10, outputTokens: 5, unknownCost: 0 },
    });
    expect(statusWords(await viewOf(conversation))).toBeNull();
  });

  test('C15 After a reload the open turn is interrupted and waits for Resume, and what was queued waits for the team', async () => {
    const { conversation, engine, reopen } = await beginChat(team(CHAT_TEAM, { limits: { concurrency: 1 } }));
    await post(conversation, '@legal look');
    await engine.begun();
    await post(conversation, '@tech look');
    const { conversation: again } = await reopen();
    const view = await viewOf(again);
    expect(view).toMatchObject({ runner: 'nobody', busy: false, waiting: 1 });
    expect(view.waits).toEqual([
      { kind: 'turn', how: 'interrupted', memberId: 'legal', position: 'team/legal/1', roomId: 'room', message: null },
    ]);
    expect(view.members.map(({ status }) => status)).toEqual(['idle', 'interrupted', 'queued']);
    expect(statusWords(view)).toMatchObject({
      text: '$(bell-dot) Teamroom: 2 waiting',
      command: 'teamroom.openPanel',
    });
  });

  test('C22 A failed turn says why and waits for Retry; its notice leads to its reasoning', async () => {
    const { conversation, engine, storage } = await beginChat();
    await post(conversation, '@legal look');
    (await engine.begun()).fail('no answer from the engine');
    await settled(conversation);
    const view = await viewOf(conversation);
    const reason = expect.stringContaining('no answer from the engine') as string;
    expect(view.waits).toEqual([
      { kind: 'turn', how: 'failed', memberId: 'legal', position: 'team/legal/1', roomId: 'room', message: reason },
    ]);
    expect(view.members[1]).toMatchObject({ status: 'failed', failure: reason, position: 'team/legal/1' });
    const notice = (await postsOf(conversation, storage)).at(-1);
    expect(notice).toMatchObject({ sender: { kind: 'notice' }, position: 'team/legal/1', blocks: null });
    expect(notice?.text).toMatch(/^Legal could not answer: .*no answer from the engine/);
    await conversation.skipTurn('team/legal/1');
    expect(await memberIn(conversation, 'legal')).toMatchObject({ status: 'idle', failure: null, position: null });
  });

  test('C12 A stop is shown from the click on: first stopping, then stopped and waiting to be resumed', async () => {
    const { conversation, engine, storage } = await beginChat();
    engine.isDeaf = true;
    await post(conversation, '@legal look');
    const turn = await engine.begun();
    await conversation.stop();
    expect(await viewOf(conversation)).toMatchObject({ stopping: true, busy: true });
    expect(await memberIn(conversation, 'legal')).toMatchObject({ status: 'stopping' });
    turn.answer('Too late.');
    await settled(conversation);
    expect(await viewOf(conversation)).toMatchObject({ stopping: false, busy: false });
    expect(await memberIn(conversation, 'legal')).toMatchObject({ status: 'stopped', position: 'team/legal/1' });
    expect((await postsOf(conversation, storage)).map(({ text }) => text)).toEqual(['@legal look', 'Chat cancelled.']);
  });
});

describe('What waits at a limit', () => {
  test('C07 A chain that reached its hop cap waits, the notice names the cap and the next, and it can go on', async () => {
    const { conversation, engine, storage } = await beginChat(team(CHAT_TEAM, { limits: { hopCap: 2 } }));
    const chain = await post(conversation, '@legal look');
    (await engine.begun()).answer('@tech please look');
    (await engine.begun()).answer('@legal please look');
    (await engine.begun()).answer('@tech please look');
    await until(conversation, ({ chains }) => [...chains.values()].some(({ parked }) => parked.length > 0));
    const view = await viewOf(conversation);
    expect(view.waits).toEqual([
      { kind: 'limit', chain, limit: 'hopCap', roomId: 'room', next: ['tech'], canContinue: true },
    ]);
    expect((await postsOf(conversation, storage)).at(-1)?.text).toBe('Stopped after 2 hops: @Tech was next.');
    expect(view.limits.find(({ key }) => key === 'hopCap')).toEqual({ key: 'hopCap', value: 2, source: 'team' });
    await conversation.continueChain(chain, 'hopCap');
    expect((await viewOf(conversation)).waits).toEqual([]);
  });

  test('C10 A ceiling of 0 lets nothing go on', async () => {
    const { conversation } = await beginChat(team(CHAT_TEAM, { limits: { costCeiling: 0 } }));
    await post(conversation, '@legal look');
    await until(conversation, ({ chains }) => [...chains.values()].some(({ parked }) => parked.length > 0));
    expect((await viewOf(conversation)).waits).toEqual([
      expect.objectContaining({ kind: 'limit', limit: 'costCeiling', next: ['legal'], canContinue: false }),
    ]);
  });
});

describe('The words of notices', () => {
  const file: TeamFile = team(['ana', 'dev', 'qa']);
  const limited = (limit: 'hopCap' | 'costCeiling' | 'turnsPerMember', value: number, count: number, next = ['dev']) =>
    ({ kind: 'limited', chain: 'post/1', limit, value, count, next }) as const;
  const at = { member: 'dev', position: 'team/dev/1' };

  test.each<readonly [Notice, string]>([
    [limited('hopCap', 8, 8), 'Stopped after 8 hops: @Dev was next.'],
    [limited('hopCap', 1, 1), 'Stopped after 1 hop: @Dev was next.'],
    [limited('hopCap', 0, 0), 'Stopped after 0 hops: @Dev was next.'],
    [limited('hopCap', 8, 8, ['dev', 'qa']), 'Stopped after 8 hops: @Dev, @Qa were next.'],
    [
      limited('costCeiling', 0.01, 0.012),
      'Stopped at the cost ceiling of $0.01: this chain has cost $0.012, $0.002 over it. @Dev was next.',
    ],
    [limited('costCeiling', 5, 5), 'Stopped at the cost ceiling of $5.00: this chain has cost $5.00. @Dev was next.'],
    [limited('costCeiling', 0, 0), 'Stopped at the cost ceiling of $0.00: this chain has cost $0.00. @Dev was next.'],
    [
      limited('turnsPerMember', 16, 16),
      '@Dev has had 16 turns in this chain, the most that a member may have. Its next one waits.',
    ],
    [{ kind: 'cancelled' }, 'Chat cancelled.'],
    [{ kind: 'interrupted', ...at }, 'Dev was interrupted.'],
    [{ kind: 'failed', ...at, message: 'The disk is full.' }, 'Dev could not answer: The disk is full.'],
    [{ kind: 'skipped', member: 'gone' }, 'The turn of gone was skipped.'],
  ])('%j', (notice, words) => {
    expect(noticeWords(notice, file)).toBe(words);
  });

  test('C07 A member that is called by its id is mentioned by its id', () => {
    const named = { members: [{ ...file.members[1], id: 'dev', name: 'dev' }] as TeamFile['members'] };
    expect(noticeWords(limited('hopCap', 8, 8), named)).toBe('Stopped after 8 hops: @dev was next.');
  });

  test('CO-1 Amounts keep the digits that tell them apart', () => {
    expect([0, 0.000004, 0.1 + 0.2, 0.25, 1, 12.5, 1234.567].map(dollars)).toEqual([
      '$0.00',
      '$0.000004',
      '$0.30',
      '$0.25',
      '$1.00',
      '$12.50',
      '$1234.57',
    ]);
  });
});

describe('What is shown of a post', () => {
  test('A text without marks has no tree of its own; one with marks or links has', async () => {
    const { conversation, storage } = await beginChat();
    for (const text of ['@tech look\nhere', 'see **this**', 'https://example.org/a', 'a `@tech` b']) {
      await post(conversation, text);
    }
    const posts = (await postsOf(conversation, storage)).filter(({ sender }) => sender.kind === 'person');
    expect(posts.map(({ blocks }) => blocks === null)).toEqual([true, false, false, false]);
    expect(posts.map(({ to }) => to)).toEqual([['tech'], ['ana'], ['ana'], ['ana']]);
  });

  test('A reply names what it answers, its hop, and the turn that wrote it', async () => {
    const { conversation, engine, storage } = await beginChat();
    const asked = await post(conversation, '@legal look');
    (await engine.begun()).answer('@tech please look');
    (await engine.begun()).answer('Fine.');
    await settled(conversation);
    const [, first, second] = await postsOf(conversation, storage);
    expect(first).toMatchObject({ answers: [{ id: asked, sender: 'you' }], position: 'team/legal/1' });
    expect(second).toMatchObject({
      answers: [{ id: first?.id, sender: 'legal' }],
      hop: { hop: 1, cap: 8 },
      position: 'team/tech/1',
    });
  });

  test('A room that a person made is a room of the view, and its contact answers there', async () => {
    const { conversation } = await beginChat();
    const roomId = await conversation.createRoom({ name: 'Two of us', members: ['tech', 'legal'] });
    const direct = await conversation.directRoom('tech');
    const { rooms } = await viewOf(conversation);
    expect(rooms.map(({ id, kind, contact }) => [id, kind, contact])).toEqual([
      ['room', 'public', 'ana'],
      [roomId, 'private', 'legal'],
      [direct, 'direct', 'tech'],
    ]);
  });

  test('The title is what the person called it, else the first post in one line', async () => {
    const { conversation } = await beginChat();
    expect((await viewOf(conversation)).title).toBeNull();
    await post(conversation, 'one\n\n  two');
    expect((await viewOf(conversation)).title).toBe('one two');
    await conversation.rename('Release');
    expect((await viewOf(conversation)).title).toBe('Release');
  });
});
