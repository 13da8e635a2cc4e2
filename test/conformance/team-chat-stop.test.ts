// The cases of a team's chat on how turns end: Stop, Interrupt, failures, Retry and Resume, and a window that dies.
import { describe, expect, onTestFinished, test } from 'vitest';
import { postOf } from '../../src/core/team/live-state.js';
import { Conversation } from '../../src/runtime/conversation.js';
import { MemoryDisk } from '../../src/storage/memory/disk.js';
import { beginChat, CHAT_TEAM, isIdle, payloads, stateOf, tapped } from '../support/chat.js';
import { HandClock } from '../support/hand-clock.js';
import { events, HandEngine, host, memoryStorage, post, said, settled, team, until } from '../support/live-team.js';

describe('Stop', () => {
  test('C12 SP-6 during the first turn aborts it, leaves one notice, and the next post works', async () => {
    const { storage, conversation, engine, runId } = await beginChat();
    await post(conversation, 'hello');
    const turn = await engine.begun();
    await conversation.stop();
    expect(turn.signal.aborted).toBe(true);
    await until(conversation, isIdle);
    expect(await said(storage, runId)).toEqual(['you: hello', '* cancelled']);
    await post(conversation, 'hello again');
    (await engine.begun()).answer('Hi.');
    await settled(conversation);
    expect((await said(storage, runId)).slice(-2)).toEqual(['you: hello again', 'ana: Hi.']);
  });

  test('C13 SP-8 during the second of three keeps the first, keeps the steps of the second, and never runs the third', async () => {
    const { storage, conversation, engine, runId } = await beginChat();
    await post(conversation, '@ana @legal @tech go');
    (await engine.begun()).answer('First.');
    const second = await engine.begun();
    second.step('half a thought');
    await conversation.stop();
    await until(conversation, isIdle);
    expect(engine.calls).toEqual(['ana', 'legal']);
    expect(await said(storage, runId)).toEqual(['you: @ana @legal @tech go', 'ana: First.', '* cancelled']);
    const steps = await events(storage, `${runId}.m.2`);
    expect(steps.map(({ payload }) => payload)).toMatchObject([
      {},
      { step: { kind: 'thought', text: 'half a thought' } },
    ]);
    expect(await payloads(storage, runId, 'turn:cancelled')).toMatchObject([
      { member: 'legal', reason: 'stopped', by: 'you' },
    ]);
  });

  test('C14 SP-7 five times is one stop and one notice', async () => {
    const { storage, conversation, engine, runId } = await beginChat();
    await post(conversation, 'hello');
    await engine.begun();
    await Promise.all(Array.from({ length: 5 }, () => conversation.stop()));
    await until(conversation, isIdle);
    await conversation.stop();
    expect(await said(storage, runId)).toEqual(['you: hello', '* cancelled']);
  });

  test('SP-2 re-queues nothing: no turn begins by itself after it', async () => {
    const { conversation, engine } = await beginChat();
    await post(conversation, '@legal go');
    await engine.begun();
    await post(conversation, '@legal and this');
    await conversation.stop();
    await until(conversation, isIdle);
    expect(engine.calls).toEqual(['legal']);
    expect(engine.pending).toBe(0);
  });

  test('SP-4 SP-11 what a stopped turn still answers is not taken; what was recorded before stays', async () => {
    const { storage, conversation, engine, runId, window } = await beginChat();
    engine.isDeaf = true;
    await post(conversation, '@legal @tech go');
    (await engine.begun()).answer('Kept.');
    const second = await engine.begun();
    await conversation.stop();
    second.answer('@ana too late');
    await until(conversation, isIdle);
    expect(await said(storage, runId)).toEqual(['you: @legal @tech go', 'legal: Kept.', '* cancelled']);
    expect(engine.calls).toEqual(['legal', 'tech']);
    expect(window.errors).toEqual([]);
  });

  test('waits seven seconds for an engine that does not hear, then closes the turn; its later steps are nowhere', async () => {
    const clock = new HandClock();
    const { storage, conversation, engine, runId } = await beginChat(team(CHAT_TEAM), { clock });
    engine.isDeaf = true;
    await post(conversation, 'hello');
    const turn = await engine.begun();
    await conversation.stop();
    expect((await stateOf(conversation)).members.get('ana')?.open?.stopping).toEqual({ reason: 'stopped', by: 'you' });
    clock.fire();
    await until(conversation, isIdle);
    expect(clock.elapsed()).toBe(7_000);
    turn.step('too late');
    turn.answer('too late');
    await post(conversation, 'still there?');
    (await engine.begun()).answer('Yes.');
    await until(conversation, isIdle);
    const steps = await events(storage, `${runId}.m.1`);
    expect(JSON.stringify(steps)).not.toContain('too late');
  });

  test('a stop with nothing running or waiting writes nothing', async () => {
    const { storage, conversation, runId } = await beginChat();
    const before = await events(storage, runId);
    await conversation.stop();
    expect(await events(storage, runId)).toEqual(before);
  });

  test('from a window that only follows ends the turn in the window that runs it', async () => {
    const { disk, storage, conversation, engine, runId } = await beginChat();
    await post(conversation, '@legal go');
    const turn = await engine.begun();
    const follower = await Conversation.open(host(memoryStorage(disk), new HandEngine()), runId);
    onTestFinished(() => follower.close());
    await follower.stop();
    await until(follower, isIdle);
    expect(turn.signal.aborted).toBe(true);
    expect(await said(storage, runId)).toEqual(['you: @legal go', '* cancelled']);
  });

  test('of turns whose window went away closes them at once', async () => {
    const { storage, conversation, engine, runId, reopen } = await beginChat();
    await post(conversation, '@legal @tech go');
    await engine.begun();
    const again = await reopen();
    await again.conversation.stop();
    const state = await stateOf(again.conversation);
    expect(isIdle(state)).toBe(true);
    expect(state.members.get('legal')?.left).toMatchObject([{ ended: 'cancelled', position: 'team/legal/1' }]);
    expect(await said(storage, runId)).toEqual(['you: @legal @tech go', '* cancelled']);
  });

  test('that was recorded by a window which died before it ended the turn is finished by the next one', async () => {
    const { disk, storage, conversation, engine, runId } = await beginChat();
    engine.isDeaf = true;
    await post(conversation, '@legal go');
    const turn = await engine.begun();
    await conversation.stop();
    // Its process is gone: nobody holds the conversation, and nothing of the turn will be written.
    disk.held.clear();
    const next = await Conversation.open(host(memoryStorage(disk), new HandEngine()), runId);
    onTestFinished(() => next.close());
    expect(await payloads(storage, runId, 'turn:cancelled')).toMatchObject([{ member: 'legal', reason: 'stopped' }]);
    expect(isIdle(await stateOf(next))).toBe(true);
    turn.fail('gone');
  });
});

describe('A turn that was stopped', () => {
  test('is resumed at the next position with the same triggers, and counts once against the caps', async () => {
    const { storage, conversation, engine, runId } = await beginChat(team(CHAT_TEAM, { limits: { hopCap: 1 } }));
    await post(conversation, '@legal go');
    (await engine.begun()).answer('@tech please check');
    await engine.begun();
    await conversation.stop();
    await until(conversation, isIdle);
    await conversation.retryTurn('team/tech/1');
    const again = await engine.begun();
    expect(again.input.position).toBe('team/tech/2');
    expect(again.input.triggers.map(({ text }) => text)).toEqual(['@tech please check']);
    expect(again.input.retried).toEqual({ code: null });
    again.answer('Checked.');
    await settled(conversation);
    expect((await said(storage, runId)).at(-1)).toBe('tech: Checked.');
    expect(await payloads(storage, runId, 'conversation:limited')).toEqual([]);
  });

  test('can be skipped, and then waits for nobody', async () => {
    const { conversation, engine } = await beginChat();
    await post(conversation, '@legal go');
    await engine.begun();
    await conversation.stop();
    await until(conversation, isIdle);
    await conversation.skipTurn('team/legal/1');
    expect((await stateOf(conversation)).members.get('legal')?.left).toEqual([]);
    await expect(conversation.retryTurn('team/legal/1')).rejects.toMatchObject({ code: 'TURN_NOT_LEFT' });
  });
});

describe('Interrupt', () => {
  test('SP-2 ends one turn and keeps it from being tried again by itself; the others go on', async () => {
    const { storage, conversation, engine, runId } = await beginChat();
    await post(conversation, '@legal @tech go');
    const first = await engine.begun();
    await conversation.interruptTurn(first.input.position);
    const next = await engine.begun();
    expect(next.member).toBe('tech');
    next.answer('Mine.');
    await settled(conversation);
    expect(engine.calls).toEqual(['legal', 'tech']);
    expect(await said(storage, runId)).toEqual(['you: @legal @tech go', '* interrupted', 'tech: Mine.']);
    await conversation.retryTurn(first.input.position);
    (await engine.begun()).answer('Now I can.');
    await settled(conversation);
    expect((await said(storage, runId)).at(-1)).toBe('legal: Now I can.');
  });

  test('of a turn that does not run is refused', async () => {
    const { conversation } = await beginChat();
    await expect(conversation.interruptTurn('team/legal/1')).rejects.toMatchObject({ code: 'TURN_NOT_RUNNING' });
  });
});

describe('A turn that failed', () => {
  test('C22 is retried at the next position, told why the one before failed, and answers', async () => {
    const { storage, conversation, engine, runId } = await beginChat();
    await post(conversation, '@legal @tech look');
    (await engine.begun()).fail('The model is asleep.');
    (await engine.begun()).answer('Mine.');
    await settled(conversation);
    await conversation.retryTurn('team/legal/1');
    const again = await engine.begun();
    expect(again.input).toMatchObject({ position: 'team/legal/2', retried: { code: 'EFFECT_FAILED' } });
    again.answer('Awake.');
    await settled(conversation);
    expect(await said(storage, runId)).toEqual(['you: @legal @tech look', '* failed', 'tech: Mine.', 'legal: Awake.']);
  });

  test('twice in one room waits once, with the posts of both', async () => {
    const { conversation, engine } = await beginChat();
    for (const text of ['@legal one', '@legal two']) {
      await post(conversation, text);
      (await engine.begun()).fail('No.');
      await settled(conversation);
    }
    const left = (await stateOf(conversation)).members.get('legal')?.left ?? [];
    expect(left.map(({ position, triggers }) => [position, triggers.map((trigger) => postOf(trigger)?.text)])).toEqual([
      ['team/legal/2', ['@legal one', '@legal two']],
    ]);
  });

  test('SP-3 ends by itself after the same refused call was made three times', async () => {
    const { storage, conversation, engine, runId } = await beginChat();
    await post(conversation, '@legal look');
    const turn = await engine.begun();
    const outcomes: boolean[] = [];
    for (let call = 0; call < 3; call += 1) {
      outcomes.push((await turn.tools.call('read_room_channel', { room: 'secret' })).isError);
    }
    await until(conversation, isIdle);
    expect(outcomes).toEqual([true, true, true]);
    expect(turn.signal.aborted).toBe(true);
    expect(await payloads(storage, runId, 'turn:failed')).toMatchObject([{ code: 'TOOL_LOOP', member: 'legal' }]);
  });
});

describe('An answer that was durable before its outcome', () => {
  test('ST-16 is the outcome when the window that wrote it died in between; nothing runs again', async () => {
    const disk = new MemoryDisk();
    const whole = memoryStorage(disk);
    const clock = new HandClock();
    const dying = tapped(whole, (_stream, batch) =>
      batch.some(({ type }) => type === 'graph:node-completed') ? new Promise<never>(() => undefined) : undefined,
    );
    const engine = new HandEngine();
    const first = await Conversation.start({ ...host(dying, engine), clock }, team(CHAT_TEAM), []);
    await post(first, '@legal @tech look');
    (await engine.begun()).answer('Done, @ana have a look.', { reportedCost: 0.5 });
    const { promise: isDurable, resolve } = Promise.withResolvers<undefined>();
    using _watch = whole.runs.watch(first.runId, () => {
      void events(whole, `${first.runId}.m.2`).then((steps) => {
        if (JSON.stringify(steps).includes('"final"')) resolve(undefined);
      });
    });
    await isDurable;
    disk.held.clear();
    const next = new HandEngine();
    const again = await Conversation.open(host(memoryStorage(disk), next), first.runId);
    onTestFinished(() => again.close());
    expect(await said(whole, first.runId)).toEqual(['you: @legal @tech look', 'legal: Done, @ana have a look.']);
    const { members, usage } = await stateOf(again);
    expect(usage.cost).toBe(0.5);
    expect([...members.values()].map(({ queue }) => queue.length)).toEqual([1, 0, 1]);
    expect(next.calls).toEqual([]);
  });
});

test('SP-4 A stop that comes while an interrupted turn is being resumed ends it', async () => {
  const { conversation: first, engine: before, reopen } = await beginChat();
  await post(first, '@legal look');
  await before.begun();
  const { conversation, engine } = await reopen();
  const stops: Promise<void>[] = [];
  using _subscription = conversation.onDidChange(({ events: news }) => {
    if (news.some(({ type }) => type === 'graph:node-resumed')) stops.push(conversation.stop());
  });
  await conversation.resumeTurn('team/legal/1');
  await Promise.all(stops);
  expect(stops).toHaveLength(1);
  await until(conversation, isIdle);
  expect((await stateOf(conversation)).members.get('legal')?.left).toMatchObject([{ ended: 'cancelled' }]);
  expect(engine.calls.length).toBeLessThanOrEqual(1);
});
