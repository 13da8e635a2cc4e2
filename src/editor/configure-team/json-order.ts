// Puts the items of a list of a JSON text into another order. Each takes along the comments above it, inside it and
// behind it on its line; the white space between them stays where it is.
import { findNodeAtLocation } from 'jsonc-parser';
import type { JsonPath } from '../../core/team/team-json.js';
import { end, parse, trailing } from './json-edit.js';

interface Item {
  /** White space before it: that of its place, not its own. */
  readonly space: string;
  /** The comments above it, and itself. */
  readonly body: string;
  /** What stands behind it on its line, without the comma. */
  readonly tail: string;
}

/**
 * @param order - the place of each item as it is now, in the order wanted: `[2, 0, 1]` brings the last one to the front.
 * @returns the text as it was when there is no list at `path`, or `order` does not name each of its items once.
 */
export function orderItems(text: string, path: JsonPath, order: readonly number[]): string {
  const root = parse(text);
  const list = root && findNodeAtLocation(root, [...path]);
  const nodes = list?.children ?? [];
  const isComplete = new Set(order).size === nodes.length && order.every((at) => nodes[at] !== undefined);
  if (list?.type !== 'array' || order.length !== nodes.length || !isComplete) return text;
  let from = list.offset + 1;
  let hasLastComma = false;
  const items = nodes.map((node): Item => {
    const after = trailing(text, end(node));
    const before = text.slice(from, end(node));
    const space = /^\s*/.exec(before)?.[0] ?? '';
    const tail = after.hasComma
      ? text.slice(end(node), after.comma.offset) + text.slice(after.comma.offset + 1, after.end)
      : text.slice(end(node), after.end);
    from = after.end;
    hasLastComma = after.hasComma;
    return { space, body: before.slice(space.length), tail };
  });
  const pieces = order.flatMap((at, place) => {
    const [item, slot] = [items[at], items[place]];
    if (item === undefined || slot === undefined) return [];
    const comma = place < items.length - 1 || hasLastComma ? ',' : '';
    return [slot.space + item.body + comma, item.tail];
  });
  const eol = /\r\n|\n|\r/.exec(text)?.[0] ?? '\n';
  const rest = pieces.reduceRight((after, piece, at) => {
    // What follows a comment that goes to the end of its line begins on the next one.
    const isComment = at % 2 === 1 && piece.trim() !== '';
    return piece + (isComment && !/^[ \t]*[\n\r]/.test(after) ? eol : '') + after;
  }, text.slice(from));
  return text.slice(0, list.offset + 1) + rest;
}
