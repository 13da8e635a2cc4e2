// What can be done to one conversation of the list. VS Code's own boxes ask the rest.
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ConversationItem } from '../../src/protocol/view.js';
import { Icon } from '../ui/icon.js';
import { entriesOf, nextEntry, type RowAction } from './row-entries.js';

export interface RowMenuProps {
  readonly item: ConversationItem;
  readonly label: string;
  readonly onPick: (action: RowAction) => void;
  /** Closed without a pick; the focus goes back to what opened it. */
  readonly onClose: () => void;
}

export function RowMenu({ item, label, onPick, onClose }: RowMenuProps): JSX.Element {
  const menu = useRef<HTMLDivElement>(null);
  const buttons = (): HTMLButtonElement[] => [...(menu.current?.querySelectorAll('button') ?? [])];
  // Before the next key: it is the menu's already.
  useLayoutEffect(() => {
    buttons()[0]?.focus();
    menu.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  const onKeyDown = (event: KeyboardEvent): void => {
    const all = buttons();
    const at = all.findIndex((button) => button === document.activeElement);
    const next = nextEntry(event.key, at, all.length);
    if (next === null) return;
    event.preventDefault();
    event.stopPropagation();
    if (next === 'close') onClose();
    else all[next]?.focus();
  };
  return (
    <div class="row-menu" role="menu" aria-label={`Actions for ${label}`} ref={menu} onKeyDown={onKeyDown}>
      {entriesOf(item).map(({ action, label: words, icon }) => (
        <button
          key={action}
          type="button"
          role="menuitem"
          tabIndex={-1}
          class="row-menu-entry"
          onClick={() => onPick(action)}
        >
          <Icon id={icon} />
          {words}
        </button>
      ))}
    </div>
  );
}
