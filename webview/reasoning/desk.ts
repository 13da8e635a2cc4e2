// Which turns' reasoning is open, and the questions to the host about it. Nothing is asked before somebody wants to see
// it (C18), and nothing is kept of one that was closed.
import { signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { HostMessage, PanelMessage } from '../../src/protocol/messages.js';
import { asking, NO_REASONING, onReasoning, type ReasoningState } from './state.js';

export interface ReasoningDesk {
  /** What is known of a turn's reasoning; it stays while rows come and go. */
  at(position: string): ReadonlySignal<ReasoningState>;
  open(position: string): void;
  close(position: string): void;
  /** Asks for the next page, or again for what may have been missed. */
  more(position: string): void;
  hear(message: HostMessage): void;
}

/** @param send the way to the host */
export function createReasoning(send: (message: PanelMessage) => void): ReasoningDesk {
  const known = new Map<string, Signal<ReasoningState>>();
  let runId: string | null = null;

  const at = (position: string): Signal<ReasoningState> => {
    const found = known.get(position) ?? signal(NO_REASONING);
    known.set(position, found);
    return found;
  };
  const ask = (position: string): void => {
    const state = at(position);
    state.value = asking(state.value);
    send({ type: 'reasoning', position, after: state.value.asked });
  };
  const forget = (position: string): void => {
    at(position).value = NO_REASONING;
    send({ type: 'reasoningClosed', position });
  };
  const openOnes = (): string[] => [...known].filter(([, { value }]) => value.status !== 'closed').map(([key]) => key);

  return {
    at,
    open: (position) => {
      if (at(position).value.status === 'closed') ask(position);
    },
    close: (position) => {
      if (at(position).value.status !== 'closed') forget(position);
    },
    more: (position) => {
      const { status, isAsking } = at(position).value;
      if (status !== 'closed' && !isAsking) ask(position);
    },
    hear: (message) => {
      if (message.type === 'reasoning') {
        const state = known.get(message.position);
        if (state !== undefined) state.value = onReasoning(state.value, message);
      } else if (message.type === 'snapshot') {
        const isSame = message.conversation.runId === runId;
        runId = message.conversation.runId;
        // A snapshot comes where something may have been missed: pushes too, or a host that knows nothing of us (WV-8).
        for (const position of openOnes()) {
          const { isRunning, isAsking } = at(position).value;
          if (!isSame) forget(position);
          else if (isRunning || isAsking) ask(position);
        }
      }
    },
  };
}
