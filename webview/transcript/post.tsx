// One post: who, to whom, when, in answer to what, and the words.
import type { JSX } from 'preact';
import { isMarkedLead, type PostView } from '../../src/protocol/view.js';
import { Reasoning } from '../reasoning/reasoning.js';
import type { Panel } from '../store/panel.js';
import type { PendingPost } from '../store/state.js';
import type { MemberFace } from '../store/views.js';
import { Avatar, Icon } from '../ui/icon.js';
import { memo } from '../ui/memo.js';
import { listOf, senderName, tintOf } from '../words.js';
import { PostMenu } from './post-menu.js';
import { PostText } from './post-text.js';
import { absolute, clock, type Reader } from './time.js';

const PERSON_ICON = { kind: 'codicon', id: 'account' } as const;
const UNKNOWN_ICON = { kind: 'codicon', id: 'person' } as const;

export interface PostProps {
  readonly panel: Panel;
  readonly post: PostView;
  readonly continued: boolean;
  readonly members: ReadonlyMap<string, MemberFace>;
  readonly reader: Reader;
  /** Shows the post that this one answers; null while that is not loaded. */
  readonly onJump: ((postId: string) => void) | null;
}

/** A post of a person or a member. The text is shown as text: nothing in it is ever markup (WX-1). */
export const Post = memo(function Post(props: PostProps): JSX.Element {
  const { panel, post, continued, members, reader } = props;
  const name = senderName(post, members);
  const member = post.sender.kind === 'member' ? members.get(post.sender.id) : undefined;
  const time = clock(post.at, reader);
  const to = namesOf(post, members);
  const label = to.length === 0 ? `${name}, ${time}` : `${name} to ${listOf(to)}, ${time}`;
  return (
    <article class={continued ? 'post continued' : 'post'} data-post={post.id} aria-label={label} tabIndex={-1}>
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
        {continued ? null : <Head {...props} />}
        <PostText panel={panel} post={post} members={members} />
        <Notes post={post} />
        {post.sender.kind === 'member' && post.position !== null ? (
          <Reasoning panel={panel} position={post.position} isRunning={false} />
        ) : null}
      </div>
      <PostMenu panel={panel} post={post} />
    </article>
  );
});

function namesOf(post: PostView, members: ReadonlyMap<string, MemberFace>): string[] {
  return post.to.map((id) => `@${members.get(id)?.name ?? id}`);
}

function Head({ post, members, reader, onJump }: PostProps): JSX.Element {
  const member = post.sender.kind === 'member' ? members.get(post.sender.id) : undefined;
  const to = namesOf(post, members);
  return (
    <div class="post-head">
      <span class="post-name">{senderName(post, members)}</span>
      {member !== undefined && isMarkedLead(member) ? <span class="badge">Lead</span> : null}
      {to.length === 0 ? null : (
        <span class="post-to clip" title={`To ${listOf(to)}`}>
          <span aria-hidden="true">→ </span>
          {to.join(', ')}
        </span>
      )}
      <span class="post-meta">
        <time dateTime={post.at} title={absolute(post.at, reader)}>
          {clock(post.at, reader)}
        </time>
        {post.hop === null || post.hop.hop === 0 ? null : (
          <span title="Turns that members caused since your post, and how many may follow it">
            {' · '}hop {post.hop.hop} of {post.hop.cap}
          </span>
        )}
      </span>
      <Answers post={post} members={members} onJump={onJump} />
    </div>
  );
}

/** Whose words woke the sender, and the way to them. */
function Answers({ post, members, onJump }: Pick<PostProps, 'post' | 'members' | 'onJump'>): JSX.Element | null {
  const last = post.answers.at(-1);
  if (last === undefined) return null;
  const ids = [...new Set(post.answers.map(({ sender }) => sender))];
  const names = ids.map((id) => (id === 'you' ? 'you' : (members.get(id)?.name ?? id)));
  const words = `answers ${listOf(names)}`;
  if (onJump === null) return <span class="post-meta">{words}</span>;
  return (
    <button
      type="button"
      class="post-meta post-answers"
      title="Show the post that this one answers"
      onClick={() => onJump(last.id)}
    >
      {words}
      <Icon id="arrow-up" />
    </button>
  );
}

function Notes({ post }: { readonly post: PostView }): JSX.Element | null {
  const ghosts = post.unresolved.map((one) => (one.startsWith('@') ? one : `@${one}`));
  if (ghosts.length === 0 && !post.isAcknowledgement) return null;
  return (
    <div class="post-note">
      {ghosts.length === 0 ? null : <span>No member called {listOf(ghosts)}. </span>}
      {post.isAcknowledgement ? (
        <span title="It only thanks or agrees, so that whom it names is not asked again">Wakes nobody.</span>
      ) : null}
    </div>
  );
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
        <div class="post-text">
          <div class="plain">{post.text}</div>
        </div>
      </div>
    </article>
  );
}
