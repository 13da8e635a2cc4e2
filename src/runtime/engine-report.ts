// What an engine reports, read at the edge: an engine is somebody else's program, and what it gets wrong must neither
// stop its turn nor leave anything in the record that cannot be read again.
import * as v from 'valibot';
import { cloneJson, type JsonValue } from '../core/json.js';
import type { TurnUsage } from '../core/record/catalogue.js';
import { UNKNOWN_USAGE } from '../core/team/usage.js';
import type { EngineStep, TurnResult } from './ports/engine.js';
import { TurnFailure } from './turn-outcome.js';

/** How long an id that an engine chose may be, in UTF-16 code units. */
const MAX_ID = 256;

const text = v.pipe(
  v.string(),
  v.transform((value) => value.toWellFormed()),
);
const id = v.pipe(
  text,
  v.transform((value) => value.slice(0, MAX_ID).toWellFormed()),
  v.minLength(1),
);
const place = { id: v.fallback(v.optional(id), undefined), parent: v.fallback(v.nullish(id), null) };
const piece = { ...place, isOpen: v.optional(v.boolean()) };

const Step = v.variant('kind', [
  v.object({ ...piece, kind: v.literal('thought'), text: v.string() }),
  v.object({ ...piece, kind: v.literal('text'), text: v.string() }),
  v.object({ ...piece, kind: v.literal('tool-call'), name: v.string(), input: v.optional(v.unknown()) }),
  v.object({ ...piece, kind: v.literal('tool-result'), callId: id, text: v.string(), isError: v.boolean() }),
  v.object({
    ...piece,
    kind: v.literal('plan'),
    entries: v.array(v.object({ text, status: v.picklist(['pending', 'in_progress', 'completed']) })),
  }),
  v.object({ ...piece, kind: v.literal('usage'), usage: v.optional(v.unknown()) }),
  v.object({ ...piece, kind: v.literal('error'), message: text }),
]);

/** @returns the step as it may be recorded; what cannot be read becomes an error step that says so. */
export function readStep(given: EngineStep): EngineStep {
  const read = v.safeParse(Step, given);
  if (!read.success) return { kind: 'error', message: 'The engine reported a step that cannot be read.' };
  const { id: own, parent, isOpen, ...what } = read.output;
  const where = {
    ...(own === undefined ? {} : { id: own }),
    parent: parent ?? null,
    ...(isOpen === undefined ? {} : { isOpen }),
  };
  if (what.kind === 'tool-call') return { ...where, ...what, input: jsonOf(what.input) };
  if (what.kind === 'usage') return { ...where, ...what, usage: knownUsage(what.usage) };
  return { ...where, ...what };
}

/** The value where it is JSON; else what can be written of it. */
export function jsonOf(value: unknown): JsonValue {
  try {
    return cloneJson(value);
  } catch {
    return { unreadable: writtenOf(value) };
  }
}

function writtenOf(value: unknown): string {
  try {
    const written: unknown = JSON.stringify(value);
    return typeof written === 'string' ? written.toWellFormed() : typeof value;
  } catch {
    return typeof value;
  }
}

/** Usage as it is recorded: a figure that is missing, or cannot be, is unknown. */
export function knownUsage(given: unknown): TurnUsage {
  const figures = new Map<string, unknown>(typeof given === 'object' && given !== null ? Object.entries(given) : []);
  const tokens = (key: keyof TurnUsage): number | null => {
    const value = figures.get(key);
    return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
  };
  const model = figures.get('model');
  return {
    ...UNKNOWN_USAGE,
    model: typeof model === 'string' ? model.slice(0, MAX_ID).toWellFormed() : null,
    inputTokens: tokens('inputTokens'),
    outputTokens: tokens('outputTokens'),
    cacheReadTokens: tokens('cacheReadTokens'),
    cacheWriteTokens: tokens('cacheWriteTokens'),
    reasoningTokens: tokens('reasoningTokens'),
    reportedCost: knownCost(figures.get('reportedCost')),
    pricedCost: knownCost(figures.get('pricedCost')),
  };
}

/** US dollars; null for what is no price. */
export function knownCost(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}

/** @throws TurnFailure `RESULT_INVALID` for what is no answer. */
export function readResult(given: TurnResult): TurnResult {
  const read = v.safeParse(v.looseObject({ text: v.string() }), given);
  if (read.success) return given;
  throw new TurnFailure('RESULT_INVALID', 'The engine ended the turn without an answer.');
}
