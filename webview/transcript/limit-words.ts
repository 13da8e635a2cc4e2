// Limits in words, each with the level that set it (C28).
import type { LimitView } from '../../src/protocol/view.js';
import { costWords, countWords } from '../reasoning/words.js';

const SOURCE_WORDS: Readonly<Record<LimitView['source'], string>> = {
  default: 'default',
  user: 'from your settings',
  workspace: 'from the workspace settings',
  team: 'from the team file',
  machine: 'from this machine’s maximum',
};

/** @returns what is allowed, e.g. "8 hops a chain", "no cost ceiling" */
export function limitWords({ key, value }: Pick<LimitView, 'key' | 'value'>): string {
  switch (key) {
    case 'hopCap':
      return `${amountOf(value, 'hop')} a chain`;
    case 'costCeiling':
      return value === null ? 'No cost ceiling' : `${costWords(value)} a chain`;
    case 'turnsPerMember':
      return `${amountOf(value, 'turn')} of one member a chain`;
    case 'concurrency':
      return `${amountOf(value, 'turn')} at a time`;
    case 'tailMessages':
      return `${amountOf(value, 'post')} of the room for each turn`;
    case 'turnTimeoutMinutes':
      return `${amountOf(value, 'minute')} a turn`;
  }
}

export function sourceWords({ source }: Pick<LimitView, 'source'>): string {
  return SOURCE_WORDS[source];
}

/** None is said as such: a 0 is a limit too. */
function amountOf(value: number | null, one: string): string {
  if (value === null) return `Any number of ${one}s`;
  if (value === 0) return `No ${one}s`;
  return `${countWords(value)} ${value === 1 ? one : `${one}s`}`;
}
