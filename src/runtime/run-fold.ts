// A stored run as its executor sees it: the graph's state, the turns that are open, and the revision up to which both
// were read. Kept between steps and brought up to date by reading only what is new; every event is checked against what
// the graph itself would have done. Rules: docs/rules.md § Executor.
import type { CompiledGraph, DispatchCommand, GraphCommand } from '../core/graph/model.js';
import type { JsonValue } from '../core/json.js';
import type { DomainEventEnvelope, EventStore, StreamId } from '../storage/port.js';
import { invalidEvent, readGraphEvent, type EventScope, type GraphRecordEvent } from './graph-events.js';
import { PREFLIGHT_PREFIX, type PreflightRecord } from './preflight-record.js';
import { RUN_STARTED } from './run-definition-record.js';

/** A recorded dispatch that has no outcome yet. */
export interface OpenTurn {
  readonly nodeId: string;
  readonly position: string;
  /** What the graph decided to give it. */
  readonly input: JsonValue;
  readonly status: 'in-flight' | 'paused';
  /** The start of its attempt; null when the process died before that. */
  readonly attempt: { readonly retrySafe: boolean } | null;
  /** Receipts of engine calls so far. */
  readonly receipts: number;
}

/** An event about a turn that was dispatched before. */
type TurnEvent = Exclude<GraphRecordEvent, { kind: 'other' | 'node-dispatched' }>;

/** Checks of events that only runs with engines have. Throws GraphExecutionError `INVALID_EVENT`. */
export interface EngineEventRules {
  receipt(event: DomainEventEnvelope, read: Extract<GraphRecordEvent, { kind: 'engine-attempt-recorded' }>): void;
  unavailable(event: DomainEventEnvelope, read: Extract<GraphRecordEvent, { kind: 'model-unavailable' }>): void;
  /** Forgets everything: the run is read again from its start. */
  reset(): void;
}

export interface RunFoldOptions<State extends JsonValue> {
  readonly graph: CompiledGraph<State>;
  readonly stream: StreamId;
  readonly eventStore: EventStore;
  readonly engineRules: EngineEventRules;
  readonly preflight: PreflightRecord;
  /** Test hook: forget everything before each reading. */
  readonly dropState: boolean;
}

export class RunFold<State extends JsonValue> {
  readonly #options: RunFoldOptions<State>;
  readonly #scope: EventScope;
  #revision = 0;
  #state: State;
  #decision: readonly GraphCommand[] | null = null;
  /** The rest of the batch that is being read: dispatches that the graph decided together. */
  #batch: readonly DispatchCommand[] = [];
  #open = new Map<string, OpenTurn>();
  #positions = new Set<string>();

  constructor(options: RunFoldOptions<State>) {
    this.#options = options;
    const nodeIds = new Set(options.graph.describe().nodes.map(({ id }) => id));
    this.#scope = { namespace: options.stream.namespace, nodeIds };
    this.#state = options.graph.initialState();
  }

  /** Revision of the last event read. */
  get revision(): number {
    return this.#revision;
  }

  /** Turns without an outcome, in the order of dispatch. */
  get openTurns(): readonly OpenTurn[] {
    return [...this.#open.values()];
  }

  openTurn(position: string): OpenTurn | undefined {
    return this.#open.get(position);
  }

  /** True when a dispatch of `position` is recorded, settled or not. */
  isRecorded(position: string): boolean {
    return this.#positions.has(position);
  }

  /** What the graph wants done now. */
  decide(): readonly GraphCommand[] {
    this.#decision ??= this.#options.graph.decide(this.#state);
    return this.#decision;
  }

  /**
   * Reads what the store has beyond the last reading.
   * @throws GraphExecutionError `INVALID_EVENT`; the store's own errors.
   */
  async refresh(): Promise<void> {
    if (this.#options.dropState) this.#reset();
    const { eventStore, stream } = this.#options;
    for await (const event of eventStore.read(stream, this.#revision)) this.#apply(event);
  }

  #reset(): void {
    this.#options.engineRules.reset();
    this.#options.preflight.reset();
    this.#revision = 0;
    this.#state = this.#options.graph.initialState();
    this.#decision = null;
    this.#batch = [];
    this.#open = new Map();
    this.#positions = new Set();
  }

  #apply(event: DomainEventEnvelope): void {
    const first = event.revision === 1;
    if (event.type === RUN_STARTED) {
      if (!first) throw invalidEvent(event, 'a run starts once');
    } else if (event.type.startsWith(PREFLIGHT_PREFIX)) {
      this.#options.preflight.apply(event);
    } else {
      const read = readGraphEvent(event, this.#scope);
      if (read !== null) this.#applyGraphEvent(event, read);
    }
    this.#revision = event.revision;
  }

  #applyGraphEvent(event: DomainEventEnvelope, read: GraphRecordEvent): void {
    this.#check(event, read);
    const { type, version, payload } = event;
    const next = this.#options.graph.reduce(this.#state, { type: type.slice('graph:'.length), version, payload });
    if (next === this.#state) return;
    this.#state = next;
    this.#decision = null;
  }

  /** Checks an event against the turns that are open, and moves them on. */
  #check(event: DomainEventEnvelope, read: GraphRecordEvent): void {
    if (read.kind !== 'node-dispatched') this.#batch = [];
    if (read.kind === 'other') return;
    if (read.kind === 'node-dispatched') this.#dispatched(event, read);
    else this.#checkTurn(event, read);
  }

  #checkTurn(event: DomainEventEnvelope, read: TurnEvent): void {
    const turn = this.#open.get(read.position);
    if (turn?.nodeId !== read.nodeId) throw invalidEvent(event, 'no turn of that node is open at its position');
    switch (read.kind) {
      case 'node-attempt-started':
        if (turn.attempt !== null) throw invalidEvent(event, 'its attempt had started already');
        this.#put({ ...turn, attempt: { retrySafe: read.retrySafe } });
        break;
      case 'engine-attempt-recorded':
        if (turn.attempt === null || turn.status === 'paused' || read.sequence !== turn.receipts + 1) {
          throw invalidEvent(event, 'no call of an engine is open there');
        }
        this.#options.engineRules.receipt(event, read);
        this.#put({ ...turn, receipts: read.sequence });
        break;
      case 'model-unavailable':
        if (turn.status === 'paused' || turn.receipts === 0) throw invalidEvent(event, 'no engine was called there');
        this.#options.engineRules.unavailable(event, read);
        break;
      case 'node-resumed':
        if (turn.status !== 'paused' && turn.attempt === null) throw invalidEvent(event, 'there is nothing to resume');
        this.#put({ ...turn, status: 'in-flight' });
        break;
      case 'node-paused':
        refusePaused(event, turn);
        this.#put({ ...turn, status: 'paused' });
        break;
      case 'node-completed':
      case 'node-failed':
        refusePaused(event, turn);
        this.#open.delete(turn.position);
    }
  }

  #dispatched(event: DomainEventEnvelope, { nodeId, position }: { nodeId: string; position: string }): void {
    if (this.#positions.has(position)) throw invalidEvent(event, `"${position}" was dispatched before`);
    const expected = this.#batch.length > 0 ? this.#batch : this.decide().filter(isDispatch);
    const [command, ...rest] = expected;
    if (command?.nodeId !== nodeId || command.position !== position) {
      throw invalidEvent(event, 'the graph would not have dispatched it at this point');
    }
    this.#batch = rest;
    this.#positions.add(position);
    this.#put({ nodeId, position, input: command.input, status: 'in-flight', attempt: null, receipts: 0 });
  }

  #put(turn: OpenTurn): void {
    this.#open.set(turn.position, turn);
  }
}

function refusePaused(event: DomainEventEnvelope, turn: OpenTurn): void {
  if (turn.status === 'paused') throw invalidEvent(event, 'that turn is paused');
}

export function isDispatch(command: GraphCommand): command is DispatchCommand {
  return command.kind === 'dispatch';
}
