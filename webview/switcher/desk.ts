// The list of conversations and its questions to the host: typing is asked for when it pauses.
import { signal, type ReadonlySignal } from '@preact/signals';
import type { HostMessage, PanelMessage } from '../../src/protocol/messages.js';
import * as conversations from './conversations.js';

const TYPING_PAUSE_MS = 150;

export interface SwitcherDesk {
  readonly state: ReadonlySignal<conversations.SwitcherState>;
  open(): void;
  close(): void;
  search(query: string): void;
  showArchived(archived: boolean): void;
  more(): void;
  pick(runId: string): void;
  hear(message: HostMessage): void;
}

/** @param send the way to the host */
export function createSwitcher(send: (message: PanelMessage) => void): SwitcherDesk {
  const state = signal(conversations.NO_SWITCHER);
  let typing: ReturnType<typeof setTimeout> | undefined;

  const take = (step: conversations.SwitcherStep): void => {
    state.value = step.state;
    for (const message of step.send) send(message);
  };
  /** Whatever asks now asks with what was typed. */
  const now = (step: (state: conversations.SwitcherState) => conversations.SwitcherStep): void => {
    clearTimeout(typing);
    take(step(state.value));
  };
  return {
    state,
    open: () => now(conversations.opened),
    close: () => now(conversations.closed),
    search: (query) => {
      clearTimeout(typing);
      state.value = conversations.typed(state.value, query);
      typing = setTimeout(() => take(conversations.asked(state.value)), TYPING_PAUSE_MS);
    },
    showArchived: (archived) => now((before) => conversations.turned(before, archived)),
    more: () => take(conversations.further(state.value)),
    pick: (runId) => now((before) => conversations.picked(before, runId)),
    hear: (message) => {
      const { type } = message;
      if (type === 'conversations') state.value = conversations.onConversations(state.value, message);
      else if (type === 'conversationsChanged') now(conversations.onConversationsChanged);
      else if (type === 'snapshot') state.value = conversations.onShown(state.value, message.conversation.runId);
      else if (type === 'refused' || type === 'problem') state.value = conversations.onRefused(state.value);
    },
  };
}
