// Draws a post's tree, kind by kind. There is no way from a text to markup here, and no link that leads anywhere by
// itself: whatever is opened or loaded is asked of the host.
import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { CellAlign, LinkTarget, SafeBlock, SafeInline, SafeListItem } from '../../src/protocol/safe-node.js';
import { Icon } from '../ui/icon.js';
import { memo } from '../ui/memo.js';
import { CodeBlock } from './code-block.js';
import type { NodeActions } from './node-actions.js';

export interface NodesProps extends NodeActions {
  readonly nodes: readonly SafeBlock[];
}

/** The words of a post. Drawn again only when its tree is another one. */
export const Nodes = memo(function Nodes({ nodes, onOpen, onImage, image }: NodesProps): JSX.Element {
  return <div class="nodes">{blocks(nodes, { onOpen, onImage, image })}</div>;
});

function blocks(nodes: readonly SafeBlock[], actions: NodeActions): ComponentChildren {
  return nodes.map((node, at) => <Block key={at} node={node} actions={actions} />);
}

function inlines(nodes: readonly SafeInline[], actions: NodeActions): ComponentChildren {
  return nodes.map((node, at) => <Inline key={at} node={node} actions={actions} />);
}

function Block({ node, actions }: { readonly node: SafeBlock; readonly actions: NodeActions }): JSX.Element {
  switch (node.kind) {
    case 'paragraph':
      return <p>{inlines(node.children, actions)}</p>;
    case 'heading':
      // Below the headings of the panel itself.
      return (
        <div role="heading" aria-level={Math.min(node.level + 2, 6)} class={`heading heading-${node.level}`}>
          {inlines(node.children, actions)}
        </div>
      );
    case 'quote':
      return <blockquote>{blocks(node.children, actions)}</blockquote>;
    case 'list': {
      const items = node.items.map((item, at) => <Item key={at} item={item} actions={actions} />);
      const spacing = node.tight ? 'tight' : 'loose';
      return node.ordered ? (
        <ol class={spacing} start={node.start}>
          {items}
        </ol>
      ) : (
        <ul class={spacing}>{items}</ul>
      );
    }
    case 'table':
      return <Table node={node} actions={actions} />;
    case 'codeBlock':
      return <CodeBlock language={node.language} text={node.text} />;
    case 'rule':
      return <hr />;
  }
}

function Item({ item, actions }: { readonly item: SafeListItem; readonly actions: NodeActions }): JSX.Element {
  if (item.checked === null) return <li>{blocks(item.children, actions)}</li>;
  return (
    <li class="task">
      <span class="task-box" role="img" aria-label={item.checked ? 'Done' : 'To do'}>
        <Icon id={item.checked ? 'pass-filled' : 'circle-large-outline'} />
      </span>
      {blocks(item.children, actions)}
    </li>
  );
}

/** Scrolls in a box of its own, by keyboard too, so that the transcript never gets wider than the panel. */
function Table({
  node,
  actions,
}: {
  readonly node: Extract<SafeBlock, { kind: 'table' }>;
  readonly actions: NodeActions;
}): JSX.Element {
  const cells = (row: readonly (readonly SafeInline[])[], Cell: 'th' | 'td'): ComponentChildren =>
    row.map((cell, at) => (
      <Cell key={at} class={alignClass(node.align[at] ?? null)} {...(Cell === 'th' ? { scope: 'col' as const } : {})}>
        {inlines(cell, actions)}
      </Cell>
    ));
  return (
    <div class="table-box" role="region" aria-label="Table" tabIndex={0}>
      <table>
        <thead>
          <tr>{cells(node.head, 'th')}</tr>
        </thead>
        <tbody>
          {node.rows.map((row, at) => (
            <tr key={at}>{cells(row, 'td')}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function alignClass(align: CellAlign): string {
  return `align-${align ?? 'none'}`;
}

function Inline({ node, actions }: { readonly node: SafeInline; readonly actions: NodeActions }): JSX.Element {
  switch (node.kind) {
    case 'text':
      return <>{node.text}</>;
    case 'break':
      return <br />;
    case 'code':
      return <code>{node.text}</code>;
    case 'strong':
      return <strong>{inlines(node.children, actions)}</strong>;
    case 'emphasis':
      return <em>{inlines(node.children, actions)}</em>;
    case 'strikethrough':
      return <s>{inlines(node.children, actions)}</s>;
    case 'mention':
      return <span class="mention">{node.text}</span>;
    case 'link':
      return (
        <Link target={node.target} title={node.title} onOpen={actions.onOpen}>
          {inlines(node.children, actions)}
        </Link>
      );
    case 'remoteImage': {
      const target = { kind: 'web', url: node.url } as const;
      return (
        <Link target={target} title={node.title} onOpen={actions.onOpen}>
          <Icon id="file-media" /> {node.alt === '' ? node.url : node.alt}
        </Link>
      );
    }
    case 'image':
      return <Picture path={node.path} alt={node.alt} title={node.title} actions={actions} />;
  }
}

interface LinkProps {
  readonly target: LinkTarget;
  readonly title: string | undefined;
  readonly onOpen: (target: LinkTarget) => void;
  readonly children: ComponentChildren;
}

/**
 * A link without an address: VS Code opens an `href` by itself, before anybody is asked. Its tooltip says where it
 * leads, first, whatever its words say.
 */
function Link({ target, title, onOpen, children }: LinkProps): JSX.Element {
  const open = (event: Event): void => {
    event.preventDefault();
    event.stopPropagation();
    onOpen(target);
  };
  return (
    <a
      class="link"
      role="link"
      tabIndex={0}
      title={title === undefined ? targetWords(target) : `${targetWords(target)}\n${title}`}
      onClick={open}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && !event.isComposing) open(event);
      }}
    >
      {children}
    </a>
  );
}

/** @returns where a link leads, as one reads it: an address, or `path:line#anchor` */
function targetWords(target: LinkTarget): string {
  if (target.kind === 'web') return target.url;
  const line = target.line === undefined ? '' : `:${target.line}`;
  return `${target.path}${line}${target.anchor === undefined ? '' : `#${target.anchor}`}`;
}

interface PictureProps {
  readonly path: string;
  readonly alt: string;
  readonly title: string | undefined;
  readonly actions: NodeActions;
}

/** A link to the picture's file, which holds the picture as soon as the host has given its bytes. */
function Picture({ path, alt, title, actions }: PictureProps): JSX.Element {
  const { onImage, onOpen, image } = actions;
  useEffect(() => onImage(path), [path, onImage]);
  const state = image(path).value;
  const words = alt === '' ? path : alt;
  // Bytes that the host has checked and nothing else: anything but a blob would be a request.
  const isShown = state.kind === 'shown' && state.url.startsWith('blob:');
  return (
    <>
      <Link target={{ kind: 'file', path }} title={title} onOpen={onOpen}>
        {isShown ? (
          <img class="picture" src={state.url} alt={words} />
        ) : (
          <>
            <Icon id="file-media" /> {words}
          </>
        )}
      </Link>
      {state.kind === 'refused' ? <span class="picture-note"> ({state.reason})</span> : null}
    </>
  );
}
