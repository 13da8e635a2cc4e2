// Safe nodes written as Markdown again, for a file that somebody previews: whatever a post held, the file holds no HTML,
// loads no picture (WX-1, WX-3), and nothing of one post reaches into the next.
import type { LinkTarget, SafeBlock, SafeInline, SafeListItem } from '../../protocol/safe-node.js';

/** How much deeper the headings of a post stand than it wrote them: above them are title, room and sender. */
const DEEPER = 3;

/** Languages that previews run or draw instead of showing them; a diagram can ask for pictures of the web. */
const DRAWN = new Set([
  'mermaid',
  'plantuml',
  'dot',
  'graphviz',
  'math',
  'latex',
  'tex',
  'katex',
  'html',
  'svg',
  'vega',
]);

/** @returns lines without a line end behind the last; empty when there are no blocks. */
export function markdownText(blocks: readonly SafeBlock[]): string {
  return blocksText(blocks, false);
}

/** @param isTight - true inside an item of a list without space: a list that can follow its text at once does so. */
function blocksText(blocks: readonly SafeBlock[], isTight: boolean): string {
  let lists = 0;
  let text = '';
  for (const block of blocks) {
    // Two lists in a row are told apart by their marks only.
    lists = block.kind === 'list' ? lists + 1 : 0;
    const next = blockText(block, lists > 0 && lists % 2 === 0);
    if (next === '') continue;
    const follows = isTight && block.kind === 'list' && block.start === 1;
    text += text === '' ? next : (follows ? '\n' : '\n\n') + next;
  }
  return text;
}

/** A plain text as one line. */
export function plainMarkdown(text: string): string {
  return paragraph(escapeText(text.replaceAll(/\s+/g, ' ').trim()));
}

function blockText(block: SafeBlock, isOther: boolean): string {
  switch (block.kind) {
    case 'paragraph':
      return paragraph(inlineText(block.children));
    case 'heading':
      return `${'#'.repeat(Math.min(6, block.level + DEEPER))} ${oneLine(inlineText(block.children))}`;
    case 'quote':
      return prefixed(markdownText(block.children), '> ', '> ');
    case 'list': {
      const { ordered, start, tight } = block;
      const mark = (index: number): string =>
        ordered ? `${start + index}${isOther ? ')' : '.'}` : isOther ? '*' : '-';
      const items = block.items.map((item, index) => itemText(item, mark(index), tight));
      return items.join(tight ? '\n' : '\n\n');
    }
    case 'table':
      return tableText(block);
    case 'codeBlock':
      return codeText(block);
    case 'rule':
      return '---';
  }
}

function itemText({ checked, children }: SafeListItem, mark: string, isTight: boolean): string {
  const box = checked === null ? '' : checked ? '[x] ' : '[ ] ';
  const text = blocksText(children, isTight);
  // A heading or code cannot stand in one line with the box.
  const body = box !== '' && children[0]?.kind !== 'paragraph' ? `${box}\n\n${text}` : box + text;
  return body === '' ? mark : prefixed(body, `${mark} `, ' '.repeat(mark.length + 1));
}

function tableText({ align, head, rows }: Extract<SafeBlock, { kind: 'table' }>): string {
  const columns = align.length;
  const row = (cells: readonly (readonly SafeInline[])[]): string =>
    `| ${Array.from({ length: columns }, (_, column) => cellText(cells[column] ?? [])).join(' | ')} |`;
  const rules = align.map((side) =>
    side === 'left' ? ':--' : side === 'right' ? '--:' : side === 'center' ? ':-:' : '---',
  );
  return [row(head), `| ${rules.join(' | ')} |`, ...rows.map(row)].join('\n');
}

/** Bars in text are escaped already; those in code and addresses are not. */
function cellText(children: readonly SafeInline[]): string {
  return oneLine(inlineText(children)).replaceAll(/(?<!\\)\|/g, '\\|');
}

function codeText({ language, text }: Extract<SafeBlock, { kind: 'codeBlock' }>): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  const [word = ''] = language.split(/\s/);
  const isShown = /^[\w+#.-]+$/.test(word) && !DRAWN.has(word.toLowerCase());
  return `${fence}${isShown ? word : word === '' ? '' : 'text'}\n${lineEnds(text).replace(/\n$/, '')}\n${fence}`;
}

function inlineText(children: readonly SafeInline[]): string {
  return children.map(inline).join('');
}

function inline(node: SafeInline): string {
  switch (node.kind) {
    case 'text':
    case 'mention':
      return escapeText(node.text);
    case 'break':
      return '\n';
    case 'code':
      return codeSpan(node.text);
    case 'strong':
      return wrapped('**', node.children);
    case 'emphasis':
      return wrapped('*', node.children);
    case 'strikethrough':
      return wrapped('~~', node.children);
    case 'link':
      return linkText(inlineText(node.children), addressOf(node.target), node.title);
    case 'remoteImage':
      return linkText(escapeText(node.alt === '' ? node.url : node.alt), webAddress(node.url), node.title);
    case 'image':
      return linkText(escapeText(node.alt === '' ? node.path : node.alt), pathAddress(node.path), node.title);
  }
}

function wrapped(mark: string, children: readonly SafeInline[]): string {
  const text = inlineText(children);
  // Beside a blank, or another mark of its kind, it would mark nothing, or a list or a fence.
  return text.trim() === '' || /^\s|\s$/.test(text) || text.startsWith('~') ? text : mark + text + mark;
}

function codeSpan(text: string): string {
  const line = lineEnds(text).replaceAll('\n', ' ');
  if (line === '') return '';
  const ticks = '`'.repeat(longestRun(line) + 1);
  const isPadded = /^`|`$/.test(line) || (/^ .* $/.test(line) && line.trim() !== '');
  return isPadded ? `${ticks} ${line} ${ticks}` : ticks + line + ticks;
}

function linkText(text: string, address: string, title: string | undefined): string {
  const shown = oneLine(text).trim() === '' ? escapeText(address) : oneLine(text);
  const words = title === undefined ? '' : ` "${oneLine(escapeText(title)).replaceAll('"', '\\"')}"`;
  return `[${shown}](${address}${words})`;
}

function addressOf(target: LinkTarget): string {
  if (target.kind === 'web') return webAddress(target.url);
  const anchor = target.line === undefined ? target.anchor : `L${target.line}`;
  return pathAddress(target.path) + (anchor === undefined ? '' : `#${encodeURIComponent(anchor)}`);
}

/** What would end the address, or mean something to Markdown, in the form that addresses have for it. */
function webAddress(url: string): string {
  return url.replaceAll(/[<>"\\`|()[\]{}^ ]/g, percent).replaceAll('&', '&amp;');
}

function pathAddress(path: string): string {
  return path
    .split('/')
    .map((part) => encodeURIComponent(part).replaceAll(/[()'*!]/g, percent))
    .join('/');
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

/** Escapes what Markdown or a preview would take for more than text. */
function escapeText(text: string): string {
  return lineEnds(text)
    .replaceAll(/&(?=[#a-z0-9])/gi, '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/[\\`*_[\]~|$]/g, '\\$&');
}

/** Lines of a paragraph: each shown in a line of its own, none of them taken for the mark of a block. */
function paragraph(text: string): string {
  const lines = text.split('\n');
  while (lines.at(-1)?.trim() === '') lines.pop();
  while (lines[0]?.trim() === '') lines.shift();
  return lines.map(lineText).join('\\\n');
}

function lineText(line: string): string {
  const [, blank = '', rest = ''] = /^([ \t]*)(.*)$/su.exec(line) ?? [];
  const kept = blank.replaceAll('\t', '    ').replaceAll(' ', '&nbsp;');
  // Behind a blank that is kept nothing begins a block.
  if (kept !== '') return kept + rest.trimEnd();
  return rest
    .trimEnd()
    .replace(/^[#+=>:-]/, '\\$&')
    .replace(/^(\d{1,9})([.)])/, '$1\\$2');
}

function oneLine(text: string): string {
  return text.replaceAll('\n', ' ');
}

function prefixed(text: string, first: string, others: string): string {
  return text
    .split('\n')
    .map((line, index) => {
      const prefix = index === 0 ? first : others;
      return line === '' ? prefix.trimEnd() : prefix + line;
    })
    .join('\n');
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}

function lineEnds(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replaceAll('\0', '\u{FFFD}');
}
