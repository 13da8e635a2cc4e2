// Which limit is in force when several levels set it, and what bad settings do.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  DEFAULT_LIMITS,
  effectiveLimits,
  LIMIT_KEYS,
  LIMIT_RULES,
  limitRule,
  type LimitKey,
  type LimitLevels,
  type LimitValues,
} from '../../src/core/team/limits.js';

/** What a level may say of a limit, good values only. */
function goodValue(key: LimitKey): fc.Arbitrary<number | null> {
  const { least, most, isWhole, mayBeNone } = LIMIT_RULES[key];
  const small = Math.min(most, 60);
  const number = isWhole
    ? fc.oneof(fc.integer({ min: least, max: small }), fc.integer({ min: least, max: most }))
    : fc.oneof(fc.constantFrom(0, 0.01, 1.5), fc.double({ min: least, max: small, noNaN: true }));
  return mayBeNone ? fc.option(number, { nil: null }) : number;
}

function everyKey<Value>(of: (key: LimitKey) => fc.Arbitrary<Value>): fc.Arbitrary<Partial<Record<LimitKey, Value>>> {
  return fc.record(Object.fromEntries(LIMIT_KEYS.map((key) => [key, of(key)])), { requiredKeys: [] });
}

const good = everyKey(goodValue);
const bad = fc.constantFrom<unknown>(
  -1,
  -0.01,
  NaN,
  Infinity,
  -Infinity,
  '8',
  '',
  'unlimited',
  true,
  false,
  {},
  [],
  [3],
);
const any = everyKey((key) => fc.oneof(goodValue(key), bad, fc.constant(0)));
/** Machines may say null, which is to set nothing. */
const anyMachine = everyKey((key) => fc.oneof(goodValue(key), bad, fc.constant(null)));

/** No limit is above every number. */
const height = (value: number | null | undefined): number => value ?? Infinity;

describe('the limit in force', () => {
  test('is the default where nobody has set one', () => {
    const { limits, sources, problems } = effectiveLimits({});
    expect(limits).toEqual({
      hopCap: 8,
      costCeiling: null,
      turnsPerMember: 16,
      concurrency: 4,
      tailMessages: 20,
      turnTimeoutMinutes: 30,
    });
    expect(limits).toEqual(DEFAULT_LIMITS);
    expect(new Set(Object.values(sources))).toEqual(new Set(['default']));
    expect(problems).toEqual([]);
    expect(LIMIT_KEYS.map((key) => [key, LIMIT_RULES[key].default])).toEqual(Object.entries(DEFAULT_LIMITS));
  });

  const cases: readonly [title: string, levels: LimitLevels, key: LimitKey, value: number | null, source: string][] = [
    [
      'C28 team 50, user 8, machine 6: 6, by the machine',
      { team: { hopCap: 50 }, user: { hopCap: 8 }, machine: { hopCap: 6 } },
      'hopCap',
      6,
      'machine',
    ],
    ['a team file that says more changes nothing', { team: { hopCap: 50 } }, 'hopCap', 8, 'default'],
    ['a team file that says less', { team: { hopCap: 3 } }, 'hopCap', 3, 'team'],
    ['a user raises what is the user’s', { user: { hopCap: 50 } }, 'hopCap', 50, 'user'],
    ['a user and a team file', { user: { hopCap: 50 }, team: { hopCap: 40 } }, 'hopCap', 40, 'team'],
    ['a workspace that says more', { user: { hopCap: 5 }, workspace: { hopCap: 9 } }, 'hopCap', 5, 'user'],
    ['a workspace that says less', { user: { hopCap: 5 }, workspace: { hopCap: 2 } }, 'hopCap', 2, 'workspace'],
    ['two that say the same', { user: { hopCap: 5 }, machine: { hopCap: 5 } }, 'hopCap', 5, 'user'],
    ['what is the default, said by the user', { user: { hopCap: 8 } }, 'hopCap', 8, 'user'],
    ['a machine that sets none', { machine: { costCeiling: null, hopCap: null } }, 'hopCap', 8, 'default'],
    ['a ceiling where there was none', { workspace: { costCeiling: 2 } }, 'costCeiling', 2, 'workspace'],
    [
      'a ceiling that the team file takes off',
      { user: { costCeiling: 2 }, team: { costCeiling: null } },
      'costCeiling',
      2,
      'user',
    ],
    [
      'a user who wants no ceiling, on a machine that has one',
      { user: { costCeiling: null }, machine: { costCeiling: 9 } },
      'costCeiling',
      9,
      'machine',
    ],
    ['CO-3 a ceiling of 0', { user: { costCeiling: 5 }, workspace: { costCeiling: 0 } }, 'costCeiling', 0, 'workspace'],
    ['CO-3 a cap of 0', { machine: { hopCap: 0 }, user: { hopCap: 100 } }, 'hopCap', 0, 'machine'],
  ];
  test.each(cases)('%s', (_title, levels, key, value, source) => {
    const { limits, sources, problems } = effectiveLimits(levels);
    expect([limits[key], sources[key]]).toEqual([value, source]);
    expect(problems).toEqual([]);
  });

  test('C28 is never above the machine’s, and neither workspace nor team file raises it', () => {
    fc.assert(
      fc.property(anyMachine, any, any, good, (machine, user, workspace, team) => {
        const levels = { machine, user, workspace, team: team as LimitLevels['team'] & object };
        const { limits } = effectiveLimits(levels);
        const { limits: alone } = effectiveLimits({ machine, user });
        for (const key of LIMIT_KEYS) {
          expect(height(limits[key])).toBeLessThanOrEqual(height(alone[key]));
          const maximum = machine[key];
          if (isGood(key, maximum) && maximum !== null)
            expect(height(limits[key])).toBeLessThanOrEqual(height(maximum));
        }
      }),
    );
  });

  test('C28 is a value that its source says', () => {
    fc.assert(
      fc.property(good, good, good, good, (machine, user, workspace, team) => {
        const said = { machine, user, workspace, team: team as LimitLevels['team'] & object, default: DEFAULT_LIMITS };
        const { limits, sources } = effectiveLimits(said);
        for (const key of LIMIT_KEYS) expect(said[sources[key]][key]).toBe(limits[key]);
      }),
    );
  });

  test('CO-3 a 0 at any level means that none is allowed, whatever the others say', () => {
    const level = fc.constantFrom('machine', 'user', 'workspace', 'team');
    const key = fc.constantFrom<LimitKey>('hopCap', 'costCeiling', 'turnsPerMember');
    fc.assert(
      fc.property(level, key, any, any, any, good, (zero, which, machine, user, workspace, team) => {
        const levels: Record<string, LimitValues> = { machine, user, workspace, team };
        levels[zero] = { ...levels[zero], [which]: 0 };
        expect(effectiveLimits(levels).limits[which]).toBe(0);
      }),
    );
  });

  test('CO-3 bad settings never make a limit higher than it is without them, and never unlimited', () => {
    fc.assert(
      fc.property(fc.constantFrom(...LIMIT_KEYS), bad, good, (key, value, team) => {
        const { limits } = effectiveLimits({
          user: { [key]: value },
          workspace: { [key]: value },
          team: team as object,
        });
        expect(limits[key]).toBe(effectiveLimits({ team: team as object }).limits[key]);
      }),
    );
  });
});

describe('a bad setting', () => {
  test.each([
    ['negative', -1, '-1'],
    ['fractional', 2.5, '2.5'],
    ['no number', NaN, 'NaN'],
    ['beyond all numbers', Infinity, 'Infinity'],
    ['a text', '8', '"8"'],
    ['an empty text', '', '""'],
    ['true', true, 'true'],
    ['false', false, 'false'],
    ['null', null, 'null'],
    ['a list', [8], '[8]'],
    ['an object', {}, '{}'],
  ])('SE-2 that is %s is named with its key, and the default is in force', (_title, given, value) => {
    const { limits, sources, problems } = effectiveLimits({ user: { hopCap: given } });
    expect([limits.hopCap, sources.hopCap]).toEqual([8, 'default']);
    expect(problems).toEqual([{ level: 'user', key: 'hopCap', value, inForce: 8 }]);
  });

  test('SE-2 of the workspace or the machine counts as not set, and what is in force then is named', () => {
    const levels = {
      machine: { hopCap: 'six' },
      user: { hopCap: -1 },
      workspace: { hopCap: 1.5 },
      team: { hopCap: 3 },
    };
    expect(effectiveLimits(levels)).toMatchObject({
      limits: { hopCap: 3 },
      sources: { hopCap: 'team' },
      problems: [
        { level: 'user', key: 'hopCap', value: '-1', inForce: 3 },
        { level: 'workspace', key: 'hopCap', value: '1.5', inForce: 3 },
        { level: 'machine', key: 'hopCap', value: '"six"', inForce: 3 },
      ],
    });
  });

  test('CO-3 a limit that must be there cannot be set to 0, and a timer can hold every time-out', () => {
    const zero = { concurrency: 0, tailMessages: 0, turnTimeoutMinutes: 0 };
    const { limits, problems } = effectiveLimits({ user: zero, workspace: { turnTimeoutMinutes: 10_081 } });
    expect(limits).toEqual(DEFAULT_LIMITS);
    expect(problems.map(({ key, value }) => [key, value])).toEqual([
      ['concurrency', '0'],
      ['tailMessages', '0'],
      ['turnTimeoutMinutes', '0'],
      ['turnTimeoutMinutes', '10081'],
    ]);
    expect((LIMIT_RULES.turnTimeoutMinutes.most + 1) * 60_000).toBeLessThan(2 ** 31);
  });

  test('SE-2 a key that no limit has is no problem of the limits', () => {
    expect(effectiveLimits({ user: { hopcap: -1 } as LimitValues }).problems).toEqual([]);
  });

  test('what may be written is told in words', () => {
    expect(LIMIT_KEYS.map(limitRule)).toEqual([
      'a whole number, 0 or more',
      'a number, 0 or more, or null for no limit',
      'a whole number, 0 or more',
      'a whole number, 1 or more',
      'a whole number, 1 or more',
      'a whole number, 1 to 10080',
    ]);
  });
});

function isGood(key: LimitKey, value: unknown): value is number | null {
  const { problems } = effectiveLimits({ workspace: { [key]: value } });
  return value !== undefined && problems.length === 0;
}
