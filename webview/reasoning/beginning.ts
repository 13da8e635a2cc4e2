// Where a long text is cut, and how the rest is named.
import { countWords } from './words.js';

/** A line of this many characters is about as high as one. */
const LINE_LENGTH = 160;
/** A cut that hides less than this many lines is not worth a button. */
const WORTH = 3;

/**
 * @param lines how many lines are shown of a long text
 * @returns its beginning and how much there is in all, e.g. "120 lines"; null for a text that is short enough
 */
export function beginningOf(text: string, lines: number): { readonly text: string; readonly size: string } | null {
  const length = lines * LINE_LENGTH;
  let end = 0;
  for (let line = 0; line < lines + WORTH; line += 1) {
    const next = text.indexOf('\n', end);
    if (next === -1) {
      end = text.length;
      break;
    }
    end = next + 1;
  }
  const isLong = end < text.length || text.length > length + WORTH * LINE_LENGTH;
  if (!isLong) return null;
  const cut = text.split('\n', lines).join('\n').slice(0, length);
  const count = text.trimEnd().split('\n').length;
  return {
    text: `${cut
      .toWellFormed()
      .replace(/\ufffd$/u, '')
      .trimEnd()}…`,
    size: count > lines ? `${countWords(count)} lines` : `${countWords(text.length)} characters`,
  };
}
