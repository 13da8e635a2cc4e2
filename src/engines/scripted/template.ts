// The variables of a script's texts. Whatever a variable brings in has lost its mentions, so that a quotation wakes
// nobody: only the script's own words do.
import { type MentionRoster, parseMentions, stripMentions } from '../../core/team/mentions.js';
import type { GivenPost, TurnInput } from '../../runtime/ports/engine.js';
import type { Remembered } from './script.js';

const QUOTE_LENGTH = 160;

/**
 * Fills in `{variable}`s; braces around anything else stay as they are.
 * `{text}` what the post says, `{quote}` its beginning on one line in quotation marks, `{id}` the post's id, `{sender}`
 * the sender's id and `{senderName}` its name, `{member}` the member's own name, `{team}`, `{lead}` the lead's name,
 * `{teammates}` the others' names, and every key that a rule remembered.
 */
export function fill(
  template: string,
  post: GivenPost,
  said: string,
  remembered: Remembered,
  input: TurnInput,
): string {
  const roster = rosterOf(input);
  const { team, member } = input;
  const nameOf = (id: string): string => team.members.find((other) => other.id === id)?.name ?? id;
  const text = said === '' ? post.text : said;
  const variables = new Map(
    Object.entries({
      ...remembered,
      text,
      quote: quote(text),
      id: post.id,
      sender: post.sender,
      senderName: nameOf(post.sender),
      member: member.name,
      team: team.name,
      lead: nameOf(team.lead),
      teammates: listed(team.members.filter(({ id }) => id !== member.id).map(({ name }) => name)),
    }),
  );
  return template.replaceAll(/\{(\w+)\}/g, (whole, key: string) => {
    const value = variables.get(key);
    return value === undefined ? whole : withoutMentions(value, roster);
  });
}

/** What a post says: its text without the mentions that it begins with and what joins them. */
export function saidIn(post: GivenPost, input: TurnInput): string {
  let said = 0;
  for (const span of parseMentions(post.text, rosterOf(input), post.sender).spans) {
    if (!/^[\s,;:&-]*(?:and\b\s*)?$/i.test(post.text.slice(said, span.start))) break;
    // "@ann's draft" speaks of somebody.
    if (/^['’]/.test(post.text.slice(span.end))) break;
    said = span.end;
  }
  return said === 0
    ? post.text.trim()
    : post.text
        .slice(said)
        .replace(/^[\s.,;:!?–—-]+/u, '')
        .trim();
}

/** Also names that nobody has lose their sign: the notice about them was given where they were first written. */
function withoutMentions(text: string, roster: MentionRoster): string {
  const stripped = stripMentions(text, roster);
  return parseMentions(stripped, roster).unresolved.reduce((left, name) => left.replaceAll(`@${name}`, name), stripped);
}

function rosterOf({ team }: TurnInput): MentionRoster {
  return { lead: team.lead, members: team.members };
}

function quote(text: string): string {
  const line = Array.from(text.replaceAll(/\s+/gu, ' ').trim());
  return line.length > QUOTE_LENGTH ? `“${line.slice(0, QUOTE_LENGTH).join('')}…”` : `“${line.join('')}”`;
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
}
