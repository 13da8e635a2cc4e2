// The list of conversations over files that are damaged: none is hidden, and each says what is wrong with it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';
import { Conversation } from '../../src/runtime/conversation.js';
import { ConversationList } from '../../src/runtime/conversation-list.js';
import { deleteConversation } from '../../src/runtime/deletion.js';
import { runFile } from '../../src/storage/sqlite/files.js';
import { createLocalRunStorage } from '../../src/storage/sqlite/storage.js';
import { host, LIVE_POLICY, post, ruleEngine, settled, team } from '../support/live-team.js';

const root = mkdtempSync(join(tmpdir(), 'teamroom-list-'));
afterAll(() => rmSync(root, { recursive: true }));

const open = (directory: string) => createLocalRunStorage({ directory, namespace: 'live', policy: LIVE_POLICY });

async function talkedIn(directory: string, text: string): Promise<string> {
  const conversation = await Conversation.start(
    host(
      open(directory),
      ruleEngine(() => 'Noted.'),
    ),
    team(['ana']),
    [],
  );
  await post(conversation, text);
  await settled(conversation);
  await conversation.close();
  return conversation.runId;
}

test('a file that is no database and a record with an altered event are listed, with the reason, beside a good one', async () => {
  const directory = join(root, 'damaged');
  const good = await talkedIn(directory, 'Good.');
  const altered = await talkedIn(directory, 'Altered.');
  const file = runFile(directory, 'live', altered);
  const db = new DatabaseSync(file);
  db.exec("UPDATE event SET body = replace(body, 'Noted.', 'Forged') WHERE body LIKE '%Noted.%'");
  db.close();
  const garbage = runFile(directory, 'live', 'garbage');
  writeFileSync(garbage, 'no database at all'.repeat(100));

  const storage = open(directory);
  const list = new ConversationList(storage);
  const { items } = await list.list({ query: '', archived: false, limit: 10 });
  const byId = new Map(items.map((item) => [item.runId, item]));
  expect([...byId.keys()].sort()).toEqual([good, altered, `file:${basename(garbage)}`].sort());
  expect(byId.get(good)).toMatchObject({ title: 'Good.', problem: null });
  expect(byId.get(altered)).toMatchObject({ title: 'Altered.', waits: 0 });
  expect(byId.get(altered)?.problem).toContain(file);
  expect(byId.get(`file:${basename(garbage)}`)?.problem).toContain(garbage);
  expect(await list.find(altered)).toMatchObject({ isFile: false });
  expect(await list.find(`file:${basename(garbage)}`)).toMatchObject({ isFile: true });

  expect(await deleteConversation(storage, altered, join(directory, 'rooms'))).toBe(true);
  const { items: left } = await list.list({ query: '', archived: false, limit: 10 });
  expect(left.map(({ runId }) => runId)).not.toContain(altered);
});

test('nothing of another folder or namespace is listed', async () => {
  const [mine, other] = [join(root, 'mine'), join(root, 'other')];
  const runId = await talkedIn(mine, 'Mine.');
  await talkedIn(other, 'Not mine.');
  const foreign = createLocalRunStorage({ directory: mine, namespace: 'foreign', policy: LIVE_POLICY });
  const conversation = await Conversation.start(
    host(
      foreign,
      ruleEngine(() => 'Noted.'),
    ),
    team(['ana']),
    [],
  );
  await conversation.close();
  const { items } = await new ConversationList(open(mine)).list({ query: '', archived: false, limit: 10 });
  expect(items.map((item) => item.runId)).toEqual([runId]);
});
