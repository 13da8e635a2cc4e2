// What a team comes back to after a restart, on the SQLite store: every restart is a storage of its own over the same
// folder, and a killed window is one that stops writing at the event which the case names.
// "Lead start" of the reference is here the person's Resume Team; opening a conversation settles and starts nothing.
import { describe, expect, onTestFinished, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/core/json.js';
import { Conversation } from '../../src/runtime/conversation.js';
import type { EventStore, LocalRunStorage } from '../../src/storage/port.js';
import { createLocalRunStorage } from '../../src/storage/sqlite/storage.js';
import { blocks, recordOf } from '../support/agent-team.js';
import { isIdle, payloads, stateOf, tapped } from '../support/chat.js';
import { event } from '../support/stored-event.js';
import { events, HandEngine, host, LIVE_POLICY, team, until } from '../support/live-team.js';
import { temporaryFolder } from './run-fixture.js';

const never = new AbortController().signal;
const open = (directory: string) => createLocalRunStorage({ directory, namespace: 'live', policy: LIVE_POLICY });

interface Window {
  readonly conversation: Conversation;
  readonly engine: HandEngine;
  readonly storage: LocalRunStorage;
  readonly errors: readonly unknown[];
}

/** A conversation in a folder, and windows that open it one after the other. */
async function begin(members: readonly string[] = ['ana', 'alpha']) {
  const directory = await temporaryFolder();
  const engine = new HandEngine();
  const first = open(directory);
  const conversation = await Conversation.start(host(first, engine), team(members), []);
  onTestFinished(() => conversation.close());
  const { runId } = conversation;
  const restart = async (storage: LocalRunStorage = open(directory)): Promise<Window> => {
    const next = new HandEngine();
    const window = host(storage, next);
    const again = await Conversation.open(window, runId);
    onTestFinished(() => again.close());
    return { conversation: again, engine: next, storage, errors: window.errors };
  };
  return { directory, storage: first, engine, conversation, runId, restart };
}

const MEMBER = {
  id: 'm-bob',
  name: 'bob',
  description: 'b',
  provider: 'hand',
  context: 'fresh',
  phase: 'provisioning',
};

/** As a window leaves it that dies while it spawns: the member is reserved, and its stream begins with `given`. */
async function reserved(given: JsonValue | null, ordinal = 2) {
  const begun = await begin(['ana']);
  await begun.conversation.close();
  await event(begun.storage, begun.runId, 'team/member', { version: 1, teamId: begun.runId, member: MEMBER });
  const stream = `${begun.runId}.m.${ordinal}`;
  if (given !== null) await event(begun.storage, stream, 'prompt:given', given);
  return { ...begun, stream };
}

async function rowOf({ conversation }: Pick<Window, 'conversation'>, name: string) {
  const rows = await conversation.service.listMembers(conversation.service.person);
  return rows.find((row) => row.name === name);
}

function send(
  { conversation }: Pick<Window, 'conversation'>,
  text: string,
  delivery: 'quiet' | 'wakeup',
  target = 'alpha',
) {
  const { service } = conversation;
  return service.sendMessage(service.person, { target, content: blocks(text), delivery });
}

async function received(storage: LocalRunStorage, runId: string): Promise<string[]> {
  const all = await events(storage, `${runId}.m.2`);
  return all.filter(({ type }) => type === 'mail:received').map(({ eventId }) => eventId);
}

/** A store that dies with the append that holds an event of `type`: before it, or right after it. */
function dying(whole: LocalRunStorage, type: string, when: 'before' | 'after'): LocalRunStorage {
  let isDead = false;
  const append: EventStore['append'] = async (stream, revision, batch) => {
    const isHit = !isDead && batch.some((one) => one.type === type);
    if (isHit && when === 'after') await whole.eventStore.append(stream, revision, batch);
    isDead ||= isHit;
    if (isDead) throw new Error('killed');
    return whole.eventStore.append(stream, revision, batch);
  };
  return { ...whole, eventStore: { ...whole.eventStore, append } };
}

describe('A spawning that was cut off', () => {
  test('P01 P03 after the prompt was durable: the member is active, and begins with it when the team is resumed', async () => {
    const { restart, runId } = await reserved({ member: MEMBER, prompt: 'Build.', posts: [] });
    const again = await restart();
    expect(await rowOf(again, 'bob')).toMatchObject({ status: 'idle', diagnostics: [] });
    expect(again.engine.calls).toEqual([]);
    await again.conversation.resumeTeam();
    const first = await again.engine.begun();
    expect(first.input).toMatchObject({ member: { id: 'bob' }, prompt: 'Build.' });
    expect((await send(again, 'And this.', 'wakeup', 'bob')).status).toBe('accepted');
    first.answer('Built.');
    const turns = [await again.engine.begun(), await again.engine.begun()];
    const second = turns.find(({ member }) => member === 'bob');
    expect(second?.input.mail.map(({ text }) => text.split('\n')[1])).toEqual(['And this.']);
    for (const turn of turns) turn.answer('');
    await until(again.conversation, isIdle);
    // What is left is the notice that the lead has ended its turn, which wakes nobody.
    const left = [...(await stateOf(again.conversation)).board.pending.values()];
    expect(left.map(({ senderName, delivery }) => [senderName, delivery])).toEqual([['lead', 'quiet']]);
    expect(await payloads(again.storage, runId, 'team/member')).toHaveLength(2);
  });

  test('P02 before it was: the member has failed, and says so', async () => {
    const { restart } = await reserved(null);
    expect(await rowOf(await restart(), 'bob')).toMatchObject({
      status: 'failed',
      diagnostics: [expect.stringMatching(/^child Session recovery failed:/)],
    });
  });

  test.each([
    ['another member', { member: { ...MEMBER, id: 'other' }, prompt: 'Other.', posts: [] }],
    ['another engine', { member: { ...MEMBER, provider: 'other' }, prompt: 'Build.', posts: [] }],
  ])('P10 with the prompt of %s in its stream: the member has failed', async (_name, given) => {
    const { restart } = await reserved(given);
    const { diagnostics = [] } = (await rowOf(await restart(), 'bob')) ?? {};
    expect(diagnostics).toEqual([expect.stringMatching(/does not match the provisioned continuation/)]);
  });

  test('P10 with mail and no prompt in its stream: the member has failed', async () => {
    const { restart, storage, stream, runId } = await reserved(null);
    const message: JsonObject = {
      ...{ id: 'message-1', senderId: runId, senderName: 'lead', targetId: 'm-bob' },
      ...{ delivery: 'quiet', content: blocks('hello') },
    };
    await event(storage, stream, 'mail:received', { message });
    const { diagnostics = [] } = (await rowOf(await restart(), 'bob')) ?? {};
    expect(diagnostics).toEqual([expect.stringMatching(/does not match the provisioned continuation/)]);
  });

  test('P09 is none while the window that spawns is alive', async () => {
    const held = Promise.withResolvers<undefined>();
    const gate = Promise.withResolvers<undefined>();
    const { directory, conversation, restart } = await begin(['ana']);
    await conversation.close();
    const spawner = await restart(
      tapped(open(directory), (_stream, batch) => {
        if (batch[0]?.type !== 'prompt:given') return undefined;
        held.resolve(undefined);
        return gate.promise as Promise<never>;
      }),
    );
    await spawner.conversation.resumeTeam();
    const { service } = spawner.conversation;
    const request = { name: 'bob', description: 'b', prompt: 'p', context: 'fresh', provider: 'hand' } as const;
    const spawning = service.spawnTeammate(service.person, { ...request, signal: never });
    await held.promise;
    const follower = await restart();
    expect(await rowOf(follower, 'bob')).toMatchObject({ status: 'provisioning' });
    gate.resolve(undefined);
    expect(await spawning).toMatchObject({ name: 'bob' });
    expect((await rowOf(follower, 'bob'))?.status).not.toBe('failed');
    (await spawner.engine.begun()).answer('');
    (await spawner.engine.begun()).answer('');
    await until(spawner.conversation, isIdle);
  });

  test('P11 that somebody settles while its stream cannot be read stays as they settled it', async () => {
    const { restart, directory, runId, storage } = await reserved(null);
    const whole = open(directory);
    const read: EventStore['read'] = async function* (stream, after) {
      if (stream.streamId.includes('.m.')) {
        const settled = { ...MEMBER, phase: 'active' };
        await event(storage, runId, 'team/member', { version: 1, teamId: runId, member: settled });
        throw new Error('cannot be read');
      }
      yield* whole.eventStore.read(stream, after);
    };
    const again = await restart({ ...whole, eventStore: { ...whole.eventStore, read } });
    expect(await rowOf(again, 'bob')).toMatchObject({ status: 'idle', diagnostics: [] });
    expect(await payloads(storage, runId, 'team/member')).toHaveLength(2);
  });
});

describe('Mail over a restart', () => {
  test('P05 P06 quiet mail stays where it is and wakes nobody; the next message that wakes brings both', async () => {
    const begun = await begin();
    await begun.conversation.resumeTeam();
    const quiet = await send(begun, 'quiet', 'quiet');
    expect(quiet.status).toBe('queued');
    await begun.conversation.close();
    const again = await begun.restart();
    await again.conversation.resumeTeam();
    expect([...(await stateOf(again.conversation)).board.pending.keys()]).toEqual([quiet.messageId]);
    expect(again.engine.calls).toEqual([]);
    const wakeup = await send(again, 'wake up', 'wakeup');
    expect(wakeup.status).toBe('accepted');
    const turn = await again.engine.begun();
    expect(turn.input.mail.map(({ id }) => id)).toEqual([quiet.messageId, wakeup.messageId]);
    turn.answer('');
    await until(again.conversation, isIdle);
    expect((await stateOf(again.conversation)).board.pending.size).toBe(0);
    expect(await received(again.storage, begun.runId)).toEqual([quiet.messageId, wakeup.messageId]);
  });

  test.each([
    ['before its target had it', 'mail:received', 'before', 'queued'],
    ['P07 after its target had it and before it was acknowledged', 'mail:received', 'after', 'queued'],
    ['right after it was acknowledged', 'team/message/delivered', 'after', 'accepted'],
  ] as const)('a message whose window was killed %s is there once, and is given once', async (...kill) => {
    const [, type, when, expected] = kill;
    const { directory, conversation, runId, restart } = await begin();
    await conversation.close();
    const dead = await restart(dying(open(directory), type, when));
    await dead.conversation.resumeTeam();
    const { messageId, status } = await send(dead, 'hello', 'wakeup');
    expect(status).toBe(expected);
    await dead.conversation.close();

    const again = await restart();
    // Opening wakes nobody.
    expect(again.engine.calls).toEqual([]);
    await again.conversation.resumeTeam();
    // The reference tells a message in the history from one in the inbox; here a receipt is not yet a turn, so that the
    // target is woken once, for what it has not been given.
    const turn = await again.engine.begun();
    expect(turn.input.mail.map(({ id }) => id)).toEqual([messageId]);
    turn.answer('');
    await until(again.conversation, isIdle);
    expect(again.engine.calls).toEqual(['alpha']);
    expect(await received(again.storage, runId)).toEqual([messageId]);
    expect(await payloads(again.storage, runId, 'team/message/delivered')).toHaveLength(1);
  });

  test('the answer of a woken turn whose window was killed before its outcome goes to whoever woke it', async () => {
    const { directory, conversation, runId, restart } = await begin(['ana', 'alpha', 'beta']);
    await conversation.close();
    const dead = await restart(dying(open(directory), 'graph:node-completed', 'before'));
    await dead.conversation.resumeTeam();
    const { service } = dead.conversation;
    const beta = service.handle(await stateOf(dead.conversation), 'beta');
    await service.sendMessage(beta, { target: 'alpha', content: blocks('Look.'), delivery: 'wakeup' });
    const turn = await dead.engine.begun();
    turn.answer('It holds.');
    await expect
      .poll(async () => (await events(open(directory), `${runId}.m.2`)).at(-1)?.payload)
      .toMatchObject({
        step: { kind: 'final', text: 'It holds.' },
      });
    await dead.conversation.close();
    const again = await restart();
    const mail = [...(await stateOf(again.conversation)).board.pending.values()];
    expect(mail).toMatchObject([
      { targetId: beta.id, delivery: 'quiet', content: [{ text: 'alpha finished: It holds.' }] },
    ]);
    expect(again.engine.calls).toEqual([]);
  });
});

test('The team of a conversation that was opened again is that of its record, from the first event on', async () => {
  const begun = await begin();
  const { service } = begun.conversation;
  await service.createTask(service.person, { subject: 's', description: 'd' });
  await service.updateTask(service.person, { taskId: 'task-1', expectedRevision: 1, action: 'claim' });
  const result = { done: [1, 2] };
  await service.updateTask(service.person, { taskId: 'task-1', expectedRevision: 2, action: 'complete', result });
  await begun.conversation.close();
  const again = await begun.restart();
  const history = await again.conversation.service.taskHistory(again.conversation.service.person, 'task-1');
  expect(history.map(({ revision, status, result: given }) => [revision, status, given])).toEqual([
    [1, 'pending', undefined],
    [2, 'in_progress', undefined],
    [3, 'completed', result],
  ]);
  const whole = await recordOf(open(begun.directory), begun.runId).refresh();
  expect((await stateOf(again.conversation)).board).toEqual(whole.board);
});
