// What every storage promises about artifacts and about the runs that it holds.
import { describe, expect, test } from 'vitest';
import { digestBytes } from '../../src/core/json.js';
import type { ArtifactInput } from '../../src/storage/port.js';
import { bytes, codeOf, collect, event, policy, refusal, RUN, SCOPE, type StoragePlace } from './storage-fixture.js';

/** @param makePlace - a new empty place for each test. */
export function artifactStoreContract(makePlace: () => StoragePlace): void {
  const input = (text: string, changes: Partial<ArtifactInput> = {}): ArtifactInput => ({
    bytes: bytes(text),
    mediaType: 'text/plain',
    purpose: 'notes',
    contentMode: 'exact',
    ...changes,
  });

  describe('artifacts', () => {
    test('what was written is read again by its reference, from any binding, as a copy', async () => {
      const place = makePlace();
      const given = input('hello');
      const pending = place.open().artifactStore.write(SCOPE, given);
      given.bytes.fill(0);
      const reference = await pending;
      expect(reference).toStrictEqual({
        schemaVersion: 1,
        digest: digestBytes(bytes('hello')),
        byteLength: 5,
        mediaType: 'text/plain',
        purpose: 'notes',
      });
      const { artifactStore } = place.open();
      (await artifactStore.read(SCOPE, reference)).fill(0);
      expect(Buffer.from(await artifactStore.read(SCOPE, reference)).toString()).toBe('hello');
    });

    test('a reference is good only in its run and only as it was given out', async () => {
      const { artifactStore } = makePlace().open();
      const reference = await artifactStore.write(SCOPE, input('hello'));
      const read = (scope: typeof SCOPE, changes: object) =>
        codeOf(() => artifactStore.read(scope, { ...reference, ...changes }));
      expect(await read({ ...SCOPE, runId: 'run-2' }, {})).toBe('ARTIFACT_NOT_ADMITTED');
      expect(await read({ ...SCOPE, runId: 'run-1.m.1' }, {})).toBe('ARTIFACT_NOT_ADMITTED');
      expect(await read(SCOPE, { purpose: 'other' })).toBe('ARTIFACT_NOT_ADMITTED');
      expect(await read(SCOPE, { byteLength: 6 })).toBe('ARTIFACT_NOT_ADMITTED');
      expect(await read(SCOPE, { digest: digestBytes(bytes('x')) })).toBe('ARTIFACT_NOT_ADMITTED');
      expect(await read(SCOPE, { digest: 'sha256:x' })).toBe('INVALID_STORED_VALUE');
      expect(await read(SCOPE, { extra: 1 })).toBe('INVALID_STORED_VALUE');
    });

    test('deleting a run removes its artifacts and leaves its events', async () => {
      const { artifactStore, eventStore } = makePlace().open();
      const reference = await artifactStore.write(SCOPE, input('hello'));
      const other = await artifactStore.write({ ...SCOPE, runId: 'run-1.m.1' }, input('member'));
      await eventStore.append(RUN, 0, [event('a')]);
      await artifactStore.deleteRun(SCOPE);
      expect(await codeOf(() => artifactStore.read(SCOPE, reference))).toBe('ARTIFACT_NOT_ADMITTED');
      expect(await artifactStore.read({ ...SCOPE, runId: 'run-1.m.1' }, other)).toHaveLength(6);
      expect(await collect(eventStore)).toHaveLength(1);
      await artifactStore.deleteRun({ ...SCOPE, runId: 'never-seen' });
    });

    test('one artifact may have as many bytes as its limit; a run as many as its own, each digest counted once', async () => {
      const limits = policy({ maxArtifactBytes: 10, maxTotalArtifactBytesPerRun: 15 });
      const { artifactStore } = makePlace().open({ policy: limits });
      expect(await refusal(() => artifactStore.write(SCOPE, input('x'.repeat(11))))).toEqual({
        code: 'STORAGE_LIMIT_EXCEEDED',
        details: { byteLength: 11, maximumBytes: 10 },
      });
      await artifactStore.write(SCOPE, input('x'.repeat(10)));
      await artifactStore.write(SCOPE, input('y'.repeat(5)));
      expect(await refusal(() => artifactStore.write(SCOPE, input('z')))).toEqual({
        code: 'STORAGE_LIMIT_EXCEEDED',
        details: { byteLength: 16, maximumBytes: 15 },
      });
      await artifactStore.write(SCOPE, input('y'.repeat(5), { purpose: 'again' }));
      await artifactStore.write({ ...SCOPE, runId: 'run-2' }, input('z'));
    });

    test('a preflight predicts the references of a whole batch and stores nothing', async () => {
      const limits = policy({ maxArtifactBytes: 10, maxTotalArtifactBytesPerRun: 15 });
      const { artifactStore, runs } = makePlace().open({ policy: limits });
      const batch = [input('x'.repeat(10)), input('x'.repeat(10), { purpose: 'two' }), input('y'.repeat(5))];
      const predicted = await artifactStore.preflightWrite(SCOPE, batch);
      expect(await codeOf(() => artifactStore.preflightWrite(SCOPE, [...batch, input('z')]))).toBe(
        'STORAGE_LIMIT_EXCEEDED',
      );
      const [first] = predicted;
      if (first === undefined) throw new Error('a reference for each artifact');
      expect(await codeOf(() => artifactStore.read(SCOPE, first))).toBe('ARTIFACT_NOT_ADMITTED');
      expect(await runs.list()).toEqual([]);
      const written = [];
      for (const artifact of batch) written.push(await artifactStore.write(SCOPE, artifact));
      expect(written).toEqual(predicted);
    });

    test.each([
      ['marked as sensitive', input('x', { sensitive: true }), 'SENSITIVE_CONTENT'],
      ['exact with a secret', input('my hunter2'), 'KNOWN_SECRET'],
      [
        'JSON that hides a secret in escapes',
        input('{"a":"hunte\\u0072\\u0032"}', { mediaType: 'application/json' }),
        'KNOWN_SECRET',
      ],
      [
        'state that hides a secret in a key',
        input('{"hunte\\u0072\\u0032":1}', { contentMode: 'state' }),
        'KNOWN_SECRET',
      ],
      ['state that is not JSON', input('{', { contentMode: 'state' }), 'INVALID_STORED_VALUE'],
      [
        'free text that is not UTF-8',
        { ...input('', { contentMode: 'free-text' }), bytes: new Uint8Array([255]) },
        'INVALID_STORED_VALUE',
      ],
      ['a purpose with a secret', input('x', { purpose: 'hunter2' }), 'KNOWN_SECRET'],
      ['a purpose of 513 bytes', input('x', { purpose: 'x'.repeat(513) }), 'INVALID_STORED_VALUE'],
      ['a media type without a subtype', input('x', { mediaType: 'text' }), 'INVALID_STORED_VALUE'],
      ['a media type of 256 bytes', input('x', { mediaType: `text/${'x'.repeat(251)}` }), 'INVALID_STORED_VALUE'],
    ] as const)('refused: %s', async (_what, artifact, code) => {
      const { artifactStore, runs } = makePlace().open({ knownSecrets: ['hunter2'] });
      expect(await codeOf(() => artifactStore.write(SCOPE, artifact))).toBe(code);
      expect(await codeOf(() => artifactStore.preflightWrite(SCOPE, [artifact]))).toBe(code);
      expect(await runs.list()).toEqual([]);
    });

    test('free text loses its secrets, the longest first, before it is measured and hashed', async () => {
      const limits = policy({ maxArtifactBytes: 26 });
      const { artifactStore } = makePlace().open({
        knownSecrets: ['hunter2', 'hunter2-long-and-longer'],
        policy: limits,
      });
      const text = 'a hunter2-long-and-longer hunter2';
      const reference = await artifactStore.write(SCOPE, input(text, { contentMode: 'free-text' }));
      const stored = 'a [redacted] [redacted]';
      expect(reference).toMatchObject({ digest: digestBytes(bytes(stored)), byteLength: stored.length });
      expect(Buffer.from(await artifactStore.read(SCOPE, reference)).toString()).toBe(stored);
    });

    test('free text in which redaction itself leaves a secret is refused', async () => {
      const { artifactStore } = makePlace().open({ knownSecrets: ['redacted'] });
      const artifact = input('it is redacted', { contentMode: 'free-text' });
      expect(await codeOf(() => artifactStore.write(SCOPE, artifact))).toBe('KNOWN_SECRET');
    });
  });
}

/** @param makePlace - a new empty place for each test. */
export function runDirectoryContract(makePlace: () => StoragePlace): void {
  describe('the directory of runs', () => {
    test('lists the runs that have events, once each', async () => {
      const place = makePlace();
      const { eventStore, artifactStore, runs } = place.open();
      expect(await runs.list()).toEqual([]);
      await eventStore.append(RUN, 0, [event('a')]);
      await eventStore.append({ ...RUN, streamId: 'run-1.m.1' }, 0, [event('m')]);
      await eventStore.append({ ...RUN, streamId: 'run-2' }, 0, [event('b')]);
      await artifactStore.write(
        { ...SCOPE, runId: 'only-artifacts' },
        { bytes: bytes('x'), mediaType: 'text/plain', purpose: 'p', contentMode: 'exact' },
      );
      const listed = await place.open().runs.list();
      expect(listed.map(({ runId }) => runId).sort()).toEqual(['run-1', 'run-2']);
      expect(listed.every(({ changedAt }) => Math.abs(Date.now() - changedAt) < 60_000)).toBe(true);
      expect(await runs.listDamaged()).toEqual([]);
    });

    test('a watcher is told of a commit by another binding, until it is disposed', async () => {
      const place = makePlace();
      const [writer, follower] = [place.open(), place.open()];
      await writer.eventStore.append(RUN, 0, [event('a')]);
      const told = Promise.withResolvers<null>();
      let calls = 0;
      const watching = follower.runs.watch('run-1', () => {
        calls += 1;
        told.resolve(null);
      });
      await writer.eventStore.append(RUN, 1, [event('b')]);
      await told.promise;
      // Told after the commit: what it is told of can be read.
      expect(await collect(follower.eventStore)).toHaveLength(2);
      watching[Symbol.dispose]();
      watching[Symbol.dispose]();
      const before = calls;
      const control = Promise.withResolvers<null>();
      using _other = follower.runs.watch('run-1', () => control.resolve(null));
      await writer.eventStore.append(RUN, 2, [event('c')]);
      await control.promise;
      expect(calls).toBe(before);
    });

    test('a text kept beside a run is read by any binding, replaced as a whole, and of its own run only', async () => {
      const place = makePlace();
      const { eventStore, runs } = place.open();
      await eventStore.append(RUN, 0, [event('a')]);
      expect(await runs.cache('run-1').read()).toBeNull();
      await runs.cache('run-1').write('first, and longer');
      await runs.cache('run-1').write('zweite Zeile: ü');
      expect(await place.open().runs.cache('run-1').read()).toBe('zweite Zeile: ü');
      expect(await runs.cache('run-2').read()).toBeNull();
      expect((await runs.list()).map(({ runId }) => runId)).toEqual(['run-1']);
      expect(await runs.listDamaged()).toEqual([]);
      expect(await codeOf(() => runs.cache('../run-1'))).toBe('INVALID_STORED_VALUE');
    });

    test('a removed run is gone for every binding, with all that belongs to it, and its id is free', async () => {
      const place = makePlace();
      const [one, two] = [place.open(), place.open()];
      await one.eventStore.append(RUN, 0, [event('a'), event('b')]);
      await one.eventStore.append({ ...RUN, streamId: 'run-1.m.1' }, 0, [event('m')]);
      await one.eventStore.append({ ...RUN, streamId: 'run-2' }, 0, [event('other')]);
      const artifact = { bytes: bytes('x'), mediaType: 'text/plain', purpose: 'p', contentMode: 'exact' } as const;
      const reference = await one.artifactStore.write(SCOPE, artifact);
      await one.runs.cache('run-1').write('kept');
      expect(await collect(two.eventStore)).toHaveLength(2);
      const told = Promise.withResolvers<null>();
      using _watching = two.runs.watch('run-1', () => told.resolve(null));

      expect(await one.runs.remove('run-1')).toBe(true);
      await told.promise;
      for (const { eventStore, artifactStore, runs } of [one, two, place.open()]) {
        expect((await runs.list()).map(({ runId }) => runId)).toEqual(['run-2']);
        expect(await runs.listDamaged()).toEqual([]);
        expect(await collect(eventStore)).toEqual([]);
        expect(await collect(eventStore, { ...RUN, streamId: 'run-1.m.1' })).toEqual([]);
        expect(await eventStore.head(RUN)).toBe(0);
        expect(await codeOf(() => artifactStore.read(SCOPE, reference))).toBe('ARTIFACT_NOT_ADMITTED');
        expect(await runs.cache('run-1').read()).toBeNull();
        expect(await codeOf(() => eventStore.append(RUN, 2, [event('c')]))).toBe('REVISION_CONFLICT');
      }
      expect(await two.runs.remove('run-1')).toBe(false);
      expect(await codeOf(() => two.runs.remove('../run-1'))).toBe('INVALID_STORED_VALUE');
      await two.eventStore.append(RUN, 0, [event('again')]);
      expect(await collect(one.eventStore)).toMatchObject([{ eventId: 'again', revision: 1 }]);
    });

    test('a run that somebody holds is not removed, and nothing of it is changed', async () => {
      const place = makePlace();
      const [one, two] = [place.open(), place.open()];
      await one.eventStore.append(RUN, 0, [event('a')]);
      const hold = one.runs.tryHold('run-1');
      for (const { runs } of [one, two]) expect(await codeOf(() => runs.remove('run-1'))).toBe('RUN_HELD');
      expect(await collect(two.eventStore)).toHaveLength(1);
      await one.eventStore.append(RUN, 1, [event('b')]);
      hold?.[Symbol.dispose]();
      expect(await two.runs.remove('run-1')).toBe(true);
    });

    test('a run that is built is there when all of it is, and not before', async () => {
      const place = makePlace();
      const [one, two] = [place.open(), place.open()];
      await one.runs.build('run-1', async (events) => {
        await events.append(RUN, 0, [event('a'), event('b')]);
        expect(await two.runs.list()).toEqual([]);
        expect(await two.runs.listDamaged()).toEqual([]);
        expect(await collect(two.eventStore)).toEqual([]);
        await events.append(RUN, 2, [event('c')]);
      });
      expect((await two.runs.list()).map(({ runId }) => runId)).toEqual(['run-1']);
      expect(await collect(two.eventStore)).toHaveLength(3);
      expect(await one.runs.verify('run-1')).toMatchObject({ isWhole: true });
      expect(await one.eventStore.append(RUN, 3, [event('d')])).toBe(4);
      const again = (): Promise<void> =>
        two.runs.build('run-1', async (events) => {
          await events.append(RUN, 0, [event('x')]);
        });
      expect(await codeOf(again)).toBe('REVISION_CONFLICT');
      expect(await collect(two.eventStore)).toHaveLength(4);
    });

    test('of a run whose building fails nothing is left, and of two builders of one id one wins', async () => {
      const place = makePlace();
      const { runs, eventStore } = place.open();
      const failing = runs.build('run-1', async (events) => {
        await events.append(RUN, 0, [event('a')]);
        await events.append(RUN, 5, [event('b')]);
      });
      expect(await codeOf(() => failing)).toBe('REVISION_CONFLICT');
      expect(await runs.list()).toEqual([]);
      const build = (name: string): Promise<void> =>
        place.open().runs.build('run-1', async (events) => {
          await events.append(RUN, 0, [event(name)]);
        });
      const ends = await Promise.allSettled([build('one'), build('two')]);
      expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(await collect(eventStore)).toHaveLength(1);
    });

    test('the right to run is held once, by one binding, whoever asks', async () => {
      const place = makePlace();
      const [one, two] = [place.open().runs, place.open().runs];
      expect(one.isHeld('run-1')).toBe(false);
      const hold = one.tryHold('run-1');
      expect(hold).not.toBeNull();
      expect([one.isHeld('run-1'), two.isHeld('run-1'), two.isHeld('run-2')]).toEqual([true, true, false]);
      expect([one.tryHold('run-1'), two.tryHold('run-1')]).toEqual([null, null]);
      using other = two.tryHold('run-2');
      expect(other).not.toBeNull();
      hold?.[Symbol.dispose]();
      expect(two.isHeld('run-1')).toBe(false);
      const next = two.tryHold('run-1');
      expect(next).not.toBeNull();
      // Disposing the old hold again must not free the new one.
      hold?.[Symbol.dispose]();
      expect(one.isHeld('run-1')).toBe(true);
      next?.[Symbol.dispose]();
    });
  });
}
