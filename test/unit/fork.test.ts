// A conversation that goes on from a post of another one.
import { describe, expect, test } from 'vitest';
import { cloneJson, digestJson } from '../../src/core/json.js';
import { parseRecordEvent } from '../../src/core/record/catalogue.js';
import { Conversation } from '../../src/runtime/conversation.js';
import { forkConversation } from '../../src/runtime/fork.js';
import { readTranscript } from '../../src/runtime/transcript-pages.js';
import type { EventStore, LocalRunStorage } from '../../src/storage/port.js';
import {
  events,
  HandEngine,
  host,
  memoryStorage,
  post,
  ruleEngine,
  said,
  settled,
  team,
} from '../support/live-team.js';

/** Ana leads; whoever is asked says its own name. */
async function talked(...posts: readonly string[]) {
  const storage = memoryStorage();
  const engine = ruleEngine(({ member }) => `${member.id} answers.`);
  const conversation = await Conversation.start(host(storage, engine), team(['ana', 'legal']), ['file:///project']);
  const ids: string[] = [];
  for (const text of posts) {
    ids.push(await post(conversation, text));
    await settled(conversation);
  }
  return { storage, conversation, runId: conversation.runId, ids };
}

async function entriesOf(storage: LocalRunStorage, runId: string, roomId = 'room') {
  const entries = [];
  for await (const entry of readTranscript(storage, runId, roomId)) if (entry.kind === 'post') entries.push(entry);
  return entries;
}

const idsOf = async (storage: LocalRunStorage, runId: string) => (await entriesOf(storage, runId)).map(({ id }) => id);

/** Where the turns that wrote the inherited posts stand, as recorded. */
async function positionsOf(storage: LocalRunStorage, runId: string) {
  const parsed = (await events(storage, runId)).map((event) => parseRecordEvent(event));
  return parsed.flatMap(({ type, payload }) => (type === 'post:inherited' ? [payload.position] : []));
}

describe('A fork', () => {
  test('has the posts up to and including the one it was made at, as they were, and wakes nobody', async () => {
    const { storage, runId, ids } = await talked('First.', '@legal second, @ghost', 'Third.');
    const before = await entriesOf(storage, runId);
    const answer = before[3];
    expect(answer).toMatchObject({ sender: 'legal', position: 'team/legal/1' });
    const forked = await forkConversation({ storage }, runId, answer?.id ?? '');

    expect(await said(storage, forked)).toEqual([
      'you: First.',
      'ana: ana answers.',
      'you: @legal second, @ghost',
      'legal: legal answers.',
    ]);
    const after = await entriesOf(storage, forked);
    expect(after.map(({ id, isInherited }) => [id, isInherited])).toEqual(
      [1, 2, 3, 4].map((number) => [`past/${number}`, true]),
    );
    const kept = (entries: typeof before) =>
      entries.map(({ sender, text, roomId, mentions, unresolved, at }) => ({
        ...{ sender, text, roomId, mentions, unresolved, at },
      }));
    expect(kept(after)).toEqual(kept(before.slice(0, 4)));
    expect(ids[1]).toBe(before[2]?.id);
    expect(await positionsOf(storage, forked)).toEqual([null, 'team/ana/1', null, 'team/legal/1']);

    const engine = new HandEngine();
    const window = await Conversation.open(host(storage, engine), forked);
    const { state } = await window.status();
    expect([...state.members.values()].every(({ queue, open }) => queue.length === 0 && open === null)).toBe(true);
    expect(state.firstPost).toBe('First.');
    await window.close();
  });

  test('names where it comes from, and needs it no more', async () => {
    const { storage, runId, ids, conversation } = await talked('First.', 'Second.');
    const forked = await forkConversation({ storage }, runId, ids[0] ?? '');
    const ancestor = (await events(storage, runId)).find(({ type }) => type === 'post:written');
    const [started] = await events(storage, forked);
    expect(started?.payload).toMatchObject({
      teamId: 'field',
      folders: ['file:///project'],
      forkOf: { runId, revision: ancestor?.revision, digest: digestJson(cloneJson({ ...ancestor })) },
    });
    await conversation.close();
    expect(await storage.runs.remove(runId)).toBe(true);
    expect(await said(storage, forked)).toEqual(['you: First.']);
  });

  test('goes on under its own roster: the next turn is given what was inherited in its room', async () => {
    const { storage, runId } = await talked('First.');
    const forked = await forkConversation({ storage }, runId, (await idsOf(storage, runId))[1] ?? '');
    const engine = new HandEngine();
    const window = await Conversation.open(host(storage, engine), forked);
    const { state } = await window.status();
    const { state: ancestor } = await (await Conversation.open(host(storage, engine), runId)).status();
    expect(state.members.get('legal')?.handleId).not.toBeNull();
    expect(state.members.get('legal')?.handleId).not.toBe(ancestor.members.get('legal')?.handleId);
    await post(window, '@legal go on');
    const turn = await engine.begun();
    expect(turn.input.position).toBe('team/legal/1');
    expect(JSON.stringify(turn.input)).toContain('ana answers.');
    turn.answer('I do.');
    await settled(window);
    expect(await said(storage, forked)).toEqual([
      'you: First.',
      'ana: ana answers.',
      'you: @legal go on',
      'legal: I do.',
    ]);
    await window.close();
  });

  test('of a fork begins with the first conversation', async () => {
    const { storage, runId } = await talked('First.');
    const child = await forkConversation({ storage }, runId, (await idsOf(storage, runId))[1] ?? '');
    const engine = ruleEngine(() => 'Again.');
    const window = await Conversation.open(host(storage, engine), child);
    await post(window, 'Second.');
    await settled(window);
    const grandchild = await forkConversation({ storage }, child, (await idsOf(storage, child)).at(-1) ?? '');
    expect(await said(storage, grandchild)).toEqual([
      'you: First.',
      'ana: ana answers.',
      'you: Second.',
      'ana: Again.',
    ]);
    expect(await idsOf(storage, grandchild)).toEqual(['past/1', 'past/2', 'past/3', 'past/4']);
    // As the ancestor calls them: its own first turn of ana, and one that it has inherited itself.
    expect(await positionsOf(storage, grandchild)).toEqual([null, 'inherited/team/ana/1', null, 'team/ana/1']);
    await window.close();
  });

  test('has the team, the limits and the rooms of that moment, and a name when it is given one', async () => {
    const { storage, runId, conversation } = await talked('First.');
    const roomId = await conversation.createRoom({ name: 'Quiet corner', members: ['legal'] });
    await post(conversation, 'In the corner.', roomId);
    await settled(conversation);
    const changed = team(['ana', 'legal', 'tech'], { limits: { hopCap: 3 } });
    await conversation.changeTeam(changed.canonicalText);
    const at = await post(conversation, 'With tech.');
    await settled(conversation);
    await conversation.createRoom({ name: 'Later', members: ['ana'] });
    const forked = await forkConversation({ storage }, runId, at, { name: 'Try again', folders: ['file:///moved'] });
    const window = await Conversation.open(host(storage, new HandEngine()), forked);
    const { state } = await window.status();
    expect([...state.members.keys()]).toEqual(['ana', 'legal', 'tech']);
    expect(state.limits.hopCap).toBe(3);
    expect(state.name).toBe('Try again');
    expect([...state.rooms.values()].map(({ id, name, members }) => [id, name, members])).toEqual([
      ['room', 'Room', ['ana', 'legal', 'tech']],
      [roomId, 'Quiet corner', ['legal']],
    ]);
    expect((await entriesOf(storage, forked, roomId)).map(({ id, text }) => [id, text])).toEqual([
      ['past/3', 'In the corner.'],
      ['past/4', 'legal answers.'],
    ]);
    await window.close();
  });

  test('leaves out a room that everybody has left, and is refused at a post of it', async () => {
    const { storage, runId, conversation } = await talked('First.');
    const roomId = await conversation.createRoom({ name: 'Corner', members: ['legal'] });
    const inCorner = await post(conversation, 'In the corner.', roomId);
    await settled(conversation);
    await conversation.changeTeam(team(['ana']).canonicalText);
    const last = await post(conversation, 'Alone.');
    await settled(conversation);
    const forked = await forkConversation({ storage }, runId, last);
    expect(await said(storage, forked)).toEqual(['you: First.', 'ana: ana answers.', 'you: Alone.']);
    expect(await said(storage, forked, roomId)).toEqual([]);
    // At that post itself legal was still there.
    expect(await said(storage, await forkConversation({ storage }, runId, inCorner), roomId)).toEqual([
      'you: In the corner.',
    ]);
    await expect(forkConversation({ storage }, runId, 'post/none')).rejects.toMatchObject({ code: 'POST_NOT_FOUND' });
  });

  test('of many posts is written in appends that the store takes', async () => {
    const { storage, runId } = await talked('First.');
    const window = await Conversation.open(
      host(
        storage,
        ruleEngine(() => 'y'.repeat(50_000)),
      ),
      runId,
    );
    for (let number = 0; number < 8; number += 1) {
      await post(window, `${number}`);
      await settled(window);
    }
    const ids = await idsOf(storage, runId);
    const forked = await forkConversation({ storage }, runId, ids.at(-1) ?? '');
    expect(await idsOf(storage, forked)).toHaveLength(ids.length);
    await window.close();
  });

  test('that is cut off half-way is no conversation', async () => {
    const { storage, runId } = await talked('First.', 'Second.');
    const [, last] = await idsOf(storage, runId);
    const failing: LocalRunStorage = {
      ...storage,
      runs: {
        ...storage.runs,
        build: (id, fill) => storage.runs.build(id, (store) => fill(cutOff(store))),
      },
    };
    await expect(forkConversation({ storage: failing }, runId, last ?? '')).rejects.toThrow('The disk went away.');
    expect((await storage.runs.list()).map((run) => run.runId)).toEqual([runId]);
  });
});

/** Takes the first half of what it is given, and fails. */
function cutOff(store: EventStore): EventStore {
  return {
    ...store,
    async append(stream, expected, all) {
      await store.append(stream, expected, all.slice(0, Math.ceil(all.length / 2)));
      throw new Error('The disk went away.');
    },
  };
}
