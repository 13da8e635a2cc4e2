// One runner, many windows; what a window that goes away leaves behind, and how a person goes on from there.
import { describe, expect, test } from 'vitest';
import { Conversation } from '../../src/runtime/conversation.js';
import type { Clock } from '../../src/runtime/ports/clock.js';
import { systemClock } from '../../src/runtime/system-clock.js';
import { MemoryDisk } from '../../src/storage/memory/disk.js';
import { HandClock } from '../support/hand-clock.js';
import { events, HandEngine, host, memoryStorage, post, said, settled, team, until } from '../support/live-team.js';

async function begin() {
  const disk = new MemoryDisk();
  const engine = new HandEngine();
  const storage = memoryStorage(disk);
  const conversation = await Conversation.start(host(storage, engine), team(['ana', 'legal', 'tech']), []);
  const { runId } = conversation;
  /** Another window, or the same one after a reload: its own binding, engine and runner. */
  const open = async (clock: Clock = systemClock, id = runId) => {
    const itsEngine = new HandEngine();
    const window = await Conversation.open({ ...host(memoryStorage(disk), itsEngine), clock }, id);
    return { conversation: window, engine: itsEngine };
  };
  return { storage, engine, conversation, runId, open };
}

/** A turn of legal that is open when its window goes away, with tech to answer after it. */
async function interrupted() {
  const first = await begin();
  await post(first.conversation, '@legal @tech look');
  await first.engine.begun();
  await first.conversation.close();
  return { ...first, again: await first.open() };
}

describe('A window that goes away', () => {
  test('C15 ST-13 ST-14 leaves its turn open and starts nothing when the conversation is opened again', async () => {
    const { storage, runId, again } = await interrupted();
    const { state, runner } = await again.conversation.status();
    expect(runner).toBe('nobody');
    expect(state.members.get('legal')?.open?.position).toBe('team/legal/1');
    expect(again.engine.calls).toEqual([]);
    expect((await events(storage, runId)).at(-1)?.type).toBe('graph:node-attempt-started');
  });

  test('C16 SP-12 ST-16 Resume runs the same position again, and then who was to answer next', async () => {
    const { storage, runId, again } = await interrupted();
    await again.conversation.resumeTurn('team/legal/1');
    const turn = await again.engine.begun();
    expect(turn.input.position).toBe('team/legal/1');
    turn.answer('The clause holds.');
    (await again.engine.begun()).answer('So does the code.');
    await settled(again.conversation);
    expect(await said(storage, runId)).toEqual([
      'you: @legal @tech look',
      'legal: The clause holds.',
      'tech: So does the code.',
    ]);
    const types = (await events(storage, runId)).map(({ type }) => type);
    expect(types.filter((type) => type === 'graph:node-attempt-started')).toHaveLength(2);
    expect(types).toContain('graph:node-paused');
    expect(types).toContain('graph:node-resumed');
    expect(types.filter((type) => type === 'conversation:run')).toHaveLength(2);
  });

  test('Skip gives the interrupted turn up, says so, and lets the next member answer', async () => {
    const { storage, runId, again } = await interrupted();
    await again.conversation.skipTurn('team/legal/1');
    const turn = await again.engine.begun();
    expect(turn.member).toBe('tech');
    turn.answer('Fine.');
    await settled(again.conversation);
    expect(await said(storage, runId)).toEqual(['you: @legal @tech look', '* skipped', 'tech: Fine.']);
  });

  test('A new post is answered while the interrupted turn goes on waiting for the person', async () => {
    const { again } = await interrupted();
    await post(again.conversation, 'are you there?');
    (await again.engine.begun()).answer('I am.');
    await until(again.conversation, ({ members }) => members.get('ana')?.endedAt !== null);
    const { state } = await again.conversation.status();
    expect(state.members.get('legal')?.open?.position).toBe('team/legal/1');
    expect(again.engine.calls).toEqual(['ana']);
    await again.conversation.close();
  });

  test('Resuming twice, or a turn that is not interrupted, is refused and runs nothing twice', async () => {
    const { again } = await interrupted();
    await again.conversation.resumeTurn('team/legal/1');
    await again.engine.begun();
    await expect(again.conversation.resumeTurn('team/legal/1')).rejects.toMatchObject({ code: 'TURN_NOT_INTERRUPTED' });
    await expect(again.conversation.skipTurn('team/legal/1')).rejects.toMatchObject({ code: 'TURN_NOT_INTERRUPTED' });
    await expect(again.conversation.resumeTurn('team/tech/9')).rejects.toMatchObject({ code: 'TURN_NOT_INTERRUPTED' });
    expect(again.engine.calls).toEqual(['legal']);
    await again.conversation.close();
  });

  test('Queued turns wait for the person, and Resume Team starts them', async () => {
    const first = await begin();
    await post(first.conversation, '@legal one');
    const busy = await first.engine.begun();
    await post(first.conversation, '@legal two');
    busy.answer('one done');
    await first.engine.begun();
    await first.conversation.close();
    const again = await first.open();
    await again.conversation.skipTurn('team/legal/2');
    await again.conversation.close();

    const second = await begin();
    await post(second.conversation, '@legal one');
    await second.engine.begun();
    await post(second.conversation, '@tech two');
    await second.engine.begun();
    await post(second.conversation, '@tech three');
    await second.conversation.close();
    const later = await second.open();
    await later.conversation.resumeTeam();
    await later.conversation.skipTurn('team/tech/1');
    const turn = await later.engine.begun();
    expect(turn.input.triggers.map(({ text }) => text)).toEqual(['@tech three']);
    turn.answer('three done');
    await until(later.conversation, ({ members }) => members.get('tech')?.open === null);
    expect(later.engine.calls).toEqual(['tech']);
    await later.conversation.close();
  });
});

describe('A record', () => {
  test('ST-9 keeps each member with its own stream over a reload, and its next turn goes on there', async () => {
    const { storage, engine, conversation, runId, open } = await begin();
    await post(conversation, '@tech one');
    const first = await engine.begun();
    first.step('before the reload');
    first.answer('one');
    await settled(conversation);
    const handle = (await conversation.status()).state.members.get('tech')?.handleId;
    await conversation.close();
    const again = await open();
    await post(again.conversation, '@tech two');
    const second = await again.engine.begun();
    expect(second.input.previous).toMatchObject({ text: 'one' });
    second.step('after the reload');
    second.answer('two');
    await settled(again.conversation);
    expect((await again.conversation.status()).state.members.get('tech')?.handleId).toBe(handle);
    const stream = await events(storage, `${runId}.m.3`);
    expect(stream.map(({ correlationId }) => correlationId)).toEqual([
      ...Array<string>(3).fill('team/tech/1'),
      ...Array<string>(3).fill('team/tech/2'),
    ]);
    await again.conversation.close();
  });

  test('ST-18 that was copied under another run id ignores the team events of its ancestor', async () => {
    const { storage, conversation, runId, open } = await begin();
    expect((await conversation.status()).state.members.get('legal')?.handleId).not.toBeNull();
    const copied = (await events(storage, runId)).map(
      ({ envelopeVersion: _version, streamId: _stream, revision: _revision, ...event }) => event,
    );
    await storage.eventStore.append({ namespace: storage.record.namespace, streamId: 'copy' }, 0, copied);
    const copy = await open(systemClock, 'copy');
    const { state } = await copy.conversation.status();
    expect([...state.members.values()].map(({ handleId }) => handleId)).toEqual([null, null, null]);
    await copy.conversation.close();
    await conversation.close();
  });
});

describe('Two windows', () => {
  test('MW-1 The second shows the conversation, posts into it, and leaves the running to the first', async () => {
    const { conversation, engine, storage, runId, open } = await begin();
    await post(conversation, '@legal one');
    const busy = await engine.begun();
    const second = await open();
    expect(second.conversation.runnerPlace()).toBe('elsewhere');
    await post(second.conversation, '@tech two');
    const handed = await engine.begun();
    expect(handed.member).toBe('tech');
    busy.answer('one done');
    handed.answer('two done');
    await settled(second.conversation);
    expect(second.engine.calls).toEqual([]);
    expect(await said(storage, runId)).toHaveLength(4);
    await expect(second.conversation.resumeTeam()).rejects.toMatchObject({ code: 'RUNS_ELSEWHERE' });
    await second.conversation.close();
    await conversation.close();
  });

  test('MW-1 ST-12 When the first window is gone the second knows it although the record says nothing, and goes on as the runner of the next epoch', async () => {
    const { conversation, engine, storage, runId, open } = await begin();
    await post(conversation, 'hello');
    (await engine.begun()).answer('hi');
    await settled(conversation);
    const second = await open();
    const before = await events(storage, runId);
    await conversation.close();
    expect(second.conversation.runnerPlace()).toBe('nobody');
    expect(await events(storage, runId)).toEqual(before);
    await post(second.conversation, 'again');
    (await second.engine.begun()).answer('hi again');
    await settled(second.conversation);
    const runs = (await events(storage, runId)).filter(({ type }) => type === 'conversation:run');
    expect(runs.map(({ payload }) => payload)).toMatchObject([{ epoch: 1 }, { epoch: 2 }]);
    await second.conversation.close();
  });

  test('Posts from two windows at once are both kept, numbered and answered', async () => {
    const { conversation, engine, storage, runId, open } = await begin();
    await post(conversation, 'warm up');
    (await engine.begun()).answer('ready');
    await settled(conversation);
    const second = await open();
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        post(index % 2 === 0 ? conversation : second.conversation, `post ${index}`),
      ),
    );
    const posts = (await events(storage, runId)).filter(({ type }) => type === 'post:written');
    expect(posts.map(({ payload }) => (payload as { id: string }).id)).toEqual(
      Array.from({ length: 11 }, (_, index) => `you/${index + 1}/0`),
    );
    await second.conversation.close();
    await conversation.close();
  });

  test('A closed conversation says so instead of writing', async () => {
    const { conversation } = await begin();
    await conversation.close();
    await expect(post(conversation, 'hello?')).rejects.toMatchObject({ code: 'CONVERSATION_CLOSED' });
  });
});

describe('Taking over', () => {
  test('MW-1 An idle runner lets go when it is asked, and what is posted in it then runs in the other window', async () => {
    const { conversation, engine, storage, runId, open } = await begin();
    await post(conversation, 'hello');
    (await engine.begun()).answer('hi');
    await settled(conversation);
    const second = await open();
    await second.conversation.takeOver();
    expect(second.conversation.runnerPlace()).toBe('here');
    expect(conversation.runnerPlace()).toBe('elsewhere');
    await post(conversation, 'who is it?');
    (await second.engine.begun()).answer('still me');
    await settled(conversation);
    expect(engine.calls).toEqual(['ana']);
    expect(await said(storage, runId)).toEqual(['you: hello', 'ana: hi', 'you: who is it?', 'ana: still me']);
    await second.conversation.close();
    await conversation.close();
  });

  test('MW-1 A busy runner ends the turn it has, starts no other, and lets go', async () => {
    const { conversation, engine, open } = await begin();
    await post(conversation, '@legal @tech look');
    const busy = await engine.begun();
    const second = await open();
    const taking = second.conversation.takeOver();
    await until(conversation, ({ requestedBy }) => requestedBy !== null);
    busy.answer('The clause holds.');
    const next = await second.engine.begun();
    await taking;
    expect(next.member).toBe('tech');
    next.answer('So does the code.');
    await settled(second.conversation);
    expect(engine.calls).toEqual(['legal']);
    await second.conversation.close();
    await conversation.close();
  });

  test('MW-1 A runner that does not answer is overruled after ten seconds; what it says later is not recorded', async () => {
    const { conversation, engine, storage, runId, open } = await begin();
    await post(conversation, '@legal look');
    const stuck = await engine.begun();
    const clock = new HandClock();
    const second = await open(clock);
    const started = clock.elapsed();
    const taking = second.conversation.takeOver();
    while (second.conversation.runnerPlace() !== 'here') {
      await Promise.race([clock.nextTimer({ orSet: true }), taking]);
      if (clock.isSet) clock.fire();
    }
    await taking;
    expect(clock.elapsed() - started).toBe(10_000);
    await until(conversation, ({ runner }) => runner?.epoch === 2);
    expect(stuck.signal.aborted).toBe(true);
    stuck.answer('too late');
    await second.conversation.resumeTurn('team/legal/1');
    (await second.engine.begun()).answer('in time');
    await settled(second.conversation);
    expect(await said(storage, runId)).toEqual(['you: @legal look', 'legal: in time']);
    await second.conversation.close();
    await conversation.close();
  });

  test('A window that let go and is alone again goes on with the next post', async () => {
    const { conversation, engine, open } = await begin();
    await post(conversation, 'hello');
    (await engine.begun()).answer('hi');
    await settled(conversation);
    const second = await open();
    const asking = new AbortController();
    const taking = second.conversation.takeOver(asking.signal);
    asking.abort();
    await taking;
    await second.conversation.close();
    await post(conversation, 'and now?');
    (await engine.begun()).answer('still here');
    await settled(conversation);
    expect(engine.calls).toEqual(['ana', 'ana']);
    await conversation.close();
  });

  test('MW-1 What is posted in a busy runner runs in it when the window that asked for it has gone away', async () => {
    const { conversation, engine, open } = await begin();
    await post(conversation, '@legal look');
    const busy = await engine.begun();
    const second = await open();
    const asking = new AbortController();
    const taking = second.conversation.takeOver(asking.signal);
    await until(conversation, ({ requestedBy }) => requestedBy !== null);
    asking.abort();
    await taking;
    await second.conversation.close();
    await post(conversation, '@tech and you?');
    busy.answer('The clause holds.');
    const next = await engine.begun();
    expect(next.member).toBe('tech');
    next.answer('So does the code.');
    await settled(conversation);
    await conversation.close();
  });
});
