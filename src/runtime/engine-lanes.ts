// The engines of a run: which nodes have a lane in the plan, which binding answers for each of its targets, and which
// of them turned out to be dead. What is dead is read from the record, so that a later process knows it too.
// Rules: docs/rules.md § Engine lanes.
import { readTarget } from '../core/graph/description.js';
import type { ExecutionTarget, ResolvedGraphPlan } from '../core/graph/model.js';
import { canonicalJson, isJsonObject, type JsonValue } from '../core/json.js';
import type { DomainEventEnvelope } from '../storage/port.js';
import type { EngineRoute } from './attempt.js';
import { isModelDead, isTarget, readReceipt, readUnavailable, type LaneDeadFailure } from './engine-events.js';
import { identityOf, sameIdentity, sameModel } from './engine-identity.js';
import { engineRoute, type LaneEngine } from './engine-route.js';
import { GraphExecutionError } from './executor-error.js';
import { invalidEvent, type EventWriter, type GraphRecordEvent } from './graph-events.js';
import type { EngineIdentity, GraphEngine, GraphEngineBinding } from './ports/graph-engine.js';
import type { EngineEventRules } from './run-fold.js';
import type { RunLog } from './run-log.js';

type Receipt = Extract<GraphRecordEvent, { kind: 'engine-attempt-recorded' }>;
type Unavailable = Extract<GraphRecordEvent, { kind: 'model-unavailable' }>;

export class EngineLanes implements EngineEventRules {
  /** By node: the engines of its lane, the one in use first. */
  readonly #enginesOf = new Map<string, readonly LaneEngine[]>();
  /** By lane. */
  readonly #lanes: ReadonlyMap<string, readonly LaneEngine[]>;
  #dead = new Set<LaneEngine>();
  /** By position: who was called last. */
  #called = new Map<string, EngineIdentity | null>();

  /** @throws GraphExecutionError `MISSING_ENGINE_BINDING` unless each target of the plan has exactly one binding. */
  constructor({ plan }: ResolvedGraphPlan, engines: readonly GraphEngineBinding[]) {
    const bound = bindEngines(engines);
    // One object for each target, so that lanes which share a target share its fate.
    const named = new Map<string, LaneEngine>();
    const engineOf = (value: JsonValue): LaneEngine => {
      const key = canonicalJson(value);
      const engine = bound.get(key);
      if (engine === undefined) throw wrongBindings(`Nothing is bound to ${key}.`);
      const target = readTarget(value, '');
      const known = named.get(key) ?? Object.freeze({ target, identity: identityOf(target), engine });
      named.set(key, known);
      return known;
    };
    const lanes = new Map<string, readonly LaneEngine[]>();
    for (const lane of objects(plan['executionLanes'])) {
      const targets = [lane['effective'] ?? null, ...list(lane['fallbacks'])];
      if (typeof lane['id'] === 'string') lanes.set(lane['id'], targets.map(engineOf));
    }
    for (const key of bound.keys()) if (!named.has(key)) throw wrongBindings(`The plan does not name ${key}.`);
    for (const { id, laneId } of objects(plan['nodes'])) {
      const lane = typeof laneId === 'string' ? lanes.get(laneId) : undefined;
      if (typeof id === 'string' && lane !== undefined) this.#enginesOf.set(id, lane);
    }
    this.#lanes = lanes;
  }

  /** True when the node's turns are run by an engine. */
  has(nodeId: string): boolean {
    return this.#enginesOf.has(nodeId);
  }

  /** The engines of a lane, dead ones too: the one in use first, then its fallbacks. */
  engines(laneId: string): readonly LaneEngine[] {
    return this.#lanes.get(laneId) ?? [];
  }

  /** How a turn of the node is run by its engine, null for a data node. */
  route(
    turn: { readonly nodeId: string; readonly position: string; readonly receipts: number },
    record: { readonly log: RunLog; readonly writer: EventWriter },
  ): EngineRoute | null {
    const engines = this.#enginesOf.get(turn.nodeId);
    if (engines === undefined) return null;
    const { nodeId, position, receipts } = turn;
    return engineRoute({
      nodeId,
      position,
      receipts,
      ...record,
      usable: () => engines.filter((engine) => !this.#dead.has(engine)),
      exclude: ({ identity, target }, failure) => this.#exclude(identity, target, failure),
    });
  }

  receipt(event: DomainEventEnvelope, { nodeId, position, payload }: Receipt): void {
    const engines = this.#enginesOf.get(nodeId);
    if (engines === undefined) throw invalidEvent(event, 'its node has no engine');
    const { requested } = readReceipt(event, payload);
    if (requested !== null && !engines.some(({ identity }) => sameIdentity(identity, requested))) {
      throw invalidEvent(event, 'the plan has no such engine for its node');
    }
    this.#called.set(position, requested);
  }

  unavailable(event: DomainEventEnvelope, { nodeId, position, payload }: Unavailable): void {
    const { selection, failure, target } = readUnavailable(event, payload);
    const named = (this.#enginesOf.get(nodeId) ?? []).filter(
      (engine) => sameIdentity(engine.identity, selection) && (target === null || isTarget(target, engine.target)),
    );
    if (named.length === 0) throw invalidEvent(event, 'the plan has no such engine for its node');
    const called = this.#called.get(position) ?? null;
    if (called === null || !sameIdentity(called, selection)) throw invalidEvent(event, 'that engine was not called');
    // One report for one call.
    this.#called.delete(position);
    for (const engine of named) this.#exclude(selection, target === null ? null : engine.target, failure);
  }

  reset(): void {
    this.#dead = new Set();
    this.#called = new Map();
  }

  /** @param target - null when the record names the engine without its tools: then it is dead with any. */
  #exclude(identity: EngineIdentity, target: ExecutionTarget | null, failure: LaneDeadFailure): void {
    const same = isModelDead(failure) ? sameModel : sameIdentity;
    const text = target === null || isModelDead(failure) ? null : canonicalJson(target);
    for (const engine of [...this.#lanes.values()].flat()) {
      const isNamed = text === null || canonicalJson(engine.target) === text;
      if (isNamed && same(engine.identity, identity)) this.#dead.add(engine);
    }
  }
}

/** By the canonical text of the target. */
function bindEngines(engines: readonly GraphEngineBinding[]): ReadonlyMap<string, GraphEngine> {
  const bound = new Map<string, GraphEngine>();
  for (const { target, engine } of engines) {
    const key = canonicalJson(target);
    if (bound.has(key)) throw wrongBindings(`Two engines are bound to ${key}.`);
    bound.set(key, engine);
  }
  return bound;
}

function wrongBindings(detail: string): GraphExecutionError {
  const message = `Each engine of the plan needs exactly one binding. ${detail}`;
  return new GraphExecutionError('MISSING_ENGINE_BINDING', message);
}

function list(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

function objects(value: JsonValue | undefined) {
  return list(value).filter(isJsonObject);
}
