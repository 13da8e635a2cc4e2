// The focus that goes away with a part of the screen goes back to where it was before that part came.
import { useLayoutEffect, useRef } from 'preact/hooks';

/** @param root the part; without a place to go back to, the composer gets the focus */
export function useFocusReturned(root: { readonly current: HTMLElement | null }): void {
  const before = useRef<Element | null>(null);
  useLayoutEffect(() => {
    before.current = document.activeElement;
    const part = root.current;
    return () => {
      const now = document.activeElement;
      if (now !== document.body && part?.contains(now) === false) return;
      requestAnimationFrame(() => {
        if (before.current instanceof HTMLElement) before.current.focus();
        if (document.activeElement === document.body)
          document.querySelector<HTMLElement>('.composer textarea')?.focus();
      });
    };
  }, []);
}
