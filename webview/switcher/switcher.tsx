// The switcher: the title of the conversation, and behind it the earlier ones, newest activity first.
import { useSignal } from '@preact/signals';
import type { JSX, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Panel } from '../store/panel.js';
import { Button } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { MAX_QUERY } from './conversations.js';
import { switcherKey } from './keys.js';
import { Row, titleOf } from './row.js';
import type { Reader } from '../transcript/time.js';

const READER: Reader = { locale: undefined, zone: undefined };
const NEAR_END_PX = 200;
const PANEL_ID = 'switcher-panel';

export function Switcher({ panel }: { readonly panel: Panel }): JSX.Element | null {
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const { isOpen } = panel.switcher.state.value;
  const conversation = panel.conversation.value;
  const close = (): void => panel.switcher.close();
  useOutside(root, isOpen, close);
  if (conversation === null) return null;
  const title = titleOf(conversation);
  return (
    <div class="switcher" ref={root}>
      <button
        ref={button}
        type="button"
        class="switcher-button"
        title={`${title}\nSwitch conversation`}
        aria-label={`Conversation: ${title}`}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        {...(isOpen ? { 'aria-controls': PANEL_ID } : {})}
        onClick={() => (isOpen ? close() : panel.switcher.open())}
      >
        <span class="clip">{title}</span>
        {conversation.isArchived ? <span class="tag">Archived</span> : null}
        <Icon id="chevron-down" />
      </button>
      {isOpen ? (
        <List
          panel={panel}
          onDone={() => {
            close();
            button.current?.focus();
          }}
        />
      ) : null}
    </div>
  );
}

interface ListProps {
  readonly panel: Panel;
  /** Closes the list and gives the focus back. */
  readonly onDone: () => void;
}

function List({ panel, onDone }: ListProps): JSX.Element {
  const desk = panel.switcher;
  const { items, query, archived, isAsking, hasMore, picked } = desk.state.value;
  const box = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const current = useSignal<string | null>(null);
  const menu = useSignal<string | null>(null);
  const now = useSignal(Date.now());

  useLayoutEffect(() => search.current?.focus(), []);
  useEffect(() => {
    now.value = Date.now();
    const timer = setInterval(() => (now.value = Date.now()), 30_000);
    return () => clearInterval(timer);
  }, [items]);
  useFocusKept(search, items.map(({ runId }) => runId).join('\n'));

  const rows = (): HTMLButtonElement[] => [
    ...(box.current?.querySelectorAll<HTMLButtonElement>('.conversation-main') ?? []),
  ];
  const pick = (runId: string): void => {
    const item = items.find((one) => one.runId === runId);
    if (item === undefined || item.problem !== null) return;
    panel.flush();
    desk.pick(runId);
    onDone();
  };
  const tabStop = items.some(({ runId }) => runId === current.value) ? current.value : (items[0]?.runId ?? null);

  const onKeyDown = (event: KeyboardEvent): void => {
    const target = event.target instanceof HTMLElement ? event.target : null;
    const runId = target?.closest<HTMLElement>('[data-conversation]')?.dataset['conversation'] ?? null;
    const place = target === search.current ? 'search' : target?.matches('.conversation-main') ? 'row' : 'other';
    const action = switcherKey(event, place);
    if (action === 'leave') return;
    // The letter itself goes to where the focus is when the key is done.
    if (action === 'search') return search.current?.focus();
    event.preventDefault();
    event.stopPropagation();
    const all = rows();
    const at = all.findIndex((row) => row === target);
    switch (action) {
      case 'close':
        onDone();
        return;
      case 'next':
        all[Math.min(at + 1, all.length - 1)]?.focus();
        return;
      case 'previous':
        if (at <= 0) search.current?.focus();
        else all[at - 1]?.focus();
        return;
      case 'first':
        all[0]?.focus();
        return;
      case 'last':
        all.at(-1)?.focus();
        return;
      case 'open': {
        const first = items.find(({ problem }) => problem === null);
        if (first !== undefined && !isAsking) pick(first.runId);
        return;
      }
      case 'menu':
        menu.value = runId;
        return;
      case 'rename':
      case 'delete':
        if (runId !== null) panel.tell({ type: 'conversationAction', action, runId });
        return;
    }
  };
  return (
    <div
      class="switcher-panel"
      id={PANEL_ID}
      role="dialog"
      aria-label="Conversations"
      ref={box}
      onKeyDown={onKeyDown}
      onFocusIn={(event) => {
        const row =
          event.target instanceof HTMLElement ? event.target.closest<HTMLElement>('[data-conversation]') : null;
        if (row !== null) current.value = row.dataset['conversation'] ?? null;
      }}
    >
      <div class="switcher-head">
        <span class="switcher-search">
          <Icon id="search" />
          <input
            ref={search}
            type="text"
            value={query}
            maxLength={MAX_QUERY}
            placeholder="Search conversations"
            aria-label="Search conversations"
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => desk.search(event.currentTarget.value)}
          />
        </span>
        <button
          type="button"
          class="tool switcher-archived"
          title="Show archived conversations"
          aria-label="Show archived conversations"
          aria-pressed={archived}
          onClick={() => desk.showArchived(!archived)}
        >
          <Icon id="archive" />
        </button>
      </div>
      <ul
        class="conversations"
        aria-label={archived ? 'Archived conversations' : 'Conversations'}
        aria-busy={isAsking}
        onScroll={({ currentTarget: list }) => {
          if (hasMore && list.scrollHeight - list.scrollTop - list.clientHeight < NEAR_END_PX) desk.more();
        }}
      >
        {items.map((item) => (
          <Row
            key={item.runId}
            item={item}
            now={now.value}
            reader={READER}
            isCurrent={item.runId === tabStop}
            isPicked={item.runId === picked}
            hasMenu={item.runId === menu.value}
            onOpen={() => pick(item.runId)}
            onMenu={(open) => {
              menu.value = open ? item.runId : null;
              if (!open) focusRow(box.current, item.runId);
            }}
            onAction={(action) => {
              menu.value = null;
              focusRow(box.current, item.runId);
              panel.tell({ type: 'conversationAction', action, runId: item.runId });
            }}
          />
        ))}
      </ul>
      <p class="switcher-words" role="status">
        {items.length > 0 ? (
          <span class="hidden">{countOf(items.length, hasMore)}</span>
        ) : (
          emptyWords(isAsking, query, archived)
        )}
      </p>
      <div class="switcher-foot">
        <Button
          label="New Conversation"
          icon="add"
          onClick={() => {
            panel.tell({ type: 'newConversation' });
            onDone();
          }}
        />
      </div>
    </div>
  );
}

function focusRow(box: HTMLElement | null, runId: string): void {
  box?.querySelector<HTMLElement>(`[data-conversation="${CSS.escape(runId)}"] .conversation-main`)?.focus();
}

function countOf(count: number, hasMore: boolean): string {
  return `${hasMore ? 'The first ' : ''}${count} ${count === 1 ? 'conversation' : 'conversations'}`;
}

function emptyWords(isAsking: boolean, query: string, archived: boolean): string {
  if (isAsking) return 'Looking for conversations…';
  if (query.trim() !== '')
    return archived ? 'No archived conversation has these words.' : 'No conversation has these words.';
  return archived ? 'No conversation is archived.' : 'No conversations yet.';
}

/** Rows that go away with the focus in them give it to the search, not to nobody (WX-11). */
function useFocusKept(search: RefObject<HTMLInputElement | null>, key: string): void {
  useLayoutEffect(() => {
    if (document.activeElement === document.body) search.current?.focus();
  }, [key]);
}

/** A press elsewhere, or a focus that goes elsewhere in the page, closes it; one that leaves for VS Code does not. */
function useOutside(root: RefObject<HTMLElement | null>, isOpen: boolean, close: () => void): void {
  useEffect(() => {
    if (!isOpen) return;
    const onEvent = (event: Event): void => {
      if (event.target instanceof Node && root.current?.contains(event.target) === false) close();
    };
    document.addEventListener('pointerdown', onEvent);
    document.addEventListener('focusin', onEvent);
    return () => {
      document.removeEventListener('pointerdown', onEvent);
      document.removeEventListener('focusin', onEvent);
    };
  }, [isOpen]);
}
