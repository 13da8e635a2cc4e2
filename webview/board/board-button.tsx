// The ways to the board, with how many of its tasks are not done: in the head of the room, and beside the rooms.
import type { JSX } from 'preact';
import type { Panel } from '../store/panel.js';
import { PlainButton } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { boardLabel, openCount } from './words.js';

export function BoardButton({ panel }: { readonly panel: Panel }): JSX.Element | null {
  const counts = panel.conversation.value?.tasks;
  if (counts === undefined) return null;
  const open = openCount(counts);
  return (
    <PlainButton
      class="tool board-button"
      label={boardLabel(counts)}
      title={boardLabel(counts)}
      onClick={() => panel.board.act({ kind: 'open', taskId: null })}
    >
      <Icon id="tasklist" />
      <span class="tool-words">Board</span>
      {open === 0 ? null : <span class="count">{open}</span>}
    </PlainButton>
  );
}

export interface BoardRowProps {
  readonly panel: Panel;
  readonly onOpen: () => void;
}

/** The same among the rooms: a narrow panel has no room for it in its head. */
export function BoardRow({ panel, onOpen }: BoardRowProps): JSX.Element | null {
  const counts = panel.conversation.value?.tasks;
  if (counts === undefined) return null;
  const open = openCount(counts);
  const isOpen = panel.board.state.value.isOpen;
  return (
    <PlainButton
      class="room board-row"
      current={isOpen}
      title={boardLabel(counts)}
      onClick={() => {
        if (isOpen) {
          panel.form.leave();
          return;
        }
        panel.flush();
        onOpen();
        panel.board.act({ kind: 'open', taskId: null });
      }}
    >
      <span class="room-mark">
        <Icon id="tasklist" />
      </span>
      <span class="clip">Task board</span>
      {open === 0 ? null : (
        <span class="count">
          {open}
          <span class="hidden"> open</span>
        </span>
      )}
    </PlainButton>
  );
}
