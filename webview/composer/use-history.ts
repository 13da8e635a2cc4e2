// The earlier posts of the composer: keeps the place among them, and writes what it finds.
import { useRef } from 'preact/hooks';
import type { Panel } from '../store/panel.js';
import { isComposed } from './keys.js';
import { earlier, isAtEdge, later, ownTexts, type HistoryPlace } from './history.js';

/**
 * @param write puts a text into the composer, with the caret at an offset
 * @returns to be called with each key that is left to the text area; true when it was taken
 */
export function useHistory(
  panel: Panel,
  write: (text: string, caret: number) => void,
): (event: KeyboardEvent) => boolean {
  const place = useRef<{ readonly roomId: string | null; readonly at: HistoryPlace } | null>(null);
  return (event) => {
    const { key, target } = event;
    if ((key !== 'ArrowUp' && key !== 'ArrowDown') || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey)
      return false;
    // Arrows go through what an input method offers.
    if (isComposed(event) || !(target instanceof HTMLTextAreaElement)) return false;
    const roomId = panel.roomId.value;
    const text = panel.draft.value;
    const known = place.current?.roomId === roomId && place.current.at.shown === text ? place.current.at : null;
    const caret = { start: target.selectionStart, end: target.selectionEnd, length: text.length };
    if (!isAtEdge(caret, key, known !== null)) return false;
    const pending = panel.pending.value.filter((post) => post.roomId === roomId);
    const texts = ownTexts(panel.posts.value, pending);
    if (key === 'ArrowUp') {
      const next = earlier(texts, known, text);
      if (next === null) return known !== null;
      place.current = { roomId, at: next };
      write(next.shown, 0);
      return true;
    }
    if (known === null) return false;
    const next = later(texts, known);
    place.current = next.place === null ? null : { roomId, at: next.place };
    write(next.text, next.text.length);
    return true;
  };
}
