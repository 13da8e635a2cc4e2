// A piece of a member's reasoning as the panel shows it.
import type { JsonValue } from '../core/json.js';
import { costOf } from '../core/team/usage.js';
import type { StepView } from '../protocol/view.js';
import type { ReasoningPiece } from '../runtime/reasoning.js';

export function stepView({ sequence, id, parent, isOpen, at, step }: ReasoningPiece): StepView {
  return { sequence, id, parent, isOpen, at, step: stepContent(step) };
}

function stepContent(step: ReasoningPiece['step']): StepView['step'] {
  switch (step.kind) {
    case 'tool-call':
      return { kind: 'tool-call', name: step.name, input: inputText(step.input) };
    case 'usage': {
      const { inputTokens, outputTokens, model } = step.usage;
      return { kind: 'usage', inputTokens, outputTokens, model, cost: costOf(step.usage) };
    }
    case 'plan':
      return { kind: 'plan', entries: step.entries.map((entry) => ({ ...entry })) };
    case 'thought':
    case 'text':
    case 'tool-result':
    case 'error':
      return { ...step };
  }
}

/** So much stands on one line, also in a narrow panel. */
const ONE_LINE = 60;

/** What a tool was called with, as text for the person, in one line where it is short; a text stands for itself. */
export function inputText(input: JsonValue): string {
  if (typeof input === 'string') return input;
  const line = JSON.stringify(input);
  return line.length <= ONE_LINE ? line : JSON.stringify(input, null, 2);
}
