// Live conversations of a given length, as people would have had them.
import { createHash } from 'node:crypto';
import { parseTeamFile } from '../src/core/team/team-file.ts';
import { Conversation } from '../src/runtime/conversation.ts';
import { createMemoryRunStorage } from '../src/storage/memory/storage.ts';
import { createLocalRunStorage } from '../src/storage/sqlite/storage.ts';
import { median } from './median.mjs';

const MiB = 1_048_576;
export const LIVE = {
  namespace: 'bench',
  policy: {
    schemaVersion: 1,
    maxEventPayloadBytes: MiB,
    maxAppendBatchBytes: 2 * MiB,
    maxArtifactBytes: 16 * MiB,
    maxTotalArtifactBytesPerRun: 1024 * MiB,
    retention: 'until-run-delete',
    sensitiveContent: { marked: 'reject', exact: 'reject', freeText: 'redact-before-hash' },
  },
};

const TEAM = JSON.stringify({
  id: 'bench',
  lead: 'ana',
  data: { communication: { rooms: [{ id: 'room', members: ['ana', 'ben'] }], tailMessages: 20 } },
  nodes: ['ana', 'ben'].map((id) => ({ id, data: { role: id, brief: 'Answer.', engine: 'instant' } })),
  edges: [],
});

const engine = { id: 'instant', label: 'Instant', runTurn: () => Promise.resolve({ text: 'a'.repeat(180) }) };

function host(storage) {
  return {
    storage,
    engines: { find: () => engine },
    runnerId: createHash('sha256').update(String(performance.now())).digest('hex').slice(0, 12),
    onError: (error) => {
      throw error;
    },
  };
}

/** A conversation that grows in memory, where that is quick. */
export async function growConversation() {
  const storage = createMemoryRunStorage(LIVE);
  const conversation = await Conversation.start(host(storage), parseTeamFile(TEAM, 'bench'), []);
  return { storage, conversation, runId: conversation.runId, posts: 0 };
}

/** Lets it grow to a length and copies it to disk. */
export async function lengthen(grown, length, directory) {
  const { storage, conversation, runId } = grown;
  const stream = { namespace: LIVE.namespace, streamId: runId };
  while ((await storage.eventStore.head(stream)) < length) await step(conversation, `grow-${(grown.posts += 1)}`);
  const { eventStore } = createLocalRunStorage({ directory, ...LIVE });
  for (const streamId of [runId, `${runId}.m.1`]) await copyStream(storage.eventStore, eventStore, streamId);
  return runId;
}

async function copyStream(from, to, streamId) {
  const stream = { namespace: LIVE.namespace, streamId };
  let batch = [];
  let revision = 0;
  for await (const envelope of from.read(stream)) {
    const { eventId, type, version, timestamp, correlationId, causationId, payload } = envelope;
    batch.push({ eventId, type, version, timestamp, correlationId, causationId, payload });
    if (batch.length < 500) continue;
    revision = await to.append(stream, revision, batch);
    batch = [];
  }
  if (batch.length > 0) await to.append(stream, revision, batch);
}

/** Milliseconds until a stored conversation is open and folded. */
export async function openFolded(directory, runId, withSnapshot) {
  const storage = createLocalRunStorage({ directory, ...LIVE });
  const none = { read: () => Promise.resolve(null), write: () => Promise.resolve() };
  const whole = { isWhole: true, streams: [], damagedArtifacts: [], problem: null, runId };
  const runs = {
    list: () => storage.runs.list(),
    watch: (...given) => storage.runs.watch(...given),
    tryHold: (id) => storage.runs.tryHold(id),
    isHeld: (id) => storage.runs.isHeld(id),
    cache: (id) => (withSnapshot ? storage.runs.cache(id) : none),
    // Runs beside, in a worker of its own: measured apart.
    verify: () => Promise.resolve(whole),
  };
  const began = performance.now();
  const conversation = await Conversation.open(host({ ...storage, runs }), runId);
  const took = performance.now() - began;
  await conversation.close();
  return took;
}

/** Each measurement's posts have ids of their own. */
let measurements = 0;

/** Milliseconds of one step: a post, the turn that it wakes, and its answer, all durable. */
export async function stepTime(directory, runId) {
  measurements += 1;
  const storage = createLocalRunStorage({ directory, ...LIVE });
  const conversation = await Conversation.open(host(storage), runId);
  const times = [];
  for (let round = 0; round < 60; round += 1) {
    const began = performance.now();
    await step(conversation, `measured-${measurements}-${round}`);
    times.push(performance.now() - began);
  }
  await conversation.close();
  return median(times.slice(10));
}

async function step(conversation, requestId) {
  const answered = Promise.withResolvers();
  const subscription = conversation.onDidChange(({ events }) => {
    if (events.some(({ type }) => type === 'graph:node-completed')) answered.resolve();
  });
  await conversation.post({ requestId, roomId: 'room', text: 'q'.repeat(180) });
  await answered.promise;
  subscription[Symbol.dispose]();
}
