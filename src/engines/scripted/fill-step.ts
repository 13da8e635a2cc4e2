// A step of a script with its variables filled in.
import type { JsonValue } from '../../core/json.js';
import type { Step } from './script-steps.js';

/** @param filled - fills one text. Names of tools and keys of inputs stay as they are. */
export function fillStep(step: Step, filled: (template: string) => string): Step {
  if ('think' in step) return { ...step, think: filled(step.think) };
  if ('plan' in step) return { ...step, plan: step.plan.map((entry) => ({ ...entry, text: filled(entry.text) })) };
  if ('error' in step) return { ...step, error: filled(step.error) };
  if ('flood' in step) return { ...step, text: filled(step.text ?? 'Thought') };
  if (!('call' in step)) return step;
  const input = fillJson(step.input ?? {}, filled);
  if (!('result' in step)) return { ...step, input };
  const steps = (step.steps ?? []).map((inner) => fillStep(inner, filled));
  return { ...step, input, steps, result: filled(step.result) };
}

function fillJson(value: JsonValue, filled: (template: string) => string): JsonValue {
  if (typeof value === 'string') return filled(value);
  if (value === null || typeof value !== 'object') return value;
  if (isList(value)) return value.map((item) => fillJson(item, filled));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillJson(item, filled)]));
}

function isList(value: object): value is readonly JsonValue[] {
  return Array.isArray(value);
}
