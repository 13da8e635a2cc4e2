// Keeping the reading place: at the end while the reader follows, else at the post they read (WV-1, WV-3, WV-4).
import type { Anchor } from '../store/saved.js';

const NEAR_END_PX = 32;

/** @returns true when the end of the list is in view */
export function isAtEnd(list: HTMLElement): boolean {
  return list.scrollHeight - list.scrollTop - list.clientHeight < NEAR_END_PX;
}

/** @returns the first post in view and where its top stands, null in an empty list */
export function readingPlace(list: HTMLElement): Anchor | null {
  const top = list.getBoundingClientRect().top;
  for (const element of list.querySelectorAll<HTMLElement>('[data-post]')) {
    const box = element.getBoundingClientRect();
    const postId = element.dataset['post'];
    if (box.bottom > top && postId !== undefined) return { postId, offset: box.top - top };
  }
  return null;
}

/** Scrolls so that the post stands where it stood. @returns false when it is not in the list */
export function returnTo(list: HTMLElement, anchor: Anchor): boolean {
  const element = list.querySelector<HTMLElement>(`[data-post="${CSS.escape(anchor.postId)}"]`);
  if (element === null) return false;
  list.scrollTop += element.getBoundingClientRect().top - list.getBoundingClientRect().top - anchor.offset;
  return true;
}
