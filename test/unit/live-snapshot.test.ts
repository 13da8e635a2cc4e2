// Snapshots of a live conversation are a cache: deleted, cut short or falsified they change nothing but time.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readLiveSnapshot, writeLiveSnapshot } from '../../src/core/team/live-snapshot.js';
import { parseTeamFile } from '../../src/core/team/team-file.js';
import { Conversation } from '../../src/runtime/conversation.js';
import { LiveRecord, type SnapshotStore } from '../../src/runtime/live-record.js';
import { systemClock } from '../../src/runtime/system-clock.js';
import type { LocalRunStorage } from '../../src/storage/port.js';
import { host, memoryStorage, post, ruleEngine, settled, team } from '../support/live-team.js';

/** A record with more than two snapshots' worth of events, and how many events were read of it. */
async function longRecord() {
  const storage = memoryStorage();
  const engine = ruleEngine(({ member }) => (member.id === 'b' ? '@c look' : 'seen'));
  const conversation = await Conversation.start(host(storage, engine), team(['ana', 'b', 'c']), []);
  for (let index = 0; index < 90; index += 1) {
    await post(conversation, `@b post ${index}`);
    await settled(conversation);
  }
  await conversation.close();
  let reads = 0;
  const counted: LocalRunStorage = {
    ...storage,
    eventStore: {
      ...storage.eventStore,
      async *read(stream, after) {
        for await (const event of storage.eventStore.read(stream, after)) {
          reads += 1;
          yield event;
        }
      },
    },
  };
  const open = (snapshots?: SnapshotStore) => {
    reads = 0;
    return new LiveRecord({
      storage: counted,
      runId: conversation.runId,
      clock: systemClock,
      dropState: false,
      onError: (error) => expect.unreachable(String(error)),
      readTeam: (text, id) => {
        const { lead, members, rooms } = parseTeamFile(text, id);
        return { id, lead, members: members.map((member) => member.id), rooms };
      },
      ...(snapshots === undefined ? {} : { snapshots }),
    }).refresh();
  };
  return { open, reads: () => reads };
}

function kept(text: string | null): SnapshotStore & { text: string | null } {
  const store = {
    text,
    read: () => Promise.resolve(store.text),
    write: (written: string) => {
      store.text = written;
      return Promise.resolve();
    },
  };
  return store;
}

describe('A snapshot', () => {
  test('makes an opening read the tail of the record only, and ends in the same state', async () => {
    const { open, reads } = await longRecord();
    const whole = await open();
    expect(reads()).toBe(whole.revision);
    const store = kept(null);
    await open(store);
    expect(store.text).not.toBeNull();
    expect(await open(store)).toEqual(whole);
    expect(reads()).toBeLessThanOrEqual(3);
  });

  test('that is missing, cut short, falsified, of another history or of another version changes nothing', async () => {
    const { open } = await longRecord();
    const other = await longRecord();
    const whole = await open();
    const store = kept(null);
    await open(store);
    const foreign = kept(null);
    await other.open(foreign);
    const good = store.text ?? '';
    const bad = [
      null,
      '',
      good.slice(0, -1),
      good.slice(0, good.length / 2),
      good.replace('"personPosts":90', '"personPosts":7'),
      good.replace(/"foldVersion":\d+/, '"foldVersion":0'),
      good.replace(/"eventId":"[^"]*"/, '"eventId":"of another event"'),
      'null',
      '[]',
      foreign.text,
    ];
    for (const text of bad) {
      expect(text).not.toBe(good);
      expect(await open(kept(text))).toEqual(whole);
    }
  });

  test('says the same state again, and refuses every single changed character', async () => {
    const { open } = await longRecord();
    const state = await open();
    const text = writeLiveSnapshot({ state, eventId: 'the last one' });
    expect(readLiveSnapshot(text)).toEqual({ state, eventId: 'the last one' });
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.constantFrom('x', '0', '"', '}'), (at, character) => {
        fc.pre(text[at] !== character);
        const changed = readLiveSnapshot(text.slice(0, at) + character + text.slice(at + 1));
        expect(changed).toBeNull();
      }),
    );
  });
});
