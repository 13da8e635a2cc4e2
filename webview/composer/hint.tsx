// The line under the text area: who will answer, which mention names nobody, and what is wrong with the text.
import type { JSX } from 'preact';
import { parseMentions } from '../../src/core/team/mentions.js';
import type { Panel } from '../store/panel.js';
import { listOf } from '../words.js';
import { mentionRoster } from './mention-search.js';

export interface HintProps {
  readonly panel: Panel;
  /** By how many characters the text is too long; not positive when it fits. */
  readonly tooLong: number;
  /** The mention that is being typed: it is too early to say that it names nobody. */
  readonly typing: string | null;
}

export function Hint({ panel, tooLong, typing }: HintProps): JSX.Element {
  const members = panel.roomMembers.value;
  if (tooLong > 0) {
    return (
      <span class="hint wrong" id="composer-hint">
        {tooLong} characters too long
      </span>
    );
  }
  // The same parser as the sender's: what is promised here is what happens.
  const { mentions, unresolved } = parseMentions(panel.draft.value, mentionRoster(members), 'you');
  const ghosts = unresolved.filter((name) => name !== typing);
  const nameOf = (id: string): string => members.find((member) => member.id === id)?.name ?? id;
  const contact = panel.room.value?.contact ?? null;
  const who =
    mentions.length > 0 ? mentions.map(nameOf).join(', then ') : contact === null ? undefined : nameOf(contact);
  return (
    <span class="hint" id="composer-hint">
      {who === undefined ? null : (
        <span class="hint-to clip" title={`${who} will answer`}>
          <span aria-hidden="true">→ </span>
          <strong>{who}</strong>
          <span class="hint-answers"> will answer</span>
        </span>
      )}
      {ghosts.length > 0 ? (
        <span class="hint-ghost clip">No member called {listOf(ghosts.map((name) => `@${name}`))}</span>
      ) : (
        <span class="hint-keys">Enter to send · Shift+Enter for a new line</span>
      )}
    </span>
  );
}
