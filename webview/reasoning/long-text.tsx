// A text that may be long: its beginning, and the rest when it is asked for. Text is text, never markup (WX-1).
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { PlainButton } from '../ui/button.js';
import { memo } from '../ui/memo.js';
import { beginningOf } from './beginning.js';

export interface LongTextProps {
  readonly text: string;
  /** Set in the editor's own type, lines kept as they are. */
  readonly isCode: boolean;
  readonly lines: number;
  /** What it is, for whoever does not see it, e.g. "Result of search". */
  readonly label: string;
}

export const LongText = memo(function LongText({ text, isCode, lines, label }: LongTextProps): JSX.Element {
  const isWhole = useSignal(false);
  const beginning = beginningOf(text, lines);
  const shown = beginning === null || isWhole.value ? text : beginning.text;
  return (
    <div class="long-text">
      {isCode ? (
        <pre class="step-code" aria-label={label}>
          {shown}
        </pre>
      ) : (
        <p class="step-words">{shown}</p>
      )}
      {beginning === null ? null : (
        <PlainButton
          class="step-more"
          expanded={isWhole.value}
          label={`${isWhole.value ? 'Show less' : 'Show all'}: ${label}`}
          onClick={() => {
            isWhole.value = !isWhole.value;
          }}
        >
          {isWhole.value ? 'Show less' : `Show all (${beginning.size})`}
        </PlainButton>
      )}
    </div>
  );
});
