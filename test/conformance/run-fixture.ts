// Stored runs for the cases: a place to keep them on each store, bindings that answer at once, and a clock moved by hand.
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { compileGraph } from '../../src/core/graph/compile.js';
import type {
  CompiledGraph,
  GraphCommand,
  GraphEvent,
  GraphIssue,
  GraphType,
  PlanResolution,
} from '../../src/core/graph/model.js';
import { resolveGraphPlan } from '../../src/core/graph/plan.js';
import type { JsonObject, JsonValue } from '../../src/core/json.js';
import { attemptIdentity } from '../../src/core/team/identifiers.js';
import { createGraphExecutor, type GraphExecutor, type GraphExecutorOptions } from '../../src/runtime/executor.js';
import { GraphExecutionError } from '../../src/runtime/executor-error.js';
import type { GraphNodeBinding } from '../../src/runtime/ports/binding.js';
import type { Clock } from '../../src/runtime/ports/clock.js';
import { persistRunDefinition, type RunDefinitionInput } from '../../src/runtime/run-definition.js';
import { StorageError } from '../../src/storage/error.js';
import { MemoryDisk } from '../../src/storage/memory/disk.js';
import { createMemoryRunStorage } from '../../src/storage/memory/storage.js';
import type { DomainEventEnvelope, NewDomainEvent, RunStorage, RunStoragePolicy } from '../../src/storage/port.js';
import { createLocalRunStorage } from '../../src/storage/sqlite/storage.js';
import { NAMESPACE, POLICY, RUN, STARTED_AT } from './run-binding.js';
import { PACKAGE } from './team-fixture.js';

export const STORES = ['memory', 'sqlite'] as const;
export interface OpenOptions {
  readonly namespace?: string;
  readonly policy?: RunStoragePolicy;
  readonly knownSecrets?: readonly string[];
}

/** A folder of one test, and a store in it that can be opened again. */
export interface RunLab {
  readonly root: string;
  readonly scratch: string;
  open(options?: OpenOptions): RunStorage;
}

export async function temporaryFolder(): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'teamroom-test-')));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  return root;
}

export async function runLab(store: (typeof STORES)[number]): Promise<RunLab> {
  const root = await temporaryFolder();
  const scratch = join(root, 'scratch');
  await mkdir(scratch);
  const disk = new MemoryDisk();
  const directory = join(root, 'storage');
  const open = ({ namespace = NAMESPACE, policy = POLICY, knownSecrets = [] }: OpenOptions = {}): RunStorage =>
    store === 'memory'
      ? createMemoryRunStorage({ namespace, policy, knownSecrets, disk })
      : createLocalRunStorage({ directory, namespace, policy, knownSecrets });
  return { root, scratch, open };
}

/** The start of a run of `graph`, to be bent by a test. */
export function startOf<State extends JsonValue>(
  graph: CompiledGraph<State>,
  engines: Pick<PlanResolution, 'executionLanes' | 'preflight'> = { executionLanes: [] },
): RunDefinitionInput {
  return {
    runId: RUN,
    eventId: 'release-team-started',
    timestamp: STARTED_AT,
    graphDefinition: graph.definition,
    resolvedPlan: resolveGraphPlan(graph.describe(), {
      package: PACKAGE,
      admission: { package: PACKAGE, permissions: [] },
      ...engines,
    }),
    resolvedInputs: {},
    workspaceBinding: null,
    hostBinding: null,
  };
}

/** A run that was started, ready to be executed. */
export interface StartedRun {
  readonly storage: RunStorage;
  /** A new executor, as a new process would have it; `options` replace its own. */
  executor(options?: Partial<GraphExecutorOptions>): Promise<GraphExecutor>;
  /** The stored events, or those with a payload of one node. */
  events(): Promise<DomainEventEnvelope[]>;
  /** `<type without prefix> <position or ''>` of each stored event. */
  story(): Promise<string[]>;
  /** Appends events as an earlier process would have left them. */
  record(...events: readonly NewDomainEvent[]): Promise<void>;
}

export async function startedRun<State extends JsonValue>(
  lab: RunLab,
  graph: CompiledGraph<State>,
  nodes: Readonly<Record<string, GraphNodeBinding>>,
  open: OpenOptions = {},
): Promise<StartedRun> {
  const storage = lab.open(open);
  await persistRunDefinition(storage, startOf(graph));
  return runOn(storage, graph, nodes);
}

export function runOn<State extends JsonValue>(
  storage: RunStorage,
  graph: CompiledGraph<State>,
  nodes: Readonly<Record<string, GraphNodeBinding>>,
): StartedRun {
  const stream = { namespace: storage.record.namespace, streamId: RUN };
  const events = async () => {
    const read: DomainEventEnvelope[] = [];
    for await (const event of storage.eventStore.read(stream)) read.push(event);
    return read;
  };
  return {
    storage,
    events,
    executor: (options = {}) =>
      createGraphExecutor<JsonValue>({
        runId: RUN,
        graph: graph,
        storage,
        nodes,
        engines: [],
        ...options,
      }),
    story: async () => (await events()).map(lineOf),
    record: async (...added) => {
      await storage.eventStore.append(stream, (await events()).length, added);
    },
  };
}

function lineOf({ type, payload }: DomainEventEnvelope): string {
  const fields = payload as JsonObject;
  const identity = fields['identity'] as JsonObject | undefined;
  const position = fields['position'] ?? identity?.['position'] ?? '';
  return `${type.replace('graph:', '')} ${typeof position === 'string' ? position : ''}`.trim();
}

let made = 0;

/** An event of a run as its executor writes it. */
export function graphEvent(kind: string, payload: JsonObject, version = 1): NewDomainEvent {
  made += 1;
  return {
    eventId: `made-${made}`,
    type: `graph:${kind}`,
    version,
    timestamp: STARTED_AT,
    correlationId: RUN,
    causationId: null,
    payload,
  };
}

const placeOf = (short: string) => ({ nodeId: short.slice(0, short.lastIndexOf('/')), position: `team/${short}` });

export const identityOf = (short: string) =>
  attemptIdentity({ namespace: NAMESPACE, streamId: RUN, ...placeOf(short) });
export const dispatchedEvent = (short: string): NewDomainEvent => graphEvent('node-dispatched', placeOf(short));
export const startedEvent = (short: string, retrySafe = false): NewDomainEvent =>
  graphEvent('node-attempt-started', { identity: identityOf(short), retrySafe });
export const completedEvent = (short: string, result: JsonValue): NewDomainEvent =>
  graphEvent('node-completed', { ...placeOf(short), result });
export const failedEvent = (short: string, code: string): NewDomainEvent =>
  graphEvent('node-failed', { ...placeOf(short), code });
export const pausedEvent = (short: string, reason = 'Wait.'): NewDomainEvent =>
  graphEvent('node-paused', { ...placeOf(short), reason, request: null });
export const resumedEvent = (short: string): NewDomainEvent => graphEvent('node-resumed', placeOf(short));

/** A graph that does what a test says: its state is the list of events so far. */
export function plainGraph(
  nodeIds: readonly string[],
  decide: (events: readonly GraphEvent[]) => readonly GraphCommand[],
  validate?: (nodeId: string, result: JsonValue) => GraphIssue | null,
  memory: 'required' | 'unused' = 'unused',
): CompiledGraph {
  const type: GraphType = {
    kind: 'plain',
    version: 1,
    compile: (definition, kernel) => ({
      requirements: { memory },
      initialState: () => [],
      reduce: (state, event) => [...(state as readonly JsonValue[]), { ...event }],
      decide: (state) => decide(state as unknown as readonly GraphEvent[]),
      describe: () => ({
        schemaVersion: 1,
        graph: {
          id: definition.id,
          definitionVersion: definition.definitionVersion,
          kind: 'plain',
          typeVersion: 1,
          definitionDigest: kernel.definition.digest,
        },
        inputContract: {},
        outputContract: {},
        phases: [{ id: 'all', name: 'All', nodeIds }],
        nodes: nodeIds.map((id) => ({ id, phaseId: 'all', inputContract: {}, outputContract: {}, laneId: null })),
        edges: [],
        policies: { retry: null, stop: null, concurrency: null, write: null, budget: null, action: null },
        executionLanes: [],
        requestedPermissions: [],
        bounds: {
          dispatches: { min: { kind: 'known', value: 0 }, max: { kind: 'unknown' } },
          maxConcurrency: { kind: 'unknown' },
          maxFanOut: { kind: 'unknown' },
        },
        requirements: { memory },
      }),
      ...(validate === undefined ? {} : { validateNodeResult: validate }),
    }),
  };
  const definition = {
    id: 'plain-graph',
    definitionVersion: 1,
    data: null,
    nodes: nodeIds.map((id) => ({ id, data: null })),
    edges: [],
  };
  return compileGraph(type, definition);
}

/** A graph that runs its nodes once, all together, and then is complete with the codes or results it has seen. */
export function onceGraph(
  nodeIds: readonly string[],
  validate?: (nodeId: string, result: JsonValue) => GraphIssue | null,
  memory: 'required' | 'unused' = 'unused',
): CompiledGraph {
  const decide = (events: readonly GraphEvent[]): readonly GraphCommand[] => {
    if (!events.some(({ type }) => type === 'node-dispatched')) {
      return nodeIds.map((id) => ({ kind: 'dispatch', nodeId: id, input: { for: id }, position: `once/${id}` }));
    }
    const last = new Map(
      events
        .filter(({ type }) => type !== 'node-attempt-started')
        .map(({ type, payload }) => [(payload as { nodeId: string }).nodeId, { type, payload: payload as JsonObject }]),
    );
    const ends = [...last.values()];
    if (ends.some(({ type }) => type === 'node-dispatched' || type === 'node-resumed')) return [];
    const paused = ends.find(({ type }) => type === 'node-paused');
    if (paused !== undefined) return [{ kind: 'pause', reason: JSON.stringify(paused.payload['reason']).slice(1, -1) }];
    return [{ kind: 'complete', output: ends.map(({ payload }) => payload['result'] ?? payload['code'] ?? null) }];
  };
  return plainGraph(nodeIds, decide, validate, memory);
}

/** A clock that stands still until it is moved. */
export class ManualClock implements Clock {
  #time = 0;
  #timers: { at: number; callback: () => void }[] = [];

  now(): number {
    return Date.parse(STARTED_AT) + this.#time;
  }

  elapsed(): number {
    return this.#time;
  }

  after(milliseconds: number, callback: () => void): Disposable {
    const timer = { at: this.#time + milliseconds, callback };
    this.#timers.push(timer);
    return { [Symbol.dispose]: () => void (this.#timers = this.#timers.filter((other) => other !== timer)) };
  }

  /** How many timers are waiting. */
  get waiting(): number {
    return this.#timers.length;
  }

  /** Moves time without letting timers fire, as a blocked event loop does. */
  block(milliseconds: number): void {
    this.#time += milliseconds;
  }

  advance(milliseconds: number): void {
    this.#time += milliseconds;
    const due = this.#timers.filter(({ at }) => at <= this.#time).sort((left, right) => left.at - right.at);
    this.#timers = this.#timers.filter(({ at }) => at > this.#time);
    for (const { callback } of due) callback();
  }
}

export const never = (): AbortSignal => new AbortController().signal;

/** The code of the StorageError or GraphExecutionError with which `work` is refused. */
export async function codeOf(work: () => Promise<unknown>): Promise<string> {
  return (await refusalOf(work)).code;
}

export async function refusalOf(work: () => Promise<unknown>): Promise<StorageError | GraphExecutionError> {
  try {
    await work();
  } catch (error) {
    if (error instanceof StorageError || error instanceof GraphExecutionError) return error;
    throw error;
  }
  throw new Error('Nothing was refused.');
}
