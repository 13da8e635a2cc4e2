// Looks at a post's tree as a reader does: its words, its links, its kinds.
import type { LinkTarget, SafeBlock, SafeInline } from '../../src/protocol/safe-node.js';

export type SafeNode = SafeBlock | SafeInline;

/** @returns every node of a tree, parents before what stands in them */
export function nodesOf(tree: readonly SafeNode[]): SafeNode[] {
  return tree.flatMap((node) => [node, ...nodesOf(below(node))]);
}

/** @returns where the links and pictures of a tree lead */
export function targetsOf(tree: readonly SafeNode[]): LinkTarget[] {
  return nodesOf(tree).flatMap((node): LinkTarget[] => {
    if (node.kind === 'link') return [node.target];
    if (node.kind === 'remoteImage') return [{ kind: 'web', url: node.url }];
    return node.kind === 'image' ? [{ kind: 'file', path: node.path }] : [];
  });
}

/** @returns what is read, tooltips of links with it */
export function wordsOf(tree: readonly SafeNode[]): string {
  return tree.map(words).join('');
}

function words(node: SafeNode): string {
  switch (node.kind) {
    case 'text':
    case 'code':
    case 'mention':
      return node.text;
    case 'break':
    case 'rule':
      return '\n';
    case 'codeBlock':
      return `${node.language}\n${node.text}\n`;
    case 'link':
      return `${wordsOf(node.children)}${tooltip(node.target)}${node.title ?? ''}`;
    case 'image':
      return `${node.alt}(${node.path})${node.title ?? ''}`;
    case 'remoteImage':
      return `${node.alt}(${node.url})${node.title ?? ''}`;
    case 'strong':
    case 'emphasis':
    case 'strikethrough':
      return wordsOf(node.children);
    case 'list':
      return node.items
        .map(({ checked, children }) => `${checked === true ? 'x ' : ''}${wordsOf(children)}\n`)
        .join('');
    case 'table':
      return [node.head, ...node.rows].map((row) => `${row.map(wordsOf).join(' ')}\n`).join('');
    case 'paragraph':
    case 'heading':
    case 'quote':
      return `${wordsOf(node.children)}\n`;
  }
}

function tooltip(target: LinkTarget): string {
  if (target.kind === 'web') return `(${target.url})`;
  return `(${target.path}${target.line === undefined ? '' : `#L${target.line}`}#${target.anchor ?? ''})`;
}

function below(node: SafeNode): readonly SafeNode[] {
  if (node.kind === 'list') return node.items.flatMap(({ children }) => children);
  if (node.kind === 'table') return [node.head, ...node.rows].flat(2);
  return 'children' in node ? node.children : [];
}
