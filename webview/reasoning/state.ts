// What the panel has of one turn's reasoning: the pieces that were read in pages or pushed, and how far they go. Pure.
import type { HostMessage } from '../../src/protocol/messages.js';
import type { StepView } from '../../src/protocol/view.js';

export interface ReasoningState {
  /** `loading`: nothing of it has come yet. */
  readonly status: 'closed' | 'loading' | 'open';
  /** In the order of their sequence, each once. */
  readonly pieces: readonly StepView[];
  /** Sequence up to which everything is here; null before the first. The next page begins after it. */
  readonly cursor: number | null;
  /** True while a page is on its way; `asked` is what it was asked to begin after. */
  readonly isAsking: boolean;
  readonly asked: number | null;
  readonly hasMore: boolean;
  readonly isRunning: boolean;
  /** True when the turn was stopped: this is all that there is of it. */
  readonly isPartial: boolean;
  readonly problem: string | null;
}

export const NO_REASONING: ReasoningState = {
  status: 'closed',
  pieces: [],
  cursor: null,
  isAsking: false,
  asked: null,
  hasMore: false,
  isRunning: false,
  isPartial: false,
  problem: null,
};

/** Asks for the first page of a closed one, else for what comes after the cursor. */
export function asking(state: ReasoningState): ReasoningState {
  const status = state.status === 'closed' ? 'loading' : state.status;
  return { ...state, status, isAsking: true, asked: state.cursor, problem: null };
}

/**
 * Takes in a page or a push.
 * @returns the next state; the same one for what is not wanted any more
 */
export function onReasoning(
  state: ReasoningState,
  message: Extract<HostMessage, { type: 'reasoning' }>,
): ReasoningState {
  if (state.status === 'closed') return state;
  if (!message.isPush && !(state.isAsking && message.after === state.asked)) return state;
  const { isRunning, isPartial, problem } = message;
  const heard = { ...state, pieces: merged(state.pieces, message.steps), isRunning, isPartial };
  // A push goes after all that there is; while there is more to read it waits for its place.
  if (message.isPush) {
    const hasMore = state.hasMore || message.hasMore;
    return state.status === 'open' ? settled({ ...heard, hasMore, problem: problem ?? state.problem }) : heard;
  }
  const last = message.steps.reduce((most, { sequence }) => Math.max(most, sequence), state.cursor ?? -1);
  const read: ReasoningState = {
    ...heard,
    status: 'open',
    cursor: last < 0 ? null : last,
    isAsking: false,
    // An empty page has no end to go on from.
    hasMore: message.hasMore && message.steps.length > 0,
    problem,
  };
  return settled(read);
}

/** Without more to read, everything that was pushed stands at its place. */
function settled(state: ReasoningState): ReasoningState {
  return state.hasMore ? state : { ...state, cursor: state.pieces.at(-1)?.sequence ?? null };
}

/** @returns the pieces without a gap between them, as far as they may be shown */
export function shownPieces({ status, pieces, cursor, hasMore }: ReasoningState): readonly StepView[] {
  if (status !== 'open') return [];
  return hasMore ? pieces.filter(({ sequence }) => sequence <= (cursor ?? -1)) : pieces;
}

function merged(known: readonly StepView[], more: readonly StepView[]): readonly StepView[] {
  const last = known.at(-1)?.sequence ?? -1;
  let at = last;
  const isNext = more.every(({ sequence }) => {
    const follows = sequence > at;
    at = sequence;
    return follows;
  });
  if (isNext) return more.length === 0 ? known : [...known, ...more];
  const bySequence = new Map([...known, ...more].map((piece) => [piece.sequence, piece]));
  return [...bySequence.values()].sort((a, b) => a.sequence - b.sequence);
}
