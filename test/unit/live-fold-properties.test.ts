// The fold of a live conversation, whatever was said in it and however, where and when it is read.
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { JsonValue } from '../../src/core/json.js';
import { parseRecordEvent } from '../../src/core/record/catalogue.js';
import { RecordError } from '../../src/core/record/error.js';
import { foldLive, startLive } from '../../src/core/team/live-fold.js';
import { readLiveSnapshot, writeLiveSnapshot } from '../../src/core/team/live-snapshot.js';
import type { LiveState } from '../../src/core/team/live-state.js';
import { Conversation } from '../../src/runtime/conversation.js';
import { systemClock } from '../../src/runtime/system-clock.js';
import { readLiveTeam } from '../../src/core/team/live-team.js';
import { MemoryDisk } from '../../src/storage/memory/disk.js';
import type { DomainEventEnvelope, LocalRunStorage } from '../../src/storage/port.js';
import { events, host, memoryStorage, post, ruleEngine, settled, team, until } from '../support/live-team.js';

const MEMBERS = ['ana', 'b', 'c'];
const mention = fc.constantFrom('', '@ana', '@b', '@c', '@all', '@b @c', '@nobody', 'fail');
const talk = fc.record({
  posts: fc.array(mention, { minLength: 1, maxLength: 4 }),
  replies: fc.array(mention, { minLength: 1, maxLength: 8 }),
  hopCap: fc.integer({ min: 0, max: 4 }),
});
type Talk = typeof talk extends fc.Arbitrary<infer Value> ? Value : never;

/** The record of a conversation in which this was said. */
async function recordOf(spoken: Talk): Promise<DomainEventEnvelope[]> {
  const { storage, runId } = await recordedTalk(spoken);
  return events(storage, runId);
}

async function recordedTalk({ posts, replies, hopCap }: Talk) {
  const storage = memoryStorage();
  let turn = 0;
  const engine = ruleEngine(() => {
    const reply = replies[turn++ % replies.length] ?? '';
    if (reply === 'fail') throw new Error('No.');
    return `${reply} reply`;
  });
  const conversation = await Conversation.start(host(storage, engine), team(MEMBERS, { limits: { hopCap } }), []);
  for (const text of posts) await post(conversation, `${text} post`);
  await settled(conversation);
  await conversation.close();
  return { storage, runId: conversation.runId };
}

/** The state after `envelopes`; `from` is a state that was kept earlier. */
function foldOf(
  envelopes: readonly DomainEventEnvelope[],
  from: LiveState | null = null,
  runId = 'run',
): LiveState | null {
  return envelopes.reduce<LiveState | null>((state, envelope) => {
    const event = parseRecordEvent(envelope);
    if (state !== null) return foldLive(state, event);
    if (event.type !== 'conversation:started') throw new RecordError('INVALID_EVENT', 1, 'No start.');
    return startLive(event, runId, readLiveTeam(event.payload.team, event.payload.teamId));
  }, from);
}

/** `whole`, or the code with which the record is refused. */
function verdict(envelopes: readonly DomainEventEnvelope[]): string {
  try {
    foldOf(envelopes);
    return 'whole';
  } catch (error) {
    if (error instanceof RecordError) return error.code;
    throw error;
  }
}

/** What came after the start, in any order, with gaps and repeats, numbered anew. */
const numbered = ([start, ...rest]: readonly DomainEventEnvelope[]) =>
  (start === undefined ? [] : [start, ...rest]).map((event, index) => ({ ...event, revision: index + 1 }));

describe('the fold of a live conversation', () => {
  test('is the same however the reading was split, with a snapshot at each cut', async () => {
    await fc.assert(
      fc.asyncProperty(talk, fc.array(fc.nat(80), { maxLength: 4 }), async (said, cuts) => {
        const record = await recordOf(said);
        let state: LiveState | null = null;
        let at = 0;
        for (const cut of [...cuts, record.length].sort((a, b) => a - b)) {
          state = foldOf(record.slice(at, cut), state);
          at = Math.max(at, Math.min(cut, record.length));
          if (state === null) continue;
          state = readLiveSnapshot(writeLiveSnapshot({ state, eventId: 'kept' }))?.state ?? null;
        }
        expect(state).toEqual(foldOf(record));
      }),
      { numRuns: 40 },
    );
  });

  test('of events in any order, some lost, some twice, is a fold or an error of its own', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(talk, fc.array(fc.nat(), { maxLength: 40 }), async (said, picks) => {
        const record = await recordOf(said);
        const [start] = record;
        const picked = picks.flatMap((pick) => record[1 + (pick % (record.length - 1))] ?? []);
        const events = numbered([...(start === undefined ? [] : [start]), ...picked]);
        seen.add(verdict(events));
        for (let length = 1; length < record.length; length += 1) {
          // One event moved to the end: what it was is missing where it stood.
          const moved = [...record.slice(0, length), ...record.slice(length + 1), ...record.slice(length, length + 1)];
          seen.add(verdict(numbered(moved)));
        }
      }),
      { numRuns: 40 },
    );
    expect([...seen].sort()).toEqual(['INVALID_EVENT', 'whole']);
  });

  test('of events with one field changed is a fold or an error of its own', async () => {
    const value = fc.constantFrom<JsonValue>(null, '', 0, 7, 'team/b/1', 'b', 'room', {}, [], ['c'], ['nobody']);
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(talk, fc.nat(), value, async (said, field, changed) => {
        const record = await recordOf(said);
        for (const [index, event] of record.entries()) {
          const fields = Object.entries(event.payload ?? {});
          const place = fields.length === 0 ? 0 : field % fields.length;
          const payload = Object.fromEntries(fields.map(([key, old], i) => [key, i === place ? changed : old]));
          if (index > 0) seen.add(verdict(record.map((old) => (old === event ? { ...event, payload } : old))));
        }
      }),
      { numRuns: 40 },
    );
    expect([...seen].sort()).toEqual(['INVALID_EVENT', 'whole']);
  });

  describe('asks nothing but the record', () => {
    const zone = process.env['TZ'];
    afterEach(() => {
      vi.restoreAllMocks();
      if (zone === undefined) delete process.env['TZ'];
      else process.env['TZ'] = zone;
    });

    test('under any clock, chance and time zone it is the same, and asks for none of them', async () => {
      const zones = fc.constantFrom('UTC', 'Asia/Kolkata', 'America/St_Johns');
      await fc.assert(
        fc.asyncProperty(talk, fc.nat(), zones, async (said, now, tz) => {
          const record = await recordOf(said);
          const before = foldOf(record);
          process.env['TZ'] = tz;
          const spies = [
            vi.spyOn(Date, 'now').mockReturnValue(now),
            vi.spyOn(performance, 'now').mockReturnValue(now),
            vi.spyOn(Math, 'random').mockReturnValue((now % 97) / 97),
          ];
          const after = foldOf(record);
          expect(spies.map(({ mock }) => mock.calls.length)).toEqual([0, 0, 0]);
          vi.restoreAllMocks();
          expect(after).toEqual(before);
        }),
        { numRuns: 30 },
      );
    });

    test('opened under any settings, clock and price table it is the same', async () => {
      const world = fc.record({
        hopCap: fc.nat(9),
        costCeiling: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
        acknowledgements: fc.constantFrom('quiet' as const, 'wake' as const),
        price: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
        now: fc.integer({ min: 0, max: 4_000_000_000_000 }),
      });
      await fc.assert(
        fc.asyncProperty(talk, world, async (spoken, { hopCap, costCeiling, acknowledgements, price, now }) => {
          const { storage, runId } = await recordedTalk(spoken);
          const expected = foldOf(await events(storage, runId), null, runId);
          const opened = await Conversation.open(
            {
              ...host(
                storage,
                ruleEngine(() => ''),
              ),
              settings: () => ({ limits: { user: { hopCap, costCeiling } }, acknowledgements }),
              price: () => price,
              clock: { ...systemClock, now: () => now },
            },
            runId,
          );
          expect((await opened.status()).state).toEqual(expected);
          await opened.close();
        }),
        { numRuns: 30 },
      );
    });

    test('the limits in force are the recorded ones, whatever the team file or a setting says by then', async () => {
      const limits = fc.record({
        hopCap: fc.nat(9),
        costCeiling: fc.option(fc.nat(9)),
        turnsPerMember: fc.nat(9),
        concurrency: fc.integer({ min: 1, max: 9 }),
        tailMessages: fc.integer({ min: 1, max: 9 }),
        turnTimeoutMinutes: fc.integer({ min: 1, max: 9 }),
      });
      await fc.assert(
        fc.asyncProperty(talk, limits, async (said, recorded) => {
          const [start, ...rest] = await recordOf(said);
          if (start === undefined) throw new Error('There is no record.');
          const payload = { ...(start.payload as Record<string, JsonValue>), limits: recorded };
          const state = foldOf([{ ...start, payload }, ...rest]);
          expect(state?.limits).toEqual(recorded);
          for (const { tail } of state?.rooms.values() ?? []) {
            expect(tail.length).toBeLessThanOrEqual(recorded.tailMessages);
          }
        }),
        { numRuns: 30 },
      );
    });
  });
});

describe('facts and races', () => {
  test('whoever else writes at the same time, no outcome and no post is lost, and none is there twice', async () => {
    const members = ['ana', 'b', 'c'];
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }), mention, async (races, reply) => {
        const disk = new MemoryDisk();
        const storage = memoryStorage(disk);
        const other: { window: Conversation | null; posts: number } = { window: null, posts: 0 };
        const left = [...races];
        const raced: LocalRunStorage = {
          ...storage,
          eventStore: {
            ...storage.eventStore,
            append: async (stream, revision, added) => {
              // Another window is first, just before this append: it meets a conflict and has to be made again.
              if (other.window !== null && !stream.streamId.includes('.m.') && left.shift() === true) {
                other.posts += 1;
                await post(other.window, `@b post ${other.posts}`);
              }
              return storage.eventStore.append(stream, revision, added);
            },
          },
        };
        const engine = ruleEngine(() => (reply === 'fail' ? 'reply' : `${reply} reply`));
        const runner = await Conversation.start(host(raced, engine), team(members, { limits: { hopCap: 2 } }), []);
        await post(runner, '@all begin');
        other.window = await Conversation.open(host(memoryStorage(disk), engine), runner.runId);
        await settled(runner);
        await until(runner, ({ personPosts }) => personPosts === other.posts + 1);
        await settled(runner);
        await other.window.close();
        await runner.close();

        const record = await events(storage, runner.runId);
        const at = (type: string) =>
          record
            .filter((event) => event.type === type)
            .map(({ payload }) => (payload as { position: string }).position);
        expect(at('graph:node-completed').sort()).toEqual(at('graph:node-dispatched').sort());
        expect(new Set(at('graph:node-completed')).size).toBe(at('graph:node-completed').length);
        expect(engine.calls).toHaveLength(at('graph:node-dispatched').length);
        expect(record.filter(({ type }) => type === 'post:written')).toHaveLength(other.posts + 1);
        expect(verdict(record)).toBe('whole');
      }),
      { numRuns: 25 },
    );
  });
});
