// The board and its questions to the host. Nothing is asked for before it is opened, and closing it says so.
import { signal, type ReadonlySignal } from '@preact/signals';
import type { HostMessage, PanelMessage } from '../../src/protocol/messages.js';
import { fromSaved, toSaved, type BoardState, type SavedBoard } from './state.js';
import { boardStep, type BoardInput } from './step.js';

/** What the parts of the screen ask for. */
export type BoardAct = Exclude<BoardInput, { kind: 'host' }>;

export interface BoardDesk {
  readonly state: ReadonlySignal<BoardState>;
  act(input: BoardAct): void;
  hear(message: HostMessage): void;
  /** What to keep of it; null while it is closed. */
  saved(): SavedBoard | null;
}

/**
 * @param send the way to the host
 * @param keep called when there is something else to be kept
 * @param newRequestId makes a name that no request has had
 * @param saved what an earlier panel kept
 */
export function createBoardDesk(
  send: (message: PanelMessage) => void,
  keep: () => void,
  newRequestId: () => string,
  saved: SavedBoard | null,
): BoardDesk {
  const state = signal(fromSaved(saved));
  const run = (input: BoardInput): void => {
    const next = boardStep(state.value, input, newRequestId());
    const isOther = next.state !== state.value;
    state.value = next.state;
    if (isOther && input.kind !== 'host') keep();
    for (const message of next.send) send(message);
  };
  return {
    state,
    act: run,
    hear: (message) => {
      const before = toSaved(state.value);
      run({ kind: 'host', message });
      if (JSON.stringify(before) !== JSON.stringify(toSaved(state.value))) keep();
    },
    saved: () => toSaved(state.value),
  };
}
