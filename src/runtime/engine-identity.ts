// Who an engine is, read from what others say of it.
import type { ExecutionTarget } from '../core/graph/model.js';
import type { EngineIdentity } from './ports/graph-engine.js';

const FIELDS = ['adapter', 'provider', 'modelFamily', 'model'] as const;

/** Who a target of a plan names. Two targets that differ in their tools only name the same engine. */
export function identityOf({ adapter, provider, modelFamily, model }: ExecutionTarget): EngineIdentity {
  return Object.freeze({ adapter, provider, modelFamily, model });
}

/** An identity with exactly its four texts, else null. */
export function readIdentity(value: unknown): EngineIdentity | null {
  if (typeof value !== 'object' || value === null) return null;
  const fields = new Map<string, unknown>(Object.entries(value));
  const [adapter, provider, modelFamily, model] = FIELDS.map((field) => nonEmpty(fields.get(field)));
  if (fields.size !== FIELDS.length || !adapter || !provider || !modelFamily || !model) return null;
  return Object.freeze({ adapter, provider, modelFamily, model });
}

export function sameIdentity(left: EngineIdentity, right: EngineIdentity): boolean {
  return FIELDS.every((field) => left[field] === right[field]);
}

/** The same model at the same provider, by whichever adapter. */
export function sameModel(left: EngineIdentity, right: EngineIdentity): boolean {
  return left.provider === right.provider && left.model === right.model;
}

function nonEmpty(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
