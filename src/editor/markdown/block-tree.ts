// From the parser's block tokens to block nodes.
import type { CellAlign, SafeBlock, SafeInline, SafeListItem } from '../../protocol/safe-node.js';
import { inlineTree } from './inline-tree.js';
import type { Token } from './parser.js';

/** @returns the blocks of a post; the parser has bounded their depth */
export function blockTree(tokens: readonly Token[]): SafeBlock[] {
  return new BlockReader(tokens).blocks();
}

class BlockReader {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  /** Reads up to the closing token of what these blocks stand in, and over it. */
  blocks(): SafeBlock[] {
    const blocks: SafeBlock[] = [];
    for (let token = this.#next(); token !== undefined && token.nesting !== -1; token = this.#next()) {
      const block = this.#block(token);
      if (block !== null) blocks.push(block);
    }
    return blocks;
  }

  #next(): Token | undefined {
    const token = this.#tokens[this.#at];
    this.#at += 1;
    return token;
  }

  #block(token: Token): SafeBlock | null {
    switch (token.type) {
      case 'paragraph_open': {
        const children = this.#inlines();
        return children.length === 0 ? null : { kind: 'paragraph', children };
      }
      case 'heading_open':
        return { kind: 'heading', level: Number(token.tag.slice(1)), children: this.#inlines() };
      case 'blockquote_open':
        return { kind: 'quote', children: this.blocks() };
      case 'bullet_list_open':
      case 'ordered_list_open':
        return this.#list(token);
      case 'table_open':
        return this.#table();
      case 'fence':
        return { kind: 'codeBlock', language: unescaped(token.info), text: withoutLastNewline(token.content) };
      case 'code_block':
        return { kind: 'codeBlock', language: '', text: withoutLastNewline(token.content) };
      case 'hr':
        return { kind: 'rule' };
      default:
        // Whatever else a library may come to make: by its words.
        return token.content === '' ? null : { kind: 'paragraph', children: [{ kind: 'text', text: token.content }] };
    }
  }

  /** The inline token and the closing one behind it. */
  #inlines(): SafeInline[] {
    const children: SafeInline[] = [];
    for (let token = this.#next(); token !== undefined && token.nesting !== -1; token = this.#next()) {
      children.push(...inlineTree(token.children ?? []));
    }
    return children;
  }

  #list(open: Token): SafeBlock {
    const items: SafeListItem[] = [];
    let tight = true;
    for (let token = this.#next(); token?.type === 'list_item_open'; token = this.#next()) {
      const first = this.#tokens[this.#at];
      if (first?.type === 'paragraph_open' && !first.hidden) tight = false;
      items.push(taskOf(this.blocks()));
    }
    const ordered = open.type === 'ordered_list_open';
    return { kind: 'list', ordered, start: ordered ? Number(open.attrGet('start') ?? 1) : 1, tight, items };
  }

  #table(): SafeBlock {
    const align: CellAlign[] = [];
    const rows: SafeInline[][][] = [];
    for (let token = this.#next(); token !== undefined && token.type !== 'table_close'; token = this.#next()) {
      if (token.type === 'tr_open') rows.push([]);
      if (token.type === 'th_open') align.push(alignOf(token));
      if (token.type === 'th_open' || token.type === 'td_open') rows.at(-1)?.push(this.#inlines());
    }
    const [head = [], ...body] = rows;
    return { kind: 'table', align, head, rows: body };
  }
}

/** An item that begins with `[ ]` or `[x]` is a task: the box is a fact of it, and no text. */
function taskOf(children: readonly SafeBlock[]): SafeListItem {
  const [paragraph, ...blocks] = children;
  const first = paragraph?.kind === 'paragraph' ? paragraph.children[0] : undefined;
  const box = first?.kind === 'text' ? /^\[([ xX])\] +/.exec(first.text) : null;
  if (paragraph?.kind !== 'paragraph' || first?.kind !== 'text' || box === null) return { checked: null, children };
  const text = first.text.slice(box[0].length);
  const rest: SafeInline[] = [
    ...(text === '' ? [] : [{ kind: 'text' as const, text }]),
    ...paragraph.children.slice(1),
  ];
  return {
    checked: box[1] !== ' ',
    children: [...(rest.length === 0 ? [] : [{ ...paragraph, children: rest }]), ...blocks],
  };
}

function alignOf(cell: Token): CellAlign {
  const align = /^text-align:(left|center|right)$/.exec(String(cell.attrGet('style') ?? ''))?.[1];
  return align === 'left' || align === 'center' || align === 'right' ? align : null;
}

function unescaped(info: string): string {
  return info.replace(/\\([!-/:-@[-`{-~])/g, '$1').trim();
}

function withoutLastNewline(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}
