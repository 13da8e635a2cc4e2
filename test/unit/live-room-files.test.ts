// The room files of a conversation on disk: whatever window writes them, and whenever, each post stands there once.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { Conversation } from '../../src/runtime/conversation.js';
import type { RecordChange } from '../../src/runtime/live-record.js';
import { LiveRoomFiles, readRoomLines } from '../../src/runtime/live-room-files.js';
import { readTranscriptPage } from '../../src/runtime/transcript-pages.js';
import { HandEngine, host, memoryStorage, post, team } from '../support/live-team.js';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const ROOMS = { rooms: ['room', 'aside'].map((id) => ({ id, members: ['ana', 'ben'] })) };

/** A conversation whose record windows hear of when the test says so. */
async function begin() {
  const directory = mkdtempSync(join(tmpdir(), 'rooms-'));
  folders.push(directory);
  const storage = memoryStorage();
  const conversation = await Conversation.start(host(storage, new HandEngine()), team(['ana', 'ben'], ROOMS), []);
  const { runId } = conversation;
  const changes: RecordChange[] = [];
  conversation.onDidChange((change) => changes.push(change));
  await conversation.status();
  const window = (isWriter = () => true) => new LiveRoomFiles({ storage, runId, directory, isWriter });
  const files = window();
  return {
    storage,
    runId,
    window,
    path: files.path('room'),
    say: (text: string, roomId = 'room') => post(conversation, text, roomId),
    /** What windows have not been told yet. */
    heard: () => changes.splice(0),
    lines: () => readFileSync(files.path('room'), 'utf8').split('\n').slice(0, -1),
    record: async () => (await readRoomLines(storage, runId, 'room')).lines.join(''),
    close: () => conversation.close(),
  };
}

async function tell(files: LiveRoomFiles, changes: readonly RecordChange[]): Promise<void> {
  for (const change of changes) await files.follow(change);
}

test('Two windows that write the same post at the same moment write it once, and the file stays the same file', async () => {
  const { window, path, say, heard, lines, close } = await begin();
  await say('one');
  const both = [window(), window()];
  for (const files of both) await files.write('room');
  heard();
  const { ino } = statSync(path);
  await say('two');
  const changes = heard();
  await Promise.all(both.map((files) => tell(files, changes)));
  expect(lines()).toEqual(['you [you/1/0]: one', 'you [you/2/0]: two']);
  await say('three');
  for (const files of both) await tell(files, heard());
  expect(lines()).toHaveLength(3);
  expect(statSync(path).ino).toBe(ino);
  await close();
});

test('A file that was shown between a commit and the news of it does not get the post twice', async () => {
  const { window, say, heard, lines, close } = await begin();
  const files = window();
  await say('one');
  await files.write('room');
  await tell(files, heard());
  expect(lines()).toEqual(['you [you/1/0]: one']);
  await close();
});

test('After a reload a file that is there is written on, in place, with what was missed', async () => {
  const { window, path, say, heard, lines, record, close } = await begin();
  await say('one');
  await window().write('room');
  await say('nobody wrote this');
  heard();
  const { ino } = statSync(path);
  const again = window();
  await again.adopt(['room', 'aside']);
  expect(lines()).toHaveLength(2);
  await say('three');
  await tell(again, heard());
  expect(readFileSync(path, 'utf8')).toBe(await record());
  expect(lines()).toHaveLength(3);
  expect(statSync(path).ino).toBe(ino);
  await close();
});

test('A room whose file nobody asked for gets none', async () => {
  const { window, path, say, heard, close } = await begin();
  const files = window();
  await files.adopt(['room', 'aside']);
  await say('one');
  await tell(files, heard());
  expect(existsSync(path)).toBe(false);
  await close();
});

test('A window that does not run the conversation writes nothing on its own, and all of it when it is asked', async () => {
  const { window, say, heard, lines, close } = await begin();
  let runs = false;
  const files = window(() => runs);
  await say('one');
  await files.write('room');
  heard();
  await say('two');
  await tell(files, heard());
  expect(lines()).toHaveLength(1);
  await files.adopt(['room']);
  expect(lines()).toHaveLength(1);
  await files.write('room');
  expect(lines()).toHaveLength(2);
  await say('three');
  await tell(files, heard());
  runs = true;
  await say('four');
  await tell(files, heard());
  expect(lines()).toHaveLength(4);
  await close();
});

test('A file that somebody wrote into is replaced by the record with the next post', async () => {
  const { window, path, say, heard, record, close } = await begin();
  const files = window();
  await say('one');
  await files.write('room');
  heard();
  writeFileSync(path, 'somebody else');
  await say('two');
  await tell(files, heard());
  expect(readFileSync(path, 'utf8')).toBe(await record());
  await close();
});

test('A post that could not be written is made good with the next one', async () => {
  const { window, path, say, heard, record, close } = await begin();
  const files = window();
  await say('one');
  await files.write('room');
  heard();
  await say('two');
  const before = readFileSync(path);
  rmSync(path);
  // Neither written on nor replaced.
  mkdirSync(join(path, 'in the way'), { recursive: true });
  await expect(tell(files, heard())).rejects.toThrow(path);
  rmSync(path, { recursive: true });
  writeFileSync(path, before);
  await say('three');
  await tell(files, heard());
  expect(readFileSync(path, 'utf8')).toBe(await record());
  await close();
});

test('WV-5 A page of a room in which nothing is said lets others work between its windows', async () => {
  const { storage, runId, say, close } = await begin();
  for (let count = 0; count < 300; count += 1) await say(`${count}`);
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const { state } = await Conversation.open(host(storage, new HandEngine()), runId).then((one) => one.status());
  const before = turns;
  const query = { roomId: 'aside', before: { revision: state.revision + 1, index: 0 }, limit: 50 };
  const page = await readTranscriptPage(storage, runId, query);
  isOver = true;
  expect(page).toEqual({ entries: [], hasOlder: false });
  expect(turns - before).toBeGreaterThanOrEqual(Math.floor(state.revision / 256));
  await close();
});
