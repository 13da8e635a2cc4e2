// From the parser's inline tokens to inline nodes. A loop with a stack of its own, since emphasis nests as deep as
// somebody wants it to.
import type { LinkTarget, SafeInline } from '../../protocol/safe-node.js';
import { isPicture, linkTarget } from './link-target.js';
import { BARE_ADDRESS, type Token } from './parser.js';

/** How deep emphasis and links nest; the marks of what is deeper are shown. */
const MAX_INLINE_DEPTH = 8;

/** Something opened and not yet closed. What is shown as written stands in the nodes of what it stands in. */
interface Frame {
  readonly open: Token | null;
  readonly nodes: SafeInline[];
  readonly asWritten: boolean;
}

/** @returns the nodes of one paragraph, heading or cell; neighbouring texts are one */
export function inlineTree(tokens: readonly Token[]): SafeInline[] {
  const top: Frame = { open: null, nodes: [], asWritten: false };
  const stack = [top];
  /** Pictures in a link, which cannot hold another: they come behind it. */
  const behindLink: SafeInline[] = [];
  const close = (): void => {
    const frame = stack.length > 1 ? stack.pop() : undefined;
    if (frame === undefined) return;
    const parent = stack.at(-1) ?? top;
    if (frame.asWritten) addText(parent.nodes, closingMark(frame.open));
    else addClosed(parent.nodes, frame);
    if (frame.open?.type === 'link_open') parent.nodes.push(...behindLink.splice(0));
  };
  for (const token of tokens) {
    const { nodes } = stack.at(-1) ?? top;
    if (token.nesting === 1) {
      const asWritten = stack.length > MAX_INLINE_DEPTH || !isShown(token);
      if (asWritten) addText(nodes, openingMark(token));
      stack.push({ open: token, nodes: asWritten ? nodes : [], asWritten });
    } else if (token.nesting === -1) close();
    else if (token.type === 'image' && stack.some(({ open }) => open?.type === 'link_open')) {
      addText(nodes, token.content);
      addImage(behindLink, token);
    } else addLeaf(nodes, token);
  }
  while (stack.length > 1) close();
  return top.nodes;
}

function addLeaf(nodes: SafeInline[], token: Token): void {
  switch (token.type) {
    case 'softbreak':
    case 'hardbreak':
      nodes.push({ kind: 'break' });
      break;
    case 'code_inline':
      nodes.push({ kind: 'code', text: token.content });
      break;
    case 'mention':
      nodes.push({ kind: 'mention', ids: (token.attrs ?? []).map(([, id]) => String(id)), text: token.content });
      break;
    case 'image':
      addImage(nodes, token);
      break;
    default:
      // Text, and whatever else a library may come to make: by its words.
      addText(nodes, token.content);
  }
}

function addText(nodes: SafeInline[], text: string): void {
  const last = nodes.at(-1);
  if (last?.kind === 'text') nodes[nodes.length - 1] = { kind: 'text', text: last.text + text };
  else if (text !== '') nodes.push({ kind: 'text', text });
}

function addImage(nodes: SafeInline[], token: Token): void {
  const address = attribute(token, 'src');
  const target = linkTarget(address);
  const title = titleOf(token);
  // As written, marks and all: it is what a screen reader says.
  const alt = token.content;
  if (target === null) addText(nodes, `![${alt}](${address})`);
  else if (target.kind === 'web') nodes.push({ kind: 'remoteImage', url: target.url, alt, ...title });
  else if (isPicture(target.path)) nodes.push({ kind: 'image', path: target.path, alt, ...title });
  else nodes.push({ kind: 'link', target, ...title, children: [{ kind: 'text', text: alt === '' ? address : alt }] });
}

function addClosed(nodes: SafeInline[], { open, nodes: children }: Frame): void {
  switch (open?.type ?? '') {
    case 'strong_open':
      nodes.push({ kind: 'strong', children });
      break;
    case 'em_open':
      nodes.push({ kind: 'emphasis', children });
      break;
    case 's_open':
      nodes.push({ kind: 'strikethrough', children });
      break;
    default: {
      const target = targetOf(open);
      if (target === null) return;
      if (children.length === 0) addText(children, attribute(open, 'href'));
      nodes.push({ kind: 'link', target, ...titleOf(open), children });
    }
  }
}

function isShown(open: Token): boolean {
  return ['strong_open', 'em_open', 's_open'].includes(open.type) || targetOf(open) !== null;
}

function targetOf(open: Token | null): LinkTarget | null {
  return open?.type === 'link_open' ? linkTarget(attribute(open, 'href')) : null;
}

function openingMark(open: Token): string {
  if (open.type !== 'link_open') return open.markup;
  return BARE_ADDRESS.includes(open.markup) ? '' : '[';
}

function closingMark(open: Token | null): string {
  if (open?.type !== 'link_open') return open?.markup ?? '';
  if (BARE_ADDRESS.includes(open.markup)) return '';
  const title = attribute(open, 'title');
  return `](${attribute(open, 'href')}${title === '' ? '' : ` "${title}"`})`;
}

function titleOf(token: Token | null): { title?: string } {
  const title = attribute(token, 'title');
  return title === '' ? {} : { title };
}

function attribute(token: Token | null, name: string): string {
  return String(token?.attrGet(name) ?? '');
}
