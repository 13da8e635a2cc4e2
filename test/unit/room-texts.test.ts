// Room documents: read once, continued by what is said, and never longer than their newest posts.
import { expect, test } from 'vitest';
import { NEWEST, RoomTexts } from '../../src/editor/room-texts.js';
import { Conversation } from '../../src/runtime/conversation.js';
import { readRoomLines } from '../../src/runtime/live-room-files.js';
import { HandEngine, host, memoryStorage, post, team } from '../support/live-team.js';

const utf8 = new TextDecoder();
const earlier = (count: number) => `(${count} earlier)`;

async function begin() {
  const storage = memoryStorage();
  const rooms = ['room', 'aside'].map((id) => ({ id, members: ['ana', 'ben'] }));
  const conversation = await Conversation.start(host(storage, new HandEngine()), team(['ana', 'ben'], { rooms }), []);
  const { runId } = conversation;
  await conversation.status();
  let reads = 0;
  const gates: Promise<void>[] = [];
  const texts = new RoomTexts({
    read: async (run, roomId) => {
      reads += 1;
      const lines = await readRoomLines(storage, run, roomId);
      await gates.shift();
      return lines;
    },
    earlier,
  });
  texts.follow(runId);
  conversation.onDidChange((change) => texts.hear(change));
  return {
    texts,
    gates,
    say: (text: string, room?: string) => post(conversation, text, room),
    text: async (run = runId) => utf8.decode((await texts.get(run, 'room')).bytes),
    record: async () => (await readRoomLines(storage, runId, 'room')).lines.join(''),
    reads: () => reads,
    close: () => conversation.close(),
  };
}

test('A room is read from the record once, however often it is looked at and whatever is said', async () => {
  const { say, text, record, reads, close } = await begin();
  expect(await text()).toBe('');
  for (const words of ['one', 'two']) {
    await say(words);
    await say(words, 'aside');
    expect(await text()).toBe(await record());
  }
  expect(reads()).toBe(1);
  await close();
});

test('What is said while a room is being read stands in it once', async () => {
  const { gates, say, text, record, close } = await begin();
  await say('one');
  const gate = Promise.withResolvers<undefined>();
  gates.push(gate.promise);
  const reading = text();
  await say('two');
  gate.resolve(undefined);
  await reading;
  await say('three');
  expect(await text()).toBe(await record());
  await close();
});

test('The time of a document is that of its last post', async () => {
  const at = '2026-03-02T10:00:00.000Z';
  const read = () => Promise.resolve({ lines: ['x\n'], revision: 1, at });
  expect((await new RoomTexts({ read, earlier }).get('run', 'room')).changedAt).toBe(Date.parse(at));
});

test('Of a very long room the newest posts are shown, and how many stand before them', async () => {
  const lines = Array.from({ length: NEWEST + 2 }, (_, at) => `${at}\n`);
  const texts = new RoomTexts({ read: () => Promise.resolve({ lines, revision: 1, at: null }), earlier });
  const shown = utf8.decode((await texts.get('run', 'room')).bytes).split('\n');
  expect(shown.slice(0, 2)).toEqual(['(2 earlier)', '2']);
  expect(shown).toHaveLength(NEWEST + 2);
});

test('A room that cannot be read is read again by the next who asks', async () => {
  let fails = true;
  const read = () =>
    fails ? Promise.reject(new Error('busy')) : Promise.resolve({ lines: ['x\n'], revision: 1, at: null });
  const texts = new RoomTexts({ read, earlier });
  texts.follow('run');
  await expect(texts.get('run', 'room')).rejects.toThrow('busy');
  fails = false;
  expect(utf8.decode((await texts.get('run', 'room')).bytes)).toBe('x\n');
});
