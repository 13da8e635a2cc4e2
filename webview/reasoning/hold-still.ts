// A thing that opens or closes stays where it is on the screen: what is around it moves (WV-4).

/**
 * Call before the change.
 * @param element what was pressed
 * @returns to be called when the change stands: puts the element back to where it was
 */
export function holdStill(element: HTMLElement | null): () => void {
  const list = element?.closest<HTMLElement>('.list') ?? null;
  if (element === null || list === null) return () => undefined;
  const before = element.getBoundingClientRect().top;
  return () => {
    list.scrollTop += element.getBoundingClientRect().top - before;
    // The list looks anew where the reader is: it may be at the end again, or not any more.
    list.dispatchEvent(new Event('scroll'));
  };
}
