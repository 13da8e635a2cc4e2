// A live conversation in trouble: a store that refuses, a request that comes twice, a hold that must not leak, text that
// is not whole.
import { describe, expect, test } from 'vitest';
import { Conversation } from '../../src/runtime/conversation.js';
import { StorageError } from '../../src/storage/error.js';
import { MemoryDisk } from '../../src/storage/memory/disk.js';
import type { LocalRunStorage, NewDomainEvent } from '../../src/storage/port.js';
import { HandClock } from '../support/hand-clock.js';
import { events, HandEngine, host, memoryStorage, post, said, settled, team, until } from '../support/live-team.js';

/** A storage that refuses the appends that a test picks. */
function refusing(whole: LocalRunStorage, refuses: (events: readonly NewDomainEvent[]) => boolean): LocalRunStorage {
  return {
    ...whole,
    eventStore: {
      ...whole.eventStore,
      append: (stream, expected, batch) =>
        refuses(batch)
          ? Promise.reject(new StorageError('STORAGE_UNAVAILABLE', 'The disk is full.'))
          : whole.eventStore.append(stream, expected, batch),
    },
  };
}

async function interrupted(disk = new MemoryDisk()) {
  const engine = new HandEngine();
  const window = host(memoryStorage(disk), engine);
  const conversation = await Conversation.start(window, team(['ana', 'legal', 'tech']), []);
  await post(conversation, '@legal look');
  await engine.begun();
  await conversation.close();
  return { disk, window, engine, runId: conversation.runId };
}

describe('A person’s post', () => {
  test('ML-8 that was saved by a host which died before anybody was woken runs when the panel sends it again', async () => {
    const disk = new MemoryDisk();
    const whole = memoryStorage(disk);
    const dying = refusing(whole, (batch) => batch.some(({ type }) => type === 'graph:node-dispatched'));
    const first = await Conversation.start(
      { ...host(dying, new HandEngine()), clock: new HandClock() },
      team(['ana']),
      [],
    );
    const request = { requestId: 'click', roomId: 'room', text: 'hello' };
    const id = await first.post(request);
    await first.close();

    const engine = new HandEngine();
    const second = await Conversation.open(host(memoryStorage(disk), engine), first.runId);
    expect(await second.post(request)).toBe(id);
    (await engine.begun()).answer('hi');
    await settled(second);
    expect(await said(whole, first.runId)).toEqual(['you: hello', 'ana: hi']);
    await second.close();
  });

  test('ST-5 that the store refuses is refused to the person, and leaves the conversation to whoever comes next', async () => {
    const disk = new MemoryDisk();
    let isFull = false;
    const storage = refusing(memoryStorage(disk), () => isFull);
    const engine = new HandEngine();
    const conversation = await Conversation.start(host(storage, engine), team(['ana']), []);
    isFull = true;
    await expect(post(conversation, 'hello')).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    expect(conversation.runnerPlace()).toBe('nobody');
    isFull = false;
    await post(conversation, 'hello again');
    (await engine.begun()).answer('hi');
    await settled(conversation);
    expect(await said(storage, conversation.runId)).toEqual(['you: hello again', 'ana: hi']);
    await conversation.close();
  });

  test('with half a character is saved with a replacement for it, and so is an answer', async () => {
    const storage = memoryStorage();
    const engine = new HandEngine();
    const conversation = await Conversation.start(host(storage, engine), team(['ana']), []);
    await post(conversation, 'half \ud83d');
    const turn = await engine.begun();
    turn.step('thinking \ud83d');
    turn.answer('cut off \ud83d');
    await settled(conversation);
    expect(await said(storage, conversation.runId)).toEqual(['you: half \ufffd', 'ana: cut off \ufffd']);
    await conversation.close();
  });
});

describe('An answer', () => {
  test('ST-5 An outcome that the store refuses is told, kept, and written once there is room again', async () => {
    const disk = new MemoryDisk();
    const whole = memoryStorage(disk);
    let full = false;
    const storage = refusing(whole, () => full);
    const engine = new HandEngine();
    const clock = new HandClock();
    const window = { ...host(storage, engine), clock };
    const conversation = await Conversation.start(window, team(['ana']), []);
    await post(conversation, 'hello');
    const turn = await engine.begun();
    full = true;
    const told = clock.nextTimer();
    turn.answer('hi');
    await told;
    expect(window.errors).toMatchObject([{ message: 'The disk is full.' }]);
    expect(await said(whole, conversation.runId)).toEqual(['you: hello']);
    full = false;
    clock.fire();
    await settled(conversation);
    expect(await said(whole, conversation.runId)).toEqual(['you: hello', 'ana: hi']);
    expect(engine.calls).toEqual(['ana']);
    await conversation.close();
  });
});

describe('An interrupted turn', () => {
  test('can be resumed in the same window after its conversation was closed and opened again', async () => {
    const { window, engine, runId } = await interrupted();
    const again = await Conversation.open(window, runId);
    await again.resumeTurn('team/legal/1');
    (await engine.begun()).answer('Fine.');
    await settled(again);
    expect(await said(window.storage, runId)).toEqual(['you: @legal look', 'legal: Fine.']);
    await again.close();
  });

  test('stays interrupted when a refused click took the conversation for a moment', async () => {
    const { disk, runId } = await interrupted();
    const again = await Conversation.open(host(memoryStorage(disk), new HandEngine()), runId);
    await expect(post(again, '  ')).rejects.toMatchObject({ code: 'POST_EMPTY' });
    expect((await again.status()).runner).toBe('nobody');
    await again.close();
  });
});

describe('The right to run a conversation', () => {
  test('is not taken by a window that was closed while it waited for it', async () => {
    const disk = new MemoryDisk();
    const engine = new HandEngine();
    const first = await Conversation.start(host(memoryStorage(disk), engine), team(['ana', 'legal']), []);
    await post(first, '@legal look');
    await engine.begun();
    const clock = new HandClock();
    const second = await Conversation.open({ ...host(memoryStorage(disk), new HandEngine()), clock }, first.runId);
    const taking = second.takeOver();
    await clock.nextTimer({ orSet: true });
    await second.close();
    await taking;
    await first.close();
    const third = await Conversation.open(host(memoryStorage(disk), new HandEngine()), first.runId);
    expect(third.runnerPlace()).toBe('nobody');
    await third.close();
  });
});

describe('A limit', () => {
  test('that stops one chain leaves the triggers of another in the same turn', async () => {
    const storage = memoryStorage();
    const engine = new HandEngine();
    const file = team(['ana', 'b', 'c', 'd'], { limits: { hopCap: 0 } });
    const conversation = await Conversation.start(host(storage, engine), file, []);
    await post(conversation, '@d stay busy');
    const busy = await engine.begun();
    for (const [member, count] of [
      ['b', 1],
      ['c', 2],
    ] as const) {
      await post(conversation, `@${member} go`);
      (await engine.begun()).answer('@d over to you');
      await until(conversation, ({ members }) => members.get('d')?.queue[0]?.triggers.length === count);
    }
    busy.answer('free again');
    await settled(conversation);
    const limited = (await events(storage, conversation.runId)).filter(({ type }) => type === 'conversation:limited');
    expect(limited.map(({ payload }) => payload)).toMatchObject([{ chain: 'you/3/0' }, { chain: 'you/2/0' }]);
    expect(engine.calls).toEqual(['d', 'b', 'c']);
    await conversation.close();
  });

  test('A failed turn is shown with its reason in words', async () => {
    const storage = memoryStorage();
    const engine = new HandEngine();
    const conversation = await Conversation.start(host(storage, engine), team(['ana']), []);
    await post(conversation, 'hello');
    (await engine.begun()).fail('The model is asleep.');
    await settled(conversation);
    expect((await conversation.status()).state.members.get('ana')?.failure).toBe('The model is asleep.');
    await conversation.close();
  });
});
