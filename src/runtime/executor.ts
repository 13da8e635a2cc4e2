// Runs a stored graph: read what is new, let the graph decide, record the decision, run the turns, record what came of
// them, and again. The record is the only state; a finished run read again changes nothing and calls nobody.
// Rules: docs/rules.md § Executor.
import type { CompiledGraph, DispatchCommand, GraphCommand } from '../core/graph/model.js';
import { canonicalJson, jsonEquals, type JsonValue } from '../core/json.js';
import type { RunStorage } from '../storage/port.js';
import { GraphExecutionError } from './executor-error.js';
import { EngineLanes } from './engine-lanes.js';
import { newGraphEvent, type EventWriter } from './graph-events.js';
import type { GraphNodeBinding } from './ports/binding.js';
import type { Clock } from './ports/clock.js';
import type { GraphEngineBinding } from './ports/graph-engine.js';
import type { WorkspaceInspector } from './ports/workspace.js';
import { Preflight } from './preflight.js';
import { PreflightRecord } from './preflight-record.js';
import { loadRunDefinition, type LoadedRunDefinition } from './run-definition.js';
import { isDispatch, RunFold, type OpenTurn } from './run-fold.js';
import { RunLog } from './run-log.js';
import { systemClock } from './system-clock.js';
import { TurnRunner, type PreparedTurn } from './turn-runner.js';

export interface GraphExecutorOptions<State extends JsonValue = JsonValue> {
  readonly runId: string;
  /** The graph that the run was started with, compiled from the same definition. */
  readonly graph: CompiledGraph<State>;
  readonly storage: RunStorage;
  /** By node id. A node's binding is needed when the node is about to run, not before. */
  readonly nodes: Readonly<Record<string, GraphNodeBinding>>;
  /** Exactly one for each engine that the plan names. */
  readonly engines: readonly GraphEngineBinding[];
  /** `memory` is handed to data effects; needed when the graph requires it. */
  readonly bindings?: { readonly memory?: unknown };
  /** Where engines may write while they are checked before the first turn; needed when the plan asks for that. */
  readonly preflightScratchDirectory?: string;
  /** Default: the machine's time. */
  readonly clock?: Clock;
  /** Needed by nodes that have a workspace. */
  readonly workspaceInspector?: WorkspaceInspector;
}

/** Where a run stands. `waiting`: turns at these positions are open, begun by an earlier process. */
export type GraphRunOutcome =
  | { readonly kind: 'complete'; readonly output: JsonValue }
  | { readonly kind: 'fail'; readonly code: string; readonly message: string }
  | { readonly kind: 'pause'; readonly reason: string; readonly preflightEventId?: string }
  | { readonly kind: 'waiting'; readonly positions: readonly string[] };

/** What to go on with: a turn's position, or a pause of the engine check. */
export type ResumeTarget = string | { readonly preflightEventId: string };

export interface GraphExecutor {
  /**
   * Runs until the graph ends, pauses, or waits for an open turn.
   * @throws GraphExecutionError (`ABORTED` when `signal` stopped it), StorageError, or what a binding's prompt threw.
   */
  run(signal: AbortSignal): Promise<GraphRunOutcome>;
  /** Goes on with one open or paused turn, then as `run`. @throws also `PROTOCOL` for a turn that is not open. */
  resume(target: ResumeTarget, signal: AbortSignal): Promise<GraphRunOutcome>;
}

const UNCERTAIN = 'The previous process stopped after node code started, so its outcome is uncertain.';

/**
 * Opens a stored run for execution. Reads, but writes nothing.
 * @throws GraphExecutionError `STORED_GRAPH_MISMATCH`, `MISSING_MEMORY`, `MISSING_ENGINE_BINDING`,
 *   `INVALID_PREFLIGHT_CONFIG`; StorageError when the run cannot be loaded.
 */
export async function createGraphExecutor<State extends JsonValue>(
  options: GraphExecutorOptions<State>,
): Promise<GraphExecutor> {
  const loaded = await loadRunDefinition(options.storage, options.runId);
  checkSameGraph(options.graph, loaded);
  if (options.graph.requirements.memory === 'required' && options.bindings?.memory === undefined) {
    throw new GraphExecutionError('MISSING_MEMORY', 'The graph needs a memory: pass it as bindings.memory.');
  }
  const lanes = new EngineLanes(loaded.resolvedPlan, options.engines);
  const { graph, storage, runId, clock = systemClock } = options;
  const { eventStore, record } = storage;
  const stream = { namespace: record.namespace, streamId: runId };
  const dropState = process.env['TEAMROOM_DROP_STATE'] === '1';
  const checks = new PreflightRecord(loaded.resolvedPlan, (laneId) => lanes.engines(laneId));
  const fold = new RunFold({ graph, stream, eventStore, engineRules: lanes, preflight: checks, dropState });
  const log = new RunLog(eventStore, stream);
  const writer = { stream, clock };
  const scratchDirectory = options.preflightScratchDirectory;
  const preflight = await Preflight.create({ record: checks, log, writer, scratchDirectory });
  const turns = new TurnRunner({
    log,
    writer,
    nodes: options.nodes,
    lanes,
    memory: options.bindings?.memory ?? null,
    workspaceInspector: options.workspaceInspector,
    validateNodeResult: (nodeId, result) => graph.validateNodeResult?.(nodeId, result) ?? null,
  });
  const execution = new GraphExecution({ fold, log, writer, preflight, turns });
  return Object.freeze({
    run: (signal: AbortSignal) => execution.exclusive(() => execution.run(signal)),
    resume: (target: ResumeTarget, signal: AbortSignal) => execution.exclusive(() => execution.resume(target, signal)),
  });
}

function checkSameGraph<State extends JsonValue>(graph: CompiledGraph<State>, loaded: LoadedRunDefinition): void {
  const stored = loaded.record.payload.definition.graphDefinition;
  const same =
    stored.digest === graph.definition.digest &&
    stored.canonicalJson === graph.definition.canonicalJson &&
    jsonEquals(loaded.resolvedPlan.plan['graph'] ?? null, graph.describe().graph);
  if (same) return;
  const names = canonicalJson(graph.describe().graph);
  throw new GraphExecutionError('STORED_GRAPH_MISMATCH', `The run was started with another graph than ${names}.`);
}

/** What a run is executed with. */
interface ExecutionParts<State extends JsonValue> {
  readonly fold: RunFold<State>;
  readonly log: RunLog;
  readonly writer: EventWriter;
  readonly preflight: Preflight;
  readonly turns: TurnRunner;
}

class GraphExecution<State extends JsonValue> {
  readonly #fold: RunFold<State>;
  readonly #log: RunLog;
  readonly #writer: EventWriter;
  readonly #preflight: Preflight;
  readonly #turns: TurnRunner;
  #busy = false;

  constructor({ fold, log, writer, preflight, turns }: ExecutionParts<State>) {
    this.#fold = fold;
    this.#log = log;
    this.#writer = writer;
    this.#preflight = preflight;
    this.#turns = turns;
  }

  /** One run or resume at a time: two loops over one record would race each other. */
  async exclusive<Value>(work: () => Promise<Value>): Promise<Value> {
    if (this.#busy) throw new GraphExecutionError('PROTOCOL', 'This executor is running already.');
    this.#busy = true;
    try {
      return await work();
    } finally {
      this.#busy = false;
    }
  }

  async run(signal: AbortSignal): Promise<GraphRunOutcome> {
    for (;;) {
      await this.#read(signal);
      const commands = this.#fold.decide();
      const outcome = this.#settled(commands);
      if (outcome !== null) return outcome;
      const check = await this.#preflight.step(this.#fold.revision, signal);
      if (check.kind === 'moved') continue;
      if (check.kind !== 'passed') return Object.freeze(check);
      const dispatches = commands.filter(isDispatch);
      this.#refuseRepeated(dispatches);
      // Bindings and prompts come first: when one of them throws, nothing was recorded.
      const prepared = dispatches.map((command) => this.#turns.prepare({ ...command, attempt: null, receipts: 0 }));
      const events = dispatches.map(({ nodeId, position }) =>
        newGraphEvent(this.#writer, 'node-dispatched', { nodeId, position }),
      );
      if (await this.#log.appendDecision(this.#fold.revision, events)) await this.#runAll(prepared, signal);
    }
  }

  async resume(target: ResumeTarget, signal: AbortSignal): Promise<GraphRunOutcome> {
    await this.#read(signal);
    if (typeof target !== 'string') {
      while (!(await this.#preflight.resume(this.#fold.revision, target.preflightEventId))) await this.#read(signal);
      return this.run(signal);
    }
    const turn = this.#fold.openTurn(target);
    if (turn === undefined) throw new GraphExecutionError('PROTOCOL', `No turn is open at "${target}".`);
    await this.#resumeTurn(turn, signal);
    return this.run(signal);
  }

  /** What a crash or a pause left: started or not, safe to run again or not. */
  async #resumeTurn(turn: OpenTurn, signal: AbortSignal): Promise<void> {
    const { nodeId, position, attempt } = turn;
    const place = { nodeId, position };
    const interrupted = turn.status === 'in-flight' && attempt !== null;
    const receipts = interrupted ? this.#turns.receiptOfInterrupted(turn) : [];
    if (interrupted && !attempt.retrySafe) {
      const { attemptId } = this.#turns.identity(place);
      const request = { kind: 'reconcile-attempt', attemptId };
      const paused = newGraphEvent(this.#writer, 'node-paused', { ...place, reason: UNCERTAIN, request });
      await this.#log.appendFact(position, [...receipts, paused]);
      return;
    }
    const prepared = this.#turns.prepare({ ...turn, receipts: turn.receipts + receipts.length });
    if (turn.status === 'paused' || interrupted) {
      const resumed = newGraphEvent(this.#writer, 'node-resumed', place);
      await this.#log.appendFact(position, [...receipts, resumed]);
    }
    await this.#runAll([prepared], signal);
  }

  async #read(signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw new GraphExecutionError('ABORTED', 'The caller stopped the run.', signal.reason);
    await this.#fold.refresh();
    this.#log.seen(this.#fold.revision);
  }

  /** The end of `run`, or null when there are turns to dispatch. */
  #settled(commands: readonly GraphCommand[]): GraphRunOutcome | null {
    const inFlight = this.#fold.openTurns.filter(({ status }) => status === 'in-flight');
    const [command] = commands;
    if (command === undefined) {
      if (inFlight.length === 0) throw new GraphExecutionError('EMPTY_DECISION', 'The graph has nothing left to do.');
      return Object.freeze({ kind: 'waiting', positions: Object.freeze(inFlight.map(({ position }) => position)) });
    }
    if (inFlight.length > 0) {
      throw new GraphExecutionError('PROTOCOL', `The graph decided to ${command.kind} while turns are open.`);
    }
    switch (command.kind) {
      case 'dispatch':
        return null;
      case 'complete':
        return Object.freeze({ kind: 'complete', output: command.output });
      case 'fail':
        return Object.freeze({ kind: 'fail', code: command.code, message: command.message });
      case 'pause':
        return Object.freeze({ kind: 'pause', reason: command.reason });
    }
  }

  #refuseRepeated(dispatches: readonly DispatchCommand[]): void {
    const repeated = dispatches.find(({ position }) => this.#fold.isRecorded(position));
    if (repeated === undefined) return;
    const message = `The graph dispatched "${repeated.position}" twice.`;
    throw new GraphExecutionError('DUPLICATE_POSITION', message);
  }

  /** Waits for every turn, also when one could not be recorded: none is left running unseen. */
  async #runAll(prepared: readonly PreparedTurn[], signal: AbortSignal): Promise<void> {
    const ends = await Promise.allSettled(prepared.map((turn) => this.#turns.run(turn, signal)));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }
}
