// What was not done, and why, where it was asked for. The board's live region says it once; this stays to be read.
import type { JSX } from 'preact';
import { ToolButton } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { nameOf, type Faces } from './owner.js';
import type { Refusal } from './state.js';
import { changedWords, refusalWords } from './words.js';

export interface RefusalProps {
  readonly refusal: Refusal;
  readonly faces: Faces;
  readonly onDismiss: () => void;
}

export function RefusalNote({ refusal, faces, onDismiss }: RefusalProps): JSX.Element {
  const { changed, code } = refusal;
  return (
    <div class="refusal" role="group" aria-label="Refused">
      <Icon id="error" />
      <div class="refusal-words">
        <p>{refusalWords(refusal)}</p>
        {changed === null ? null : (
          <p>{changedWords(changed, changed.by === null ? 'Somebody' : nameOf(changed.by, faces))}</p>
        )}
        {code === '' ? null : <p class="refusal-code">{code}</p>}
      </div>
      <ToolButton label="Dismiss" icon="close" onClick={onDismiss} />
    </div>
  );
}
