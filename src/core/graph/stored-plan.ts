// A plan that comes back from a disk proves itself: it is derived again from its own parts and has to be the same.
import { isJsonObject, jsonEquals, pointerToken, type JsonValue } from '../json.js';
import type { ResolvedGraphPlan } from './model.js';
import { derivePlan, planTitle } from './plan.js';
import { FieldReader, guarded, isJsonArray, own, readJson, refuse } from './shape.js';

/**
 * Checks the bare plan as it was stored.
 * @param value - the parsed plan.
 * @returns it, frozen, with its canonical text and digest.
 * @throws GraphValidationError: UNKNOWN_FIELD for a field no plan has, RESOLVED_PLAN_MISMATCH for a plan that its own
 *   parts do not give, or the code of the part that is wrong.
 */
export function validateStoredPlan(value: unknown): ResolvedGraphPlan {
  return guarded(planTitle, () => rederive(readJson(value, '')));
}

/**
 * Checks a resolved plan as `resolveGraphPlan` returned it, `{plan, canonicalJson, digest}`, exactly these fields.
 * @throws GraphValidationError as `validateStoredPlan`, and RESOLVED_PLAN_MISMATCH when text or digest are not the plan's.
 */
export function validateResolvedPlan(value: unknown): ResolvedGraphPlan {
  return guarded(planTitle, () => {
    const given = readJson(value, '');
    const plan = rederive(new FieldReader(given, '').json('plan'));
    refuseDifference(given, readJson(plan, ''));
    return plan;
  });
}

function rederive(value: JsonValue): ResolvedGraphPlan {
  const plan = new FieldReader(value, '');
  const permissions = plan.object('permissions');
  const description = { ...fieldsOf(value), requestedPermissions: permissions.json('requested') };
  const resolution = {
    package: plan.json('package'),
    admission: { package: plan.json('package'), permissions: permissions.json('admitted') },
    executionLanes: plan.json('executionLanes'),
    ...(plan.has('preflight') ? { preflight: plan.json('preflight') } : {}),
  };
  const derived = derivePlan(description, resolution);
  refuseDifference(value, derived.plan);
  return derived;
}

function refuseDifference(stored: JsonValue, derived: JsonValue): void {
  if (jsonEquals(stored, derived)) return;
  const extra = extraField(stored, derived, '');
  if (extra !== undefined) refuse('UNKNOWN_FIELD', extra, 'A plan has no such field');
  refuse('RESOLVED_PLAN_MISMATCH', '', 'The stored plan is not the one that its own parts give');
}

/** The place of the first field that `stored` has and `derived` has not. */
function extraField(stored: JsonValue, derived: JsonValue | undefined, path: string): string | undefined {
  if (isJsonArray(stored) && isJsonArray(derived)) {
    for (const [index, item] of stored.entries()) {
      const found = extraField(item, derived[index], `${path}/${index}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!isJsonObject(stored) || !isJsonObject(derived)) return undefined;
  for (const [key, item] of Object.entries(stored)) {
    const place = `${path}/${pointerToken(key)}`;
    const found = Object.hasOwn(derived, key) ? extraField(item, own(derived, key), place) : place;
    if (found !== undefined) return found;
  }
  return undefined;
}

function fieldsOf(value: JsonValue): Readonly<Record<string, JsonValue>> {
  return isJsonObject(value) ? value : {};
}
