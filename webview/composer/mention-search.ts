// Finding the member somebody is about to mention, while the name is being typed.
import type { MentionRoster } from '../../src/core/team/mentions.js';
import { foldName } from '../../src/core/team/name-fold.js';
import type { MemberView } from '../../src/protocol/view.js';

/** An `@` that is being completed: where it stands and what follows it up to the caret. */
export interface MentionQuery {
  readonly start: number;
  readonly text: string;
}

/** What the list offers. */
export interface MentionChoice {
  readonly id: string;
  readonly name: string;
  readonly detail: string;
  /** What is written into the text, with the `@`. */
  readonly insert: string;
  readonly member: MemberView | null;
}

// An `@` counts at the start, after white space, an opening bracket or quote, or CJK text; never inside a word.
const OPEN =
  /(?:^|[\s([{<"'“‘«„「『（]|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul})@([^\s@]{0,64})$/u;

/** @returns the mention that ends at the caret, null when there is none */
export function mentionQuery(text: string, caret: number): MentionQuery | null {
  const found = OPEN.exec(text.slice(0, caret));
  const typed = found?.[1];
  return typed === undefined ? null : { start: caret - typed.length - 1, text: typed };
}

/**
 * @param members those of the open room, in the order of the roster
 * @returns who fits what was typed: beginnings first, then the rest
 */
export function mentionChoices(members: readonly MemberView[], query: string): MentionChoice[] {
  const wanted = foldName(query);
  const all: MentionChoice[] = members.map((member) => ({
    id: member.id,
    name: member.name,
    detail: member.role,
    insert: `@${member.name}`,
    member,
  }));
  if (members.length > 1) {
    const detail = `All ${members.length} members`;
    all.push({ id: 'all', name: 'all', detail, insert: '@all', member: null });
  }
  const keys = (choice: MentionChoice): string[] => [foldName(choice.name), foldName(choice.id)];
  const begins = all.filter((choice) => keys(choice).some((key) => key.startsWith(wanted)));
  const contains = all.filter((choice) => !begins.includes(choice) && keys(choice).some((key) => key.includes(wanted)));
  return [...begins, ...contains];
}

/** @returns the text with the choice written in place of what was typed, and where the caret goes */
export function insertMention(
  text: string,
  query: MentionQuery,
  insert: string,
): { readonly text: string; readonly caret: number } {
  const after = text.slice(query.start + 1 + query.text.length);
  const written = text.slice(0, query.start) + insert + (/^\s/u.test(after) ? '' : ' ');
  const caret = /^\s/u.test(after) ? written.length + 1 : written.length;
  return { text: written + after, caret };
}

/** @returns the members of a room as the mention parser wants them */
export function mentionRoster(members: readonly Pick<MemberView, 'id' | 'name' | 'isLead'>[]): MentionRoster {
  return { lead: members.find((member) => member.isLead)?.id ?? '', members };
}
