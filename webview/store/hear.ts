// What the host's pictures do to the panel's state: snapshots replace, changes continue, pages prepend.
import type { HostMessage } from '../../src/protocol/messages.js';
import type { PostView } from '../../src/protocol/view.js';
import { liveOf, stillRunning } from './live.js';
import { WINDOW, type PanelState, type PendingPost } from './state.js';

type Message<Type extends HostMessage['type']> = Extract<HostMessage, { type: Type }>;

/** Takes a whole picture in, unless it answers an older question or is older than what is shown. */
export function onSnapshot(state: PanelState, message: Message<'snapshot'>): PanelState {
  const seen = heardOf(state, message, message.revision);
  const wanted = state.request?.roomId ?? null;
  const exists = message.conversation.rooms.some((room) => room.id === wanted);
  // WV-11: two quick picks, and the answer to the first comes late: the last pick wins.
  if (wanted !== null && exists && wanted !== message.roomId) return { ...state, ...seen };

  const sameRun = message.conversation.runId === state.runId;
  const sameRoom = sameRun && message.roomId === state.roomId;
  const stale =
    state.conversation !== null &&
    state.problem === null &&
    sameRoom &&
    message.hostEpoch === state.hostEpoch &&
    message.revision < state.revision &&
    state.posts.length > 0;
  if (stale) return { ...state, ...seen, request: null };

  const posts = message.posts.slice(-WINDOW);
  return {
    ...state,
    hostEpoch: message.hostEpoch,
    revision: message.revision,
    ...seen,
    conversation: message.conversation,
    runId: message.conversation.runId,
    roomId: message.roomId,
    posts,
    hasOlder: message.hasOlder || posts.length < message.posts.length,
    hasNewer: false,
    loadingOlder: false,
    missed: 0,
    unread: sameRun ? state.unread : {},
    live: liveOf(message.live, message.conversation),
    // What was typed here is newer than what the host kept of it.
    drafts: sameRun ? { ...message.drafts, ...state.drafts } : withUnsent(message, state.pending),
    pending: sameRun ? withoutSeen(state.pending, posts) : [],
    problem: null,
    // What was refused on the page of the problem is over with it.
    complaint: state.problem === null ? state.complaint : null,
    request: null,
  };
}

/** Continues from the shown revision. @returns the next state; `gap` when something in between was not heard. */
export function onChanges(state: PanelState, message: Message<'changes'>): { state: PanelState; gap: boolean } {
  const known =
    state.conversation !== null && state.hostEpoch === message.hostEpoch && state.runId === message.conversation.runId;
  const seen = heardOf(state, message, message.to);
  // It may have overtaken the picture that was asked for: what it announced is remembered until that comes.
  if (!known) return { state: { ...state, ...seen }, gap: true };
  if (message.from !== state.revision) return { state: { ...state, ...seen }, gap: message.to > state.revision };

  const here = message.posts.filter((post) => post.roomId === state.roomId);
  const elsewhere = message.posts.filter((post) => post.roomId !== state.roomId);
  return {
    state: {
      ...state,
      ...seen,
      revision: message.to,
      conversation: message.conversation,
      ...(here.length === 0 ? {} : append(state, here)),
      unread: elsewhere.length === 0 ? state.unread : count(state.unread, elsewhere),
      live: stillRunning(state.live, message.conversation, message.posts),
      pending: withoutSeen(state.pending, message.posts),
    },
    gap: false,
  };
}

type Heard = Pick<PanelState, 'seen' | 'seenOf' | 'request'>;

/** Remembers the greatest revision that a host mentioned of a conversation. */
function heardOf(state: PanelState, message: Message<'snapshot' | 'changes'>, revision: number): Heard {
  const seenOf = `${message.hostEpoch}/${message.conversation.runId}`;
  if (seenOf === state.seenOf) return { seen: Math.max(state.seen, revision), seenOf, request: state.request };
  return { seen: revision, seenOf, request: state.request === null ? null : { ...state.request, seen: 0 } };
}

/** What was sent to another conversation, and may not have arrived there, comes back into the composer. */
function withUnsent(message: Message<'snapshot'>, pending: readonly PendingPost[]): Readonly<Record<string, string>> {
  const drafts: Record<string, string> = { ...message.drafts };
  const unsent = pending.filter(({ postId }) => postId === null);
  for (const { roomId, text } of unsent.toReversed()) {
    const room = message.conversation.rooms.some(({ id }) => id === roomId) ? roomId : message.roomId;
    drafts[room] = above(text, drafts[room] ?? '');
  }
  return drafts;
}

/** @returns words that come back, with what was typed meanwhile under them */
export function above(text: string, draft: string): string {
  return draft.trim() === '' ? text : `${text}\n\n${draft}`;
}

/** Puts an older page before what is shown. */
export function onPage(state: PanelState, message: Message<'page'>): PanelState {
  const first = state.posts[0];
  // A page of a room that was left, or one that came after the window was replaced.
  if (message.roomId !== state.roomId || !state.loadingOlder || first === undefined) return state;
  const older = message.posts.filter((post) => isBefore(post, first));
  const all = [...older, ...state.posts];
  const posts = all.slice(0, WINDOW);
  return {
    ...state,
    posts,
    hasOlder: message.hasOlder,
    hasNewer: state.hasNewer || posts.length < all.length,
    loadingOlder: false,
  };
}

type Window = Pick<PanelState, 'posts' | 'hasOlder' | 'hasNewer' | 'missed'>;

function append(state: PanelState, fresh: readonly PostView[]): Window {
  // Not while the room's first page is on its way: the snapshot has these posts too.
  if (state.request !== null && state.posts.length === 0) return pick(state);
  const last = state.posts.at(-1);
  const added = last === undefined ? fresh : fresh.filter((post) => isBefore(last, post));
  const missed = state.following ? 0 : state.missed + added.length;
  const room = WINDOW - state.posts.length;
  if (state.hasNewer || (!state.following && added.length > room)) {
    // The reader is far up: the view must not move, so the window ends here until they jump to the latest.
    return { ...pick(state), hasNewer: true, missed };
  }
  const all = [...state.posts, ...added];
  const posts = all.slice(-WINDOW);
  return { posts, hasOlder: state.hasOlder || posts.length < all.length, hasNewer: false, missed };
}

function pick({ posts, hasOlder, hasNewer, missed }: PanelState): Window {
  return { posts, hasOlder, hasNewer, missed };
}

function count(unread: PanelState['unread'], posts: readonly PostView[]): PanelState['unread'] {
  const next = { ...unread };
  for (const post of posts) if (post.sender.kind !== 'person') next[post.roomId] = (next[post.roomId] ?? 0) + 1;
  return next;
}

/** Remembers which post a pending one became; it is over once that post is shown. */
export function onPosted(state: PanelState, message: Message<'posted'>): PanelState {
  const pending = state.pending.map((waiting) =>
    waiting.requestId === message.requestId ? { ...waiting, postId: message.postId } : waiting,
  );
  return { ...state, pending: withoutSeen(pending, state.posts) };
}

/** A pending post is over when the record has it: by its id, else the person's own words, later than the click. */
function withoutSeen(pending: readonly PendingPost[], posts: readonly PostView[]): readonly PendingPost[] {
  if (pending.length === 0) return pending;
  const taken = new Set<string>();
  const open = pending.filter((waiting) => {
    const found = posts.find(
      (post) =>
        !taken.has(post.id) && (waiting.postId === null ? sameWords(post, waiting) : post.id === waiting.postId),
    );
    if (found !== undefined) taken.add(found.id);
    return found === undefined;
  });
  return open.length === pending.length ? pending : open;
}

function sameWords(post: PostView, waiting: PendingPost): boolean {
  return (
    post.sender.kind === 'person' &&
    post.roomId === waiting.roomId &&
    post.revision > waiting.after &&
    post.text.trim() === waiting.text.trim()
  );
}

function isBefore(a: PostView, b: PostView): boolean {
  return a.revision < b.revision || (a.revision === b.revision && a.index < b.index);
}
