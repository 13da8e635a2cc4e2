// The list of members above the text area. Focus stays in the text area; the chosen option is told by its id.
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { isMarkedLead } from '../../src/protocol/view.js';
import type { Panel } from '../store/panel.js';
import { Avatar } from '../ui/icon.js';
import { STATUS_WORDS, tintOf } from '../words.js';
import type { MentionChoice } from './mention-search.js';

export const MENTION_LIST_ID = 'mention-list';

/** @returns the id of a choice's element */
export function optionId(choice: MentionChoice): string {
  return `mention-${choice.member === null ? 'all' : `member-${choice.id}`}`;
}

export interface MentionListProps {
  readonly panel: Panel;
  readonly choices: readonly MentionChoice[];
  readonly chosen: MentionChoice | undefined;
  readonly onPick: (choice: MentionChoice) => void;
}

const EVERYBODY = { kind: 'codicon', id: 'organization' } as const;

export function MentionList({ panel, choices, chosen, onPick }: MentionListProps): JSX.Element {
  const list = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen?.id]);
  return (
    <ul class="mention-list" id={MENTION_LIST_ID} role="listbox" aria-label="Members" ref={list}>
      {choices.map((choice) => (
        <li
          key={choice.id}
          id={optionId(choice)}
          class="mention-option"
          role="option"
          aria-selected={choice === chosen}
          // The press, not the click: the text area keeps its focus and its caret.
          onMouseDown={(event) => {
            event.preventDefault();
            onPick(choice);
          }}
        >
          <Avatar
            icon={choice.member?.icon ?? EVERYBODY}
            tint={choice.member === null ? -1 : tintOf(choice.id, panel.members.value)}
          />
          <span class="mention-name">{choice.name}</span>
          {choice.member !== null && isMarkedLead(choice.member) ? <span class="badge">Lead</span> : null}
          <span class="mention-detail clip">{choice.detail}</span>
          {choice.member === null ? null : <span class="quiet">{STATUS_WORDS[choice.member.status]}</span>}
        </li>
      ))}
    </ul>
  );
}
