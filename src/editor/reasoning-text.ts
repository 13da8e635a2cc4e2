// A turn's reasoning as a text to be read, searched and copied: its steps in order, each under a heading.
import * as vscode from 'vscode';
import { costOf } from '../core/team/usage.js';
import type { ReasoningPiece } from '../runtime/reasoning.js';
import { dollars } from './money.js';
import { inputText } from './step-view.js';

type Step = ReasoningPiece['step'];

export interface ReasoningText {
  /** Name of the member. */
  readonly member: string;
  /** Number of the turn among those of the member. */
  readonly turn: number;
  readonly pieces: readonly ReasoningPiece[];
  readonly isRunning: boolean;
  /** False where the turn was cut off. */
  readonly isWhole: boolean;
}

/** @returns Markdown */
export function reasoningText({ member, turn, pieces, isRunning, isWhole }: ReasoningText): string {
  const { l10n } = vscode;
  const parts = [`# ${l10n.t('{member}: reasoning of turn {turn}', { member, turn })}`];
  if (pieces.length === 0) parts.push(l10n.t('Nothing was recorded.'));
  const names = new Map<string, string>();
  for (const { step, at, parent, isOpen } of joined(pieces, names)) {
    const heading = headingOf(step, names);
    const inside = parent === null ? null : names.get(parent);
    const where = inside === null || inside === undefined ? '' : ` · ${l10n.t('inside {tool}', { tool: inside })}`;
    const more = isOpen ? ` · ${isRunning ? l10n.t('goes on') : l10n.t('cut off')}` : '';
    parts.push(`## ${heading}${where}${more}\n\n${at}`, bodyOf(step));
  }
  if (isRunning) parts.push('---', l10n.t('The turn is running.'));
  else if (!isWhole && pieces.length > 0)
    parts.push('---', l10n.t('The turn was cut off here: this is all that there is.'));
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** Pieces of one step as one, in the place of its first. @param names - gets the tool of each call, by the call's id. */
function joined(pieces: readonly ReasoningPiece[], names: Map<string, string>): readonly ReasoningPiece[] {
  const steps = new Map<string, ReasoningPiece>();
  for (const piece of pieces) {
    if (piece.step.kind === 'tool-call') names.set(piece.id, piece.step.name);
    const before = steps.get(piece.id);
    const step = before === undefined ? piece.step : withMore(before.step, piece.step);
    steps.set(piece.id, { ...(before ?? piece), step, isOpen: piece.isOpen });
  }
  return [...steps.values()];
}

function withMore(before: Step, more: Step): Step {
  return 'text' in before && 'text' in more && before.kind === more.kind
    ? { ...before, text: before.text + more.text }
    : more;
}

function headingOf(step: Step, names: ReadonlyMap<string, string>): string {
  const { l10n } = vscode;
  switch (step.kind) {
    case 'thought':
      return l10n.t('Thought');
    case 'text':
      return l10n.t('Text');
    case 'tool-call':
      return l10n.t('Call of {tool}', { tool: step.name });
    case 'tool-result': {
      const tool = names.get(step.callId) ?? step.callId;
      return step.isError ? l10n.t('Error from {tool}', { tool }) : l10n.t('Result of {tool}', { tool });
    }
    case 'plan':
      return l10n.t('Plan');
    case 'usage':
      return l10n.t('Usage');
    case 'error':
      return l10n.t('Error');
  }
}

function bodyOf(step: Step): string {
  switch (step.kind) {
    case 'thought':
    case 'text':
      return step.text.trimEnd();
    case 'tool-call':
      return fenced(inputText(step.input), typeof step.input === 'string' ? '' : 'json');
    case 'tool-result':
      return fenced(step.text, '');
    case 'plan':
      return step.entries.map(({ text, status }) => `- [${MARKS[status]}] ${text}`).join('\n');
    case 'usage':
      return usageWords(step);
    case 'error':
      return step.message;
  }
}

const MARKS = { pending: ' ', in_progress: '-', completed: 'x' } as const;

/** The fence is longer than any in the text, so that nothing in it ends it. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`;
}

function usageWords({ usage }: Extract<Step, { kind: 'usage' }>): string {
  const { l10n } = vscode;
  const cost = costOf(usage);
  const unknown = l10n.t('unknown');
  return [
    l10n.t('Model: {model}', { model: usage.model ?? unknown }),
    l10n.t('Input tokens: {count}', { count: usage.inputTokens ?? unknown }),
    l10n.t('Output tokens: {count}', { count: usage.outputTokens ?? unknown }),
    l10n.t('Cost: {cost}', { cost: cost === null ? unknown : dollars(cost) }),
  ].join('  \n');
}
