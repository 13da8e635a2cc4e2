// The cases of a team's chat on limits: hops, turns and cost of a chain, Continue, and who sets a limit.
import { describe, expect, onTestFinished, test } from 'vitest';
import { Conversation } from '../../src/runtime/conversation.js';
import { beginChat, CHAT_TEAM, isIdle, payloads, stateOf, tapped } from '../support/chat.js';
import { HandClock } from '../support/hand-clock.js';
import { HandEngine, host, memoryStorage, post, ruleEngine, said, settled, team, until } from '../support/live-team.js';

describe('A chain that reached its hop cap', () => {
  async function pingPong(hopCap?: number) {
    const storage = memoryStorage();
    const engine = ruleEngine(({ member }) => (member.id === 'legal' ? '@tech your turn' : '@legal your turn'));
    const file = team(CHAT_TEAM, hopCap === undefined ? {} : { limits: { hopCap } });
    const conversation = await Conversation.start(host(storage, engine), file, []);
    onTestFinished(() => conversation.close());
    await post(conversation, '@legal begin');
    await settled(conversation);
    return { storage, engine, conversation, runId: conversation.runId };
  }

  test('C08 goes on by Continue with at most as many hops again, and says so in the record', async () => {
    const { storage, engine, conversation, runId } = await pingPong();
    expect(engine.calls).toHaveLength(9);
    await conversation.continueChain('you/1/0', 'hopCap');
    await settled(conversation);
    expect(engine.calls).toHaveLength(17);
    expect(await payloads(storage, runId, 'conversation:continued')).toEqual([
      { chain: 'you/1/0', limit: 'hopCap', by: 'you' },
    ]);
    expect(await payloads(storage, runId, 'conversation:limited')).toMatchObject([
      { value: 8, count: 8, next: ['tech'] },
      { value: 16, count: 16, next: ['tech'], isRepeat: false },
    ]);
  });

  test('C08 CO-5 keeps what was said, and a second Continue that finds nothing waiting is refused', async () => {
    const { storage, conversation, runId } = await pingPong(1);
    expect(await said(storage, runId)).toEqual([
      'you: @legal begin',
      'legal: @tech your turn',
      'tech: @legal your turn',
      '* limited',
    ]);
    await conversation.stop();
    await expect(conversation.continueChain('you/1/0', 'hopCap')).rejects.toMatchObject({ code: 'CHAIN_NOT_LIMITED' });
  });

  test('MR-12 waits for Continue over a reload', async () => {
    const { reopen, conversation, engine } = await beginChat(team(CHAT_TEAM, { limits: { hopCap: 0 } }));
    await post(conversation, '@legal begin');
    (await engine.begun()).answer('@tech your turn');
    await settled(conversation);
    const again = await reopen();
    const { chains } = await stateOf(again.conversation);
    expect(chains.get('you/1/0')?.parked.map(({ memberId }) => memberId)).toEqual(['tech']);
  });

  test('C07 One notice tells of it, though several members were to answer side by side', async () => {
    const { storage, conversation, engine, runId } = await beginChat(
      team(['ana', 'b', 'c', 'd'], { limits: { hopCap: 0 } }),
    );
    await post(conversation, '@b @c');
    (await engine.begun()).answer('@d look at this');
    (await engine.begun()).answer('@ana look at that');
    await settled(conversation);
    expect((await said(storage, runId)).filter((line) => line.startsWith('*'))).toEqual(['* limited']);
    expect(await payloads(storage, runId, 'conversation:limited')).toMatchObject([
      { next: ['d'], isRepeat: false },
      { next: ['ana'], isRepeat: true },
    ]);
  });
});

describe('What a chain costs', () => {
  const spent = { reportedCost: 0.006, inputTokens: 100, outputTokens: 10 };

  test('C09 CO-5 stops it at the ceiling, and the notice has the ceiling and what was spent', async () => {
    const { storage, conversation, engine, runId } = await beginChat(
      team(CHAT_TEAM, { limits: { costCeiling: 0.01 } }),
    );
    await post(conversation, '@legal begin');
    (await engine.begun()).answer('@tech your turn', spent);
    (await engine.begun()).answer('@legal your turn', spent);
    await settled(conversation);
    expect(engine.calls).toEqual(['legal', 'tech']);
    expect(await payloads(storage, runId, 'conversation:limited')).toMatchObject([
      { limit: 'costCeiling', value: 0.01, count: 0.012, next: ['legal'] },
    ]);
    await conversation.continueChain('you/1/0', 'costCeiling');
    (await engine.begun()).answer('Done.', spent);
    await settled(conversation);
    expect((await stateOf(conversation)).usage).toMatchObject({ turns: 3, unknownCost: 0, inputTokens: 300 });
  });

  test('C10 CO-3 A ceiling of 0 allows no turn at all, not even the first', async () => {
    const { storage, conversation, engine, runId } = await beginChat(team(CHAT_TEAM, { limits: { costCeiling: 0 } }));
    await post(conversation, 'hello');
    await settled(conversation);
    expect(engine.calls).toEqual([]);
    expect(await said(storage, runId)).toEqual(['you: hello', '* limited']);
  });

  test('C11 CO-7 that nobody reports stays unknown, and the hop cap still holds', async () => {
    const storage = memoryStorage();
    const engine = ruleEngine(({ member }) => (member.id === 'legal' ? '@tech your turn' : '@legal your turn'));
    const conversation = await Conversation.start(
      host(storage, engine),
      team(CHAT_TEAM, { limits: { costCeiling: 1 } }),
      [],
    );
    onTestFinished(() => conversation.close());
    await post(conversation, '@legal begin');
    await settled(conversation);
    expect(engine.calls).toHaveLength(9);
    expect((await stateOf(conversation)).usage).toMatchObject({ turns: 9, unknownCost: 9, cost: 0 });
    expect(await payloads(storage, conversation.runId, 'conversation:limited')).toMatchObject([{ limit: 'hopCap' }]);
  });

  test('CO-1 is the sum over members, failed and stopped turns too', async () => {
    const { conversation, engine } = await beginChat();
    await post(conversation, '@legal @tech look');
    const first = await engine.begun();
    first.report({ kind: 'usage', usage: spent });
    first.fail('The model is asleep.');
    const second = await engine.begun();
    second.report({ kind: 'usage', usage: { reportedCost: 0.001 } });
    await conversation.stop();
    await until(conversation, isIdle);
    const { usage, members } = await stateOf(conversation);
    expect(usage).toMatchObject({ turns: 2, unknownCost: 0, cost: 0.007 });
    expect([...members.values()].map((member) => member.usage.cost)).toEqual([0, 0.006, 0.001]);
  });

  test('CO-2 is the larger of what was reported and what the price table says; both are kept and the difference is flagged', async () => {
    const { storage, conversation, engine, runId } = await beginChat(team(CHAT_TEAM), { price: () => 0.02 });
    await post(conversation, 'hello');
    (await engine.begun()).answer('Hi.', { ...spent, model: 'm' });
    await settled(conversation);
    expect((await stateOf(conversation)).usage).toMatchObject({ cost: 0.02, mismatches: 1 });
    expect(await payloads(storage, runId, 'usage:recorded')).toMatchObject([
      { usage: { reportedCost: 0.006, pricedCost: 0.02 } },
    ]);
  });

  test('is recorded in one append with the outcome', async () => {
    const whole = memoryStorage();
    const batches: string[][] = [];
    const watched = tapped(whole, ({ streamId }, batch) => {
      if (!streamId.includes('.m.')) batches.push(batch.map(({ type }) => type));
      return undefined;
    });
    const engine = new HandEngine();
    const conversation = await Conversation.start(host(watched, engine), team(CHAT_TEAM), []);
    onTestFinished(() => conversation.close());
    await post(conversation, 'hello');
    (await engine.begun()).answer('Hi.', spent);
    await settled(conversation);
    expect(batches.at(-1)).toEqual(['usage:recorded', 'graph:node-completed']);
  });
});

describe('Turns of one member in one chain', () => {
  test('are bounded; Continue grants as many again', async () => {
    const { storage, conversation, engine, runId } = await beginChat(
      team(CHAT_TEAM, { limits: { turnsPerMember: 1 } }),
    );
    await post(conversation, '@legal begin');
    (await engine.begun()).answer('@tech your turn');
    (await engine.begun()).answer('@legal back to you');
    await settled(conversation);
    expect(engine.calls).toEqual(['legal', 'tech']);
    expect(await payloads(storage, runId, 'conversation:limited')).toMatchObject([
      { limit: 'turnsPerMember', value: 1, count: 1, next: ['legal'] },
    ]);
    await conversation.continueChain('you/1/0', 'turnsPerMember');
    (await engine.begun()).answer('Done.');
    await settled(conversation);
    expect(engine.calls).toEqual(['legal', 'tech', 'legal']);
  });
});

describe('Limits', () => {
  test('C28 are recorded with the conversation: the lowest of machine, user and team file, and who set it', async () => {
    const settings = () => ({
      limits: { machine: { hopCap: 6 }, user: { hopCap: 8 } },
      acknowledgements: 'quiet' as const,
    });
    const { conversation } = await beginChat(team(CHAT_TEAM, { limits: { hopCap: 50 } }), { settings });
    const { limits, limitSources } = await stateOf(conversation);
    expect([limits.hopCap, limitSources.hopCap]).toEqual([6, 'machine']);
  });

  test('that a person changes are in force for the next turn, and recorded', async () => {
    let hopCap = 8;
    const settings = () => ({ limits: { user: { hopCap } }, acknowledgements: 'quiet' as const });
    const { storage, conversation, engine, runId } = await beginChat(team(CHAT_TEAM), { settings });
    hopCap = 0;
    await conversation.applySettings();
    await conversation.applySettings();
    await post(conversation, '@legal look');
    (await engine.begun()).answer('@tech go on');
    await settled(conversation);
    expect(engine.calls).toEqual(['legal']);
    expect(await payloads(storage, runId, 'limits:changed')).toHaveLength(1);
  });

  test('A turn that takes longer than allowed fails by name', async () => {
    const clock = new HandClock();
    const { storage, conversation, engine, runId } = await beginChat(
      team(CHAT_TEAM, { limits: { turnTimeoutMinutes: 2 } }),
      {
        clock,
      },
    );
    await post(conversation, 'hello');
    await engine.begun();
    clock.fire();
    await until(conversation, isIdle);
    expect(clock.elapsed()).toBe(120_000);
    expect(await payloads(storage, runId, 'turn:failed')).toMatchObject([
      { code: 'TIMEOUT', message: 'The turn took longer than 2 minutes and was ended.' },
    ]);
  });
});

describe('A turn that is tried again', () => {
  test('C22 counts against the caps of its chain once, however often it is tried', async () => {
    const { storage, conversation, engine, runId } = await beginChat(
      team(CHAT_TEAM, { limits: { hopCap: 2, turnsPerMember: 2 } }),
    );
    await post(conversation, '@legal begin');
    (await engine.begun()).answer('@tech your turn');
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      (await engine.begun()).fail('No.');
      await settled(conversation);
      await conversation.retryTurn(`team/tech/${attempt}`);
    }
    (await engine.begun()).answer('@legal your turn');
    (await engine.begun()).answer('@tech your turn');
    await settled(conversation);
    expect(engine.calls).toEqual(['legal', 'tech', 'tech', 'tech', 'tech', 'legal']);
    expect(await payloads(storage, runId, 'conversation:limited')).toMatchObject([{ limit: 'hopCap', count: 2 }]);
  });
});
