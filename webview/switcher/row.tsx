// One conversation of the list: what it is about, when something happened in it, whether it waits for the person.
import type { JSX } from 'preact';
import type { ConversationItem } from '../../src/protocol/view.js';
import { absolute, type Reader } from '../transcript/time.js';
import { Icon } from '../ui/icon.js';
import { ago } from './ago.js';
import type { RowAction } from './row-entries.js';
import { RowMenu } from './row-menu.js';

export interface RowProps {
  readonly item: ConversationItem;
  readonly now: number;
  readonly reader: Reader;
  /** The row that Tab reaches. */
  readonly isCurrent: boolean;
  readonly isPicked: boolean;
  readonly hasMenu: boolean;
  readonly onOpen: () => void;
  readonly onMenu: (open: boolean) => void;
  readonly onAction: (action: RowAction) => void;
}

/** @returns the name that a conversation is shown under */
export function titleOf({ title }: Pick<ConversationItem, 'title'>): string {
  return title ?? 'New conversation';
}

export function Row(props: RowProps): JSX.Element {
  const { item, now, reader, isCurrent, isPicked, hasMenu } = props;
  const title = titleOf(item);
  const preview = item.preview === item.title ? null : item.preview;
  const tab = isCurrent ? 0 : -1;
  return (
    <li
      class={rowClass(item)}
      data-conversation={item.runId}
      onContextMenu={(event) => {
        event.preventDefault();
        props.onMenu(true);
      }}
    >
      <button
        type="button"
        class="conversation-main"
        tabIndex={tab}
        title={item.problem ?? title}
        aria-disabled={item.problem !== null}
        {...(item.isOpen ? { 'aria-current': 'true' as const } : {})}
        onClick={props.onOpen}
      >
        <span class="conversation-line">
          <Mark item={item} isPicked={isPicked} />
          <span class="conversation-title clip">{title}</span>
          <time class="conversation-time" dateTime={item.activeAt} title={absolute(item.activeAt, reader)}>
            {ago(item.activeAt, now, reader)}
          </time>
        </span>
        {item.problem !== null ? (
          <span class="conversation-problem">{item.problem}</span>
        ) : preview === null ? null : (
          <span class="conversation-preview clip">{preview}</span>
        )}
        <span class="conversation-line">
          <span class="conversation-team clip">{item.teamName}</span>
          {item.isRunning ? <span class="tag is-running">Running</span> : null}
          {item.isArchived ? <span class="tag">Archived</span> : null}
          {item.waits > 0 ? <span class="tag needs">Waits for you ({item.waits})</span> : null}
        </span>
      </button>
      <button
        type="button"
        class="tool conversation-more"
        tabIndex={tab}
        title="More Actions"
        aria-label={`More actions for ${title}`}
        aria-haspopup="menu"
        aria-expanded={hasMenu}
        onClick={() => props.onMenu(!hasMenu)}
      >
        <Icon id="ellipsis" />
      </button>
      {hasMenu ? (
        <RowMenu item={item} label={title} onPick={props.onAction} onClose={() => props.onMenu(false)} />
      ) : null}
    </li>
  );
}

function rowClass({ isOpen, problem }: ConversationItem): string {
  return ['conversation', isOpen ? 'is-open' : '', problem === null ? '' : 'is-broken'].filter(Boolean).join(' ');
}

function Mark({ item, isPicked }: { readonly item: ConversationItem; readonly isPicked: boolean }): JSX.Element {
  const [icon, words] = isPicked
    ? ['loading', 'Opening: ']
    : item.problem !== null
      ? ['warning', 'Cannot be opened: ']
      : item.isOpen
        ? ['check', 'Open: ']
        : ['comment-discussion', ''];
  return (
    <span class={isPicked ? 'conversation-mark goes-on' : 'conversation-mark'}>
      <Icon id={icon} />
      {words === '' ? null : <span class="hidden">{words}</span>}
    </span>
  );
}
