// Five times, in turn, and the middle one: a machine that others use is quick one moment and slow the next.

/** @param {readonly number[]} values */
export function median(values) {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/**
 * Measures something and its yardstick in turn.
 *
 * @returns {Promise<{ ratio: number, ours: number, yardstick: number }>} medians; the ratio is of each pair
 */
export async function inTurn(ours, yardstick, times = 5) {
  const pairs = [];
  for (let round = 0; round < times; round += 1) pairs.push([await ours(round), await yardstick(round)]);
  return {
    ratio: median(pairs.map(([left, right]) => left / right)),
    ours: median(pairs.map(([left]) => left)),
    yardstick: median(pairs.map(([, right]) => right)),
  };
}
