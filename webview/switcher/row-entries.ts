// What the menu of a conversation offers, and how keys go through it. Pure.
import type { PanelMessage } from '../../src/protocol/messages.js';
import type { ConversationItem } from '../../src/protocol/view.js';

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
