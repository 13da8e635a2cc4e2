// How often properties are tried, and with which numbers: `npm run fuzz` tries far more often, from a seed that it prints.

/** What `npm run fuzz` sets. */
const runs = Number(process.env['TEAMROOM_FUZZ_RUNS'] ?? 0);
const seed = Number(process.env['TEAMROOM_FUZZ_SEED'] ?? 0);

/**
 * @param usual - how often a property is tried in an ordinary run.
 * @returns that, or what is asked for when it is more.
 */
export function fuzzRuns(usual: number): number {
  return Math.max(usual, runs);
}

/**
 * @param usual - the seed of an ordinary run, in which a failure is to be the same each time.
 * @returns another for each seed that `npm run fuzz` is given.
 */
export function fuzzSeed(usual: number): number {
  return usual + seed;
}
