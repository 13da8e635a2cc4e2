// Where a list stands, read from the page.
import type { Anchor } from '../store/saved.js';

const NEAR_END_PX = 32;
const MAX_DEPTH = 12;

/** @returns how many pixels of the list are below the view */
export function belowView(list: HTMLElement): number {
  return list.scrollHeight - list.scrollTop - list.clientHeight;
}

/**
 * Whether a reader who scrolled stands at the end.
 * @param was whether they did before
 * @param wentUp true when the view moved up: then only the very end is the end, or nobody could leave it while it grows
 * @param below pixels below the view
 */
export function standsAtEnd(was: boolean, wentUp: boolean, below: number): boolean {
  if (wentUp) return below <= 1;
  return was || below < NEAR_END_PX;
}

export interface Place extends Anchor {
  /** The line that is read, as far as the page has one: it stays where it is whatever happens above it. */
  readonly line: { readonly element: Element; readonly offset: number } | null;
}

/** @returns the first post in view and where its top stands; null where none is */
export function placeIn(list: HTMLElement): Place | null {
  const { top, bottom } = list.getBoundingClientRect();
  for (const element of list.querySelectorAll<HTMLElement>('[data-post]')) {
    const box = element.getBoundingClientRect();
    const postId = element.dataset['post'];
    if (box.bottom <= top || postId === undefined) continue;
    if (box.top >= bottom) return null;
    const line = box.top < top ? lineIn(element, top) : null;
    return { postId, offset: box.top - top, line };
  }
  return null;
}

function lineIn(post: Element, top: number): Place['line'] {
  let found = post;
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    const next = [...found.children].find((child) => child.getBoundingClientRect().bottom > top);
    if (next === undefined) break;
    found = next;
  }
  return { element: found, offset: found.getBoundingClientRect().top - top };
}

/** Scrolls so that what was read stands where it stood. @returns false when it is not on the page */
export function returnTo(list: HTMLElement, place: Place): boolean {
  const line = place.line !== null && list.contains(place.line.element) ? place.line : null;
  const element = line?.element ?? list.querySelector(`[data-post="${CSS.escape(place.postId)}"]`);
  if (element === null) return false;
  const offset = line?.offset ?? place.offset;
  const moved = element.getBoundingClientRect().top - list.getBoundingClientRect().top - offset;
  if (Math.abs(moved) > 0.4) list.scrollTop += moved;
  return true;
}
