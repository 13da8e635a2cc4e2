// What may be stored at all, and what a storage may be opened with.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkJson, JsonValueError } from '../../src/core/json.js';
import { isPlainJson, isPlainText, isPlainTime } from '../../src/storage/plain.js';
import { StorageError } from '../../src/storage/error.js';
import { limitsOf, storageRecord, storageRecordMismatch, validateRunStoragePolicy } from '../../src/storage/policy.js';
import { createLocalRunStorage } from '../../src/storage/sqlite/storage.js';
import { memberStreamId, runOfStream } from '../../src/storage/streams.js';
import {
  validateDomainEventEnvelope,
  validateDomainEventId,
  validateNewDomainEvent,
} from '../../src/storage/validate.js';
import { fuzzRuns } from '../support/fuzz.js';
import { codeOf, event, policy, refusal } from './storage-fixture.js';

const envelope = { ...event('a'), envelopeVersion: 1, streamId: 'run-1', revision: 1 };

describe('events', () => {
  test('A-119 a timestamp is taken exactly when a date prints it as it was written', () => {
    const digits = (length: number, max: number) => fc.nat(max).map((value) => String(value).padStart(length, '0'));
    const time = fc.constantFrom('00:00:00.000Z', '23:59:59.999Z', '24:00:00.000Z', '12:60:00.000Z', '12:00:00Z');
    fc.assert(
      fc.property(digits(4, 9999), digits(2, 13), digits(2, 32), time, (year, month, day, rest) => {
        const timestamp = `${year}-${month}-${day}T${rest}`;
        const date = new Date(timestamp);
        const isWritten = Number.isFinite(date.getTime()) && date.toISOString() === timestamp;
        const take = (): unknown => validateNewDomainEvent({ ...event('a'), timestamp });
        if (isWritten) expect(take).not.toThrow();
        else expect(take).toThrow(expect.objectContaining({ code: 'INVALID_STORED_VALUE' }));
      }),
      { numRuns: fuzzRuns(2_000) },
    );
  });

  test('A-119 an envelope is copied and frozen, and may have the longest id', () => {
    const longest = { ...envelope, eventId: 'é'.repeat(128) };
    const copy = validateDomainEventEnvelope(longest);
    expect(copy).toStrictEqual(longest);
    expect(Object.isFrozen(copy) && Object.isFrozen(copy.payload)).toBe(true);
    expect(validateNewDomainEvent(event('a'))).toStrictEqual(event('a'));
    expect(validateDomainEventId('a')).toBe('a');
  });

  test.each([
    ['an unknown field', { extra: 1 }, '/extra'],
    ['a time without milliseconds', { timestamp: '2026-01-01T00:00:00Z' }, '/timestamp'],
    ['30 February', { timestamp: '2026-02-30T00:00:00.000Z' }, '/timestamp'],
    ['a time with an offset', { timestamp: '2026-01-01T00:00:00.000+01:00' }, '/timestamp'],
    ['an id of 257 bytes', { eventId: `${'é'.repeat(128)}x` }, '/eventId'],
    ['an empty id', { eventId: '' }, '/eventId'],
    ['an id with space around it', { eventId: ' a' }, '/eventId'],
    ['a type with a control character', { type: 'a\u0085b' }, '/type'],
    ['version 0', { version: 0 }, '/version'],
    ['a broken version', { version: 1.5 }, '/version'],
    ['an empty correlation', { correlationId: '' }, '/correlationId'],
    ['a number as cause', { causationId: 1 }, '/causationId'],
    ['a date as payload', { payload: { at: new Date(0) } }, '/payload/at'],
    ['an undefined payload', { payload: undefined }, '/payload'],
    ['a lone surrogate', { payload: '\ud800' }, '/payload'],
  ])('A-119 refused with its path: %s', async (_what, changes, path) => {
    const expected = { code: 'INVALID_STORED_VALUE', details: { path } };
    expect(await refusal(() => validateDomainEventEnvelope({ ...envelope, ...changes }))).toEqual(expected);
    expect(await refusal(() => validateNewDomainEvent({ ...event('a'), ...changes }))).toEqual(expected);
  });

  test.each([
    ['a revision of 0', { revision: 0 }, '/revision'],
    ['a stream that is no name', { streamId: '../x' }, '/streamId'],
    ['an envelope version that is no number', { envelopeVersion: '2' }, '/envelopeVersion'],
  ])('A-119 refused with its path: %s', async (_what, changes, path) => {
    expect(await refusal(() => validateDomainEventEnvelope({ ...envelope, ...changes }))).toEqual({
      code: 'INVALID_STORED_VALUE',
      details: { path },
    });
  });

  test('A-119 an envelope of a later format is told apart from a bad one', async () => {
    const later = { ...envelope, envelopeVersion: 2, somethingNew: true };
    expect(await codeOf(() => validateDomainEventEnvelope(later))).toBe('UNSUPPORTED_ENVELOPE_VERSION');
  });

  test('A-119 a missing field is refused', async () => {
    for (const key of Object.keys(envelope)) {
      const rest = Object.fromEntries(Object.entries(envelope).filter(([name]) => name !== key));
      expect(await codeOf(() => validateDomainEventEnvelope(rest))).toBe('INVALID_STORED_VALUE');
    }
  });

  test('a member stream belongs to the file of its run', async () => {
    expect(memberStreamId('run', 3)).toBe('run.m.3');
    expect(['run.m.3', 'run', 'run.m.0', 'run.m.x', 'a.m.b.m.12'].map(runOfStream)).toEqual([
      'run',
      'run',
      'run.m.0',
      'run.m.x',
      'a.m.b',
    ]);
    expect(await codeOf(() => memberStreamId('x'.repeat(126), 1))).toBe('INVALID_STORED_VALUE');
    expect(await codeOf(() => memberStreamId('run', 0))).toBe('INVALID_STORED_VALUE');
  });
});

describe('quick answers', () => {
  const taken = (check: () => unknown): boolean => {
    try {
      check();
      return true;
    } catch (error) {
      if (error instanceof JsonValueError || error instanceof StorageError) return false;
      throw error;
    }
  };
  const odd = fc.constantFrom<() => unknown>(
    () => Object.defineProperty({}, 'a', { get: () => 1, enumerable: true }),
    () => Object.defineProperty({ b: 1 }, 'a', { value: 1 }),
    () => Object.defineProperty([1], 0, { get: () => 1, enumerable: true }),
    () => Object.assign([1], { more: 1 }),
    () => Object.assign(Array(2), { more: 1 }),
    () => ({ [Symbol('a')]: 1 }),
    () => new Map(),
    () => new (class Special extends Array {})(),
    () => Object.create(null),
    () => Object.create({ inherited: 1 }),
    () => {
      const self: unknown[] = [];
      return self.concat([Object.assign(self, [self])]);
    },
    () => ({ '\ud800': 1 }),
    () => '\udc00',
  );
  const anything = fc.anything({ withSparseArray: true, withNullPrototype: true, withDate: true, withBigInt: true });
  const values = fc.oneof(
    fc.jsonValue(),
    anything,
    odd.map((make) => make()),
    odd.map((make) => ({ deep: [make()] })),
  );

  test('pass no value that is refused when it is looked at thoroughly', () => {
    const seen = new Set<boolean>();
    fc.assert(
      fc.property(values, (value) => {
        const isPlain = isPlainJson(value);
        seen.add(isPlain);
        if (isPlain) expect(taken(() => checkJson(value))).toBe(true);
      }),
      { numRuns: fuzzRuns(2_000) },
    );
    expect([...seen].sort()).toEqual([false, true]);
  });

  test('pass no text and no time that is refused when it is looked at thoroughly', () => {
    const long = fc.nat(600).map((length) => 'x'.repeat(length));
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), long, fc.string({ unit: 'grapheme' }));
    const bent = fc.tuple(fc.nat(23), fc.string({ minLength: 1, maxLength: 1 })).map(([at, character]) => {
      const time = '2024-02-28T23:59:59.999Z';
      return `${time.slice(0, at)}${character}${time.slice(at + 1)}`;
    });
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.oneof(text, bent), (value) => {
        seen.add(`text ${String(isPlainText(value))}`).add(`time ${String(isPlainTime(value))}`);
        if (isPlainText(value)) expect(taken(() => validateDomainEventId(value))).toBe(true);
        if (isPlainTime(value)) expect(new Date(value).toISOString()).toBe(value);
      }),
      { numRuns: fuzzRuns(2_000) },
    );
    expect([...seen].sort()).toEqual(['text false', 'text true', 'time false', 'time true']);
  });

  test('are given for what events usually are', () => {
    const { eventId, timestamp, payload } = event('a');
    expect([isPlainText(eventId), isPlainTime(timestamp), isPlainJson(payload)]).toEqual([true, true, true]);
  });
});

describe('policies', () => {
  test.each([
    ['an unknown field', { more: 1 }, '/policy/more'],
    ['another schema', { schemaVersion: 2 }, '/policy/schemaVersion'],
    ['a limit of 0', { maxArtifactBytes: 0 }, '/policy/maxArtifactBytes'],
    ['a limit that is no safe integer', { maxEventPayloadBytes: 2 ** 53 }, '/policy/maxEventPayloadBytes'],
    ['an append smaller than a payload', { maxAppendBatchBytes: 1 }, '/policy/maxAppendBatchBytes'],
    ['a run smaller than an artifact', { maxTotalArtifactBytesPerRun: 1 }, '/policy/maxTotalArtifactBytesPerRun'],
    ['another retention', { retention: 'forever' }, '/policy/retention'],
    [
      'content that is let through',
      { sensitiveContent: { marked: 'keep', exact: 'reject', freeText: 'redact-before-hash' } },
      '/policy/sensitiveContent/marked',
    ],
    ['half a rule', { sensitiveContent: { marked: 'reject', exact: 'reject' } }, '/policy/sensitiveContent/freeText'],
  ])('refused with its path: %s', async (_what, changes, path) => {
    expect(await refusal(() => validateRunStoragePolicy({ ...policy(), ...changes }))).toEqual({
      code: 'INVALID_STORED_VALUE',
      details: { path },
    });
  });

  test('A-97 a record matches storage of the same provider, version, namespace, and equal or raised limits', () => {
    const record = (changes = {}, name = 'p', version = '1', namespace = 'n') =>
      storageRecord(name, version, namespace, validateRunStoragePolicy(policy(changes)));
    expect(storageRecordMismatch(record(), record())).toBeNull();
    expect(storageRecordMismatch(record(), record({ maxArtifactBytes: 100_001 }))).toBeNull();
    expect(storageRecordMismatch(record(), record({ maxArtifactBytes: 99_999 }))).toBe(
      '/storage/policy/maxArtifactBytes',
    );
    expect(storageRecordMismatch(record(), record({}, 'q'))).toBe('/storage/eventStore/name');
    expect(storageRecordMismatch(record(), record({}, 'p', '2'))).toBe('/storage/eventStore/version');
    expect(storageRecordMismatch(record(), record({}, 'p', '1', 'm'))).toBe('/storage/namespace');
    const forged = { ...record(), policy: { ...policy(), maxArtifactBytes: 5 } };
    expect(storageRecordMismatch(forged, record())).toBe('/storage/artifactStore/configDigest');
  });

  test('an event limit changes the digest of the event store only, an artifact limit that of the artifact store only', () => {
    const digests = (changes = {}) => {
      const { eventStore, artifactStore } = storageRecord('p', '1', 'n', policy(changes));
      return [eventStore.configDigest, artifactStore.configDigest];
    };
    const [events, artifacts] = digests();
    expect(digests({ maxEventPayloadBytes: 1 })).toEqual([expect.not.stringContaining(events ?? ''), artifacts]);
    expect(digests({ maxArtifactBytes: 1 })).toEqual([events, expect.not.stringContaining(artifacts ?? '')]);
    expect(limitsOf(policy())).toEqual({
      maxEventPayloadBytes: 64_000,
      maxAppendBatchBytes: 128_000,
      maxArtifactBytes: 100_000,
      maxTotalArtifactBytesPerRun: 300_000,
    });
  });
});

describe('the folder', () => {
  test.each([undefined, '', '  ', 5, 'a\0b'])('A-86 a folder called %j is refused', async (directory) => {
    const options = { directory, namespace: 'n', policy: policy() } as {
      directory: string;
      namespace: string;
      policy: ReturnType<typeof policy>;
    };
    expect(await refusal(() => createLocalRunStorage(options))).toEqual({
      code: 'INVALID_STORED_VALUE',
      details: { path: '/directory' },
    });
  });

  test('A-87 the record does not depend on where the folder is, so that a moved folder opens', () => {
    const at = (directory: string) => createLocalRunStorage({ directory, namespace: 'n', policy: policy() }).record;
    expect(at('/some/where')).toEqual(at('/some/where/.'));
    expect(at('/some/where')).toEqual(at('/else'));
    expect(at('/else').eventStore).toMatchObject({ name: 'local-sqlite', version: '1' });
  });

  test('A-89 a secret in the path is refused', async () => {
    const options = { directory: '/tmp/hunter2/x', namespace: 'n', policy: policy(), knownSecrets: ['hunter2'] };
    expect(await codeOf(() => createLocalRunStorage(options))).toBe('KNOWN_SECRET');
  });
});
