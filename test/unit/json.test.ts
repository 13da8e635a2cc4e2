// Canonical JSON: what a value may be, and the one text it has.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson, cloneJson, digestJson, jsonEquals, JsonValueError, utf8Length } from '../../src/core/json.js';

class Point {
  readonly x = 1;
}
const cycle: Record<string, unknown> = {};
cycle['a'] = [{ back: cycle }];
const nested = (depth: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
};
const hidden = Object.defineProperty({}, 'secret', { value: 1, enumerable: false });
const holes = [1, 2, 3];
Reflect.deleteProperty(holes, 1);

describe('values that are refused, with place and reason', () => {
  const cases: readonly (readonly [title: string, value: unknown, path: string, reason: RegExp])[] = [
    ['undefined', { a: undefined }, '/a', /undefined/],
    ['a function', [() => 1], '/0', /function/],
    ['a symbol', Symbol('s'), '', /symbol/],
    ['a bigint', { a: [1n] }, '/a/0', /bigint/],
    ['NaN', { a: { b: Number.NaN } }, '/a/b', /not finite/],
    ['infinity', [-Infinity], '/0', /not finite/],
    ['a lone surrogate', { a: '\ud800' }, '/a', /surrogate/],
    ['a key with a lone surrogate', { '\udc00': 1 }, '', /key has a lone surrogate/],
    ['an instance of a class', { at: new Point() }, '/at', /class/],
    ['a date', [new Date(0)], '/0', /class/],
    ['a map', new Map(), '', /class/],
    ['a subclass of Array', { a: new (class extends Array {})() }, '/a', /class/],
    ['a symbol key', { [Symbol('s')]: 1 }, '', /symbol key/],
    [
      'a getter',
      {
        get a() {
          return 1;
        },
      },
      '/a',
      /getter/,
    ],
    ['a property that is not enumerable', hidden, '/secret', /not enumerable/],
    ['a hole', { list: holes }, '/list', /holes/],
    ['a property on an array', Object.assign([1], { note: 1 }), '', /extra properties/],
    ['a cycle', cycle, '/a/0/back', /contains itself/],
    ['too deep', nested(257), '/0'.repeat(256), /deeper than 256/],
    ['a key that needs escapes in a pointer', { 'a/b~c': undefined }, '/a~1b~0c', /undefined/],
  ];
  test.each(cases)('%s', (_title, value, path, reason) => {
    let refusal: unknown;
    try {
      canonicalJson(value);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(JsonValueError);
    expect(refusal).toBeInstanceOf(TypeError);
    expect(refusal).toMatchObject({ code: 'INVALID_JSON_VALUE', path });
    expect(String(refusal)).toMatch(reason);
    expect(String(refusal)).toContain(`"${path}"`);
  });

  test('an array with a hole and as many keys as places is refused all the same', () => {
    const list: unknown[] = Object.assign([1, 2], { note: 1 });
    Reflect.deleteProperty(list, 0);
    expect(() => cloneJson(list)).toThrow(JsonValueError);
  });
});

describe('values that are accepted', () => {
  test('256 levels, an object without a prototype, the same object in two places', () => {
    expect(() => cloneJson(nested(256))).not.toThrow();
    const bare = Object.assign(Object.create(null) as object, { a: 1 });
    expect(canonicalJson({ x: bare, y: bare })).toBe('{"x":{"a":1},"y":{"a":1}}');
  });

  test('a key called __proto__ is data', () => {
    const value: unknown = JSON.parse('{"__proto__":{"a":1}}');
    expect(canonicalJson(value)).toBe('{"__proto__":{"a":1}}');
    expect(Object.getPrototypeOf(cloneJson(value))).toBe(Object.prototype);
  });
});

describe('the canonical text', () => {
  test.each([
    [{ b: 1, a: [true, null, 'x'] }, '{"a":[true,null,"x"],"b":1}'],
    [{ a: { d: 1, c: 2 } }, '{"a":{"c":2,"d":1}}'],
    [-0, '0'],
    [[1e21, 0.1, 1e-7], '[1e+21,0.1,1e-7]'],
    ['\u2028"\\\n', '"\u2028\\"\\\\\\n"'],
    // By UTF-16 code units a surrogate pair comes before U+FF5E, though its code point is greater.
    [{ '\uff5e': 1, '😀': 2, '': 3, 10: 4, 9: 5 }, '{"":3,"10":4,"9":5,"😀":2,"\uff5e":1}'],
  ])('of %j', (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  test('its digest is the SHA-256 of its UTF-8 bytes', () => {
    expect(digestJson({})).toBe('sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');
  });

  test('any JSON keeps its meaning, and the order of keys makes no difference', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length);
        expect(jsonEquals(reversed(value), value)).toBe(true);
      }),
    );
  });
});

describe('a copy', () => {
  test('is frozen at every level, keeps the order of keys, and does not hang on the original', () => {
    const original = { b: [{ c: 1 }], a: -0 };
    const copy = cloneJson(original);
    original.b.push({ c: 2 });
    expect(copy).toStrictEqual({ b: [{ c: 1 }], a: 0 });
    expect(Object.keys(copy as object)).toEqual(['b', 'a']);
    fc.assert(fc.property(fc.jsonValue(), (value) => isDeeplyFrozen(cloneJson(value))));
  });
});

/** The same value with the keys of every object the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
}

function isDeeplyFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen);
}
