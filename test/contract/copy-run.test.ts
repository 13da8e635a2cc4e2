// Copying a run between two storage folders, as recovering conversations does.
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Conversation } from '../../src/runtime/conversation.js';
import { summarize } from '../../src/runtime/conversation-summary.js';
import { copyRun } from '../../src/storage/sqlite/copy-run.js';
import { createLocalRunStorage } from '../../src/storage/sqlite/storage.js';
import { events, HandEngine, host, LIVE_POLICY, post, said, settled, team } from '../support/live-team.js';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'teamroom-copy-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const bind = (name: string) =>
  createLocalRunStorage({ directory: join(base, name), namespace: 'live', policy: LIVE_POLICY });

async function talk(folders: readonly string[] = ['file:///old']) {
  const storage = bind('old');
  const engine = new HandEngine();
  const conversation = await Conversation.start(host(storage, engine), team(['ana', 'legal']), folders);
  await post(conversation, '@legal look\nat this');
  const turn = await engine.begun();
  turn.step('I read it.');
  turn.answer('Fine.');
  await settled(conversation);
  return { storage, conversation, engine, runId: conversation.runId };
}

describe('A run', () => {
  test('ST-10 is copied whole, with its member streams, while it is open, and goes on in either place', async () => {
    const { storage, conversation, engine, runId } = await talk();
    const copy = { namespace: 'live', runId, from: join(base, 'old'), to: join(base, 'new') };
    expect(await copyRun(copy)).toBe(true);
    const moved = bind('new');
    for (const stream of [runId, `${runId}.m.2`])
      expect(await events(moved, stream)).toEqual(await events(storage, stream));
    expect((await moved.runs.list()).map((run) => run.runId)).toEqual([runId]);

    const again = new HandEngine();
    const opened = await Conversation.open(host(moved, again), runId);
    await post(opened, 'still there?');
    (await again.begun()).answer('Yes.');
    await settled(opened);
    await opened.close();
    await post(conversation, 'and here?');
    (await engine.begun()).answer('Here too.');
    await settled(conversation);
    await conversation.close();
    expect((await said(moved, runId)).slice(2)).toEqual(['you: still there?', 'ana: Yes.']);
    expect((await said(storage, runId)).slice(2)).toEqual(['you: and here?', 'ana: Here too.']);
  });

  test('that is there already is left as it is', async () => {
    const { conversation, runId } = await talk();
    const copy = { namespace: 'live', runId, from: join(base, 'old'), to: join(base, 'new') };
    await copyRun(copy);
    const before = await events(bind('new'), runId);
    await post(conversation, 'more');
    await conversation.close();
    expect(await copyRun(copy)).toBe(false);
    expect(await events(bind('new'), runId)).toEqual(before);
    expect(readdirSync(join(base, 'new')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  test('that cannot be read is refused by its path, and leaves no half copy', async () => {
    const { conversation, runId } = await talk();
    await conversation.close();
    const [file] = readdirSync(join(base, 'old')).filter((name) => name.endsWith('.db'));
    writeFileSync(join(base, 'old', file ?? ''), 'not a database, but long enough to look like one '.repeat(40));
    rmSync(join(base, 'old', `${file ?? ''}-wal`), { force: true });
    const copying = copyRun({ namespace: 'live', runId, from: join(base, 'old'), to: join(base, 'new') });
    await expect(copying).rejects.toMatchObject({ message: expect.stringContaining(file ?? '') as string });
    expect(readdirSync(join(base, 'new'))).toEqual([]);
    chmodSync(join(base, 'new'), 0o700);
  });

  test('is summed up by its team, folders and first post', async () => {
    const { storage, conversation, runId } = await talk(['file:///old', 'file:///second']);
    await conversation.close();
    expect(await summarize(storage, runId)).toMatchObject({
      runId,
      teamId: 'field',
      folders: ['file:///old', 'file:///second'],
      firstPost: '@legal look\nat this',
    });
    expect(await summarize(storage, 'unknown')).toBeNull();
  });
});
