// What every event store promises. No capability flags: a store that cannot do a line does not pass.
import { describe, expect, test } from 'vitest';
import {
  collect,
  codeOf,
  event,
  eventIds,
  NAMESPACE,
  policy,
  refusal,
  RUN,
  type StoragePlace,
} from './storage-fixture.js';

/** @param makePlace - a new empty place for each test. */
export function eventStoreContract(makePlace: () => StoragePlace): void {
  describe('appending', () => {
    test('stores exactly the ten fields, frozen, in order, and gives them to another binding', async () => {
      const place = makePlace();
      const { eventStore } = place.open();
      expect(await eventStore.append(RUN, 0, [event('a', { b: [1, 'zwei', null], a: { '': -0 } }), event('b')])).toBe(
        2,
      );
      expect(await eventStore.append(RUN, 2, [{ ...event('c'), causationId: 'b' }])).toBe(3);
      const events = await collect(place.open().eventStore);
      expect(events[0]).toStrictEqual({
        ...event('a', { b: [1, 'zwei', null], a: { '': 0 } }),
        envelopeVersion: 1,
        streamId: 'run-1',
        revision: 1,
      });
      expect(events.map(({ revision, causationId }) => [revision, causationId])).toEqual([
        [1, null],
        [2, null],
        [3, 'b'],
      ]);
      const payload = events[0]?.payload;
      expect(Object.isFrozen(events[0]) && Object.isFrozen(payload)).toBe(true);
    });

    test('keeps keys in the order of the writer, and a key called __proto__', async () => {
      const { eventStore } = makePlace().open();
      const payload = JSON.parse('{"z":1,"a":2,"__proto__":{"x":1}}') as Record<string, number>;
      await eventStore.append(RUN, 0, [event('a', payload)]);
      const [stored] = await collect(eventStore);
      expect(JSON.stringify(stored?.payload)).toBe('{"z":1,"a":2,"__proto__":{"x":1}}');
    });

    test('copies what it is given at once: later changes by the caller have no effect', async () => {
      const { eventStore } = makePlace().open();
      const payload = { text: 'before' };
      const pending = eventStore.append(RUN, 0, [event('a', payload)]);
      payload.text = 'after';
      await pending;
      expect((await collect(eventStore))[0]?.payload).toEqual({ text: 'before' });
    });

    test('refuses a writer that does not know the end, with both revisions', async () => {
      const { eventStore } = makePlace().open();
      expect(await refusal(() => eventStore.append(RUN, 5, [event('a')]))).toEqual({
        code: 'REVISION_CONFLICT',
        details: { expectedRevision: 5, actualRevision: 0 },
      });
      await eventStore.append(RUN, 0, [event('a')]);
      expect(await refusal(() => eventStore.append(RUN, 0, [event('b')]))).toEqual({
        code: 'REVISION_CONFLICT',
        details: { expectedRevision: 0, actualRevision: 1 },
      });
      expect(await eventIds(eventStore)).toEqual(['a']);
    });

    test('A-102 an exact retry returns its old result, also after later events and with keys in another order', async () => {
      const place = makePlace();
      const { eventStore } = place.open();
      await eventStore.append(RUN, 0, [event('a', { x: 1, y: 2 }), event('b')]);
      await eventStore.append(RUN, 2, [event('c')]);
      const again = [event('a', { y: 2, x: 1 }), event('b')];
      expect(await eventStore.append(RUN, 0, again)).toBe(2);
      expect(await place.open().eventStore.append(RUN, 0, again)).toBe(2);
      expect(await eventIds(eventStore)).toEqual(['a', 'b', 'c']);
    });

    test('A-103 a retry with another payload is a conflict', async () => {
      const { eventStore } = makePlace().open();
      await eventStore.append(RUN, 0, [event('a', 1)]);
      expect(await refusal(() => eventStore.append(RUN, 0, [event('a', 2)]))).toEqual({
        code: 'REVISION_CONFLICT',
        details: { expectedRevision: 0, actualRevision: 1 },
      });
    });

    test('A-102 what two appends stored is not a retry of one, nor a part of one', async () => {
      const { eventStore } = makePlace().open();
      await eventStore.append(RUN, 0, [event('a')]);
      await eventStore.append(RUN, 1, [event('b')]);
      await eventStore.append(RUN, 2, [event('c'), event('d')]);
      expect(await codeOf(() => eventStore.append(RUN, 0, [event('a'), event('b')]))).toBe('REVISION_CONFLICT');
      expect(await codeOf(() => eventStore.append(RUN, 2, [event('c')]))).toBe('REVISION_CONFLICT');
      expect(await codeOf(() => eventStore.append(RUN, 3, [event('d')]))).toBe('REVISION_CONFLICT');
      expect(await eventIds(eventStore)).toEqual(['a', 'b', 'c', 'd']);
    });

    test('an event id is used once in a stream, in a batch and across batches, and then nothing of the batch is stored', async () => {
      const { eventStore } = makePlace().open();
      await eventStore.append(RUN, 0, [event('a')]);
      expect(await codeOf(() => eventStore.append(RUN, 1, [event('b'), event('b')]))).toBe('DUPLICATE_EVENT_ID');
      expect(await refusal(() => eventStore.append(RUN, 1, [event('c'), event('a')]))).toEqual({
        code: 'DUPLICATE_EVENT_ID',
        details: { eventId: 'a' },
      });
      expect(await eventIds(eventStore)).toEqual(['a']);
      expect(await eventStore.append(RUN, 1, [event('c')])).toBe(2);
      expect(await eventStore.append({ ...RUN, streamId: 'run-1.m.1' }, 0, [event('a')])).toBe(1);
    });

    test('A-106 of two concurrent appends one wins', async () => {
      const place = makePlace();
      const [one, two] = [place.open().eventStore, place.open().eventStore];
      const ends = await Promise.allSettled([one.append(RUN, 0, [event('a')]), two.append(RUN, 0, [event('b')])]);
      expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const lost = ends.find((end) => end.status === 'rejected');
      expect(lost?.reason).toMatchObject({
        code: 'REVISION_CONFLICT',
        details: { expectedRevision: 0, actualRevision: 1 },
      });
      expect(await collect(one)).toHaveLength(1);
    });

    test('A-107 an empty or sparse batch is refused', async () => {
      const { eventStore } = makePlace().open();
      const sparse = [event('a')];
      sparse[2] = event('c');
      for (const batch of [[], sparse]) {
        expect(await codeOf(() => eventStore.append(RUN, 0, batch))).toBe('INVALID_STORED_VALUE');
        expect(await codeOf(() => eventStore.preflightAppend(RUN, 0, batch))).toBe('INVALID_STORED_VALUE');
      }
      expect(await collect(eventStore)).toEqual([]);
    });

    test('a preflight checks what an append checks and stores nothing', async () => {
      const { eventStore, runs } = makePlace().open();
      await eventStore.preflightAppend(RUN, 0, [event('a')]);
      expect(await collect(eventStore)).toEqual([]);
      expect(await runs.list()).toEqual([]);
      expect(await codeOf(() => eventStore.preflightAppend(RUN, 1, [event('a')]))).toBe('REVISION_CONFLICT');
      await eventStore.append(RUN, 0, [event('a')]);
      await eventStore.preflightAppend(RUN, 1, [event('b')]);
      expect(await codeOf(() => eventStore.preflightAppend(RUN, 1, [event('a')]))).toBe('DUPLICATE_EVENT_ID');
      // No tolerance for a retry.
      expect(await codeOf(() => eventStore.preflightAppend(RUN, 0, [event('a')]))).toBe('REVISION_CONFLICT');
      expect(await eventIds(eventStore)).toEqual(['a']);
    });
  });

  describe('reading', () => {
    test('an unknown stream yields nothing; the revision to read after is exclusive', async () => {
      const { eventStore } = makePlace().open();
      expect(await collect(eventStore)).toEqual([]);
      await eventStore.append(RUN, 0, [event('a'), event('b'), event('c')]);
      expect(await eventIds(eventStore, RUN, 1)).toEqual(['b', 'c']);
      expect(await eventIds(eventStore, RUN, 3)).toEqual([]);
      expect(await eventIds(eventStore, RUN, 99)).toEqual([]);
      expect(await eventIds(eventStore, { ...RUN, streamId: 'run-2' })).toEqual([]);
      expect(await eventIds(eventStore, { ...RUN, streamId: 'run-1.m.1' })).toEqual([]);
      for (const after of [-1, 0.5, Number.NaN]) {
        expect(await codeOf(() => collect(eventStore, RUN, after))).toBe('INVALID_STORED_VALUE');
      }
    });

    test('the head of a stream is the revision of its last event, 0 for one that does not exist', async () => {
      const place = makePlace();
      const { eventStore } = place.open();
      expect(await eventStore.head(RUN)).toBe(0);
      await eventStore.append(RUN, 0, [event('a'), event('b')]);
      await eventStore.append({ ...RUN, streamId: 'run-1.m.1' }, 0, [event('m')]);
      const other = place.open().eventStore;
      expect(await other.head(RUN)).toBe(2);
      expect(await other.head({ ...RUN, streamId: 'run-1.m.1' })).toBe(1);
      expect(await other.head({ ...RUN, streamId: 'run-1.m.2' })).toBe(0);
      await eventStore.append(RUN, 2, [event('c')]);
      expect(await other.head(RUN)).toBe(3);
      expect(await codeOf(() => eventStore.head({ ...RUN, streamId: '..' }))).toBe('INVALID_STORED_VALUE');
    });

    test('A-105 what is appended during an iteration is not seen by it', async () => {
      const { eventStore } = makePlace().open();
      await eventStore.append(RUN, 0, [event('a'), event('b')]);
      const seen: string[] = [];
      for await (const { eventId } of eventStore.read(RUN)) {
        seen.push(eventId);
        if (eventId === 'a') await eventStore.append(RUN, 2, [event('c')]);
      }
      expect(seen).toEqual(['a', 'b']);
      expect(await eventIds(eventStore)).toEqual(['a', 'b', 'c']);
    });

    test('the snapshot is taken when iteration begins, not when it is asked for', async () => {
      const { eventStore } = makePlace().open();
      const reading = eventStore.read(RUN);
      await eventStore.append(RUN, 0, [event('a')]);
      const seen: string[] = [];
      for await (const { eventId } of reading) seen.push(eventId);
      expect(seen).toEqual(['a']);
    });

    test('a history longer than a page comes whole and in order', async () => {
      const { eventStore } = makePlace().open();
      const all = Array.from({ length: 1_201 }, (_, index) => event(`e${index}`, index));
      for (let at = 0; at < all.length; at += 400) await eventStore.append(RUN, at, all.slice(at, at + 400));
      expect((await collect(eventStore)).map(({ payload }) => payload)).toEqual(all.map(({ payload }) => payload));
      expect((await collect(eventStore, RUN, 600)).map(({ revision }) => revision)).toEqual(
        Array.from({ length: 601 }, (_, index) => 601 + index),
      );
    });
  });

  describe('streams', () => {
    test('a run and its members have streams of their own', async () => {
      const { eventStore } = makePlace().open();
      const member = { ...RUN, streamId: 'run-1.m.2' };
      await eventStore.append(RUN, 0, [event('a')]);
      await eventStore.append(member, 0, [event('m1'), event('m2')]);
      await eventStore.append(RUN, 1, [event('b')]);
      expect(await eventIds(eventStore)).toEqual(['a', 'b']);
      expect((await collect(eventStore, member)).map(({ streamId, revision }) => [streamId, revision])).toEqual([
        ['run-1.m.2', 1],
        ['run-1.m.2', 2],
      ]);
    });

    test('A-109 equal stream ids of two namespaces, and names that differ only in case, stay apart', async () => {
      const place = makePlace();
      const names = ['alpha', 'Alpha', 'beta'];
      for (const namespace of names) {
        const { eventStore } = place.open({ namespace });
        expect(await eventStore.append({ namespace, streamId: 'run' }, 0, [event(namespace)])).toBe(1);
        expect(await eventStore.append({ namespace, streamId: 'RUN' }, 0, [event(`${namespace}-2`)])).toBe(1);
      }
      for (const namespace of names) {
        const { eventStore, runs } = place.open({ namespace });
        expect(await eventIds(eventStore, { namespace, streamId: 'run' })).toEqual([namespace]);
        expect((await runs.list()).map(({ runId }) => runId).sort()).toEqual(['RUN', 'run']);
      }
    });

    test('A-114 names that could leave the place are refused everywhere', async () => {
      const place = makePlace();
      const { eventStore, artifactStore, runs } = place.open();
      const names = ['../escape', '..', '', '.hidden', 'a/b', 'a\\b', 'a\0b', 'x'.repeat(129), 'é'];
      for (const streamId of names) {
        const stream = { ...RUN, streamId };
        expect(await codeOf(() => eventStore.append(stream, 0, [event('a')]))).toBe('INVALID_STORED_VALUE');
        expect(await codeOf(() => eventStore.preflightAppend(stream, 0, [event('a')]))).toBe('INVALID_STORED_VALUE');
        expect(await codeOf(() => collect(eventStore, stream))).toBe('INVALID_STORED_VALUE');
        expect(await codeOf(() => artifactStore.deleteRun({ namespace: NAMESPACE, runId: streamId }))).toBe(
          'INVALID_STORED_VALUE',
        );
        expect(await codeOf(() => runs.tryHold(streamId))).toBe('INVALID_STORED_VALUE');
        expect(await codeOf(() => place.open({ namespace: streamId }))).toBe('INVALID_STORED_VALUE');
      }
      const foreign = { namespace: 'other', streamId: 'run-1' };
      expect(await codeOf(() => eventStore.append(foreign, 0, [event('a')]))).toBe('INVALID_STORED_VALUE');
      expect(await codeOf(() => collect(eventStore, { ...RUN, extra: 1 } as typeof RUN))).toBe('INVALID_STORED_VALUE');
    });
  });

  describe('limits', () => {
    test('a payload may have exactly as many bytes as the limit says: 64 pass, 65 do not', async () => {
      const { eventStore } = makePlace().open({ policy: policy({ maxEventPayloadBytes: 64 }) });
      // Two quotes, and é has two bytes.
      const payload = 'é'.repeat(31);
      expect(await eventStore.append(RUN, 0, [event('a', payload)])).toBe(1);
      expect(await refusal(() => eventStore.append(RUN, 1, [event('b', `${payload}x`)]))).toEqual({
        code: 'STORAGE_LIMIT_EXCEEDED',
        details: { eventId: 'b', byteLength: 65, maximumBytes: 64 },
      });
    });

    test('an append may have exactly as many bytes as the limit says: 219 pass, 220 do not', async () => {
      const limits = policy({ maxEventPayloadBytes: 64, maxAppendBatchBytes: 219 });
      const { eventStore } = makePlace().open({ policy: limits });
      const line = JSON.stringify({ ...event('a', ''), envelopeVersion: 1, streamId: 'run-1', revision: 1 });
      const payload = 'x'.repeat(219 - line.length - 1);
      expect(await eventStore.append(RUN, 0, [event('a', payload)])).toBe(1);
      expect(await refusal(() => eventStore.append(RUN, 1, [event('b', `${payload}x`)]))).toEqual({
        code: 'STORAGE_LIMIT_EXCEEDED',
        details: { byteLength: 220, maximumBytes: 219 },
      });
      expect(await codeOf(() => eventStore.preflightAppend(RUN, 1, [event('b', `${payload}x`)]))).toBe(
        'STORAGE_LIMIT_EXCEEDED',
      );
    });

    test('A-110 a run opens under raised limits and notes them, and never under lower ones', async () => {
      const place = makePlace();
      const [low, high] = [policy({ maxEventPayloadBytes: 100 }), policy({ maxEventPayloadBytes: 200 })];
      await place.open({ policy: low }).eventStore.append(RUN, 0, [event('a')]);
      // Reading under a raised limit does not note it.
      expect(await eventIds(place.open({ policy: high }).eventStore)).toEqual(['a']);
      expect(await place.open({ policy: low }).eventStore.append(RUN, 1, [event('b')])).toBe(2);
      expect(await place.open({ policy: high }).eventStore.append(RUN, 2, [event('c', 'x'.repeat(150))])).toBe(3);
      const lower = place.open({ policy: low }).eventStore;
      const expected = {
        code: 'INVALID_STORED_VALUE',
        details: { path: '/policy/maxEventPayloadBytes', stored: 200, live: 100 },
      };
      expect(await refusal(() => collect(lower))).toEqual(expected);
      expect(await refusal(() => lower.append(RUN, 3, [event('d')]))).toEqual(expected);
      expect(await refusal(() => lower.preflightAppend(RUN, 3, [event('d')]))).toEqual(expected);
    });
  });

  describe('known secrets', () => {
    const hidden: [string, string, Parameters<typeof event>[1]][] = [
      ['in a value', 'hunter2', { text: 'it is hunter2!' }],
      ['in a key', 'hunter2', { hunter2: 1 }],
      ['with a line end in a value', 'two\nlines', { deep: [{ text: 'two\nlines' }] }],
      ['with a quote in a key', 'a"b', { 'xa"b': null }],
      ['across fields', 'left","right":"', { left: 'left', right: 'r' }],
    ];
    test.each(hidden)(
      'A-113 a secret %s is refused, by an id that does not contain it',
      async (_where, secret, payload) => {
        const place = makePlace();
        const { eventStore } = place.open({ knownSecrets: [secret] });
        const batch = [event('good'), event('bad', payload)];
        const found = await refusal(() => eventStore.append(RUN, 0, batch));
        expect(found).toEqual({ code: 'KNOWN_SECRET', details: { eventIds: ['bad'] } });
        expect(JSON.stringify(found)).not.toContain(JSON.stringify(secret).slice(1, -1));
        expect(await codeOf(() => eventStore.preflightAppend(RUN, 0, batch))).toBe('KNOWN_SECRET');
        expect(await collect(eventStore)).toEqual([]);
        expect(await place.open().runs.list()).toEqual([]);
      },
    );

    test('A-111 after a rotation old data stays readable and the new secret is refused', async () => {
      const place = makePlace();
      await place.open({ knownSecrets: ['new'] }).eventStore.append(RUN, 0, [event('a', 'the old one')]);
      const { eventStore } = place.open({ knownSecrets: ['old'] });
      expect((await collect(eventStore))[0]?.payload).toBe('the old one');
      expect(await eventStore.append(RUN, 1, [event('b', 'the new one')])).toBe(2);
      expect(await codeOf(() => eventStore.append(RUN, 2, [event('c', 'the old one')]))).toBe('KNOWN_SECRET');
    });

    test('A-89 a secret in the namespace or in the text of a limit is refused when the storage is made', async () => {
      const place = makePlace();
      expect(await codeOf(() => place.open({ namespace: 'ns-secret', knownSecrets: ['secret'] }))).toBe('KNOWN_SECRET');
      expect(await codeOf(() => place.open({ knownSecrets: ['64000'] }))).toBe('KNOWN_SECRET');
      for (const knownSecrets of [[''], [1], 'x', [undefined]]) {
        const options = { knownSecrets } as { knownSecrets: string[] };
        expect(await refusal(() => place.open(options))).toMatchObject({
          code: 'INVALID_STORED_VALUE',
          details: { path: '/knownSecrets' },
        });
      }
    });

    test('A-87 the record names provider, namespace and limits, never a secret, and is frozen', () => {
      const storage = makePlace().open({ knownSecrets: ['hunter2'] });
      expect(JSON.stringify(storage.record)).not.toContain('hunter2');
      expect(storage.record.namespace).toBe(NAMESPACE);
      expect(
        Object.isFrozen(storage) && Object.isFrozen(storage.record) && Object.isFrozen(storage.record.policy),
      ).toBe(true);
      expect(Object.hasOwn(storage, 'namespace')).toBe(false);
    });
  });
}
