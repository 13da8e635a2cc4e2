// The markdown parser, and how it differs from the library's own: nothing that was written is dropped, a newline is a
// newline, only our links are links, and no text makes it work long or go deep.
import MarkdownIt, {
  type MarkdownIt as Parser,
  type StateBlock,
  type StateCore,
  type StateInline,
  type Token,
} from 'markdown-it';
import { linkTarget } from './link-target.js';
import { MentionPlaces } from './mention-places.js';

export type { Token };

/** Marks of links that are their own text: `<https://…>` and a bare address. */
export const BARE_ADDRESS: readonly string[] = ['autolink', 'bare'];

/** How deep blocks nest (a list is two levels, for itself and its item); what is deeper is a paragraph as written. */
const MAX_BLOCK_LEVEL = 16;
/** How often these may stand in one paragraph, heading or cell: each can make the parser look at the rest again. */
const MAX_COSTLY = 2000;
const COSTLY = /[[`<]|:\/\//g;
const MAX_WEB_ADDRESS = 1024;
/** Ends an address in a text without spaces. */
const CJK_PUNCTUATION = /[\u3001-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]/g;

/**
 * @param text of a post
 * @param mentions those of this text
 * @returns block tokens as markdown-it makes them, and `mention` among the inline ones, with ids for attributes
 */
export function parse(text: string, mentions: MentionPlaces): Token[] {
  parser ??= createParser();
  return parser.parse(text, { mentions });
}

/** Made when a text first needs it: most of what is said is plain. */
let parser: Parser | null = null;

function createParser(): Parser {
  // Nesting is bounded by the rule below; the library's own bound drops what is deeper.
  const md = new MarkdownIt({ html: false, linkify: false, maxNesting: MAX_BLOCK_LEVEL + 32 });
  // Entities are a part of HTML, and HTML is text here. A definition of a link would be shown nowhere. A line of
  // hyphens under a text divides; it does not make the text a heading.
  md.disable(['entity', 'html_block', 'html_inline', 'reference', 'lheading']);
  md.normalizeLink = (address) => address;
  md.normalizeLinkText = (address) => address;
  md.validateLink = (address) => linkTarget(address) !== null;

  md.block.ruler.before('table', 'too_deep', tooDeep);
  // The library does not offer its rule by name.
  for (const table of new MarkdownIt('zero').enable('table').block.ruler.getRules('').slice(0, 1)) {
    const whole: BlockRule = (state, start, end, silent) => wholeTable(table, state, start, end, silent);
    md.block.ruler.at('table', whole, { alt: ['paragraph'] });
  }
  md.core.ruler.at('inline', parseInlines);
  md.inline.ruler.before('newline', 'web_address', webAddress);
  md.inline.ruler.before('newline', 'mention', mention);
  return md;
}

type BlockRule = (state: StateBlock, startLine: number, endLine: number, silent: boolean) => boolean;

/** What stands deeper than we show is one paragraph, as written. */
function tooDeep(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if (silent || state.level < MAX_BLOCK_LEVEL) return false;
  let end = startLine + 1;
  for (let next = end; next < endLine; next += 1) {
    if (state.isEmpty(next)) continue;
    if ((state.sCount[next] ?? -1) < state.blkIndent) break;
    end = next + 1;
  }
  state.push('paragraph_open', 'p', 1);
  const inline = state.push('inline', '', 0);
  inline.content = state.getLines(startLine, end, state.blkIndent, false);
  inline.markup = AS_WRITTEN;
  inline.children = [];
  state.push('paragraph_close', 'p', -1);
  state.line = end;
  return true;
}

/** Marks an inline token whose content is text and nothing else. */
const AS_WRITTEN = 'as written';

/** The library drops the cells of a row that has more of them than the head: they go into the last one, with bars. */
function wholeTable(table: BlockRule, state: StateBlock, start: number, end: number, silent: boolean): boolean {
  const from = state.tokens.length;
  if (!table(state, start, end, silent)) return false;
  let columns = 0;
  let cells = 0;
  let line = start;
  let last: Token | undefined;
  for (const token of state.tokens.slice(from)) {
    if (token.type === 'tr_open') {
      line = token.map?.[0] ?? line;
      cells = 0;
    } else if (token.type === 'inline') {
      last = token;
      cells += 1;
    } else if (token.type === 'tr_close') {
      if (columns === 0) columns = cells;
      const extra = cellsOf(state, line).slice(columns);
      if (extra.length > 0 && last !== undefined) last.content = [last.content, ...extra].join(' | ').trim();
    }
  }
  return true;
}

function cellsOf(state: StateBlock, line: number): string[] {
  const row = state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]).trim();
  const cells = row.split(/(?<!\\)\|/).map((cell) => cell.trim());
  if (row.startsWith('|')) cells.shift();
  if (/(?<!\\)\|$/.test(row)) cells.pop();
  return cells;
}

/** Parses what stands in the blocks, and keeps book of where it stands in the text. */
function parseInlines(state: StateCore): void {
  const mentions = mentionsOf(state.env);
  let row = 0;
  let before = 0;
  for (const token of state.tokens) {
    if (token.type === 'tr_open') {
      row = token.map?.[0] ?? row;
      before = 0;
    }
    if (token.type !== 'inline') continue;
    token.children = [];
    const after = mentions?.enter(token.content, token.map?.[0] ?? row, token.map === null ? before : 0) ?? 0;
    if (token.map === null) before = after;
    if (token.markup === AS_WRITTEN || isCostly(token.content)) {
      const text = new state.Token('text', '', 0);
      text.content = token.content;
      token.children.push(text);
    } else state.md.inline.parse(token.content, state.md, state.env, token.children);
  }
}

function isCostly(content: string): boolean {
  if (content.length < MAX_COSTLY) return false;
  let left = MAX_COSTLY;
  for (const _ of content.matchAll(COSTLY)) if ((left -= 1) < 0) return true;
  return false;
}

/** A mention is marked where the one parser of mentions found it; markdown only says that it is no code there. */
function mention(state: StateInline, silent: boolean): boolean {
  if (state.src.charAt(state.pos) !== '@') return false;
  const found = mentionsOf(state.env)?.at(state.src, state.pos);
  if (found === undefined || state.pos + found.text.length > state.posMax) return false;
  if (!silent) {
    const token = state.push('mention', '', 0);
    token.content = found.text;
    token.attrs = found.ids.map((id) => ['id', id]);
  }
  state.pos += found.text.length;
  return true;
}

/** A bare `https://…` is a link. The library's rule would read to the end of the text at each `://`. */
function webAddress(state: StateInline, silent: boolean): boolean {
  if (state.linkLevel > 0 || !state.src.startsWith('://', state.pos)) return false;
  const scheme = /(?<![\w.+/-])https$/i.exec(state.src.slice(Math.max(0, state.pos - 6), state.pos));
  // What was consumed already, a `\https` say, is not ours to take back.
  if (scheme === null || !state.pending.endsWith(scheme[0])) return false;
  const start = state.pos - scheme[0].length;
  const rest = state.src.slice(start, Math.min(state.posMax, start + MAX_WEB_ADDRESS + 1));
  const found = state.md.linkify.matchAtStart(rest.replace(CJK_PUNCTUATION, ' '))?.text ?? '';
  const address = found.replace(/[*_~]+$/, '');
  if (address.length <= scheme[0].length || address.length > MAX_WEB_ADDRESS || linkTarget(address) === null) {
    return false;
  }
  if (!silent) {
    state.pending = state.pending.slice(0, -scheme[0].length);
    const open = state.push('link_open', 'a', 1);
    open.attrs = [['href', address]];
    open.markup = 'bare';
    const text = state.push('text', '', 0);
    text.content = address;
    state.push('link_close', 'a', -1);
  }
  state.pos = start + address.length;
  return true;
}

function mentionsOf(env: Record<string | symbol, unknown>): MentionPlaces | null {
  const { mentions } = env;
  return mentions instanceof MentionPlaces ? mentions : null;
}
