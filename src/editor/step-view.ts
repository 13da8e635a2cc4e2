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

/** What a tool was called with, as text for the person; a text stands for itself. */
export function inputText(input: JsonValue): string {
  return typeof input === 'string' ? input : JSON.stringify(input, null, 2);
}
