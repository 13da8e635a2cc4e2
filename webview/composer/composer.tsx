// Where a person writes: the draft, who will answer, the list of members behind an `@`.
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { MAX_POST_LENGTH } from '../../src/protocol/messages.js';
import type { Panel } from '../store/panel.js';
import { Button } from '../ui/button.js';
import { TextArea } from '../ui/text-area.js';
import { Complaint } from './complaint.js';
import { Hint } from './hint.js';
import { keyAction } from './keys.js';
import { MentionList, optionId, MENTION_LIST_ID } from './mention-list.js';
import { insertMention, mentionChoices, mentionQuery, type MentionChoice } from './mention-search.js';
import { Stop } from './stop.js';
import { useHistory } from './use-history.js';

export function Composer({ panel }: { readonly panel: Panel }): JSX.Element | null {
  const area = useRef<HTMLTextAreaElement>(null);
  const caret = useSignal(0);
  const chosen = useSignal(0);
  /** The `@` whose list was closed with Escape: it stays closed. */
  const closedAt = useSignal<number | null>(null);
  const focused = useSignal(false);
  const caretAfter = useRef<number | null>(null);

  const room = panel.room.value;
  const text = panel.draft.value;
  const query = focused.value ? mentionQuery(text, caret.value) : null;
  const choices =
    query === null || query.start === closedAt.value ? [] : mentionChoices(panel.roomMembers.value, query.text);
  const choice = choices[Math.min(chosen.value, choices.length - 1)];
  const tooLong = text.length - MAX_POST_LENGTH;
  const isReadOnly = (panel.conversation.value?.readOnly ?? null) !== null;
  const canSend = text.trim() !== '' && tooLong <= 0 && !isReadOnly;

  useLayoutEffect(() => {
    if (caretAfter.current === null || area.current === null) return;
    area.current.focus();
    area.current.setSelectionRange(caretAfter.current, caretAfter.current);
    caret.value = caretAfter.current;
    caretAfter.current = null;
  }, [text]);

  const wanted = panel.toInsert.value;
  useEffect(() => {
    if (wanted === null) return;
    panel.insert(null);
    const at = area.current?.selectionStart ?? text.length;
    const gap = at > 0 && !/\s$/u.test(text.slice(0, at)) ? ' ' : '';
    const written = `${text.slice(0, at)}${gap}${wanted} `;
    caretAfter.current = written.length;
    panel.write(written + text.slice(at).trimStart());
  }, [wanted]);

  const goThroughHistory = useHistory(panel, (found, at) => {
    caretAfter.current = at;
    panel.write(found);
  });

  if (room === null) return null;

  const send = (): void => {
    // What stands there now: a second click may come before the first one's text is gone from the screen (SP-7).
    const now = panel.draft.value;
    if (!canSend || now.trim() === '') return;
    panel.send(now);
    area.current?.focus();
  };
  const accept = (picked: MentionChoice): void => {
    if (query === null) return;
    const next = insertMention(text, query, picked.insert);
    caretAfter.current = next.caret;
    chosen.value = 0;
    panel.write(next.text);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const action = keyAction(event, choices.length > 0);
    if (action === 'type') {
      if (goThroughHistory(event)) event.preventDefault();
      return;
    }
    event.preventDefault();
    switch (action) {
      case 'next':
        chosen.value = (Math.min(chosen.value, choices.length - 1) + 1) % choices.length;
        return;
      case 'previous':
        chosen.value = (Math.min(chosen.value, choices.length - 1) + choices.length - 1) % choices.length;
        return;
      case 'accept':
        if (choice !== undefined) accept(choice);
        return;
      case 'close':
        closedAt.value = query?.start ?? null;
        return;
      case 'send':
        send();
        return;
    }
  };
  const onCaret = (): void => {
    const at = area.current?.selectionStart ?? 0;
    if (at === caret.value) return;
    caret.value = at;
    if (mentionQuery(text, at)?.start !== closedAt.value) closedAt.value = null;
  };

  return (
    <section class="composer" aria-label="Write a post">
      <Complaint panel={panel} />
      <div class="composer-box">
        {choices.length > 0 ? <MentionList panel={panel} choices={choices} chosen={choice} onPick={accept} /> : null}
        <TextArea
          area={area}
          label={`Post to ${room.name}`}
          placeholder={`Post to ${room.kind === 'direct' ? '' : '#'}${room.name}`}
          value={text}
          listId={choices.length > 0 ? MENTION_LIST_ID : null}
          optionId={choice === undefined ? null : optionId(choice)}
          describedBy="composer-hint"
          onInput={(value) => {
            focused.value = true;
            caret.value = area.current?.selectionStart ?? value.length;
            chosen.value = 0;
            // An `@` that was deleted takes its closed list with it; one typed anew in its place opens another.
            if (mentionQuery(value, caret.value)?.start !== closedAt.value) closedAt.value = null;
            panel.write(value);
          }}
          onKeyDown={onKeyDown}
          onCaret={onCaret}
          onBlur={() => {
            focused.value = false;
            panel.flush();
          }}
        />
        <div class="composer-foot">
          <Hint panel={panel} tooLong={tooLong} typing={choices.length > 0 ? (query?.text ?? null) : null} />
          <span class="composer-buttons">
            <Stop panel={panel} />
            <Button label="Send" icon="send" primary disabled={!canSend} onClick={send} />
          </span>
        </div>
      </div>
    </section>
  );
}
