// WV-12: a long post shows its beginning, and how much there is. Pure.
import type { SafeBlock, SafeInline } from '../../src/protocol/safe-node.js';

const MAX_LINES = 40;
const MAX_CHARS = 4000;
/** What is shown of a long post: so much less than its limit that opening it is worth a click. */
export const SHOWN_LINES = 24;
const SHOWN_CHARS = 2400;

/** @returns true for a text that is shown whole only when somebody asks */
export function isLong(text: string): boolean {
  return text.length > MAX_CHARS || linesOf(text) > MAX_LINES;
}

/** @returns how much there is, e.g. "120 lines" */
export function sizeWords(text: string): string {
  const lines = linesOf(text);
  return lines > MAX_LINES ? `${lines.toLocaleString()} lines` : `${text.length.toLocaleString()} characters`;
}

/** @returns the beginning of a long text, at most SHOWN_LINES lines */
export function beginningOf(text: string): string {
  return cutText(text, { lines: SHOWN_LINES, chars: SHOWN_CHARS });
}

/** @returns the beginning of a tree, of about as much text */
export function beginningOfTree(blocks: readonly SafeBlock[]): readonly SafeBlock[] {
  return cutBlocks(blocks, { lines: SHOWN_LINES, chars: SHOWN_CHARS });
}

/** What may still be shown; used up as it is. */
interface Room {
  lines: number;
  chars: number;
}

function cutBlocks(blocks: readonly SafeBlock[], room: Room): SafeBlock[] {
  return taken(blocks, room, (block) => cutBlock(block, room));
}

function cutBlock(block: SafeBlock, room: Room): SafeBlock {
  switch (block.kind) {
    case 'paragraph':
    case 'heading': {
      const children = cutInlines(block.children, room);
      room.lines -= 1;
      return { ...block, children };
    }
    case 'quote':
      return { ...block, children: cutBlocks(block.children, room) };
    case 'list':
      return {
        ...block,
        items: taken(block.items, room, (item) => ({ ...item, children: cutBlocks(item.children, room) })),
      };
    case 'table':
      return {
        ...block,
        rows: taken(block.rows, room, (row) => {
          room.lines -= 1;
          return row.map((cell) => cutInlines(cell, room));
        }),
      };
    case 'codeBlock': {
      const text = cutText(block.text, room);
      use(room, text);
      room.lines -= 1;
      return { ...block, text };
    }
    case 'rule':
      room.lines -= 1;
      return block;
  }
}

function cutInlines(inlines: readonly SafeInline[], room: Room): SafeInline[] {
  return taken(inlines, room, (inline) => {
    switch (inline.kind) {
      case 'text':
      case 'code': {
        const text = cutText(inline.text, room);
        use(room, text);
        return { ...inline, text };
      }
      case 'break':
        room.lines -= 1;
        return inline;
      case 'strong':
      case 'emphasis':
      case 'strikethrough':
      case 'link':
        return { ...inline, children: cutInlines(inline.children, room) };
      case 'image':
      case 'remoteImage':
      case 'mention':
        return inline;
    }
  });
}

/** As many of them as there is room for; the last may be cut itself. */
function taken<Node>(nodes: readonly Node[], room: Room, cut: (node: Node) => Node): Node[] {
  const kept: Node[] = [];
  for (const node of nodes) {
    if (room.lines <= 0 || room.chars <= 0) break;
    kept.push(cut(node));
  }
  return kept;
}

function use(room: Room, text: string): void {
  room.lines -= linesOf(text) - 1;
  room.chars -= text.length;
}

/** Long enough that there are few, short enough that one is soon laid out. */
const STRETCH_CHARS = 1000;

/**
 * Cuts a text that grows at its end into stretches of whole lines: those before the last stay the same.
 * @returns in order; the newline between two is left out
 */
export function stretchesOf(text: string): string[] {
  const stretches: string[] = [];
  let from = 0;
  for (;;) {
    const end = text.indexOf('\n', from + STRETCH_CHARS);
    if (end === -1) return [...stretches, text.slice(from)];
    stretches.push(text.slice(from, end));
    from = end + 1;
  }
}

function cutText(text: string, { lines, chars }: Room): string {
  let end = -1;
  for (let line = 0; line < lines; line += 1) {
    end = text.indexOf('\n', end + 1);
    if (end === -1) break;
  }
  const short = end === -1 ? text : text.slice(0, end);
  if (short.length <= chars) return short;
  // Not in the middle of a character of two units.
  const at = isLowSurrogate(short.charCodeAt(chars)) ? chars - 1 : chars;
  return short.slice(0, at);
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function linesOf(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}
