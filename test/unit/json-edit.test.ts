// Single values of a text change; what a person wrote around them does not.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/core/json.js';
import { type JsonPath, readJsonText } from '../../src/core/team/team-json.js';
import { appendItem, removeValue, setValue } from '../../src/editor/configure-team/json-edit.js';

const read = (text: string): unknown => JSON.parse(JSON.stringify(readJsonText(text).value)) as unknown;

describe('a value is set', () => {
  const cases: readonly [title: string, text: string, path: JsonPath, value: JsonValue, result: string][] = [
    ['in its place', '{ "a": 1, // one\n  "b": 2 }', ['a'], 3, '{ "a": 3, // one\n  "b": 2 }'],
    ['last, on one line', '{ "a": 1 }', ['b'], 2, '{ "a": 1, "b": 2 }'],
    ['last, behind a trailing comma', '{ "a": 1, }', ['b'], 2, '{ "a": 1, "b": 2, }'],
    ['last, on a line of its own', '{\n  "a": 1\n}\n', ['b'], 2, '{\n  "a": 1,\n  "b": 2\n}\n'],
    [
      'last, behind the comment of the one before',
      '{\n  "a": 1 // one\n}',
      ['b'],
      2,
      '{\n  "a": 1, // one\n  "b": 2\n}',
    ],
    [
      'last, before the comment on a line below',
      '{\n  "a": 1, // one\n  // the end\n}',
      ['b'],
      2,
      '{\n  "a": 1, // one\n  "b": 2,\n  // the end\n}',
    ],
    ['in an empty object', '{}', ['b'], 2, '{\n  "b": 2\n}'],
    ['in an object of comments', '{\n  // nothing yet\n}', ['b'], 2, '{\n  // nothing yet\n  "b": 2\n}'],
    ['with the objects that it needs', '{\n  "a": 1\n}', ['b', 'c'], 2, '{\n  "a": 1,\n  "b": {\n    "c": 2\n  }\n}'],
    ['with tabs', '{\n\t"a": 1\n}', ['b'], { c: [1] }, '{\n\t"a": 1,\n\t"b": {\n\t\t"c": [\n\t\t\t1\n\t\t]\n\t}\n}'],
    [
      'with the line ends of Windows',
      '{\r\n  "a": 1\r\n}\r\n',
      ['b'],
      [2],
      '{\r\n  "a": 1,\r\n  "b": [\r\n    2\r\n  ]\r\n}\r\n',
    ],
    ['behind a byte order mark', '\ufeff{ "a": 1 }', ['a'], 2, '\ufeff{ "a": 2 }'],
    ['not within a number', '{ "a": 1 }', ['a', 'b'], 2, '{ "a": 1 }'],
    ['not as an item that a list does not have', '{ "a": [] }', ['a', 0], 2, '{ "a": [] }'],
  ];
  test.each(cases)('%s', (_title, text, path, value, result) => {
    expect(setValue(text, path, value)).toBe(result);
  });
});

describe('an item is added', () => {
  const cases: readonly [title: string, text: string, result: string][] = [
    ['on one line', '{ "a": [1, 2] }', '{ "a": [1, 2, 3] }'],
    ['to an empty list', '{ "a": [] }', '{ "a": [\n  3\n] }'],
    ['with a trailing comma', '{\n  "a": [\n    1, // one\n  ]\n}', '{\n  "a": [\n    1, // one\n    3,\n  ]\n}'],
    ['to no list', '{ "a": 1 }', '{ "a": 1 }'],
  ];
  test.each(cases)('%s', (_title, text, result) => {
    expect(appendItem(text, ['a'], 3)).toBe(result);
  });
});

describe('a value is removed', () => {
  const cases: readonly [title: string, text: string, path: JsonPath, result: string][] = [
    ['with its line', '{\n  "a": 1,\n  "b": 2\n}', ['a'], '{\n  "b": 2\n}'],
    ['with the comma before it', '{\n  "a": 1,\n  "b": 2\n}', ['b'], '{\n  "a": 1\n}'],
    ['and a trailing comma stays', '{\n  "a": 1,\n  "b": 2,\n}', ['b'], '{\n  "a": 1,\n}'],
    ['with the comment behind it', '{\n  "a": 1, // one\n  "b": 2 // two\n}', ['b'], '{\n  "a": 1 // one\n}'],
    ['not with those of others', '{\n  // a\n  "a": 1, // one\n  "b": 2\n}', ['b'], '{\n  // a\n  "a": 1 // one\n}'],
    ['not with those above it', '{\n  // a\n  "a": 1,\n  "b": 2\n}', ['a'], '{\n  // a\n  "b": 2\n}'],
    ['in the middle of a line', '[1, 2, 3]', [1], '[1, 3]'],
    ['at the end of a line', '[1, 2, 3]', [2], '[1, 2]'],
    ['at the beginning of a line', '[1, 2, 3]', [0], '[2, 3]'],
    ['the only one', '{ "a": 1 }', ['a'], '{ }'],
    ['with the line ends of Windows', '{\r\n\t"a": 1,\r\n\t"b": 2\r\n}', ['a'], '{\r\n\t"b": 2\r\n}'],
    ['that is not there', '{ "a": 1 }', ['b'], '{ "a": 1 }'],
  ];
  test.each(cases)('%s', (_title, text, path, result) => {
    expect(removeValue(text, path)).toBe(result);
  });
});

describe('whatever the text looks like', () => {
  /** What may stand between two tokens. */
  const gap: fc.Arbitrary<string> = fc.constantFrom(
    '',
    ' ',
    '\n  ',
    '\n',
    ' // c\n',
    ' /* c */ ',
    '\n\t// c\n\t',
    ' /* c\n */',
  );
  const gaps: fc.Arbitrary<fc.Stream<string>> = fc.infiniteStream(gap);
  const key = fc.constantFrom('a', 'b', 'c');
  const value = fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constantFrom('x // y', '}', ','));
  const object = fc.dictionary(key, fc.oneof(value, fc.array(value, { maxLength: 3 })), { maxKeys: 3 });

  function written(data: JsonValue, next: () => string, hasTrailing: boolean): string {
    const list = (open: string, parts: readonly string[], close: string): string =>
      `${open}${parts.map((part) => `${next()}${part}${next()}`).join(',')}${hasTrailing && parts.length > 0 ? ',' : ''}${next()}${close}`;
    if (Array.isArray(data))
      return list(
        '[',
        data.map((one: JsonValue) => written(one, next, hasTrailing)),
        ']',
      );
    if (data === null || typeof data !== 'object') return JSON.stringify(data);
    const parts = Object.entries(data).map(
      ([name, one]) => `${JSON.stringify(name)}${next()}:${next()}${written(one, next, hasTrailing)}`,
    );
    return list('{', parts, '}');
  }

  const next = (stream: fc.Stream<string>) => (): string => {
    for (const space of stream.take(1)) return space;
    return '';
  };
  const comments = (text: string): number => text.match(/\/\/ c|\/\* c/g)?.length ?? 0;

  test('it reads as it should afterwards, and no comment of another value is lost', () => {
    fc.assert(
      fc.property(object, key, value, gaps, fc.boolean(), (data, name, to, stream, hasTrailing) => {
        const text = written(data, next(stream), hasTrailing);
        expect(read(text)).toEqual(data);
        const set = setValue(text, [name], to);
        expect(read(set)).toEqual({ ...data, [name]: to });
        if (!(name in data)) expect(comments(set)).toBe(comments(text));
        const removed = removeValue(text, [name]);
        expect(read(removed)).toEqual(Object.fromEntries(Object.entries(data).filter(([other]) => other !== name)));
        const before = data[name];
        if (!Array.isArray(before)) return;
        const longer = appendItem(text, [name], to);
        expect(read(longer)).toEqual({ ...data, [name]: [...before, to] });
        expect(comments(longer)).toBe(comments(text));
        before.forEach((_, index) => {
          expect(read(removeValue(text, [name, index]))).toEqual({ ...data, [name]: before.toSpliced(index, 1) });
        });
      }),
      { numRuns: 500 },
    );
  });
});
