// The limits of a live conversation: which there are, which values each may have, and which of several that different
// levels set is in force.
// Rules: docs/rules.md § Limits.

/** A 0 means that none is allowed, never that there is no limit. */
export interface Limits {
  /** Turns in a chain that members caused. */
  readonly hopCap: number;
  /** US dollars a chain may cost; null: no ceiling. */
  readonly costCeiling: number | null;
  /** Turns of one member within one chain. */
  readonly turnsPerMember: number;
  /** Turns that run at a time. */
  readonly concurrency: number;
  /** Newest posts of a room that a turn is given. */
  readonly tailMessages: number;
  /** How long a turn may take, in minutes. */
  readonly turnTimeoutMinutes: number;
}
export type LimitKey = keyof Limits;

export interface LimitRule {
  readonly default: number | null;
  /** The least value that makes sense; 0 where none at all can be meant. */
  readonly least: number;
  readonly most: number;
  /** Whole numbers only. */
  readonly isWhole: boolean;
  /** Null is a value, and stands for no limit. */
  readonly mayBeNone: boolean;
}

const WHOLE = { most: Number.MAX_SAFE_INTEGER, isWhole: true, mayBeNone: false } as const;

export const LIMIT_RULES: Readonly<Record<LimitKey, LimitRule>> = {
  hopCap: { ...WHOLE, default: 8, least: 0 },
  costCeiling: { default: null, least: 0, most: Number.MAX_VALUE, isWhole: false, mayBeNone: true },
  turnsPerMember: { ...WHOLE, default: 16, least: 0 },
  concurrency: { ...WHOLE, default: 4, least: 1 },
  tailMessages: { ...WHOLE, default: 20, least: 1 },
  // A week: a timer cannot hold a month.
  turnTimeoutMinutes: { ...WHOLE, default: 30, least: 1, most: 10_080 },
};

export const LIMIT_KEYS: readonly LimitKey[] = [
  ...(['hopCap', 'costCeiling', 'turnsPerMember', 'concurrency', 'tailMessages', 'turnTimeoutMinutes'] as const),
];

export const DEFAULT_LIMITS: Limits = {
  hopCap: 8,
  costCeiling: null,
  turnsPerMember: 16,
  concurrency: 4,
  tailMessages: 20,
  turnTimeoutMinutes: 30,
};

/** Who can set a limit. `default` is what stands where a person has set nothing. */
export type LimitLevel = 'default' | 'user' | 'workspace' | 'team' | 'machine';

/** What a level of settings says, unchecked; a key that it leaves out or that is undefined is not set there. */
export type LimitValues = Readonly<Partial<Record<LimitKey, unknown>>>;

/** A value in the settings that cannot be used. */
export interface LimitProblem {
  readonly level: 'user' | 'workspace' | 'machine';
  readonly key: LimitKey;
  /** The value as a person would write it. */
  readonly value: string;
  /** What is in force in its place; null: no limit. */
  readonly inForce: number | null;
}

export interface LimitLevels {
  /** Maxima that bound every other level. Null: none. */
  readonly machine?: LimitValues;
  readonly user?: LimitValues;
  readonly workspace?: LimitValues;
  /** What the team file says; it was checked when the file was read. */
  readonly team?: Readonly<Partial<Limits>>;
}

export interface EffectiveLimits {
  readonly limits: Limits;
  /** Who set each limit that is in force. */
  readonly sources: Readonly<Record<LimitKey, LimitLevel>>;
  /** Bad settings, which count as not set. */
  readonly problems: readonly LimitProblem[];
}

/**
 * Which limits are in force: of each the lowest of the machine's maximum, the user's (its default where the user has set
 * none), the workspace's and the team file's. So workspace and team file lower a limit and never raise one. The level
 * that is named as its source is the first in the order user, workspace, team, machine that says this value.
 */
export function effectiveLimits({ machine = {}, user = {}, workspace = {}, team = {} }: LimitLevels): EffectiveLimits {
  const limits: Record<LimitKey, number | null> = { ...DEFAULT_LIMITS };
  const sources: Record<LimitKey, LimitLevel> = { ...NOBODY };
  const problems: LimitProblem[] = [];
  for (const key of LIMIT_KEYS) {
    const said = [
      { level: 'user', given: user[key] },
      { level: 'workspace', given: workspace[key] },
      { level: 'team', given: team[key] },
      { level: 'machine', given: machine[key] === null ? undefined : machine[key] },
    ] as const;
    const bad: Omit<LimitProblem, 'inForce'>[] = [];
    for (const { level, given } of said) {
      const value = readLimit(key, given);
      if (value === 'unset') continue;
      if (value === 'bad') {
        if (level !== 'team') bad.push({ level, key, value: shown(given) });
      } else if (level === 'user' || isLower(value, limits[key])) {
        limits[key] = value;
        sources[key] = level;
      }
    }
    problems.push(...bad.map((one) => ({ ...one, inForce: limits[key] })));
  }
  return { limits: complete(limits), sources, problems };
}

/** The limit that `given` sets: `unset` for undefined, `bad` for what is no value of this limit. */
export function readLimit(key: LimitKey, given: unknown): number | null | 'unset' | 'bad' {
  const { least, most, isWhole, mayBeNone } = LIMIT_RULES[key];
  if (given === undefined) return 'unset';
  if (given === null) return mayBeNone ? null : 'bad';
  if (typeof given !== 'number' || !Number.isFinite(given) || given < least || given > most) return 'bad';
  return isWhole && !Number.isSafeInteger(given) ? 'bad' : given;
}

/** What may be written for a limit, in words that go on from “Write …”. */
export function limitRule(key: LimitKey): string {
  const { least, most, isWhole, mayBeNone } = LIMIT_RULES[key];
  const to = most > 1_000_000 ? `${least} or more` : `${least} to ${most}`;
  return `a ${isWhole ? 'whole number' : 'number'}, ${to}${mayBeNone ? ', or null for no limit' : ''}`;
}

const NOBODY: Readonly<Record<LimitKey, LimitLevel>> = {
  hopCap: 'default',
  costCeiling: 'default',
  turnsPerMember: 'default',
  concurrency: 'default',
  tailMessages: 'default',
  turnTimeoutMinutes: 'default',
};

/** No limit is above every number. */
function isLower(value: number | null, than: number | null): boolean {
  return value !== null && (than === null || value < than);
}

function shown(given: unknown): string {
  return typeof given === 'number' ? String(given) : JSON.stringify(given);
}

function complete(limits: Readonly<Record<LimitKey, number | null>>): Limits {
  const number = (key: Exclude<LimitKey, 'costCeiling'>): number => limits[key] ?? DEFAULT_LIMITS[key];
  return {
    hopCap: number('hopCap'),
    costCeiling: limits.costCeiling,
    turnsPerMember: number('turnsPerMember'),
    concurrency: number('concurrency'),
    tailMessages: number('tailMessages'),
    turnTimeoutMinutes: number('turnTimeoutMinutes'),
  };
}
