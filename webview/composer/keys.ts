// What a key means in the composer.

/** The part of a keyboard event that decides. */
export interface Key {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly isComposing: boolean;
  /** 229 marks a key that an input method has taken, also where `isComposing` is already false. */
  readonly keyCode: number;
}

/** `type`: the key is left to the text area. */
export type KeyAction = 'type' | 'send' | 'next' | 'previous' | 'accept' | 'close';

/** True for a key that an input method takes: Enter that ends a composition never sends (WX-7). */
export function isComposed(key: Pick<Key, 'isComposing' | 'keyCode'>): boolean {
  return key.isComposing || key.keyCode === 229;
}

/**
 * @param key what was pressed
 * @param choosing true while the list of members is open
 * @returns what it does; anything but `type` takes the key away from the text area
 */
export function keyAction(key: Key, choosing: boolean): KeyAction {
  if (isComposed(key)) return 'type';
  if (choosing && !key.ctrlKey && !key.metaKey && !key.altKey) {
    if (key.key === 'ArrowDown') return 'next';
    if (key.key === 'ArrowUp') return 'previous';
    if ((key.key === 'Enter' || key.key === 'Tab') && !key.shiftKey) return 'accept';
    if (key.key === 'Escape') return 'close';
  }
  if (key.key === 'Enter' && !key.shiftKey && !key.altKey) return 'send';
  return 'type';
}
