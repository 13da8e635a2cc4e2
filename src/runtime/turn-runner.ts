// One turn of a stored run, from its recorded dispatch to its recorded outcome: which event follows from how its
// attempt ended. Rules: docs/rules.md § Outcomes.
import type { GraphIssue } from '../core/graph/model.js';
import { GraphValidationError } from '../core/graph/error.js';
import type { JsonObject, JsonValue } from '../core/json.js';
import { attemptIdentity, type AttemptIdentity } from '../core/team/identifiers.js';
import { isStorageError } from '../storage/error.js';
import type { NewDomainEvent } from '../storage/port.js';
import type { AttemptFailureCode } from './attempt-error.js';
import { runAttempt, type AttemptOutcome } from './attempt.js';
import { GraphExecutionError } from './executor-error.js';
import type { EngineLanes } from './engine-lanes.js';
import { attemptStarted, newGraphEvent, type EventWriter } from './graph-events.js';
import type { GraphNodeBinding } from './ports/binding.js';
import type { WorkspaceInspector } from './ports/workspace.js';
import type { OpenTurn } from './run-fold.js';
import type { RunLog } from './run-log.js';

export interface TurnRunnerOptions {
  readonly log: RunLog;
  readonly writer: EventWriter;
  readonly nodes: Readonly<Record<string, GraphNodeBinding>>;
  readonly lanes: EngineLanes;
  readonly memory: unknown;
  readonly workspaceInspector: WorkspaceInspector | undefined;
  readonly validateNodeResult: (nodeId: string, result: JsonValue) => GraphIssue | null;
}

interface Place {
  readonly nodeId: string;
  readonly position: string;
}

/** A turn with everything that is needed to run it. */
export interface PreparedTurn extends Place {
  readonly input: JsonValue;
  readonly attempt: OpenTurn['attempt'];
  readonly receipts: number;
  readonly binding: GraphNodeBinding;
  readonly prompt: string | null;
}

export class TurnRunner {
  readonly #options: TurnRunnerOptions;

  constructor(options: TurnRunnerOptions) {
    this.#options = options;
  }

  identity(place: Place): AttemptIdentity {
    return attemptIdentity({ ...this.#options.writer.stream, ...place });
  }

  /** @throws GraphExecutionError `MISSING_NODE_BINDING`; what the binding's prompt throws. */
  prepare(turn: Omit<PreparedTurn, 'binding' | 'prompt'>): PreparedTurn {
    const { nodes } = this.#options;
    const binding = Object.hasOwn(nodes, turn.nodeId) ? nodes[turn.nodeId] : undefined;
    if (binding === undefined) {
      throw new GraphExecutionError('MISSING_NODE_BINDING', `Nothing is bound to the node "${turn.nodeId}".`);
    }
    const { nodeId, position, input, attempt, receipts } = turn;
    return { nodeId, position, input, attempt, receipts, binding, prompt: binding.prompt?.(input) ?? null };
  }

  /** The receipt of an engine call that a crash cut off: nobody knows what it was. Empty for a data node. */
  receiptOfInterrupted({ nodeId, position, receipts }: OpenTurn): readonly NewDomainEvent[] {
    if (!this.#options.lanes.has(nodeId)) return [];
    const payload = { nodeId, position, sequence: receipts + 1, requested: null, effective: null };
    return [newGraphEvent(this.#options.writer, 'engine-attempt-recorded', payload)];
  }

  /** Runs the turn and records how it ended. @throws StorageError when the record could not be written. */
  async run(turn: PreparedTurn, signal: AbortSignal): Promise<void> {
    const { log, writer, lanes, memory, workspaceInspector } = this.#options;
    const { binding, input, prompt } = turn;
    if (turn.attempt === null) {
      const started = attemptStarted(writer, turn, binding.retrySafe === true);
      await log.appendFact(turn.position, [started]);
    }
    const engine = lanes.route(turn, { log, writer });
    const { clock } = writer;
    const outcome = await runAttempt({ binding, input, prompt, engine, memory, signal, clock, workspaceInspector });
    await this.#record(turn, outcome);
  }

  async #record(turn: PreparedTurn, outcome: AttemptOutcome): Promise<void> {
    const { log } = this.#options;
    try {
      await log.appendFact(turn.position, [this.#outcomeEvent(turn, outcome)]);
    } catch (error) {
      if (!isStorageError(error, 'STORAGE_LIMIT_EXCEEDED')) throw error;
      await log.appendFact(turn.position, [this.#failed(turn, 'RESULT_TOO_LARGE')]);
    }
  }

  #outcomeEvent(turn: PreparedTurn, outcome: AttemptOutcome): NewDomainEvent {
    const { writer } = this.#options;
    const place = placeOf(turn);
    switch (outcome.kind) {
      case 'completed':
        if (!this.#isValid(turn.nodeId, outcome.result)) return this.#failed(turn, 'RESULT_INVALID');
        return newGraphEvent(writer, 'node-completed', { ...place, result: outcome.result });
      case 'paused':
        return newGraphEvent(writer, 'node-paused', { ...place, reason: outcome.reason, request: outcome.request });
      case 'failed':
        return this.#failed(turn, outcome.code);
    }
  }

  #failed(turn: PreparedTurn, code: AttemptFailureCode): NewDomainEvent {
    return newGraphEvent(this.#options.writer, 'node-failed', { ...placeOf(turn), code });
  }

  /** the graph's own check, once, before anything is recorded. A check that breaks accepts nothing. */
  #isValid(nodeId: string, result: JsonValue): boolean {
    try {
      return this.#options.validateNodeResult(nodeId, result) === null;
    } catch (error) {
      if (error instanceof GraphValidationError) return false;
      throw error;
    }
  }
}

function placeOf({ nodeId, position }: Place): JsonObject & Place {
  return { nodeId, position };
}
