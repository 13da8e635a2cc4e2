// A thing that opens or closes stays where it is on the screen: what is around it moves (WV-4). Only what would open out
// of sight is brought into it.

/** When less than this would be seen of what opens, so much more is shown. In pixels. */
const TOO_LITTLE_PX = 72;
const ENOUGH_PX = 180;

/**
 * Call before the change.
 * @param element what was pressed
 * @param opens true when something opens below it
 * @returns to be called when the change stands: puts the element back to where it was
 */
export function holdStill(element: HTMLElement | null, opens: boolean): () => void {
  const list = element?.closest<HTMLElement>('.list') ?? null;
  if (element === null || list === null) return () => undefined;
  const before = element.getBoundingClientRect().top;
  return () => {
    const { top, bottom } = element.getBoundingClientRect();
    const below = list.getBoundingClientRect().bottom - (bottom + before - top);
    const hidden = opens && below < TOO_LITTLE_PX ? ENOUGH_PX - below : 0;
    list.scrollTop += top - before + hidden;
    // The list looks anew where the reader is: it may be at the end again, or not any more.
    list.dispatchEvent(new Event('scroll'));
  };
}
