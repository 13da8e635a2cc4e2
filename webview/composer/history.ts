// One's earlier posts, brought back with the arrow keys. Pure. What was being written is kept until they are left again.
import type { PostView } from '../../src/protocol/view.js';
import type { PendingPost } from '../store/state.js';

/** Where somebody is among their earlier posts; null while they write something of their own. */
export interface HistoryPlace {
  /** 0 is the newest. */
  readonly back: number;
  /** What is shown: once it is changed it is a text of one's own. */
  readonly shown: string;
  /** What was being written before. */
  readonly draft: string;
}

/**
 * @param posts of the open room, oldest first
 * @param pending on their way
 * @returns the person's own texts, newest first, each once in a row
 */
export function ownTexts(posts: readonly PostView[], pending: readonly Pick<PendingPost, 'text'>[]): readonly string[] {
  const own = posts.filter(({ sender }) => sender.kind === 'person');
  const texts = [...own, ...pending].map(({ text }) => text).reverse();
  return texts.filter((text, index) => text !== texts[index - 1]);
}

/** @returns the place of the post before; null when there is none */
export function earlier(texts: readonly string[], place: HistoryPlace | null, draft: string): HistoryPlace | null {
  const at = place !== null && place.shown === draft ? place : null;
  const back = at === null ? 0 : at.back + 1;
  const shown = texts[back];
  return shown === undefined ? null : { back, shown, draft: at === null ? draft : at.draft };
}

/** @returns the place of the post after, or null and what was being written */
export function later(texts: readonly string[], place: HistoryPlace): { place: HistoryPlace | null; text: string } {
  const back = place.back - 1;
  const shown = texts[back];
  if (shown === undefined) return { place: null, text: place.draft };
  return { place: { ...place, back, shown }, text: shown };
}

/** The part of a text area that decides whether an arrow key goes through the history. */
export interface Caret {
  readonly start: number;
  readonly end: number;
  readonly length: number;
}

/**
 * @param isBrowsing true while an earlier post is shown unchanged
 * @returns whether an arrow has no work of its own in the text: up at its very start; either at an end of what was
 *   brought back
 */
export function isAtEdge({ start, end, length }: Caret, key: 'ArrowUp' | 'ArrowDown', isBrowsing: boolean): boolean {
  if (start !== end) return false;
  if (isBrowsing) return start === 0 || start === length;
  return key === 'ArrowUp' && start === 0;
}
