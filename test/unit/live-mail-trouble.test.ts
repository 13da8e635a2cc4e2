// Mail, tasks and prompts when something goes wrong in between: nothing is lost, nothing escapes a cap or a Stop.
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Conversation } from '../../src/runtime/conversation.js';
import { StorageError } from '../../src/storage/error.js';
import { memberStreamId } from '../../src/storage/streams.js';
import { beginChat, isIdle, payloads, stateOf, tapped } from '../support/chat.js';
import {
  events,
  HandEngine,
  host,
  memoryStorage,
  post,
  settled,
  team,
  until,
  type BegunTurn,
} from '../support/live-team.js';

async function call(of: BegunTurn, name: string, input: Record<string, string | number>) {
  const { text, isError } = await of.tools.call(name, input);
  return isError ? text : (JSON.parse(text) as Record<string, unknown>);
}

const words = (begun: BegunTurn): string[] => begun.input.mail.map(({ text }) => text.split('\n').at(-1) ?? '');

describe('Mail that a turn was given', () => {
  test.each(['fail', 'interrupt', 'stop', 'skip'] as const)(
    'M20 and that did not answer (%s) is given to the next one',
    async (end) => {
      const { conversation, engine, reopen } = await beginChat(team(['ana', 'tech']));
      await post(conversation, '@ana go');
      const sender = await engine.begun();
      await call(sender, 'followup_task', { target: 'tech', message: 'Look at this.' });
      sender.answer('Sent.');
      const first = await engine.begun();
      expect(words(first)).toEqual(['Look at this.']);
      const { position } = first.input;
      await until(conversation, ({ members }) => members.get('ana')?.open === null);
      if (end === 'fail') {
        first.fail('No.');
        await until(conversation, ({ members }) => members.get('tech')?.left.length === 1);
        (await engine.begun()).answer('Heard.');
        await until(conversation, isIdle);
        await conversation.retryTurn(position);
        const again = await engine.begun();
        // And what the lead, which was told of the failure, made of it.
        expect(words(again)).toEqual(['Look at this.', 'lead finished: Heard.']);
        again.answer('Done.');
      } else if (end === 'skip') {
        const later = await reopen();
        await later.conversation.skipTurn(position);
        await post(later.conversation, '@tech and?');
        const again = await later.engine.begun();
        expect(words(again)).toEqual(['Look at this.']);
        again.answer('Done.');
        await settled(later.conversation);
      } else {
        await (end === 'stop' ? conversation.stop() : conversation.interruptTurn(position));
        await until(conversation, ({ members }) => members.get('tech')?.left.length === 1);
        await conversation.retryTurn(position);
        const again = await engine.begun();
        expect(words(again)).toEqual(['Look at this.']);
        again.answer('Done.');
      }
    },
  );
});

describe('A member that fails each time the lead wakes it', () => {
  test('CO-4 stays in its chain, so that the hop cap ends the circle', async () => {
    const { conversation, engine, storage, runId } = await beginChat(team(['ana', 'tech'], { limits: { hopCap: 4 } }));
    await post(conversation, 'go');
    for (let round = 0; round < 12; round += 1) {
      const next = await Promise.race([
        engine.begun(),
        until(conversation, ({ chains }) => [...chains.values()].some(({ parked }) => parked.length > 0)),
      ]);
      if (next === undefined) break;
      if (next.member === 'tech') next.fail('No.');
      else {
        await call(next, 'followup_task', { target: 'tech', message: 'Again.' });
        next.answer('Waiting.');
      }
    }
    expect(await payloads(storage, runId, 'conversation:limited')).toMatchObject([
      { chain: 'you/1/0', limit: 'hopCap' },
    ]);
    expect(engine.calls.length).toBeLessThanOrEqual(5);
  });
});

describe('A turn that a Stop ends', () => {
  test('WX-3 SP-11 wakes nobody by what it still completes or makes', async () => {
    const { conversation, engine, window } = await beginChat(team(['ana', 'tech']));
    await post(conversation, '@ana plan');
    const lead = await engine.begun();
    await call(lead, 'team_task_create', { subject: 'one', description: 'one' });
    await lead.tools.call('team_task_create', { subject: 'two', description: 'two', blocked_by: ['task-1'] });
    lead.answer('Planned.');
    await settled(conversation);
    await post(conversation, '@tech do it');
    const tech = await engine.begun();
    await call(tech, 'team_task_update', { task_id: 'task-1', expected_revision: 1, action: 'claim' });
    // The stop is on its way into the record when the call is made.
    const stopping = conversation.stop();
    const update = { task_id: 'task-1', expected_revision: 2, action: 'complete' };
    await tech.tools.call('team_task_update', update).catch(() => undefined);
    await stopping;
    await until(conversation, isIdle);
    expect(engine.calls).toEqual(['ana', 'tech']);
    expect(window.errors).toEqual([]);
  });

  test('SP-11 makes no member that would run after it', async () => {
    const { conversation, engine } = await beginChat(team(['ana', 'tech']));
    await post(conversation, '@ana spawn');
    const lead = await engine.begun();
    const stopping: Promise<void>[] = [];
    using _subscription = conversation.onDidChange(({ events: news }) => {
      if (news.some(({ type }) => type === 'team/member') && stopping.length === 0) stopping.push(conversation.stop());
    });
    await lead.tools.call('spawn_teammate', { name: 'late', description: 'x', prompt: 'x' }).catch(() => undefined);
    await Promise.all(stopping);
    await until(
      conversation,
      ({ members, spawning }) =>
        spawning.size === 0 && [...members.values()].every(({ open, queue }) => open === null && queue.length === 0),
    );
    const { board } = await stateOf(conversation);
    expect([...board.members.values()].find(({ name }) => name === 'late')?.phase).toBe('failed');
    expect(engine.calls).toEqual(['ana']);
  });
});

describe('An answer that was durable before its window died', () => {
  test('ML-8 reaches whoever woke its turn by mail', async () => {
    const { disk, storage } = await beginChat(team(['ana', 'tech']));
    const engine = new HandEngine();
    let isDying = false;
    const dying = tapped(storage, (_stream, batch) =>
      isDying && batch.some(({ type }) => type === 'graph:node-completed')
        ? Promise.withResolvers<never>().promise
        : undefined,
    );
    const first = await Conversation.start(host(dying, engine), team(['ana', 'tech']), []);
    await post(first, '@ana go');
    const lead = await engine.begun();
    await call(lead, 'followup_task', { target: 'tech', message: 'Look.' });
    lead.answer('Asked.');
    const tech = await engine.begun();
    await until(first, ({ members }) => members.get('ana')?.open === null);
    isDying = true;
    tech.answer('Found it.');
    const stream = memberStreamId(first.runId, 2);
    while (!(await events(storage, stream)).some(({ payload }) => JSON.stringify(payload).includes('"final"'))) {
      await turn();
    }
    disk.held.clear();
    const next = new HandEngine();
    const second = await Conversation.open(host(memoryStorage(disk), next), first.runId);
    await second.resumeTeam();
    const heard = await next.begun();
    expect(heard.member).toBe('ana');
    expect(words(heard)).toEqual(['tech finished: Found it.']);
    await second.close();
  });
});

describe('A message that the store will never take into its target’s stream', () => {
  test('ML-8 is held for a person, and keeps nothing else from running', async () => {
    const { storage } = await beginChat(team(['ana', 'tech']));
    const engine = new HandEngine();
    const picky = tapped(storage, (_stream, batch) =>
      batch.some(({ type, payload }) => type === 'mail:received' && JSON.stringify(payload).includes('hunter2'))
        ? Promise.reject(new StorageError('KNOWN_SECRET', 'It contains a secret.'))
        : undefined,
    );
    const window = host(picky, engine);
    const conversation = await Conversation.start(window, team(['ana', 'tech']), []);
    onTestFinished(() => conversation.close());
    await post(conversation, '@ana go');
    const lead = await engine.begun();
    expect(await call(lead, 'followup_task', { target: 'tech', message: 'hunter2' })).toMatchObject({
      status: 'queued',
    });
    expect(await call(lead, 'followup_task', { target: 'tech', message: 'harmless' })).toMatchObject({
      status: 'accepted',
    });
    lead.answer('Sent.');
    const woken = await engine.begun();
    expect(words(woken)).toEqual(['harmless']);
    woken.answer('ok, I will look');
    expect((await stateOf(conversation)).heldMail.size).toBe(1);
    expect(window.errors).toMatchObject([{ code: 'KNOWN_SECRET' }]);
  });
});

describe('A window that closes', () => {
  test('MR-12 while it starts a turn runs nothing of it', async () => {
    const { storage } = await beginChat(team(['ana']));
    const engine = new HandEngine();
    const gate = Promise.withResolvers<undefined>();
    const reached = Promise.withResolvers<undefined>();
    const slow = {
      ...storage,
      eventStore: {
        ...storage.eventStore,
        append: async (...args: Parameters<typeof storage.eventStore.append>) => {
          if (args[2].some(({ type }) => type === 'graph:node-dispatched')) {
            reached.resolve(undefined);
            await gate.promise;
          }
          return storage.eventStore.append(...args);
        },
      },
    };
    const conversation = await Conversation.start(host(slow, engine), team(['ana']), []);
    await post(conversation, 'go');
    await reached.promise;
    const closing = conversation.close();
    // Everything that closing does at once is done when the start is saved at last.
    await turn();
    gate.resolve(undefined);
    await closing;
    await turn();
    expect(engine.calls).toEqual([]);
  });
});
