// What turns used, in words. Unknown stays unknown.
import type { UsageView } from '../../src/protocol/view.js';
import { costWords, countWords } from '../reasoning/words.js';

/** @returns e.g. "3 turns · 12,400 tokens in, 800 out · $0.42"; what is not known is said to be so */
export function usageWords({ turns, unknownCost, cost, inputTokens, outputTokens, mismatches }: UsageView): string {
  if (turns === 0) return 'No turns yet';
  const tokens = inputTokens + outputTokens === 0 ? 'tokens unknown' : tokenWords(inputTokens, outputTokens);
  const money =
    unknownCost >= turns
      ? 'cost unknown'
      : unknownCost > 0
        ? `at least ${costWords(cost)}, ${turnsOf(unknownCost)} of unknown cost`
        : costWords(cost);
  const differs = mismatches === 0 ? [] : [`${turnsOf(mismatches)} reported another price`];
  return [turnsOf(turns), tokens, money, ...differs].join(' · ');
}

function tokenWords(into: number, out: number): string {
  return `${countWords(into)} ${into === 1 ? 'token' : 'tokens'} in, ${countWords(out)} out`;
}

function turnsOf(count: number): string {
  return `${countWords(count)} ${count === 1 ? 'turn' : 'turns'}`;
}
