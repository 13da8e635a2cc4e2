// The event catalogue: what was written stays readable, and a changed shape without a new version is caught.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { CATALOGUE, eventVersion, parseRecordEvent, upcast } from '../../src/core/record/catalogue.js';

/** Every type with its version and the shape of its payload as plain data. */
function catalogueShapes(): Readonly<Record<string, unknown>> {
  const entries = Object.entries(CATALOGUE).map(([type, [version, schema]]) => [`${type}@${version}`, shapeOf(schema)]);
  return Object.fromEntries(entries) as Readonly<Record<string, unknown>>;
}

/** The parts of a schema that decide what it accepts, by their names in the schema library. */
const SHAPE_KEYS = ['entries', 'item', 'items', 'wrapped', 'options', 'literal', 'pipe', 'requirement', 'key', 'value'];

function shapeOf(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(shapeOf);
  if (typeof schema !== 'object' || schema === null) return typeof schema === 'function' ? 'function' : schema;
  const parts = Object.entries(schema)
    .filter(([key]) => SHAPE_KEYS.includes(key))
    .map(([key, part]): [string, unknown] => [key, key === 'entries' ? entriesOf(part) : shapeOf(part)]);
  const type = 'type' in schema && typeof schema.type === 'string' ? schema.type : 'unknown';
  return { type, ...Object.fromEntries(parts) };
}

function entriesOf(entries: unknown): unknown {
  return Object.fromEntries(Object.entries(entries ?? {}).map(([name, schema]) => [name, shapeOf(schema)]));
}

const GOLDEN = new URL('./catalogue.golden.json', import.meta.url);

function envelope(type: string, version: number, payload: object) {
  return { revision: 7, type, version, timestamp: '2026-01-01T00:00:00.000Z', payload: payload as never };
}

describe('The event catalogue', () => {
  test('keeps the shape of every version that was ever written: a change is a new version', () => {
    const golden = JSON.parse(readFileSync(GOLDEN, 'utf8')) as Record<string, unknown>;
    const shapes = catalogueShapes();
    for (const [name, shape] of Object.entries(shapes)) {
      expect(golden, `${name} is new: add its shape to catalogue.golden.json`).toHaveProperty([name]);
      expect(shape, `the shape of ${name} changed: give it a new version and an upcast`).toEqual(golden[name]);
    }
    for (const name of Object.keys(golden)) {
      const [type, version] = name.split('@');
      const current = Object.keys(shapes).find((other) => other.startsWith(`${type ?? ''}@`));
      expect(current, `${name} was written once and cannot be read any more`).toBeDefined();
      expect(Number(current?.split('@')[1])).toBeGreaterThanOrEqual(Number(version));
    }
  });

  test.each([
    ['a type of a newer Teamroom', envelope('team/merger', 1, {}), /unknown type "team\/merger".*[Uu]pdate/],
    [
      'a newer version',
      envelope('conversation:run', 2, { runner: 'w', epoch: 1 }),
      /version 2.*reads version 1.*[Uu]pdate/,
    ],
  ])('refuses %s, and says what to do', (_name, event, message) => {
    expect(() => parseRecordEvent(event)).toThrow(message);
    expect(() => parseRecordEvent(event)).toThrow(expect.objectContaining({ code: 'UNSUPPORTED_EVENT', revision: 7 }));
  });

  test.each([
    ['a missing field', { runner: 'w' }, 'epoch'],
    ['an extra field', { runner: 'w', epoch: 1, more: 1 }, 'more'],
    ['a wrong type', { runner: 'w', epoch: '1' }, 'epoch'],
  ])('refuses a payload with %s by the place of the fault', (_name, payload, place) => {
    const read = (): unknown =>
      parseRecordEvent(envelope('conversation:run', eventVersion('conversation:run'), payload));
    expect(read).toThrow(expect.objectContaining({ code: 'INVALID_EVENT' }));
    expect(read).toThrow(place);
  });

  test('reads an older version through every upcast in between, and no version that none leads from', () => {
    const steps = {
      1: (payload: unknown) => ({ ...(payload as object), two: true }),
      2: (payload: unknown) => ({ ...(payload as object), three: true }),
    };
    expect(upcast(steps, 1, 3, { one: true })).toEqual({ one: true, two: true, three: true });
    expect(upcast(steps, 3, 3, { one: true })).toEqual({ one: true });
    expect(upcast(steps, 4, 3, {})).toBeUndefined();
    expect(upcast({ 1: steps[1] }, 1, 3, {})).toBeUndefined();
  });

  test.each([
    [
      'conversation:started',
      {
        teamId: 't',
        team: '{}',
        limits: { hopCap: 1, costCeiling: null, turnsPerMember: 2, concurrency: 3, tailMessages: 4 },
        folders: [],
      },
      {
        limits: { hopCap: 1, turnTimeoutMinutes: 30 },
        limitSources: {},
        policies: { acknowledgements: 'wake' },
        forkOf: null,
      },
    ],
    [
      'conversation:limited',
      { chain: 'you/1/0', limit: 'hopCap', value: 8, count: 8, roomId: 'room', next: ['b'] },
      { isRepeat: false },
    ],
    [
      'step:recorded',
      { position: 'team/b/1', sequence: 3, step: { kind: 'thought', text: 'Hm.' } },
      { id: 'step/3', parent: null, isOpen: false, step: { kind: 'thought', text: 'Hm.' } },
    ],
  ])('reads %s as the first version wrote it', (type, payload, now) => {
    expect(parseRecordEvent(envelope(type, 1, payload)).payload).toMatchObject(now);
    expect(() => parseRecordEvent(envelope(type, 1, {}))).toThrow(expect.objectContaining({ code: 'INVALID_EVENT' }));
  });
});
