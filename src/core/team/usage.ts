// What turns used, summed. What is unknown stays unknown: it is counted, never taken for nothing (CO-1, CO-7).
import type { TurnUsage } from '../record/catalogue.js';

/** Sums over turns, those that failed or were cancelled too. */
export interface UsageTotals {
  readonly turns: number;
  /** Turns of which no cost is known. */
  readonly unknownCost: number;
  /** Turns of which the reported and the priced cost differ by more than a tenth (CO-2). */
  readonly mismatches: number;
  /** US dollars, as far as known. */
  readonly cost: number;
  /** Tokens as far as known. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
}

export const NO_USAGE: UsageTotals = {
  turns: 0,
  unknownCost: 0,
  mismatches: 0,
  cost: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};

/** A turn of which its engine said nothing. */
export const UNKNOWN_USAGE: TurnUsage = {
  model: null,
  inputTokens: null,
  outputTokens: null,
  cacheReadTokens: null,
  cacheWriteTokens: null,
  reasoningTokens: null,
  reportedCost: null,
  pricedCost: null,
};

/** What a turn cost in US dollars: the larger of what was reported and what the price table says (CO-2); null: unknown. */
export function costOf({ reportedCost, pricedCost }: TurnUsage): number | null {
  if (reportedCost === null) return pricedCost;
  return pricedCost === null ? reportedCost : Math.max(reportedCost, pricedCost);
}

/** True when both costs are known and differ by more than a tenth of the larger. */
export function isMismatch({ reportedCost, pricedCost }: TurnUsage): boolean {
  if (reportedCost === null || pricedCost === null) return false;
  return Math.abs(reportedCost - pricedCost) > Math.max(reportedCost, pricedCost) / 10;
}

/** The sums with one more turn in them. */
export function addUsage(totals: UsageTotals, usage: TurnUsage): UsageTotals {
  const cost = costOf(usage);
  return {
    turns: totals.turns + 1,
    unknownCost: totals.unknownCost + (cost === null ? 1 : 0),
    mismatches: totals.mismatches + (isMismatch(usage) ? 1 : 0),
    cost: addCost(totals.cost, cost ?? 0),
    inputTokens: addTokens(totals.inputTokens, usage.inputTokens),
    outputTokens: addTokens(totals.outputTokens, usage.outputTokens),
    cacheReadTokens: addTokens(totals.cacheReadTokens, usage.cacheReadTokens),
    cacheWriteTokens: addTokens(totals.cacheWriteTokens, usage.cacheWriteTokens),
    reasoningTokens: addTokens(totals.reasoningTokens, usage.reasoningTokens),
  };
}

/** Sums stay numbers that can be stored, whatever was reported. */
export function addCost(sum: number, cost: number): number {
  return Math.min(sum + cost, Number.MAX_VALUE);
}

function addTokens(sum: number, tokens: number | null): number {
  return Math.min(sum + (tokens ?? 0), Number.MAX_SAFE_INTEGER);
}
