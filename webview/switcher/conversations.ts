// What the list of conversations shows and what of it is on its way. Pure.
import type { HostMessage, PanelMessage } from '../../src/protocol/messages.js';
import type { ConversationItem } from '../../src/protocol/view.js';

/** How many more conversations are asked for at a time, and how many at most. */
export const PAGE = 50;
export const MOST = 1000;
/** Longest search, in UTF-16 code units: what the protocol takes. */
export const MAX_QUERY = 200;

export interface SwitcherState {
  readonly isOpen: boolean;
  readonly query: string;
  /** True while the archived ones are listed in place of the others. */
  readonly archived: boolean;
  readonly limit: number;
  readonly items: readonly ConversationItem[];
  readonly hasMore: boolean;
  /** True until the answer to the last question comes. */
  readonly isAsking: boolean;
  /** The conversation that was picked last and is not shown yet. */
  readonly picked: string | null;
}

export const NO_SWITCHER: SwitcherState = {
  isOpen: false,
  query: '',
  archived: false,
  limit: PAGE,
  items: [],
  hasMore: false,
  isAsking: false,
  picked: null,
};

export interface SwitcherStep {
  readonly state: SwitcherState;
  readonly send: readonly PanelMessage[];
}

/** Asks for the list as it is wanted now. */
export function asked(state: SwitcherState): SwitcherStep {
  const { query, archived, limit } = state;
  return {
    state: { ...state, isAsking: true },
    send: [{ type: 'conversations', query: query.trim(), archived, limit }],
  };
}

export function opened(state: SwitcherState): SwitcherStep {
  return state.isOpen
    ? quiet(state)
    : asked({ ...NO_SWITCHER, isOpen: true, items: state.items, picked: state.picked });
}

/** What was listed is kept to be shown at once when it is opened again. */
export function closed(state: SwitcherState): SwitcherStep {
  const items = state.query === '' && !state.archived ? state.items.slice(0, PAGE) : [];
  return quiet({ ...NO_SWITCHER, items, picked: state.picked });
}

/** @param query what is typed; it is asked for when typing pauses */
export function typed(state: SwitcherState, query: string): SwitcherState {
  return { ...state, query: query.slice(0, MAX_QUERY).toWellFormed(), limit: PAGE, isAsking: true };
}

export function turned(state: SwitcherState, archived: boolean): SwitcherStep {
  return asked({ ...state, archived, limit: PAGE, items: [], hasMore: false });
}

export function further(state: SwitcherState): SwitcherStep {
  if (!state.hasMore || state.isAsking || state.limit >= MOST) return quiet(state);
  return asked({ ...state, limit: Math.min(MOST, state.limit + PAGE) });
}

/** WV-11: of two quick picks the last one is asked for last, and it is the one that is marked. */
export function picked(state: SwitcherState, runId: string): SwitcherStep {
  const item = state.items.find((one) => one.runId === runId);
  if (item === undefined || item.problem !== null) return quiet(state);
  if (item.isOpen && state.picked === null) return closed(state);
  const next = closed(state).state;
  return { state: { ...next, picked: runId }, send: [{ type: 'openConversation', runId }] };
}

/** Takes in a list, unless it answers a question that has been asked otherwise since. */
export function onConversations(
  state: SwitcherState,
  message: Extract<HostMessage, { type: 'conversations' }>,
): SwitcherState {
  if (!state.isOpen || message.query !== state.query.trim() || message.archived !== state.archived) return state;
  return { ...state, items: message.items, hasMore: message.hasMore && state.limit < MOST, isAsking: false };
}

export function onConversationsChanged(state: SwitcherState): SwitcherStep {
  return state.isOpen ? asked(state) : quiet(state);
}

/** @param runId of the conversation that is shown now */
export function onShown(state: SwitcherState, runId: string): SwitcherState {
  const items = state.items.some((item) => item.isOpen !== (item.runId === runId))
    ? state.items.map((item) => ({ ...item, isOpen: item.runId === runId }))
    : state.items;
  return state.picked !== runId && items === state.items
    ? state
    : { ...state, items, picked: state.picked === runId ? null : state.picked };
}

/** A pick that was refused is over. */
export function onRefused(state: SwitcherState): SwitcherState {
  return state.picked === null ? state : { ...state, picked: null };
}

function quiet(state: SwitcherState): SwitcherStep {
  return { state, send: [] };
}
