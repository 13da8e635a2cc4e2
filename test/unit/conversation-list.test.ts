// The list of conversations: what stands in it, in which order, and what is read for it.
import { describe, expect, test } from 'vitest';
import { Conversation } from '../../src/runtime/conversation.js';
import { ConversationList } from '../../src/runtime/conversation-list.js';
import { MemoryDisk } from '../../src/storage/memory/disk.js';
import type { DomainEventEnvelope, EventStore, LocalRunStorage } from '../../src/storage/port.js';
import { HandClock } from '../support/hand-clock.js';
import { HandEngine, host, memoryStorage, post, ruleEngine, settled, team } from '../support/live-team.js';

/** Its wall clock, too, moves when the test says so. */
class WallClock extends HandClock {
  #wall = Date.now() - 3_600_000;

  override now(): number {
    return this.#wall;
  }

  advance(milliseconds: number): void {
    this.#wall += milliseconds;
  }
}

const ALL = { query: '', archived: false, limit: 100 };

/** A storage whose conversations are begun, talked in and listed at moments that the test chooses. */
function place() {
  const disk = new MemoryDisk();
  const clock = new WallClock();
  const reads: string[] = [];
  // Another binding than that of the conversations, whose own readings do not count.
  const storage = counting(memoryStorage(disk), reads);
  const engine = ruleEngine(() => 'Noted.');
  const begin = async (...posts: readonly string[]): Promise<Conversation> => {
    const conversation = await Conversation.start(
      { ...host(memoryStorage(disk), engine), clock },
      team(['ana', 'legal']),
      [],
    );
    for (const text of posts) await post(conversation, text);
    await settled(conversation);
    return conversation;
  };
  /** Makes the disk say that a conversation was changed just now, by the test's clock. */
  const touch = ({ runId }: Conversation): void => {
    const stored = disk.find(storage.record.namespace, runId);
    if (stored !== undefined) stored.changedAt = clock.now();
  };
  return { clock, storage, reads, begin, touch, list: new ConversationList(storage) };
}

/** Notes the stream of each reading. */
function counting(storage: LocalRunStorage, reads: string[]): LocalRunStorage {
  const read: EventStore['read'] = (stream, after): AsyncIterable<DomainEventEnvelope> => {
    reads.push(stream.streamId);
    return storage.eventStore.read(stream, after);
  };
  return { ...storage, eventStore: { ...storage.eventStore, read } };
}

const titles = (items: readonly { readonly title: string | null }[]) => items.map(({ title }) => title);

describe('The list of conversations', () => {
  test('C17 a post in the older of two conversations moves it to the top', async () => {
    const { clock, begin, list } = place();
    const first = await begin('About the first.');
    clock.advance(60_000);
    await begin('About the second.');
    expect(titles((await list.list(ALL)).items)).toEqual(['About the second.', 'About the first.']);
    clock.advance(60_000);
    await post(first, 'And another thing.');
    await settled(first);
    const { items } = await list.list(ALL);
    expect(titles(items)).toEqual(['About the first.', 'About the second.']);
    expect(items[0]).toMatchObject({
      preview: 'About the first.',
      teamName: 'Field',
      activeAt: new Date(clock.now()).toISOString(),
      problem: null,
    });
  });

  test('names what a person called a conversation, and its first post beside it', async () => {
    const { begin, list } = place();
    const conversation = await begin('About the first.');
    await conversation.rename('  Release notes ');
    expect((await list.list(ALL)).items).toMatchObject([{ title: 'Release notes', preview: 'About the first.' }]);
    await conversation.rename('');
    expect((await list.list(ALL)).items).toMatchObject([{ title: 'About the first.' }]);
    await begin();
    expect(titles((await list.list(ALL)).items)).toContain(null);
  });

  test('finds all words of a search in name, first post and team, whatever their case and width', async () => {
    const { begin, list } = place();
    const long = await begin(`Please look at the invoice. ${'x'.repeat(500)} Überweisung`);
    await long.rename('March');
    await begin('Something else.');
    const search = async (query: string) => titles((await list.list({ ...ALL, query })).items);
    expect(await search('INVOICE march')).toEqual(['March']);
    expect(await search('ÜBERWEISUNG')).toEqual(['March']);
    expect(await search('ｉｎｖｏｉｃｅ')).toEqual(['March']);
    expect(await search('field')).toHaveLength(2);
    expect(await search('invoice else')).toEqual([]);
  });

  test('keeps archived conversations apart', async () => {
    const { begin, list } = place();
    const conversation = await begin('Old.');
    await begin('New.');
    await conversation.setArchived(true);
    expect(titles((await list.list(ALL)).items)).toEqual(['New.']);
    expect((await list.list({ ...ALL, archived: true })).items).toMatchObject([{ title: 'Old.', isArchived: true }]);
  });

  test('says that there are more, and reads no conversation that is older than those asked for', async () => {
    const { clock, storage, reads, begin, touch } = place();
    for (let number = 0; number < 12; number += 1) {
      touch(await begin(`Post ${number}.`));
      clock.advance(60_000);
    }
    reads.length = 0;
    const list = new ConversationList(storage);
    const { items, hasMore } = await list.list({ ...ALL, limit: 3 });
    expect(titles(items)).toEqual(['Post 11.', 'Post 10.', 'Post 9.']);
    expect(hasMore).toBe(true);
    expect(new Set(reads).size).toBe(4);
    expect((await list.list({ ...ALL, limit: 12 })).hasMore).toBe(false);
    expect(new Set(reads).size).toBe(12);
  });

  test('reads a conversation again only after it has changed', async () => {
    const { clock, reads, begin, touch, list } = place();
    const first = await begin('One.');
    touch(first);
    touch(await begin('Two.'));
    await list.list(ALL);
    reads.length = 0;
    expect((await list.list(ALL)).items).toHaveLength(2);
    expect(reads).toEqual([]);
    clock.advance(60_000);
    await first.rename('First');
    touch(first);
    reads.length = 0;
    expect(titles((await list.list(ALL)).items)).toContain('First');
    expect(new Set(reads)).toEqual(new Set([first.runId]));
  });

  test('shows the conversation that is open by its state, without reading it', async () => {
    const { reads, begin, list } = place();
    const conversation = await begin('One.');
    await list.list(ALL);
    const { state } = await conversation.status();
    reads.length = 0;
    const open = { ...state, name: 'Just renamed' };
    expect(titles((await list.list({ ...ALL, open })).items)).toEqual(['Just renamed']);
    expect(reads).toEqual([]);
  });

  test('a run that is no conversation is not among them', async () => {
    const { storage, begin, list } = place();
    await begin('One.');
    const other = { eventId: 'a', type: 'graph:run-started', version: 1, timestamp: new Date(0).toISOString() };
    const event = { ...other, correlationId: 'bounded', causationId: null, payload: {} };
    await storage.eventStore.append({ namespace: storage.record.namespace, streamId: 'bounded' }, 0, [event]);
    expect((await list.list(ALL)).items).toHaveLength(1);
  });

  test('one that this build cannot read is listed with the reason, where it is known also with its first post', async () => {
    const { storage, begin, list } = place();
    const conversation = await begin('Read me.');
    const { state } = await conversation.status();
    await conversation.close();
    const stream = { namespace: storage.record.namespace, streamId: conversation.runId };
    const timestamp = new Date().toISOString();
    const event = { eventId: 'x', type: 'conversation:sung', version: 1, timestamp, payload: {} };
    await storage.eventStore.append(stream, state.revision, [
      { ...event, correlationId: conversation.runId, causationId: null },
    ]);
    const { items } = await list.list(ALL);
    expect(items).toMatchObject([{ runId: conversation.runId, title: 'Read me.', waits: 0, isRunning: false }]);
    expect(items[0]?.problem).toContain('update the extension');
  });
});

describe('What waits in a listed conversation', () => {
  async function begun(limits: Record<string, number> = {}) {
    const engine = new HandEngine();
    const storage = memoryStorage();
    const conversation = await Conversation.start(
      host(storage, engine),
      team(['ana', 'legal', 'tech'], { limits }),
      [],
    );
    const look = async () => (await new ConversationList(storage).list(ALL)).items[0];
    return { engine, conversation, look };
  }

  test('C15 a turn that runs does not wait; once its window is gone it does, and all that is queued is one thing more', async () => {
    const { engine, conversation, look } = await begun();
    await post(conversation, '@legal @tech look');
    await post(conversation, '@ana you too');
    await engine.begun();
    expect(await look()).toMatchObject({ waits: 0, isRunning: true });
    await conversation.close();
    expect(await look()).toMatchObject({ waits: 2, isRunning: false });
  });

  test('C22 a failed turn waits, until it is left', async () => {
    const { engine, conversation, look } = await begun();
    await post(conversation, '@legal look');
    (await engine.begun()).fail('No.');
    await settled(conversation);
    expect(await look()).toMatchObject({ waits: 1, isRunning: false });
    await conversation.skipTurn('team/legal/1');
    expect(await look()).toMatchObject({ waits: 0 });
    await conversation.close();
  });

  test('C10 a chain that stopped at a limit waits', async () => {
    const { conversation, look } = await begun({ turnsPerMember: 0 });
    await post(conversation, '@legal look');
    await settled(conversation);
    expect(await look()).toMatchObject({ waits: 1 });
    await conversation.close();
  });
});
