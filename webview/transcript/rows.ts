// From posts to the rows of the transcript: a day before its first post, posts of one breath under one head, and a line
// where a forked conversation becomes one of its own.
import type { PostView } from '../../src/protocol/view.js';
import { dayKey, type Reader } from './time.js';

export type Row =
  | { readonly kind: 'day'; readonly key: string; readonly at: string }
  /** What stands above it was said in the conversation that this one was forked from. */
  | { readonly kind: 'fork'; readonly key: string }
  | { readonly kind: 'notice'; readonly key: string; readonly post: PostView }
  /** `continued`: the sender said the one before it too, to the same people, a moment ago. */
  | { readonly kind: 'post'; readonly key: string; readonly post: PostView; readonly continued: boolean };

const BREATH_MS = 5 * 60_000;

/** @param posts oldest first. @returns the rows in the same order */
export function rowsOf(posts: readonly PostView[], reader: Reader): Row[] {
  const rows: Row[] = [];
  let day = '';
  let before: PostView | null = null;
  for (const post of posts) {
    if (before?.isInherited === true && !post.isInherited) {
      rows.push({ kind: 'fork', key: 'fork' });
      before = null;
    }
    const today = dayKey(post.at, reader);
    if (today !== day) {
      rows.push({ kind: 'day', key: `day/${today}/${post.id}`, at: post.at });
      before = null;
      day = today;
    }
    if (post.sender.kind === 'notice') rows.push({ kind: 'notice', key: post.id, post });
    else rows.push({ kind: 'post', key: post.id, post, continued: before !== null && continues(before, post) });
    before = post;
  }
  // Nothing of its own yet: the line stands where that will be.
  if (before?.isInherited === true) rows.push({ kind: 'fork', key: 'fork' });
  return rows;
}

function continues(before: PostView, post: PostView): boolean {
  return (
    senderKey(before) === senderKey(post) &&
    before.to.join('\n') === post.to.join('\n') &&
    before.hop?.hop === post.hop?.hop &&
    before.answers.at(-1)?.id === post.answers.at(-1)?.id &&
    Date.parse(post.at) - Date.parse(before.at) < BREATH_MS
  );
}

function senderKey(post: PostView): string {
  return post.sender.kind === 'member' ? `member/${post.sender.id}` : post.sender.kind;
}
