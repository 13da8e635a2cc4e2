// The start of a run: what is stored, what is refused before anything is written, and what is proved when it is read.
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ResolvedGraphPlan } from '../../src/core/graph/model.js';
import { canonicalJson, digestText, type JsonObject, type JsonValue } from '../../src/core/json.js';
import { loadRunDefinition, persistRunDefinition, type RunDefinitionInput } from '../../src/runtime/run-definition.js';
import { StorageError } from '../../src/storage/error.js';
import type { ArtifactReference, RunStorage } from '../../src/storage/port.js';
import { NAMESPACE, POLICY, RUN } from './run-binding.js';
import { codeOf, refusalOf, runLab, startOf, STORES, temporaryFolder } from './run-fixture.js';
import { bentTeam, compileTeam, PACKAGE } from './team-fixture.js';
import { createLocalRunStorage, type LocalRunStorageOptions } from '../../src/storage/sqlite/storage.js';

const start = (more: Partial<RunDefinitionInput> = {}): RunDefinitionInput => ({ ...startOf(compileTeam()), ...more });

/** A plan with a field more or less, whose text and digest are its own. */
function bentPlan(bend: (plan: Record<string, JsonValue>) => void): ResolvedGraphPlan {
  const plan: Record<string, JsonValue> = { ...startOf(compileTeam()).resolvedPlan.plan };
  bend(plan);
  const text = canonicalJson(plan);
  return { plan, canonicalJson: text, digest: digestText(text) };
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

describe('binding a folder', () => {
  const options: LocalRunStorageOptions = { directory: '/srv/teamroom', namespace: NAMESPACE, policy: POLICY };
  const refused = (more: object): string => {
    try {
      createLocalRunStorage({ ...options, ...more });
    } catch (error) {
      if (error instanceof StorageError) return error.code;
      throw error;
    }
    return 'accepted';
  };

  test.each([[undefined], [''], [' '], [7]])('A-86 the folder %j is refused', (directory) => {
    expect(refused({ directory })).toBe('INVALID_STORED_VALUE');
  });

  test('A-87 two spellings of one folder are one storage; secrets stay out of its record', () => {
    const one = createLocalRunStorage(options);
    const two = createLocalRunStorage({ ...options, directory: '/srv/./teamroom/.', knownSecrets: ['sesame'] });
    expect(two.record).toEqual(one.record);
    expect(JSON.stringify(two.record)).not.toContain('sesame');
    expect(Object.isFrozen(two)).toBe(true);
    expect(Object.isFrozen(two.record)).toBe(true);
    expect(Object.hasOwn(two, 'namespace')).toBe(false);
  });

  test.each([
    ['the path', { knownSecrets: ['teamroom'] }],
    ['the namespace', { knownSecrets: ['conversation'] }],
    ['a limit', { knownSecrets: ['4000000'] }],
  ])('A-89 a secret in %s is refused', (_, more) => {
    expect(refused(more)).toBe('KNOWN_SECRET');
  });

  test('A-89 and nothing is made on disk', async () => {
    const root = await temporaryFolder();
    const directory = join(root, 'sesame');
    expect(refused({ directory, knownSecrets: ['sesame'] })).toBe('KNOWN_SECRET');
    expect(await exists(directory)).toBe(false);
  });
});

describe.each(STORES)('the start of a run on %s', (store) => {
  const stream = { namespace: NAMESPACE, streamId: RUN };

  /** The code with which a start is refused, after proving that nothing of it was written. */
  async function refusal(input: RunDefinitionInput, knownSecrets: readonly string[] = [], policy = POLICY) {
    const lab = await runLab(store);
    const error = await refusalOf(() => persistRunDefinition(lab.open({ knownSecrets, policy }), input));
    for await (const event of lab.open({ policy }).eventStore.read(stream)) throw new Error(`Stored: ${event.type}`);
    expect(await exists(join(lab.root, 'storage'))).toBe(false);
    return error;
  }

  test('it is one event, frozen, with the plan beside it', async () => {
    const lab = await runLab(store);
    const storage = lab.open();
    const written = await persistRunDefinition(storage, start());
    expect(written).toMatchObject({ revision: 1, streamId: RUN, correlationId: RUN, causationId: null, version: 1 });
    expect(written.payload.definition).toEqual({
      schemaVersion: 1,
      runId: RUN,
      graphDefinition: compileTeam().definition,
      resolvedPlan: {
        schemaVersion: 1,
        digest: start().resolvedPlan.digest,
        byteLength: 1367,
        mediaType: 'application/json',
        purpose: 'resolved-plan',
      },
      resolvedInputs: {},
      storage: storage.record,
      workspaceBinding: null,
      hostBinding: null,
    });
    expect(Object.isFrozen(written.payload.definition.storage)).toBe(true);
    const loaded = await loadRunDefinition(lab.open(), RUN);
    expect(loaded.record).toEqual(written);
    expect(loaded.resolvedPlan).toEqual(start().resolvedPlan);
    expect(loaded.hostBindingBytes).toBeNull();
  });

  const definition = compileTeam().definition;
  const cases: readonly (readonly [string, Partial<RunDefinitionInput>])[] = [
    ['A-90 a run id with a slash', { runId: 'run/42' }],
    ['a time without milliseconds', { timestamp: '2026-01-01T00:00:00Z' }],
    ['an empty event id', { eventId: '' }],
    ['inputs that are not JSON', { resolvedInputs: { when: new Date(0) } as never }],
    ['a workspace that is not JSON', { workspaceBinding: undefined as never }],
    ['a definition with another digest', { graphDefinition: { ...definition, digest: `sha256:${'0'.repeat(64)}` } }],
    [
      'a definition with another text',
      { graphDefinition: { ...definition, canonicalJson: `${definition.canonicalJson} ` } },
    ],
    ['a definition with another field', { graphDefinition: { ...definition, more: 1 } as never }],
    ['A-91 a plan without phases', { resolvedPlan: bentPlan((plan) => delete plan['phases']) }],
    ['A-91 a plan with an unknown field', { resolvedPlan: bentPlan((plan) => (plan['more'] = 1)) }],
    [
      'A-91 a plan with another digest',
      { resolvedPlan: { ...start().resolvedPlan, digest: `sha256:${'0'.repeat(64)}` } },
    ],
    ['a plan of another graph', { resolvedPlan: startOf(bentTeam((team) => (team.id = 'other'))).resolvedPlan }],
    ['a plan of another definition', { resolvedPlan: startOf(bentTeam((team) => (team.data.task = ''))).resolvedPlan }],
    ['host bytes that are none', { hostBinding: { bytes: 'text' as never, mediaType: 'text/plain' } }],
    ['host bytes of no media type', { hostBinding: { bytes: new Uint8Array(1), mediaType: 'text' } }],
  ];
  test.each(cases)('%s is refused before anything is written', async (_, more) => {
    expect((await refusal(start(more))).code).toBe('INVALID_STORED_VALUE');
  });

  const host = (text: string) => ({ bytes: new TextEncoder().encode(text), mediaType: 'text/plain' });
  const small = { ...POLICY, maxEventPayloadBytes: 1_000 };
  const tight: readonly (readonly [string, Partial<RunDefinitionInput>, readonly string[], typeof POLICY, string])[] = [
    ['an event over its limit', {}, [], small, 'STORAGE_LIMIT_EXCEEDED'],
    ['a secret in the inputs', { resolvedInputs: { key: 'sesame' } }, ['sesame'], POLICY, 'KNOWN_SECRET'],
    ['a secret that is a key', { resolvedInputs: { sesame: 1 } }, ['sesame'], POLICY, 'KNOWN_SECRET'],
    ['a secret with a quote in it', { resolvedInputs: 'a"b' }, ['a"b'], POLICY, 'KNOWN_SECRET'],
    ['a secret across two fields', {}, ['"release-team-run","graphDefinition"'], POLICY, 'KNOWN_SECRET'],
    ['a secret in the host’s bytes', { hostBinding: host('sesame') }, ['sesame'], POLICY, 'KNOWN_SECRET'],
    ['a secret in the plan', {}, ['@example/team-conversation'], POLICY, 'KNOWN_SECRET'],
  ];
  test.each(tight)('A-93 %s is refused, and the plan is not admitted', async (_, more, secrets, policy, code) => {
    expect((await refusal(start(more), secrets, policy)).code).toBe(code);
    const lab = await runLab(store);
    const storage = lab.open({ policy, knownSecrets: secrets });
    await expect(persistRunDefinition(storage, start(more))).rejects.toThrow(StorageError);
    const { digest, canonicalJson: text } = start().resolvedPlan;
    const reference: ArtifactReference = {
      schemaVersion: 1,
      digest,
      byteLength: text.length,
      mediaType: 'application/json',
      purpose: 'resolved-plan',
    };
    const reading = () => lab.open({ policy }).artifactStore.read({ namespace: NAMESPACE, runId: RUN }, reference);
    expect(await codeOf(reading)).toBe('ARTIFACT_NOT_ADMITTED');
  });

  test('A-94 what the caller changes while it is being stored has no effect', async () => {
    const lab = await runLab(store);
    const bytes = new TextEncoder().encode('host');
    const resolvedInputs = { topic: 'before' };
    const input = start({ resolvedInputs, hostBinding: { bytes, mediaType: 'text/plain' } });
    const writing = persistRunDefinition(lab.open(), input);
    resolvedInputs.topic = 'after';
    bytes.fill(0);
    const written = await writing;
    const loaded = await loadRunDefinition(lab.open(), RUN);
    expect(loaded.record).toEqual(written);
    expect(loaded.record.payload.definition.resolvedInputs).toEqual({ topic: 'before' });
    expect(new TextDecoder().decode(loaded.hostBindingBytes ?? new Uint8Array())).toBe('host');
  });

  test('A-95 a second start is refused, its plan is not admitted, and the first stays', async () => {
    const lab = await runLab(store);
    const first = await persistRunDefinition(lab.open(), start());
    const other = startOf(bentTeam((team) => (team.data.task = 'Something else.')));
    expect(await codeOf(() => persistRunDefinition(lab.open(), other))).toBe('REVISION_CONFLICT');
    const reference = { ...first.payload.definition.resolvedPlan, digest: other.resolvedPlan.digest };
    const reading = () => lab.open().artifactStore.read({ namespace: NAMESPACE, runId: RUN }, reference);
    expect(await codeOf(reading)).toBe('ARTIFACT_NOT_ADMITTED');
    expect((await loadRunDefinition(lab.open(), RUN)).record).toEqual(first);
  });

  test.each<[string, (storage: RunStorage) => RunStorage, string]>([
    ['another provider version', (storage) => withStore(storage, { version: '2' }), '/storage/eventStore/version'],
    ['another provider', (storage) => withStore(storage, { name: 'other' }), '/storage/eventStore/name'],
    ['a lower limit', (storage) => withLimit(storage, 500_000), '/storage/policy/maxArtifactBytes'],
  ])('A-97 a storage with %s cannot load the run', async (_, change, difference) => {
    const lab = await runLab(store);
    await persistRunDefinition(lab.open(), start());
    const refused = await refusalOf(() => loadRunDefinition(change(lab.open()), RUN));
    expect(refused).toMatchObject({ code: 'INVALID_STORED_VALUE', details: { path: '/storage', difference } });
  });

  test('A-97 a storage with a raised limit loads it', async () => {
    const lab = await runLab(store);
    await persistRunDefinition(lab.open(), start());
    const policy = { ...POLICY, maxArtifactBytes: 2_000_000 };
    expect((await loadRunDefinition(lab.open({ policy }), RUN)).record.revision).toBe(1);
  });

  test('a run that was never started has no definition, and the error says so', async () => {
    const lab = await runLab(store);
    const error = await refusalOf(() => loadRunDefinition(lab.open(), RUN));
    expect(error).toMatchObject({ code: 'INVALID_STORED_VALUE', details: { path: '/runId' } });
    expect(error.message).toContain('no stored definition');
    expect(await codeOf(() => loadRunDefinition(lab.open(), 'run/42'))).toBe('INVALID_STORED_VALUE');
  });

  const plans: readonly (readonly [string, () => string])[] = [
    ['of another graph', () => startOf(bentTeam((team) => (team.id = 'other'))).resolvedPlan.canonicalJson],
    ['with an unknown field', () => bentPlan((plan) => (plan['more'] = 1)).canonicalJson],
    ['that is not canonical', () => JSON.stringify(start().resolvedPlan.plan, null, 1)],
    ['that is not a plan', () => '{}'],
  ];
  test.each(plans)('A-98 a stored plan %s is refused', async (_, text) => {
    const lab = await runLab(store);
    const storage = await storedByHand(lab.open(), text(), (definition) => definition);
    expect(await codeOf(() => loadRunDefinition(storage, RUN))).toBe('INVALID_STORED_VALUE');
  });

  const bends: readonly (readonly [string, (definition: JsonObject) => JsonValue])[] = [
    ['with an unknown field', (value) => ({ ...value, more: 1 })],
    ['of another run', (value) => ({ ...value, runId: 'another-run' })],
    ['of another schema', (value) => ({ ...value, schemaVersion: 2 })],
    ['without a storage', (value) => ({ ...value, storage: null })],
    ['that is no object', () => 'definition'],
  ];
  test.each(bends)('a stored definition %s is refused', async (_, bend) => {
    const lab = await runLab(store);
    const storage = await storedByHand(lab.open(), start().resolvedPlan.canonicalJson, bend);
    expect(await codeOf(() => loadRunDefinition(storage, RUN))).toBe('INVALID_STORED_VALUE');
  });

  test('A-98 the same definition, unbent, is loaded', async () => {
    const lab = await runLab(store);
    const storage = await storedByHand(lab.open(), start().resolvedPlan.canonicalJson, (definition) => definition);
    expect((await loadRunDefinition(storage, RUN)).resolvedPlan.plan['package']).toEqual(PACKAGE);
  });

  test.each(['resolvedPlan', 'hostBinding'] as const)(
    'A-99 a missing %s is reported with the event that needs it',
    async (part) => {
      const lab = await runLab(store);
      const storage = lab.open();
      const { payload } = await persistRunDefinition(storage, start({ hostBinding: host('host') }));
      const missing = payload.definition[part]?.digest;
      const artifactStore: RunStorage['artifactStore'] = {
        ...storage.artifactStore,
        read: (scope, reference) =>
          reference.digest === missing
            ? Promise.reject(new StorageError('ARTIFACT_NOT_FOUND', 'Gone.', { digest: reference.digest }))
            : storage.artifactStore.read(scope, reference),
      };
      expect(await refusalOf(() => loadRunDefinition({ ...storage, artifactStore }, RUN))).toMatchObject({
        code: 'ARTIFACT_NOT_FOUND',
        details: {
          streamId: RUN,
          revision: 1,
          eventId: 'release-team-started',
          referencePath: `/payload/definition/${part}`,
        },
      });
    },
  );

  test('A-99 a run whose artifacts were deleted with it is not loaded', async () => {
    const lab = await runLab(store);
    const storage = lab.open();
    await persistRunDefinition(storage, start());
    await storage.artifactStore.deleteRun({ namespace: NAMESPACE, runId: RUN });
    const refused = await refusalOf(() => loadRunDefinition(lab.open(), RUN));
    expect(refused.code).toBe('ARTIFACT_NOT_ADMITTED');
    expect(refused).toMatchObject({ details: { referencePath: '/payload/definition/resolvedPlan', revision: 1 } });
  });
});

function withStore(storage: RunStorage, change: object): RunStorage {
  const eventStore = { ...storage.record.eventStore, ...change };
  return { ...storage, record: { ...storage.record, eventStore } };
}

function withLimit(storage: RunStorage, maxArtifactBytes: number): RunStorage {
  return { ...storage, record: { ...storage.record, policy: { ...storage.record.policy, maxArtifactBytes } } };
}

/** Stores a start that `persistRunDefinition` would refuse to write. */
async function storedByHand(
  storage: RunStorage,
  plan: string,
  bend: (definition: JsonObject) => JsonValue,
): Promise<RunStorage> {
  const resolvedPlan = await storage.artifactStore.write(
    { namespace: NAMESPACE, runId: RUN },
    {
      bytes: new TextEncoder().encode(plan),
      mediaType: 'application/json',
      purpose: 'resolved-plan',
      contentMode: 'state',
    },
  );
  const definition = bend({
    schemaVersion: 1,
    runId: RUN,
    graphDefinition: { ...compileTeam().definition },
    resolvedPlan: { ...resolvedPlan },
    resolvedInputs: {},
    storage: JSON.parse(JSON.stringify(storage.record)) as JsonValue,
    workspaceBinding: null,
    hostBinding: null,
  });
  const event = {
    eventId: 'release-team-started',
    type: 'graph:run-started',
    version: 1,
    timestamp: '2026-01-01T00:00:00.000Z',
    correlationId: RUN,
    causationId: null,
    payload: { definition },
  };
  await storage.eventStore.append({ namespace: NAMESPACE, streamId: RUN }, 0, [event]);
  return storage;
}
