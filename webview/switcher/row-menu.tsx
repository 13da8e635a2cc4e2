// What can be done to one conversation of the list. VS Code's own boxes ask the rest.
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { PanelMessage } from '../../src/protocol/messages.js';
import type { ConversationItem } from '../../src/protocol/view.js';
import { Icon } from '../ui/icon.js';

export type RowAction = Extract<PanelMessage, { type: 'conversationAction' }>['action'];

interface Entry {
  readonly action: RowAction;
  readonly label: string;
  readonly icon: string;
}

/** @returns what the menu of a conversation offers, in order */
export function entriesOf({ isArchived, problem }: Pick<ConversationItem, 'isArchived' | 'problem'>): readonly Entry[] {
  const remove: Entry = { action: 'delete', label: 'Delete…', icon: 'trash' };
  const record: Entry = { action: 'exportRecord', label: 'Export Record…', icon: 'export' };
  // What cannot be read can still be taken elsewhere or away.
  if (problem !== null) return [record, remove];
  return [
    { action: 'rename', label: 'Rename…', icon: 'edit' },
    isArchived
      ? { action: 'unarchive', label: 'Unarchive', icon: 'archive' }
      : { action: 'archive', label: 'Archive', icon: 'archive' },
    { action: 'exportMarkdown', label: 'Export as Markdown…', icon: 'markdown' },
    record,
    { action: 'copyLink', label: 'Copy Link', icon: 'link' },
    remove,
  ];
}

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
  useEffect(() => {
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

/** @returns the entry that a key goes to, null for a key that is not the menu's */
export function nextEntry(key: string, at: number, count: number): number | 'close' | null {
  switch (key) {
    case 'ArrowDown':
      return (at + 1) % count;
    case 'ArrowUp':
      return (at + count - 1) % count;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    case 'Escape':
    case 'ArrowLeft':
    case 'Tab':
      return 'close';
    default:
      return null;
  }
}
