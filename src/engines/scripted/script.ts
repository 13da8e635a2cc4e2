// A member's script as its team file has it: rules, of which the first that fits a post answers it.
import * as v from 'valibot';
import { foldName } from '../../core/team/name-fold.js';
import type { GivenPost, TurnInput } from '../../runtime/ports/engine.js';

const text = v.string();
const texts = v.pipe(v.array(text), v.readonly());

const When = v.strictObject({
  /** `you`, `lead`, `members` (any of them), `any`, or the id of a member. */
  from: v.optional(text),
  /** True: the member's first turn; false: a later one. */
  first: v.optional(v.boolean()),
  /** True: the post says nothing beside its mentions; false: it does. */
  blank: v.optional(v.boolean()),
  /** One of these words or phrases stands in the post; case does not matter. */
  contains: v.optional(texts),
  /** What earlier rules remembered; `''` stands for nothing. */
  remembered: v.optional(v.record(text, text)),
});

const Rule = v.strictObject({
  when: v.optional(When),
  /** Thoughts, shown before the answer. */
  think: v.optional(texts),
  /** The answer. Mentions in it wake members; what a variable brings in never does. */
  say: text,
  /** Kept for the member's later turns; each key is a variable there. */
  remember: v.optional(v.record(text, text)),
  /** How long the member thinks, in milliseconds. */
  pauseMs: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(600_000))),
});

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

/** True when `rule` answers `post`. `said` is the post's text without the mentions it begins with. */
export function fits(rule: Rule, post: GivenPost, said: string, remembered: Remembered, input: TurnInput): boolean {
  const { from = 'any', first, blank, contains, remembered: wanted = {} } = rule.when ?? {};
  return (
    isFrom(from, post.sender, input) &&
    (first === undefined || first === (input.previous === null)) &&
    (blank === undefined || blank === (said === '')) &&
    (contains === undefined || contains.some((phrase) => hasPhrase(said, phrase))) &&
    Object.entries(wanted).every(([key, value]) => (remembered[key] ?? '') === value)
  );
}

function isFrom(from: string, sender: string, { team }: TurnInput): boolean {
  if (from === 'any') return true;
  if (from === 'lead') return sender === team.lead;
  if (from === 'members') return team.members.some(({ id }) => id === sender);
  return sender === from;
}

/** Whole words where the phrase begins and ends with letters that make words: "hi" does not stand in "this". */
function hasPhrase(said: string, phrase: string): boolean {
  const text = foldName(said.replaceAll(/\s+/gu, ' '));
  const wanted = foldName(phrase);
  if (wanted === '') return false;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    const joined = /[a-z0-9]/.test(wanted.charAt(0)) && /[\p{L}\p{N}]$/u.test(text.slice(0, at));
    const goesOn = /[a-z0-9]/.test(wanted.slice(-1)) && /^[\p{L}\p{N}]/u.test(text.slice(at + wanted.length));
    if (!joined && !goesOn) return true;
  }
  return false;
}
