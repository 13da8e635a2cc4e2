// What a member says in a turn: the posts that woke it, answered one after the other by its script. Pure.
import { isJsonObject, type JsonValue } from '../../core/json.js';
import { PERSON } from '../../core/team/live-state.js';
import type { GivenPost, TurnInput, TurnResult } from '../../runtime/ports/engine.js';
import { fits, parseScript, type Remembered, type Rule } from './script.js';
import { fill, saidIn } from './template.js';

export interface Play {
  readonly thoughts: readonly string[];
  /** Milliseconds that the script asks for; null when it leaves that to the engine. */
  readonly pauseMs: number | null;
  readonly result: TurnResult;
}

/**
 * Plays one turn.
 * @throws Error when the script cannot be read.
 */
export function play(input: TurnInput): Play {
  const rules = parseScript(input.member.script, input.member.name);
  const thoughts: string[] = [];
  const answers: string[] = [];
  let remembered = rememberedIn(input.previous?.data);
  let pauseMs: number | null = null;
  for (const post of input.triggers) {
    const said = saidIn(post, input);
    const rule = rules.find((candidate) => fits(candidate, post, said, remembered, input)) ?? genericRule(post);
    const filled = (template: string): string => fill(template, post, said, remembered, input);
    for (const thought of rule.think ?? []) thoughts.push(filled(thought));
    answers.push(filled(rule.say));
    const added = Object.entries(rule.remember ?? {}).map(([key, template]) => [key, filled(template)] as const);
    remembered = { ...remembered, ...Object.fromEntries(added) };
    if (rule.pauseMs !== undefined) pauseMs = (pauseMs ?? 0) + rule.pauseMs;
  }
  const text = answers.filter((answer) => answer !== '').join('\n\n');
  return {
    thoughts,
    pauseMs,
    result: Object.keys(remembered).length === 0 ? { text } : { text, data: { remembered } },
  };
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

function rememberedIn(data: JsonValue | undefined): Remembered {
  const kept = isJsonObject(data) ? data['remembered'] : undefined;
  if (!isJsonObject(kept)) return {};
  return Object.fromEntries(
    Object.entries(kept).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
