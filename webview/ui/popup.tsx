// A button that opens a box above the page: a menu, or a few facts. The browser closes it at Escape and at a click
// elsewhere, and gives the focus back.
import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from './icon.js';

const GAP_PX = 4;
const EDGE_PX = 6;

export interface PopupProps {
  readonly class: string;
  /** Words for the button: its tooltip, and its name where it shows others or none. */
  readonly label: string;
  readonly role: 'menu' | 'dialog';
  /** What the button shows. */
  readonly face: ComponentChildren;
  /** Draws what is in the box; `close` closes it. Called only while it is open. */
  readonly children: (close: () => void) => ComponentChildren;
}

export function Popup({ class: className, label, role, face, children }: PopupProps): JSX.Element {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const isOpen = useSignal(false);
  const open = isOpen.value;
  useLayoutEffect(() => {
    if (!open || box.current === null || button.current === null) return;
    const opened = box.current;
    const from = button.current;
    // It is shown by the browser a moment later, and before the next picture.
    const frame = requestAnimationFrame(() => {
      place(opened, from);
      (opened.querySelector<HTMLElement>('[role="menuitem"]') ?? opened).focus();
    });
    // What the box belongs to goes away below it.
    const close = (event: Event): void => {
      if (!(event.target instanceof Node && box.current?.contains(event.target) === true)) box.current?.hidePopover();
    };
    document.addEventListener('scroll', close, { capture: true, passive: true });
    window.addEventListener('resize', close);
    return () => {
      cancelAnimationFrame(frame);
      document.removeEventListener('scroll', close, { capture: true });
      window.removeEventListener('resize', close);
    };
  }, [open]);
  return (
    <>
      <button
        ref={button}
        type="button"
        class={className}
        title={label}
        aria-label={label}
        aria-haspopup={role}
        aria-expanded={open}
        popovertarget={id}
      >
        {face}
      </button>
      <div
        ref={box}
        id={id}
        popover="auto"
        tabIndex={-1}
        class={role === 'menu' ? 'popup menu' : 'popup'}
        role={role}
        aria-label={label}
        onBeforeToggle={(event) => {
          isOpen.value = event.newState === 'open';
        }}
        onKeyDown={role === 'menu' ? onMenuKey : undefined}
      >
        {open ? children(() => box.current?.hidePopover()) : null}
      </div>
    </>
  );
}

export interface MenuItemProps {
  readonly label: string;
  readonly icon: string;
  readonly onPick: () => void;
}

export function MenuItem({ label, icon, onPick }: MenuItemProps): JSX.Element {
  return (
    <button type="button" role="menuitem" tabIndex={-1} class="menu-item" onClick={onPick}>
      <Icon id={icon} />
      {label}
    </button>
  );
}

function onMenuKey(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="menuitem"]')];
  const at = items.findIndex((item) => item === document.activeElement);
  const next = {
    ArrowDown: (at + 1) % items.length,
    ArrowUp: (at + items.length - 1) % items.length,
    Home: 0,
    End: items.length - 1,
  }[event.key];
  if (event.key === 'Tab') event.currentTarget.hidePopover();
  if (next === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  items[next]?.focus();
}

/** Below the button, or above it where there is more room; never out of the page. */
function place(box: HTMLElement, button: HTMLElement): void {
  const from = button.getBoundingClientRect();
  const { width, height } = box.getBoundingClientRect();
  const { clientWidth, clientHeight } = document.documentElement;
  const below = from.bottom + GAP_PX;
  const fits = below + height <= clientHeight - EDGE_PX || from.top < clientHeight / 2;
  const top = fits ? below : from.top - GAP_PX - height;
  const left = Math.min(from.right - width, clientWidth - EDGE_PX - width);
  box.style.top = `${Math.max(EDGE_PX, Math.min(top, clientHeight - EDGE_PX - height))}px`;
  box.style.left = `${Math.max(EDGE_PX, left)}px`;
}
