// The line under the text area: who will answer, which mention names nobody, and what is wrong with the text.
import type { JSX } from 'preact';
import type { Panel } from '../store/panel.js';
import { Icon, tintClass } from '../ui/icon.js';
import { listOf, tintOf } from '../words.js';
import { wokenBy, type Woken } from './woken.js';

export interface HintProps {
  readonly panel: Panel;
  /** By how many characters the text is too long; not positive when it fits. */
  readonly tooLong: number;
  /** The mention that is being typed: it is too early to say that it names nobody. */
  readonly typing: string | null;
}

/** With more chips there is no room beside them. */
const FEW_CHIPS = 2;

export function Hint({ panel, tooLong, typing }: HintProps): JSX.Element {
  if (tooLong > 0) {
    return (
      <span class="hint wrong" id="composer-hint">
        {tooLong} characters too long
      </span>
    );
  }
  const woken = wokenBy(panel.draft.value, panel.roomMembers.value, panel.room.value);
  const ghosts = woken.ghosts.filter((name) => name !== typing);
  return (
    <span class="hint" id="composer-hint">
      {woken.ids.length === 0 ? null : <Chips panel={panel} woken={woken} />}
      {ghosts.length > 0 ? (
        <span class="hint-ghost clip">
          <Icon id="warning" />
          No member called {listOf(ghosts.map((name) => `@${name}`))}
        </span>
      ) : woken.ids.length > FEW_CHIPS ? null : (
        <span class="hint-keys">Enter to send · Shift+Enter for a new line</span>
      )}
    </span>
  );
}

/** One chip for each member that the post will wake, in the order in which they answer. */
function Chips({ panel, woken: { ids, isAll } }: { readonly panel: Panel; readonly woken: Woken }): JSX.Element {
  const members = panel.members.value;
  const who = ids.map((id) => members.get(id)?.name ?? id).join(', then ');
  return (
    <span class="hint-to" title={`${who} will answer`}>
      <span class="hint-arrow" aria-hidden="true">
        →{' '}
      </span>
      {ids.map((id, index) => (
        <span key={id} class="chip-place">
          {index === 0 ? null : <span class="hidden">, then </span>}
          <span class={`chip ${tintClass(tintOf(id, members))}`} data-member={id}>
            <strong class="clip">{members.get(id)?.name ?? id}</strong>
          </span>
        </span>
      ))}
      <span class="hint-answers"> {isAll ? `all ${ids.length} will answer` : 'will answer'}</span>
    </span>
  );
}
