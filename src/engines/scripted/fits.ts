// Which posts a rule answers.
import { foldName } from '../../core/team/name-fold.js';
import type { GivenPost, TurnInput } from '../../runtime/ports/engine.js';
import type { Remembered, Rule } from './script.js';

/** True when `rule` answers `post`. `said` is the post's text without the mentions it begins with. */
export function fits(rule: Rule, post: GivenPost, said: string, remembered: Remembered, input: TurnInput): boolean {
  const { from = 'any', first, retried, blank, contains, remembered: wanted = {} } = rule.when ?? {};
  return (
    isFrom(from, post.sender, input) &&
    (first === undefined || first === (input.previous === null)) &&
    (retried === undefined || retried === (input.retried !== null)) &&
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
