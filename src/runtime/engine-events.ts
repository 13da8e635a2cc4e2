// What a record says of engines: the receipt of each call, and that an engine cannot be used any more.
// Rules: docs/run-record.md § Graph events.
import { isJsonObject, jsonEquals, type JsonObject, type JsonValue } from '../core/json.js';
import type { AttemptIdentity } from '../core/team/identifiers.js';
import type { ExecutionTarget } from '../core/graph/model.js';
import type { DomainEventEnvelope } from '../storage/port.js';
import { readIdentity } from './engine-identity.js';
import { invalidEvent } from './graph-events.js';
import type { EngineIdentity } from './ports/graph-engine.js';

/** Failures after which an engine is not asked again in its run. */
const LANE_DEAD = ['auth', 'billing', 'missing-cli', 'model-unavailable', 'invalid-config', 'quota'] as const;
export type LaneDeadFailure = (typeof LANE_DEAD)[number];

/** Of these, the ones that every adapter would meet with the same model at the same provider. */
const MODEL_DEAD: ReadonlySet<string> = new Set<LaneDeadFailure>(['billing', 'model-unavailable', 'quota']);

export function isLaneDead(kind: string): kind is LaneDeadFailure {
  return LANE_DEAD.some((dead) => dead === kind);
}

export function isModelDead(failure: LaneDeadFailure): boolean {
  return MODEL_DEAD.has(failure);
}

/** Who was called and who answered. Both null: the process died during the call, and nobody knows. */
export interface EngineReceipt {
  readonly requested: EngineIdentity | null;
  readonly effective: EngineIdentity | null;
}

export interface UnavailableEngine {
  /** Who was asked. */
  readonly selection: EngineIdentity;
  readonly effective: EngineIdentity | null;
  readonly failure: LaneDeadFailure;
  /** The very target of the plan; null in a record that names the engine only. */
  readonly target: JsonObject | null;
}

/** @throws GraphExecutionError `INVALID_EVENT` */
export function readReceipt(event: DomainEventEnvelope, payload: JsonObject): EngineReceipt {
  const requested = identityOrNull(event, payload, 'requested');
  const effective = identityOrNull(event, payload, 'effective');
  if (requested === null && effective !== null) throw invalidEvent(event, 'it says who answered but not who was asked');
  return { requested, effective };
}

const UNAVAILABLE = ['schemaVersion', 'identity', 'selection', 'effective', 'failure'];

/** @throws GraphExecutionError `INVALID_EVENT` */
export function readUnavailable(event: DomainEventEnvelope, payload: JsonObject): UnavailableEngine {
  const { schemaVersion, failure, target } = payload;
  const fields = target === undefined ? UNAVAILABLE : [...UNAVAILABLE, 'target'];
  const complete = fields.every((field) => Object.hasOwn(payload, field));
  if (!complete || Object.keys(payload).length !== fields.length || schemaVersion !== 1) {
    throw invalidEvent(event, `its fields are not exactly ${UNAVAILABLE.join(', ')} and perhaps target`);
  }
  const selection = identityOrNull(event, payload, 'selection');
  if (selection === null) throw invalidEvent(event, 'selection names no engine');
  const effective = identityOrNull(event, payload, 'effective');
  if (typeof failure !== 'string' || !isLaneDead(failure)) {
    throw invalidEvent(event, 'its failure does not end the use of an engine');
  }
  if (target !== undefined && !isJsonObject(target)) throw invalidEvent(event, 'its target is not an object');
  return { selection, effective, failure, target: target ?? null };
}

export function unavailablePayload(
  identity: AttemptIdentity,
  engine: Omit<UnavailableEngine, 'target'> & { readonly target: ExecutionTarget },
): JsonObject {
  const { selection, effective, failure, target } = engine;
  return { schemaVersion: 1, identity, selection, effective, failure, target };
}

/** True when a recorded target is this one of the plan. */
export function isTarget(recorded: JsonValue, target: ExecutionTarget): boolean {
  return jsonEquals(recorded, target);
}

function identityOrNull(event: DomainEventEnvelope, payload: JsonObject, key: string): EngineIdentity | null {
  const value = payload[key];
  if (value === null) return null;
  const identity = readIdentity(value);
  if (identity === null) throw invalidEvent(event, `${key} is neither null nor an engine's identity`);
  return identity;
}
