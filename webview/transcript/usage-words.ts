// What turns used, in as few words as the head of a room has room for. Unknown stays unknown.
import type { UsageView } from '../../src/protocol/view.js';
import { costWords, countWords } from '../reasoning/words.js';

/** @returns e.g. "$0.42", "$0.42+" where some of it is not known, "unknown" where nothing is */
export function moneyWords({ turns, unknownCost, cost }: UsageView): string {
  if (turns > 0 && unknownCost >= turns) return 'unknown';
  return unknownCost > 0 ? `${costWords(cost)}+` : costWords(cost);
}

export function turnsWords({ turns }: Pick<UsageView, 'turns'>): string {
  return `${countWords(turns)} ${turns === 1 ? 'turn' : 'turns'}`;
}
