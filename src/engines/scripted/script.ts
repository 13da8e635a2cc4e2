// A member's script as its team file has it: rules, of which the first that fits a post answers it.
import * as v from 'valibot';
import { Milliseconds, Step } from './script-steps.js';

const text = v.string();
const texts = v.pipe(v.array(text), v.readonly());

const When = v.strictObject({
  /** `you`, `lead`, `members` (any of them), `any`, or the id of a member. */
  from: v.optional(text),
  /** True: the member's first turn; false: a later one. */
  first: v.optional(v.boolean()),
  /** True: the turn tries again one that failed or was stopped; false: it does not. */
  retried: v.optional(v.boolean()),
  /** True: the post says nothing beside its mentions; false: it does. */
  blank: v.optional(v.boolean()),
  /** One of these words or phrases stands in the post; case does not matter. */
  contains: v.optional(texts),
  /** What earlier rules remembered; `''` stands for nothing. */
  remembered: v.optional(v.record(text, text)),
});

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** Figures that are missing are unknown. */
const Usage = v.strictObject({
  model: v.optional(text),
  inputTokens: v.optional(count),
  outputTokens: v.optional(count),
  cacheReadTokens: v.optional(count),
  cacheWriteTokens: v.optional(count),
  reasoningTokens: v.optional(count),
  /** US dollars. */
  cost: v.optional(v.pipe(v.number(), v.finite(), v.minValue(0))),
});

const Words = v.strictObject({
  when: v.optional(When),
  /** Thoughts, shown before the steps. */
  think: v.optional(texts),
  /** What the member does before it answers. */
  steps: v.optional(v.array(Step)),
  /** The answer. Mentions in it wake members; what a variable brings in never does. */
  say: v.optional(text),
  /** The answer is written bit by bit: true, within the rule's pause; a number, as many tokens a second. */
  stream: v.optional(v.union([v.boolean(), v.pipe(v.number(), v.minValue(1), v.maxValue(100_000))])),
  /** Kept for the member's later turns; each key is a variable there. */
  remember: v.optional(v.record(text, text)),
  /** How long the member thinks, in milliseconds. */
  pauseMs: v.optional(Milliseconds),
  /** What the turn is said to have used; null: nobody knows. Without it: nothing, which is the truth. */
  usage: v.optional(v.nullable(Usage)),
  /** The turn fails with these words, in place of its answer. */
  fail: v.optional(text),
  /** The turn does not end by itself. */
  hang: v.optional(v.boolean()),
  /** The turn does not hear that it must end. */
  ignoreAbort: v.optional(v.boolean()),
});

const Rule = v.pipe(
  Words,
  v.forward(
    v.check(({ say, fail, hang }) => say !== undefined || fail !== undefined || hang === true, 'What does it say?'),
    ['say'],
  ),
  v.forward(
    v.check(({ fail, hang }) => fail === undefined || hang !== true, 'A turn that hangs cannot fail'),
    ['fail'],
  ),
);

export type Rule = v.InferOutput<typeof Rule>;
export type Remembered = Readonly<Record<string, string>>;

/**
 * Reads a script; null stands for none.
 * @throws Error that says where it is wrong, in words for the person.
 */
export function parseScript(script: unknown, memberName: string): readonly Rule[] {
  if (script === null || script === undefined) return [];
  const parsed = v.safeParse(v.array(Rule), script);
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  const where = (issue.path ?? []).map(({ key }) => `/${String(key)}`).join('');
  throw new Error(`The script of ${memberName} cannot be played. At "script${where}": ${issue.message}.`);
}
