// A conversation whose record is damaged: opened or not, it is kept as it is, copied, and talked about.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { Conversation } from '../../src/runtime/conversation.js';
import { StorageError } from '../../src/storage/error.js';
import { runFile } from '../../src/storage/sqlite/files.js';
import { createLocalRunStorage } from '../../src/storage/sqlite/storage.js';
import { host, LIVE_POLICY, post, ruleEngine, settled, team } from '../support/live-team.js';

const root = mkdtempSync(join(tmpdir(), 'teamroom-damaged-'));
afterAll(() => rmSync(root, { recursive: true }));
let directory = '';
let runId = '';
const engine = ruleEngine(() => 'seen');
const open = () => createLocalRunStorage({ directory, namespace: 'live', policy: LIVE_POLICY });

beforeEach(async () => {
  directory = mkdtempSync(join(root, 'place-'));
  const conversation = await Conversation.start(host(open(), engine), team(['ana', 'ben']), []);
  runId = conversation.runId;
  await post(conversation, 'hello');
  await settled(conversation);
  await conversation.close();
});

function tamper(sql: string): void {
  const db = new DatabaseSync(runFile(directory, 'live', runId));
  db.exec(sql);
  db.close();
}

test('ST-6 ST-17 one that cannot be opened is copied to quarantine and refused, and stays where it is', async () => {
  tamper(`UPDATE event SET body = replace(body, 'hello', 'hallo')`);
  await expect(Conversation.open(host(open(), engine), runId)).rejects.toMatchObject({ code: 'CORRUPT_EVENT_STREAM' });
  expect(existsSync(join(directory, 'quarantine'))).toBe(true);
  expect((await open().runs.list()).map((run) => run.runId)).toEqual([runId]);
});

test('ST-6 damage that opening does not meet is found by the verification, copied and reported', async () => {
  tamper(`UPDATE event SET sum = 'x' WHERE stream <> 1`);
  const found = Promise.withResolvers<unknown>();
  const conversation = await Conversation.open({ ...host(open(), engine), onError: found.resolve }, runId);
  const error = await found.promise;
  expect(error).toBeInstanceOf(StorageError);
  expect(error).toMatchObject({ code: 'CORRUPT_EVENT_STREAM', details: { copy: expect.any(String) as string } });
  expect(String(error)).toContain('from revision 1 on');
  await conversation.close();
});
