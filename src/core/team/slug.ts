// Ids that may become part of a file's, a branch's or a position's name.

/** The rule in words for a person. */
export const SLUG_RULE =
  'Use lower-case letters and digits, in groups joined by single hyphens, at most 64 characters.';

/** True for lower-case ASCII letters and digits in groups joined by single hyphens, 1 to 64 characters. */
export function isSlug(id: string): boolean {
  return id.length <= 64 && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(id);
}

/** An id as a name: with a capital. */
export function capitalized(id: string): string {
  return id.charAt(0).toUpperCase() + id.slice(1);
}
