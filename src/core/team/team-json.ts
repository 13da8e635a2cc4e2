// A team file as text: JSON with comments and trailing commas, and where in the text each value stands.
import {
  findNodeAtLocation,
  getLocation,
  type Node,
  parseTree,
  type ParseError,
  printParseErrorCode,
} from 'jsonc-parser';
import { cloneJson, type JsonValue, JsonValueError, pointerToken } from '../json.js';

/** Keys and indexes from the root to a value. */
export type JsonPath = readonly (string | number)[];

/** One thing that is wrong in a file: where, what, and what to do. */
export interface FileIssue {
  /** JSON pointer of the value, `''` for the whole file. */
  readonly pointer: string;
  /** 1-based. */
  readonly line: number;
  /** 1-based, in UTF-16 units. */
  readonly column: number;
  readonly message: string;
}

export interface JsonText {
  /** Null when the text is no JSON; `issues` says why. */
  readonly value: JsonValue | null;
  readonly issues: readonly FileIssue[];
  /** An issue at the value, or at the nearest one around it that exists. */
  issueAt(path: JsonPath, message: string): FileIssue;
}

/** Reads the text of a file. Never throws. */
export function readJsonText(source: string): JsonText {
  // A byte order mark is no part of the text; a space keeps the columns.
  const text = source.replace(/^\ufeff/, ' ');
  const errors: ParseError[] = [];
  const root = text.trim() === '' ? undefined : parseTree(text, errors, { allowTrailingComma: true });
  const issueAt = (path: JsonPath, message: string): FileIssue => ({
    pointer: pointer(path),
    ...place(text, root === undefined ? 0 : nearest(root, path).offset),
    message,
  });
  if (root === undefined && errors.length === 0) {
    return { value: null, issues: [issueAt([], 'The file is empty. Write the team as a JSON object.')], issueAt };
  }
  const issues = errors.map((error) => ({
    pointer: pointer(getLocation(text, error.offset).path),
    ...place(text, error.offset),
    message: SYNTAX[printParseErrorCode(error.error)] ?? 'This is not JSON. Correct the text here.',
  }));
  if (root === undefined || issues.length > 0) return { value: null, issues, issueAt };
  const twins: JsonPath[] = [];
  try {
    const value = cloneJson(toJson(root, [], twins));
    return {
      value,
      issues: twins.map((path) => issueAt(path, `The key "${String(path.at(-1))}" stands here twice. Remove one.`)),
      issueAt,
    };
  } catch (error) {
    if (!(error instanceof JsonValueError)) throw error;
    const path = error.path.split('/').slice(1).map(unescapeToken);
    return { value: null, issues: [issueAt(path, `${error.message} Correct the value.`)], issueAt };
  }
}

const SYNTAX: Readonly<Record<string, string>> = {
  InvalidSymbol: 'This is no JSON value. Use a number, "text", true, false, null, a list or an object.',
  InvalidNumberFormat: 'This is no JSON number. Write it in digits.',
  PropertyNameExpected: 'A key in double quotes is needed here.',
  ValueExpected: 'A value is missing here. Write one, or remove the key.',
  ColonExpected: 'A colon is missing after the key.',
  CommaExpected: 'A comma is missing before this.',
  CloseBraceExpected: 'A closing brace } is missing.',
  CloseBracketExpected: 'A closing bracket ] is missing.',
  EndOfFileExpected: 'The file should end here. Remove what follows.',
  UnexpectedEndOfComment: 'The comment is not closed. Add */.',
  UnexpectedEndOfString: 'The text is not closed. Add a double quote.',
  UnexpectedEndOfNumber: 'The number is not complete. Add the digits.',
  InvalidUnicode: 'This \\u escape is not complete. It needs four hex digits.',
  InvalidEscapeCharacter: 'This escape is unknown. Write a backslash as \\\\.',
  InvalidCharacter: 'A control character stands in the text. Write it as an escape, such as \\n.',
};

/** Built from the tree, since the library's own reader loses a key called `__proto__`. */
function toJson(node: Node, path: JsonPath, twins: JsonPath[]): unknown {
  const children = node.children ?? [];
  if (node.type === 'array') return children.map((child, index) => toJson(child, [...path, index], twins));
  if (node.type !== 'object') return node.value as unknown;
  const seen = new Set<string>();
  return Object.fromEntries(
    children.flatMap((property) => {
      const [key, value] = property.children ?? [];
      if (key === undefined || value === undefined) return [];
      const name = String(key.value);
      if (seen.has(name)) twins.push([...path, name]);
      seen.add(name);
      return [[name, toJson(value, [...path, name], twins)]];
    }),
  );
}

function nearest(root: Node, path: JsonPath): Node {
  for (let length = path.length; length > 0; length -= 1) {
    const node = findNodeAtLocation(root, path.slice(0, length));
    if (node !== undefined) return node;
  }
  return root;
}

function place(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split(/\r\n|\n|\r/);
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

function pointer(path: JsonPath): string {
  return path.map((part) => `/${pointerToken(String(part))}`).join('');
}

function unescapeToken(token: string): string | number {
  return /^\d+$/.test(token) ? Number(token) : token.replaceAll('~1', '/').replaceAll('~0', '~');
}
