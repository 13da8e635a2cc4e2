// One post: who, to whom, when, and the words as they were written.
import type { ComponentChildren, JSX } from 'preact';
import { parseMentions } from '../../src/core/team/mentions.js';
import { isMarkedLead, type PostView } from '../../src/protocol/view.js';
import { mentionRoster } from '../composer/mention-search.js';
import { Reasoning } from '../reasoning/reasoning.js';
import type { Panel } from '../store/panel.js';
import type { PendingPost } from '../store/state.js';
import type { MemberFace } from '../store/views.js';
import { Avatar } from '../ui/icon.js';
import { memo } from '../ui/memo.js';
import { listOf, senderName, tintOf } from '../words.js';
import { absolute, clock, type Reader } from './time.js';

const PERSON_ICON = { kind: 'codicon', id: 'account' } as const;
const UNKNOWN_ICON = { kind: 'codicon', id: 'person' } as const;

export interface PostProps {
  readonly panel: Panel;
  readonly post: PostView;
  readonly continued: boolean;
  readonly members: ReadonlyMap<string, MemberFace>;
  readonly reader: Reader;
}

/** A post of a person or a member. The text is shown as text: nothing in it is ever markup (WX-1). */
export const Post = memo(function Post({ panel, post, continued, members, reader }: PostProps): JSX.Element {
  const name = senderName(post, members);
  const member = post.sender.kind === 'member' ? members.get(post.sender.id) : undefined;
  const to = post.to.map((id) => `@${members.get(id)?.name ?? id}`);
  const time = clock(post.at, reader);
  const label = to.length === 0 ? `${name}, ${time}` : `${name} to ${listOf(to)}, ${time}`;
  return (
    <article class={continued ? 'post continued' : 'post'} data-post={post.id} aria-label={label}>
      {continued ? (
        <time class="gutter-time" dateTime={post.at} title={absolute(post.at, reader)}>
          {time}
        </time>
      ) : (
        <Avatar
          icon={post.sender.kind === 'person' ? PERSON_ICON : (member?.icon ?? UNKNOWN_ICON)}
          tint={post.sender.kind === 'member' ? tintOf(post.sender.id, members) : -1}
        />
      )}
      <div class="post-body">
        {continued ? null : (
          <div class="post-head">
            <span class="post-name">{name}</span>
            {member !== undefined && isMarkedLead(member) ? <span class="badge">Lead</span> : null}
            {to.length === 0 ? null : (
              <span class="post-to clip" title={`To ${listOf(to)}`}>
                <span aria-hidden="true">→ </span>
                {to.join(', ')}
              </span>
            )}
            <span class="post-meta">
              <time dateTime={post.at} title={absolute(post.at, reader)}>
                {time}
              </time>
              {post.hop === null || post.hop.hop === 0 ? null : (
                <span title="Turns that members caused since your post, and how many may follow it">
                  {' · '}hop {post.hop.hop} of {post.hop.cap}
                </span>
              )}
            </span>
          </div>
        )}
        <div class="post-text">{withMentions(post, members)}</div>
        {post.unresolved.length === 0 ? null : (
          <div class="post-note">
            No member called {listOf(post.unresolved.map((one) => (one.startsWith('@') ? one : `@${one}`)))}.
          </div>
        )}
        {member === undefined || post.position === null ? null : (
          <Reasoning panel={panel} position={post.position} isRunning={false} />
        )}
      </div>
    </article>
  );
});

/** Marks the mentions that woke somebody. Who was woken is the record's word; the parser only says where it stands. */
function withMentions(post: PostView, members: ReadonlyMap<string, MemberFace>): ComponentChildren {
  const { spans } = parseMentions(post.text, mentionRoster([...members.values()]));
  const pieces: ComponentChildren[] = [];
  let from = 0;
  for (const span of spans) {
    if (!span.ids.some((id) => post.to.includes(id))) continue;
    pieces.push(
      post.text.slice(from, span.start),
      <span key={span.start} class="mention">
        {post.text.slice(span.start, span.end)}
      </span>,
    );
    from = span.end;
  }
  pieces.push(post.text.slice(from));
  return pieces;
}

/** A post on its way: shown at once, and visibly not in the record yet. */
export function Pending({ post }: { readonly post: PendingPost }): JSX.Element {
  return (
    <article class="post pending" aria-label="Your post, sending">
      <Avatar icon={PERSON_ICON} tint={-1} />
      <div class="post-body">
        <div class="post-head">
          <span class="post-name">You</span>
          <span class="post-meta">sending…</span>
        </div>
        <div class="post-text">{post.text}</div>
      </div>
    </article>
  );
}

/** What the system says, quiet and centred. */
export function Notice({ post, reader }: { readonly post: PostView; readonly reader: Reader }): JSX.Element {
  return (
    <div class="notice" role="note" data-post={post.id}>
      <span>{post.text}</span>{' '}
      <time class="notice-time" dateTime={post.at} title={absolute(post.at, reader)}>
        {clock(post.at, reader)}
      </time>
    </div>
  );
}
