// The words of a post: its tree where it has one, else the text as it was written. A long one shows its beginning.
import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { parseMentions } from '../../src/core/team/mentions.js';
import type { PostView } from '../../src/protocol/view.js';
import { mentionRoster } from '../composer/mention-search.js';
import { holdStill } from '../reasoning/hold-still.js';
import type { Panel } from '../store/panel.js';
import type { MemberFace } from '../store/views.js';
import { PlainButton } from '../ui/button.js';
import { beginningOf, beginningOfTree, isLong, sizeWords } from './long-text.js';
import { Nodes } from './nodes.js';

export interface PostTextProps {
  readonly panel: Panel;
  readonly post: PostView;
  readonly members: ReadonlyMap<string, MemberFace>;
}

export function PostText({ panel, post, members }: PostTextProps): JSX.Element {
  const long = useMemo(() => isLong(post.text), [post]);
  if (!long) return <Words panel={panel} post={post} members={members} isWhole />;
  return <LongText panel={panel} post={post} members={members} />;
}

function LongText({ panel, post, members }: PostTextProps): JSX.Element {
  const opened = panel.opened.at(post.id);
  const isWhole = opened.value;
  const frame = useRef<HTMLDivElement>(null);
  const settle = useRef<(() => void) | null>(null);
  useLayoutEffect(() => {
    settle.current?.();
    settle.current = null;
  }, [isWhole]);
  return (
    <div class={isWhole ? 'long whole' : 'long'} ref={frame}>
      <Words panel={panel} post={post} members={members} isWhole={isWhole} />
      <PlainButton
        class="long-toggle"
        expanded={isWhole}
        onClick={() => {
          // WV-4: opening moves nothing that is read, also for a reader who followed the end; closing leaves the button.
          panel.act({ kind: 'following', following: false });
          settle.current = holdStill(
            frame.current?.querySelector<HTMLElement>(isWhole ? '.long-toggle' : '.post-text') ?? null,
            false,
          );
          opened.value = !isWhole;
        }}
      >
        {isWhole ? 'Show less' : `Show all (${sizeWords(post.text)})`}
      </PlainButton>
    </div>
  );
}

interface WordsProps extends PostTextProps {
  readonly isWhole: boolean;
}

function Words({ panel, post, members, isWhole }: WordsProps): JSX.Element {
  const { blocks } = post;
  const nodes = useMemo(() => (blocks === null || isWhole ? blocks : beginningOfTree(blocks)), [blocks, isWhole]);
  return (
    <div class="post-text">
      {nodes === null ? (
        <PlainWords post={post} members={members} isWhole={isWhole} />
      ) : (
        <Nodes nodes={nodes} {...panel.nodes} />
      )}
    </div>
  );
}

function PlainWords({ post, members, isWhole }: Omit<WordsProps, 'panel'>): JSX.Element {
  const text = isWhole ? post.text : beginningOf(post.text);
  return <div class="plain">{useMemo(() => withMentions(text, post.to, members), [text, post.to, members])}</div>;
}

/** Marks the mentions that woke somebody. Who was woken is the record's word; the parser only says where it stands. */
function withMentions(
  text: string,
  to: readonly string[],
  members: ReadonlyMap<string, MemberFace>,
): ComponentChildren[] {
  const { spans } = parseMentions(text, mentionRoster([...members.values()]));
  const pieces: ComponentChildren[] = [];
  let from = 0;
  for (const span of spans) {
    if (!span.ids.some((id) => to.includes(id))) continue;
    pieces.push(
      text.slice(from, span.start),
      <span key={span.start} class="mention">
        {text.slice(span.start, span.end)}
      </span>,
    );
    from = span.end;
  }
  pieces.push(text.slice(from));
  return pieces;
}
