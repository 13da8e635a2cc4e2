// The picture of a member: what a person may write for it, and what stands there when nothing is written.

/** A codicon id, or one or two letters. */
export type MemberIcon =
  { readonly kind: 'codicon'; readonly id: string } | { readonly kind: 'letters'; readonly letters: string };

/** What may be written, in words for the person. */
export const ICON_RULE = 'The icon is the id of a codicon, such as "edit", or one or two letters.';

/** Reads what was written; null when it is neither. */
export function memberIcon(text: string): MemberIcon | null {
  if (/^[\p{L}\p{N}]\p{M}*(?:[\p{L}\p{N}]\p{M}*)?$/u.test(text)) return { kind: 'letters', letters: text };
  if (/^[a-z][a-z0-9-]{2,63}$/.test(text)) return { kind: 'codicon', id: text };
  return null;
}

/** The first letters of the first two words of a name. */
export function initialsIcon(name: string): MemberIcon {
  const letters = name.split(/[\s-]+/u).flatMap((word) => /[\p{L}\p{N}]\p{M}*/u.exec(word)?.[0].toUpperCase() ?? []);
  return { kind: 'letters', letters: letters.slice(0, 2).join('') || (/./u.exec(name)?.[0] ?? '?') };
}
