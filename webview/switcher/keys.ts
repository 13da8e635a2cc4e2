// What a key means in the list of conversations. Focus goes from the search to the rows and back.
import { isComposed, type Key } from '../composer/keys.js';

export type SwitcherKey =
  | 'leave'
  | 'next'
  | 'previous'
  | 'first'
  | 'last'
  | 'open'
  | 'menu'
  | 'rename'
  | 'delete'
  | 'close'
  /** The key is a letter pressed on a row: it belongs to the search. */
  | 'search';

/**
 * @param key what was pressed
 * @param place where the focus is
 * @returns what it does; `leave`: nothing of ours
 */
export function switcherKey(key: Key, place: 'search' | 'row' | 'other'): SwitcherKey {
  // WX-7: whatever an input method takes is not ours.
  if (isComposed(key)) return 'leave';
  if (key.key === 'Escape') return 'close';
  if (place === 'other') return 'leave';
  if (key.key === 'F10' && key.shiftKey && place === 'row') return 'menu';
  if (key.ctrlKey || key.metaKey || key.altKey || key.shiftKey) return 'leave';
  if (key.key === 'ArrowDown') return 'next';
  if (key.key === 'ArrowUp') return 'previous';
  if (place === 'search') return key.key === 'Enter' ? 'open' : 'leave';
  switch (key.key) {
    case 'Home':
      return 'first';
    case 'End':
      return 'last';
    case 'ArrowRight':
    case 'ContextMenu':
      return 'menu';
    case 'F2':
      return 'rename';
    case 'Delete':
      return 'delete';
    case 'Backspace':
      return 'search';
    default:
      // A letter, not a key's name; space presses the row.
      return /^[^ ]$/u.test(key.key) ? 'search' : 'leave';
  }
}
