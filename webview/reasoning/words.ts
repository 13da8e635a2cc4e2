// Durations, tokens and money as a person reads them.
import type { StepView } from '../../src/protocol/view.js';

type Usage = Extract<StepView['step'], { kind: 'usage' }>;

/** @param took in milliseconds. @returns e.g. "240 ms", "1.4 s", "12 s", "3 min 5 s", "2 h 4 min" */
export function durationWords(took: number): string {
  if (took < 1000) return `${Math.round(took)} ms`;
  if (took < 9950) return `${(took / 1000).toFixed(1)} s`;
  const seconds = Math.round(took / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** @param amount US dollars. @returns with as many digits as say something, e.g. "$1.20", "$0.0042" */
export function costWords(amount: number): string {
  if (amount === 0) return '$0';
  if (amount < 0.0001) return 'under $0.0001';
  return `$${amount < 0.1 ? amount.toFixed(4).replace(/0{1,2}$/u, '') : amount.toFixed(2)}`;
}

const NUMBER = new Intl.NumberFormat('en');

/** @returns e.g. "12,400" */
export function countWords(count: number): string {
  return NUMBER.format(count);
}

/** @returns what is known of a turn's usage, e.g. "12,400 tokens in, 800 out · $0.02 · sonnet"; empty when nothing is */
export function turnUsageWords({ inputTokens, outputTokens, cost, model }: Omit<Usage, 'kind'>): string {
  const into = inputTokens === null ? [] : [`${countWords(inputTokens)} ${inputTokens === 1 ? 'token' : 'tokens'} in`];
  const out = outputTokens === null ? [] : [`${countWords(outputTokens)}${inputTokens === null ? ' tokens' : ''} out`];
  const tokens = [...into, ...out].join(', ');
  return [tokens, cost === null ? '' : costWords(cost), model ?? ''].filter((part) => part !== '').join(' · ');
}

/** @returns e.g. "1 step", "12 steps" */
export function stepsWords(count: number): string {
  return `${countWords(count)} ${count === 1 ? 'step' : 'steps'}`;
}
