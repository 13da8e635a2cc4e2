// Changes single values of a JSON text with comments, and leaves every other character as it is: comments, order, white
// space, line ends and trailing commas.
import { applyEdits, type Edit, findNodeAtLocation, type Node, parseTree } from 'jsonc-parser';
import type { JsonValue } from '../../core/json.js';
import type { JsonPath } from '../../core/team/team-json.js';

/**
 * Sets the value at `path`; an object on the way that is missing is made, and a new key goes last.
 * @param text - JSON without syntax errors, as `readJsonText` takes it.
 * @returns the text as it was when the path leads through something that is no object or list.
 */
export function setValue(text: string, path: JsonPath, value: JsonValue): string {
  const root = parse(text);
  const found = root && findNodeAtLocation(root, [...path]);
  if (found !== undefined) {
    const content = render(value, text, indentAt(text, found.offset));
    return applyEdits(text, [{ offset: found.offset, length: found.length, content }]);
  }
  const key = path.at(-1);
  const parent = path.slice(0, -1);
  const owner = root && findNodeAtLocation(root, parent);
  if (typeof key !== 'string') return text;
  if (owner === undefined) return parent.length === 0 ? text : setValue(text, parent, { [key]: value });
  if (owner.type !== 'object') return text;
  return addLast(text, owner, (indent) => `${JSON.stringify(key)}: ${render(value, text, indent)}`);
}

/** Adds `value` to the end of the list at `path`; the text as it was when there is no list. */
export function appendItem(text: string, path: JsonPath, value: JsonValue): string {
  const root = parse(text);
  const list = root && findNodeAtLocation(root, [...path]);
  if (list?.type !== 'array') return text;
  return addLast(text, list, (indent) => render(value, text, indent));
}

/** Removes the key or item at `path`, with the comment behind it on its line; the text as it was when there is none. */
export function removeValue(text: string, path: JsonPath): string {
  const root = parse(text);
  const value = root && findNodeAtLocation(root, [...path]);
  const item = value?.parent?.type === 'property' ? value.parent : value;
  const siblings = item?.parent?.children;
  if (item === undefined || siblings === undefined) return text;
  const after = trailing(text, end(item));
  const before = siblings[siblings.indexOf(item) - 1];
  const isLast = siblings.at(-1) === item;
  const edits: Edit[] = [];
  // What stood before the last one is the last one now.
  if (isLast && before !== undefined && !after.hasComma)
    edits.push({ ...trailing(text, end(before)).comma, content: '' });
  const indent = /(?:^|[\n\r])([ \t]*)$/.exec(text.slice(0, item.offset))?.[1];
  const lineEnd = /^[ \t]*(?:\r\n|\n|\r)/.exec(text.slice(after.end))?.[0];
  if (indent !== undefined && lineEnd !== undefined) {
    const offset = item.offset - indent.length;
    edits.push({ offset, length: after.end + lineEnd.length - offset, content: '' });
  } else {
    const space = isLast || lineEnd !== undefined ? /[ \t]*$/.exec(text.slice(0, item.offset)) : null;
    const next = isLast || lineEnd !== undefined ? null : /^[ \t]*/.exec(text.slice(after.end));
    const offset = item.offset - (space?.[0].length ?? 0);
    edits.push({ offset, length: after.end + (next?.[0].length ?? 0) - offset, content: '' });
  }
  return applyEdits(text, edits);
}

/** The tree of a text that `readJsonText` takes. */
export function parse(text: string): Node | undefined {
  // A byte order mark is no part of the text; a space keeps the offsets.
  return parseTree(text.replace(/^\ufeff/, ' '), [], { allowTrailingComma: true });
}

/** Adds behind the last child, and behind the comment that belongs to that. */
function addLast(text: string, owner: Node, rendered: (indent: string) => string): string {
  const last = owner.children?.at(-1);
  const close = end(owner) - 1;
  const eol = eolOf(text);
  const outer = indentAt(text, owner.offset);
  if (last === undefined) {
    const inner = outer + unitOf(text);
    const inside = text.slice(owner.offset + 1, close);
    const kept = inside.trim() === '' ? '' : inside.trimEnd();
    const content = `${kept}${eol}${inner}${rendered(inner)}${eol}${outer}`;
    return applyEdits(text, [{ offset: owner.offset + 1, length: close - owner.offset - 1, content }]);
  }
  const after = trailing(text, end(last));
  const isOnOneLine = !/[\n\r]/.test(text.slice(owner.offset, last.offset));
  if (isOnOneLine) {
    const content = `${after.hasComma ? ' ' : ', '}${rendered(outer)}${after.hasComma ? ',' : ''}`;
    return applyEdits(text, [{ offset: after.hasComma ? after.comma.offset + 1 : end(last), length: 0, content }]);
  }
  const indent = indentAt(text, last.offset);
  const content = `${eol}${indent}${rendered(indent)}${after.hasComma ? ',' : ''}`;
  const comma = after.hasComma ? [] : [{ offset: end(last), length: 0, content: ',' }];
  return applyEdits(text, [...comma, { offset: after.end, length: 0, content }]);
}

export interface Trailing {
  readonly hasComma: boolean;
  /** Where the comma is; empty when there is none. */
  readonly comma: { readonly offset: number; readonly length: number };
  /** End of the comma and of the comments behind it on the same line. */
  readonly end: number;
}

const BLANK = /(?<line>\r\n|\n|\r)|,|(?<comment>\/\/[^\n\r]*|\/\*[^]*?\*\/)|\s/y;

/** What follows a value and belongs to it: its comma, wherever it stands, and the comments on its line. */
export function trailing(text: string, from: number): Trailing {
  let comma = { offset: from, length: 0 };
  let tail = from;
  let isSameLine = true;
  BLANK.lastIndex = from;
  for (let found = BLANK.exec(text); found !== null; found = BLANK.exec(text)) {
    const { line, comment } = found.groups ?? {};
    const next = found.index + found[0].length;
    if (line !== undefined) isSameLine = false;
    else if (found[0] === ',') {
      if (comma.length > 0) break;
      comma = { offset: found.index, length: 1 };
      tail = next;
      isSameLine = true;
    } else if (comment !== undefined && isSameLine && standsAlone(text, next)) tail = next;
    BLANK.lastIndex = next;
  }
  return { hasComma: comma.length > 0, comma, end: tail };
}

/** A comment with something behind it on its line belongs to that. */
function standsAlone(text: string, offset: number): boolean {
  return /^[ \t]*(?:,|\/[/*]|[\n\r]|$)/.test(text.slice(offset));
}

export function end(node: Node): number {
  return node.offset + node.length;
}

function render(value: JsonValue, text: string, indent: string): string {
  return JSON.stringify(value, null, unitOf(text)).replaceAll('\n', eolOf(text) + indent);
}

/** White space at the beginning of the line of `offset`. */
function indentAt(text: string, offset: number): string {
  const line =
    text
      .slice(0, offset)
      .split(/\r\n|\n|\r/)
      .at(-1) ?? '';
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** What one step of indentation is in this text. */
function unitOf(text: string): string {
  return /(?:\n|\r)([ \t]+)(?=[^\s])/.exec(text)?.[1] ?? '  ';
}

function eolOf(text: string): string {
  return /\r\n|\n|\r/.exec(text)?.[0] ?? '\n';
}
