// What a member does and says in a turn: the posts that woke it, answered one after the other by its script. Pure.
import { isJsonObject, type JsonValue } from '../../core/json.js';
import type { TurnUsage } from '../../core/record/catalogue.js';
import { PERSON } from '../../core/team/live-state.js';
import type { GivenPost, TurnInput, TurnResult } from '../../runtime/ports/engine.js';
import { fillStep } from './fill-step.js';
import { fits } from './fits.js';
import type { Step } from './script-steps.js';
import { parseScript, type Remembered, type Rule } from './script.js';
import { fill, saidIn } from './template.js';

export interface Play {
  /** With their variables filled in. */
  readonly steps: readonly Step[];
  /** Milliseconds that the script asks for; null when it leaves that to the engine. */
  readonly pauseMs: number | null;
  readonly stream: boolean | number;
  readonly ending: 'answer' | 'hang' | { readonly failure: string };
  readonly ignoresAbort: boolean;
  /** Null: unknown. */
  readonly usage: Partial<TurnUsage> | null;
  readonly result: Pick<TurnResult, 'text' | 'data'>;
}

/** What an engine that is offline uses. */
const NOTHING: Partial<TurnUsage> = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  reportedCost: 0,
};

/**
 * Plays one turn. Of several posts the first whose rule fails or hangs is the last that is answered; of `stream` and
 * `usage` the last rule that has them counts.
 * @throws Error when the script cannot be read.
 */
export function play(input: TurnInput): Play {
  const rules = parseScript(input.member.script, input.member.name);
  const steps: Step[] = [];
  const answers: string[] = [];
  let remembered = rememberedIn(input.previous?.data);
  let pauseMs: number | null = null;
  let stream: Play['stream'] = false;
  let ending: Play['ending'] = 'answer';
  let ignoresAbort = false;
  let usage: Play['usage'] = NOTHING;
  for (const post of input.triggers) {
    const said = saidIn(post, input);
    const rule = rules.find((candidate) => fits(candidate, post, said, remembered, input)) ?? genericRule(post);
    const filled = (template: string): string => fill(template, post, said, remembered, input);
    for (const thought of rule.think ?? []) steps.push({ think: filled(thought) });
    for (const step of rule.steps ?? []) steps.push(fillStep(step, filled));
    answers.push(filled(rule.say ?? ''));
    if (rule.pauseMs !== undefined) pauseMs = (pauseMs ?? 0) + rule.pauseMs;
    if (rule.usage !== undefined) usage = usageOf(rule.usage);
    stream = rule.stream ?? stream;
    ignoresAbort ||= rule.ignoreAbort === true;
    if (rule.hang === true) ending = 'hang';
    if (rule.fail !== undefined) ending = { failure: filled(rule.fail) };
    if (ending !== 'answer') break;
    const added = Object.entries(rule.remember ?? {}).map(([key, template]) => [key, filled(template)] as const);
    remembered = { ...remembered, ...Object.fromEntries(added) };
  }
  const text = answers.filter((answer) => answer !== '').join('\n\n');
  const result = Object.keys(remembered).length === 0 ? { text } : { text, data: { remembered } };
  return { steps, pauseMs, stream, ending, ignoresAbort, usage, result };
}

/** For a post that no rule answers. It mentions nobody, so that it ends every chain. */
function genericRule(post: GivenPost): Rule {
  const from = post.sender === PERSON ? 'you wrote' : '{senderName} wrote';
  return {
    think: [`I was given ${post.sender === PERSON ? 'your post' : 'a post of {senderName}'}: {quote}`],
    say:
      `I am {member}, and I have read what ${from}: {quote} I am played by the offline scripted engine and have no ` +
      'script for this, so I can do nothing more with it. Another engine can be chosen for me in the team file.',
  };
}

function usageOf(said: NonNullable<Rule['usage']> | null): Partial<TurnUsage> | null {
  if (said === null) return null;
  const { cost = null, model = null, inputTokens = null, outputTokens = null, ...more } = said;
  const { cacheReadTokens = null, cacheWriteTokens = null, reasoningTokens = null } = more;
  return { model, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens, reportedCost: cost };
}

function rememberedIn(data: JsonValue | undefined): Remembered {
  const kept = isJsonObject(data) ? data['remembered'] : undefined;
  if (!isJsonObject(kept)) return {};
  return Object.fromEntries(
    Object.entries(kept).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
