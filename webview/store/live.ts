// What running turns have said so far of their answers. Not in the record: it is gone with the turn, and a missing
// piece is asked for with the whole picture.
import type { HostMessage } from '../../src/protocol/messages.js';
import type { ConversationView, LiveTextView, PostView } from '../../src/protocol/view.js';

/** By position. */
export type Live = ReadonlyMap<string, LiveTextView>;

export type LivePiece = Extract<HostMessage, { type: 'live' }>;

export const NO_LIVE: Live = new Map();

/**
 * Adds pieces in the order in which they came.
 * @param runId of the shown conversation: pieces of others are left out
 * @returns the texts now, `live` itself where nothing was added; `gap` when something before a piece was not heard
 */
export function withPieces(
  live: Live,
  runId: string | null,
  pieces: readonly LivePiece[],
): { readonly live: Live; readonly gap: boolean } {
  const next = new Map(live);
  let added = false;
  let gap = false;
  for (const { runId: of, position, memberId, roomId, from, text } of pieces) {
    if (of !== runId) continue;
    const said = next.get(position)?.text ?? '';
    // What came twice, or was in a snapshot already, is known; what comes after something unheard waits for it.
    if (from < said.length) continue;
    if (from > said.length) gap = true;
    else {
      next.set(position, { position, memberId, roomId, text: said + text });
      added = true;
    }
  }
  return { live: added ? next : live, gap };
}

/** @returns the texts of a snapshot, by position */
export function liveOf(texts: readonly LiveTextView[], conversation: ConversationView): Live {
  return stillRunning(new Map(texts.map((text) => [text.position, text])), conversation, []);
}

/**
 * A text ends with its turn: when its post is there, or its member is not at work on it any more.
 * @param posts what is new in the record
 */
export function stillRunning(live: Live, conversation: ConversationView, posts: readonly PostView[]): Live {
  if (live.size === 0) return live;
  const written = new Set(posts.map(({ position }) => position));
  const running = new Set(
    conversation.members
      .filter(({ status }) => status === 'running' || status === 'stopping')
      .map(({ position }) => position),
  );
  const kept = [...live].filter(([position]) => running.has(position) && !written.has(position));
  return kept.length === live.size ? live : new Map(kept);
}
