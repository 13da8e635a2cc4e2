// Which long posts are shown whole. Kept here, because a post that leaves the view leaves the page.
import { signal, type Signal } from '@preact/signals';

export interface Opened {
  /** @returns whether it is shown whole; the same signal for the same post */
  at(postId: string): Signal<boolean>;
}

export function createOpened(): Opened {
  const opened = new Map<string, Signal<boolean>>();
  return {
    at: (postId) => {
      const known = opened.get(postId);
      if (known !== undefined) return known;
      const made = signal(false);
      opened.set(postId, made);
      return made;
    },
  };
}
