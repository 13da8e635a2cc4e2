// The bounded executor on runs of a given length: two members who answer each other.
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { compileGraph } from '../src/core/graph/compile.ts';
import { resolveGraphPlan } from '../src/core/graph/plan.ts';
import { attemptIdentity } from '../src/core/team/identifiers.ts';
import { teamGraphType } from '../src/core/team/team-graph.ts';
import { createGraphExecutor } from '../src/runtime/executor.ts';
import { persistRunDefinition } from '../src/runtime/run-definition.ts';
import { createLocalRunStorage } from '../src/storage/sqlite/storage.ts';
import { LIVE } from './live.mjs';
import { median } from './median.mjs';

const MEMBERS = ['ana', 'ben'];
const STEPS = 60;
const RUN = 'bounded';
const STREAM = { namespace: LIVE.namespace, streamId: RUN };

const graph = compileGraph(teamGraphType, {
  id: 'bench',
  definitionVersion: 1,
  data: {
    task: 'Answer each other.',
    globalConcurrency: 1,
    maxTurnsPerMember: 1_000_000,
    communication: { rooms: [{ id: 'room', members: MEMBERS }], tailMessages: 20 },
  },
  nodes: MEMBERS.map((id) => ({ id, data: { role: id, brief: 'Answer.', initialTurn: id === 'ana' } })),
  edges: [],
});

/**
 * Makes a run whose record has some length.
 * @param {string} place a folder for it
 * @param {number} length events, about
 */
export async function growRun(place, length) {
  const { eventStore, ...storage } = open(place);
  await persistRunDefinition({ eventStore, ...storage }, start());
  let revision = 1;
  let batch = [];
  for (const event of walk(length)) {
    batch.push(event);
    // As the executor's own appends would be, a turn's events stay in their order.
    if (batch.length < 500) continue;
    revision = await eventStore.append(STREAM, revision, batch);
    batch = [];
  }
  if (batch.length > 0) await eventStore.append(STREAM, revision, batch);
}

/** Milliseconds of one step of the run: decided, dispatched, started, answered, and all of that durable. */
export async function boundedStep(place) {
  const scratchDirectory = join(place, 'scratch');
  mkdirSync(scratchDirectory, { recursive: true });
  const ended = new AbortController();
  const asked = [];
  const answer = (to) => {
    asked.push(performance.now());
    if (asked.length > STEPS) ended.abort();
    return Promise.resolve(result(to));
  };
  const nodes = Object.fromEntries(MEMBERS.map((id) => [id, binding(scratchDirectory, () => answer(other(id)))]));
  const executor = await createGraphExecutor({ runId: RUN, graph, storage: open(place), nodes, engines: [] });
  await executor.run(ended.signal).catch((error) => {
    if (!ended.signal.aborted) throw error;
  });
  const times = asked.slice(1).map((time, index) => time - asked[index]);
  return median(times.slice(10));
}

/** The events of a run up to a length, as the graph decides them. */
function* walk(length) {
  let state = graph.initialState();
  const reduced = (kind, payload) => {
    state = graph.reduce(state, { type: kind, version: 1, payload });
    return newEvent(`graph:${kind}`, payload);
  };
  for (let events = 1; events < length; events += 3) {
    const [{ nodeId, position }] = graph.decide(state);
    yield reduced('node-dispatched', { nodeId, position });
    yield reduced('node-attempt-started', {
      identity: attemptIdentity({ ...STREAM, nodeId, position }),
      retrySafe: false,
    });
    yield reduced('node-completed', { nodeId, position, result: result(other(nodeId)) });
  }
}

function newEvent(type, payload) {
  const eventId = randomUUID();
  const timestamp = new Date().toISOString();
  return { eventId, type, version: 1, timestamp, correlationId: RUN, causationId: null, payload };
}

function result(to) {
  return { summary: 'Answered.', posts: [{ roomId: 'room', text: 'a'.repeat(180), mentions: [to] }] };
}

function other(id) {
  return MEMBERS.find((member) => member !== id);
}

function open(place) {
  return createLocalRunStorage({ directory: join(place, 'runs'), ...LIVE });
}

function start() {
  const bench = { source: 'bench', version: '1', digest: `sha256:${'0'.repeat(64)}` };
  const plan = { package: bench, admission: { package: bench, permissions: [] }, executionLanes: [] };
  return {
    runId: RUN,
    eventId: 'started',
    timestamp: new Date().toISOString(),
    graphDefinition: graph.definition,
    resolvedPlan: resolveGraphPlan(graph.describe(), plan),
    resolvedInputs: {},
    workspaceBinding: null,
    hostBinding: null,
  };
}

function binding(scratchDirectory, runData) {
  return {
    prompt: null,
    scratchDirectory,
    workspace: { mode: 'none', directory: null, allowedPaths: [] },
    trustedCaller: {},
    permissions: [],
    resultContract: null,
    runData,
    parseResult: null,
    tokenBudget: null,
    decideAction: () => Promise.resolve({ kind: 'allow' }),
    policy: {
      inputBytes: 1_000_000,
      outputBytes: 100_000,
      timeoutMs: 60_000,
      teardownGraceMs: 1_000,
      memoryBytes: 10_000_000,
      filesChanged: 0,
      linesChanged: 0,
      callTokens: null,
    },
  };
}
