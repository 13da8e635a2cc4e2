// A post's text as a closed tree of nodes. What people wrote is what is shown: newlines are kept, HTML is text, and a
// text that asks for too much is shown as it is.
import type { MentionRoster } from '../../core/team/mentions.js';
import { MAX_TREE_NODES, type SafeBlock, type SafeInline } from '../../protocol/safe-node.js';
import { blockTree } from './block-tree.js';
import { MentionPlaces } from './mention-places.js';
import { parse } from './parser.js';

/** Longest text that is read as markdown, in UTF-16 units; a longer one is shown as it is. */
export const MAX_MARKDOWN_LENGTH = 100_000;
/** How many tokens the parser may make of it. A token becomes at most two objects of the tree. */
const MAX_TOKENS = MAX_TREE_NODES / 2 - 100;

export interface PostMentions {
  /** Ids of the members that the post was addressed to, from the record. */
  readonly mentions: readonly string[];
  /** Who could be mentioned where it stands. */
  readonly roster: MentionRoster;
}

/**
 * Reads a post as markdown. Pure: the same text and mentions give the same tree. Never throws.
 * @param text as recorded, any string
 * @returns blocks that `SafeTree` accepts; no word of the text is missing in what they show; none for a blank text
 */
export function safeNodes(text: string, { mentions, roster }: PostMentions): SafeBlock[] {
  if (text.length > MAX_MARKDOWN_LENGTH) return asWritten(text);
  const places = new MentionPlaces(text, mentions, roster);
  if (places.isEmpty && !NOT_PLAIN.test(text)) return plain(text);
  const tokens = parse(text, places);
  let count = tokens.length;
  for (const { children } of tokens) count += children?.length ?? 0;
  return count > MAX_TOKENS ? asWritten(text) : blockTree(tokens);
}

/**
 * What a text has in which markdown finds more than paragraphs: marks, addresses, lines that begin with a blank, a mark
 * or a number of a list, lines that end with a blank; and control characters, to be sure.
 */
const NOT_PLAIN = /[^\P{Cc}\n]|[*_`[\]<>~|\\]|https:|^[ #+-]|^\d{1,9}[.)]| $/imu;

/** What the parser would make of such a text, without it. */
function plain(text: string): SafeBlock[] {
  const paragraphs = text.split(/\n{2,}/).map((one) => one.replace(/^\n|\n$/g, ''));
  let lines = 0;
  const blocks: SafeBlock[] = [];
  for (const paragraph of paragraphs) {
    if (paragraph === '') continue;
    const children: SafeInline[] = [];
    for (const line of paragraph.split('\n')) {
      if (children.length > 0) children.push({ kind: 'break' });
      children.push({ kind: 'text', text: line });
    }
    lines += children.length + 3;
    blocks.push({ kind: 'paragraph', children });
  }
  return lines > MAX_TOKENS ? asWritten(text) : blocks;
}

/** One paragraph with one text, newlines and all. */
function asWritten(text: string): SafeBlock[] {
  return text.trim() === '' ? [] : [{ kind: 'paragraph', children: [{ kind: 'text', text }] }];
}
