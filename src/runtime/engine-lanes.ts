// The engines of a run: which nodes have a lane in the plan, and which binding answers for each of its targets.
import type { ResolvedGraphPlan } from '../core/graph/model.js';
import { canonicalJson, isJsonObject, type JsonValue } from '../core/json.js';
import type { DomainEventEnvelope } from '../storage/port.js';
import type { EngineRoute } from './attempt.js';
import { GraphExecutionError } from './executor-error.js';
import { invalidEvent, type EventWriter } from './graph-events.js';
import type { GraphEngineBinding } from './ports/graph-engine.js';
import type { EngineEventRules } from './run-fold.js';
import type { RunLog } from './run-log.js';

export class EngineLanes implements EngineEventRules {
  /** Lane by node. */
  readonly #laneOf: ReadonlyMap<string, string>;

  /** @throws GraphExecutionError `MISSING_ENGINE_BINDING` unless each target of the plan has exactly one binding. */
  constructor({ plan }: ResolvedGraphPlan, engines: readonly GraphEngineBinding[]) {
    const lanes = objects(plan['executionLanes']);
    const targets = lanes.flatMap((lane) => [lane['effective'] ?? null, ...list(lane['fallbacks'])]);
    const needed = new Set(targets.map((target) => canonicalJson(target)));
    const bound = engines.map(({ target }) => canonicalJson(target));
    const unique = new Set(bound);
    if (unique.size !== bound.length || unique.size !== needed.size || bound.some((target) => !needed.has(target))) {
      throw new GraphExecutionError('MISSING_ENGINE_BINDING', 'Each engine of the plan needs exactly one binding.');
    }
    this.#laneOf = new Map(
      objects(plan['nodes']).flatMap(({ id, laneId }): readonly (readonly [string, string])[] =>
        typeof id === 'string' && typeof laneId === 'string' ? [[id, laneId]] : [],
      ),
    );
  }

  /** True when the node's turns are run by an engine. */
  has(nodeId: string): boolean {
    return this.#laneOf.has(nodeId);
  }

  /** How a turn of the node is run by its engine, null for a data node. */
  route(
    turn: { readonly nodeId: string },
    _record: { readonly log: RunLog; readonly writer: EventWriter },
  ): EngineRoute | null {
    if (!this.has(turn.nodeId)) return null;
    throw new GraphExecutionError('MISSING_ENGINE_BINDING', 'Engine lanes are not supported yet.');
  }

  receipt(event: DomainEventEnvelope): void {
    throw invalidEvent(event, 'its node has no engine');
  }

  unavailable(event: DomainEventEnvelope): void {
    throw invalidEvent(event, 'the plan has no such engine');
  }

  reset(): void {
    // Nothing is remembered yet.
  }
}

function list(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

function objects(value: JsonValue | undefined) {
  return list(value).filter(isJsonObject);
}
