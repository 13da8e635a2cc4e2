// How high a row that nobody has measured may be: near enough that the scroll bar does not jump.
import { isLong, SHOWN_LINES } from './long-text.js';
import type { Row } from './rows.js';

const LINE_PX = 20;
const CHAR_PX = 7;
/** What stands beside the words. */
const MARGIN_PX = 90;
const COLUMN_PX = 800;

/** @param width of the list in pixels. @returns pixels */
export function heightOf(row: Row | undefined, width: number): number {
  if (row === undefined) return 0;
  if (row.kind === 'day' || row.kind === 'fork') return 36;
  if (row.kind === 'notice') return 34;
  const { text, position } = row.post;
  const perLine = Math.max(20, (Math.min(width, COLUMN_PX + MARGIN_PX) - MARGIN_PX) / CHAR_PX);
  const lines = isLong(text) ? SHOWN_LINES + 1 : linesOf(text, perLine);
  const head = row.continued ? 6 : 12 + 6 + LINE_PX;
  return head + lines * LINE_PX + (position === null ? 0 : 25);
}

function linesOf(text: string, perLine: number): number {
  return text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / perLine)), 0);
}
