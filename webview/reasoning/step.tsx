// One step of a member's reasoning, and the steps that were made inside of it.
import type { ComponentChildren, JSX } from 'preact';
import type { StepView } from '../../src/protocol/view.js';
import { Icon } from '../ui/icon.js';
import { memo } from '../ui/memo.js';
import { LongText } from './long-text.js';
import type { Step } from './steps.js';
import { durationWords, turnUsageWords } from './words.js';

const CODE_LINES = 8;
const WORDS_LINES = 24;
/** An input of one short line stands behind the name of the call. */
const INLINE_LENGTH = 72;

type Plan = Extract<StepView['step'], { kind: 'plan' }>;

/** Drawn again only when its step is another one. */
export const StepItem = memo(function StepItem({ step }: { readonly step: Step }): JSX.Element {
  const { content } = step;
  switch (content.kind) {
    case 'thought':
      return (
        <Row step={step} icon="lightbulb" name="Thought" kind="thought">
          <LongText text={content.text} isCode={false} lines={WORDS_LINES} label="Thought" />
        </Row>
      );
    case 'text':
      return (
        <Row step={step} icon="comment" name="Answer" kind="text">
          <LongText text={content.text} isCode={false} lines={WORDS_LINES} label="Answer" />
        </Row>
      );
    case 'tool-call':
      return <Call step={step} name={content.name} input={content.input} />;
    case 'tool-result':
      return (
        <Row step={step} icon={content.isError ? 'error' : 'output'} name="Result" kind="result">
          <Result text={content.text} isError={content.isError} of="a call" />
        </Row>
      );
    case 'plan':
      return (
        <Row step={step} icon="checklist" name="Plan" kind="plan">
          <PlanList plan={content} />
        </Row>
      );
    case 'usage':
      return (
        <Row step={step} icon="pulse" name="Usage" kind="usage">
          <p class="step-words">{turnUsageWords(content)}</p>
        </Row>
      );
    case 'error':
      return (
        <Row step={step} icon="error" name="Error" kind="error">
          <LongText text={content.message} isCode={false} lines={WORDS_LINES} label="Error" />
        </Row>
      );
  }
});

interface RowProps {
  readonly step: Step;
  readonly icon: string;
  readonly name: string;
  readonly kind: string;
  /** What stands behind the name. */
  readonly beside?: ComponentChildren;
  readonly children: ComponentChildren;
}

function Row({ step, icon, name, kind, beside, children }: RowProps): JSX.Element {
  return (
    <li class={`step step-${kind}`} data-step={step.id}>
      <span class={step.isOpen ? 'step-icon goes-on' : 'step-icon'}>
        <Icon id={step.isOpen ? 'loading' : icon} />
      </span>
      <div class="step-body">
        <div class="step-head">
          <span class="step-name">{name}</span>
          {beside}
          {step.isOpen ? <span class="hidden">running</span> : null}
          {step.took === null || step.took === 0 ? null : <span class="step-took">{durationWords(step.took)}</span>}
        </div>
        {children}
      </div>
    </li>
  );
}

function Call({
  step,
  name,
  input,
}: {
  readonly step: Step;
  readonly name: string;
  readonly input: string;
}): JSX.Element {
  const isShort = input.length <= INLINE_LENGTH && !input.includes('\n');
  const says = input.trim() !== '' && input.trim() !== '{}' && input.trim() !== 'null';
  const inline = says && isShort ? <code class="step-inline clip">{input}</code> : null;
  return (
    <Row step={step} icon={step.result?.isError === true ? 'error' : 'tools'} name={name} kind="call" beside={inline}>
      {says && !isShort ? <LongText text={input} isCode lines={CODE_LINES} label={`What ${name} was given`} /> : null}
      {step.children.length === 0 ? null : (
        <ol class="steps" aria-label={`Inside ${name}`}>
          {step.children.map((child) => (
            <StepItem key={child.id} step={child} />
          ))}
        </ol>
      )}
      {step.result === null ? (
        step.isOpen ? null : (
          <p class="step-none">No result.</p>
        )
      ) : (
        <Result text={step.result.text} isError={step.result.isError} of={name} />
      )}
    </Row>
  );
}

function Result({
  text,
  isError,
  of,
}: {
  readonly text: string;
  readonly isError: boolean;
  readonly of: string;
}): JSX.Element {
  if (text.trim() === '')
    return <p class="step-none">{isError ? 'Failed without a word.' : 'Done, without a result.'}</p>;
  return (
    <div class={isError ? 'step-result is-error' : 'step-result'}>
      {isError ? <span class="step-error-mark">Error</span> : null}
      <LongText text={text} isCode lines={CODE_LINES} label={`${isError ? 'Error' : 'Result'} of ${of}`} />
    </div>
  );
}

const MARKS: Readonly<Record<Plan['entries'][number]['status'], readonly [icon: string, words: string]>> = {
  pending: ['circle-large', 'To do: '],
  in_progress: ['arrow-right', 'Doing: '],
  completed: ['check', 'Done: '],
};

function PlanList({ plan }: { readonly plan: Plan }): JSX.Element {
  return (
    <ul class="plan">
      {plan.entries.map(({ text, status }, index) => (
        <li key={index} class={`plan-entry is-${status}`}>
          <Icon id={MARKS[status][0]} />
          <span>
            <span class="hidden">{MARKS[status][1]}</span>
            {text}
          </span>
        </li>
      ))}
    </ul>
  );
}
