// What waits for the person, and where it is shown: at the notice that says so while nothing was said after it, else at
// the end, where the reader is. Never at both. Pure.
import type { PostView, WaitView } from '../../src/protocol/view.js';
import { listOf } from '../words.js';

/** @returns a name for it, the same while it waits */
export function waitKey(wait: WaitView): string {
  return wait.kind === 'turn' ? `turn/${wait.position}` : `limit/${wait.chain}/${wait.limit}`;
}

/** @returns what waits because of what a notice says; null when it is dealt with */
export function waitOf(notice: PostView, waits: readonly WaitView[]): WaitView | null {
  const found = waits.find((wait) =>
    wait.kind === 'turn'
      ? wait.position === notice.position
      : wait.chain === notice.limited?.chain && wait.limit === notice.limited.limit,
  );
  return found ?? null;
}

/**
 * Of several notices about one thing only the last offers what can be done, and none that a post came after.
 * @param posts of the open room, oldest first
 * @returns by id of the notice
 */
export function waitsByNotice(posts: readonly PostView[], waits: readonly WaitView[]): ReadonlyMap<string, WaitView> {
  const found = new Map<string, WaitView>();
  if (waits.length === 0) return found;
  const taken = new Set<WaitView>();
  for (const post of posts.toReversed()) {
    if (post.sender.kind !== 'notice') break;
    const wait = waitOf(post, waits);
    if (wait === null || taken.has(wait)) continue;
    taken.add(wait);
    found.set(post.id, wait);
  }
  return found;
}

/** @returns what waits in a room and is not offered at a notice */
export function waitsAtEnd(posts: readonly PostView[], waits: readonly WaitView[], roomId: string | null): WaitView[] {
  const shown = new Set(waitsByNotice(posts, waits).values());
  return waits.filter((wait) => wait.roomId === roomId && !shown.has(wait));
}

const LIMIT_WORDS = {
  hopCap: 'its hops are used up',
  costCeiling: 'its cost ceiling is reached',
  turnsPerMember: 'its turns are used up',
} as const;

/** @returns what waits, in one sentence */
export function waitingWords(wait: WaitView, nameOf: (id: string) => string): string {
  if (wait.kind === 'limit') {
    const next = listOf(wait.next.map((id) => `@${nameOf(id)}`));
    return `The team stopped: ${LIMIT_WORDS[wait.limit]}.${next === '' ? '' : ` ${next} would be next.`}`;
  }
  const name = nameOf(wait.memberId);
  switch (wait.how) {
    case 'interrupted':
      return `${name} was interrupted.`;
    case 'stopped':
      return `${name} was stopped.`;
    case 'failed':
      return wait.message === null ? `${name} failed.` : `${name} failed: ${wait.message}`;
  }
}
