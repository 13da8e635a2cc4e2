// What goes with a conversation that is deleted.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Conversation } from '../../src/runtime/conversation.js';
import { contentOf, deleteConversation } from '../../src/runtime/deletion.js';
import { LiveRoomFiles } from '../../src/runtime/live-room-files.js';
import { host, memoryStorage, post, ruleEngine, settled, team } from '../support/live-team.js';

const root = mkdtempSync(join(tmpdir(), 'teamroom-deletion-'));
afterAll(() => rmSync(root, { recursive: true }));

/** Two conversations with a file for each of their rooms, one of them made by a person. */
async function place(name: string) {
  const directory = join(root, name);
  const storage = memoryStorage();
  const begin = async (): Promise<Conversation> => {
    const conversation = await Conversation.start(
      host(
        storage,
        ruleEngine(() => 'Noted.'),
      ),
      team(['ana', 'legal']),
      [],
    );
    const corner = await conversation.createRoom({ name: 'Corner', members: ['legal'] });
    const { runId } = conversation;
    const files = new LiveRoomFiles({ storage, runId, directory, isWriter: () => true });
    for (const roomId of ['room', corner]) {
      await post(conversation, 'Hello.', roomId);
      await settled(conversation);
      await files.write(roomId);
    }
    return conversation;
  };
  return { storage, directory, conversation: await begin(), other: await begin() };
}

test('a deleted conversation takes its record and its room files with it, and no others', async () => {
  const { storage, directory, conversation, other } = await place('whole');
  const { runId } = conversation;
  expect(await contentOf(storage, runId)).toEqual({ posts: 4, rooms: ['room', 'corner'], isWhole: true });
  await conversation.close();
  expect(await deleteConversation(storage, runId, directory)).toBe(true);
  expect((await storage.runs.list()).map((run) => run.runId)).toEqual([other.runId]);
  expect(readdirSync(directory)).toHaveLength(2);
  expect(await deleteConversation(storage, runId, directory)).toBe(false);
});

test('while somebody runs it, neither its record nor a file of it is touched', async () => {
  const { storage, directory, conversation } = await place('held');
  const { runId } = conversation;
  await expect(deleteConversation(storage, runId, directory)).rejects.toMatchObject({ code: 'RUN_HELD' });
  expect(readdirSync(directory)).toHaveLength(4);
  expect(await contentOf(storage, runId)).toMatchObject({ posts: 4, isWhole: true });
});

test('one that cannot be read is deleted all the same, with the files of the rooms that are known', async () => {
  const { storage, directory, conversation } = await place('damaged');
  const { runId } = conversation;
  const { state } = await conversation.status();
  await conversation.close();
  const event = {
    eventId: 'x',
    type: 'conversation:sung',
    version: 1,
    timestamp: new Date().toISOString(),
    payload: {},
  };
  await storage.eventStore.append({ namespace: storage.record.namespace, streamId: runId }, state.revision, [
    { ...event, correlationId: runId, causationId: null },
  ]);
  expect(await contentOf(storage, runId)).toEqual({ posts: 4, rooms: ['room', 'corner'], isWhole: false });
  expect(await deleteConversation(storage, runId, directory)).toBe(true);
  expect(readdirSync(directory)).toHaveLength(2);
});

test('a post into a conversation that another window has deleted is refused as that', async () => {
  const { storage, directory, conversation } = await place('gone');
  const { runId } = conversation;
  await conversation.close();
  const follower = await Conversation.open(
    host(
      storage,
      ruleEngine(() => 'Noted.'),
    ),
    runId,
  );
  await deleteConversation(storage, runId, directory);
  await expect(post(follower, 'Hello?')).rejects.toThrow('deleted');
  await follower.close();
  expect(await contentOf(storage, runId)).toEqual({ posts: 0, rooms: [], isWhole: true });
});
