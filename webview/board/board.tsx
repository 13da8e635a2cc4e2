// The task board, in the place of the room: its columns, and one task or form beside them.
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { isComposed } from '../composer/keys.js';
import type { Panel } from '../store/panel.js';
import { Button, ToolButton } from '../ui/button.js';
import { useFocusReturned } from '../ui/focus-returned.js';
import { Icon } from '../ui/icon.js';
import { Columns } from './board-columns.js';
import { columnsOf } from './columns.js';
import type { BoardDesk } from './desk.js';
import { Filters } from './filters.js';
import { FormPane } from './form-pane.js';
import { nameOf, type Faces } from './owner.js';
import { RefusalNote } from './refusal.js';
import { isBusy, paneTask, taskOf, type BoardState } from './state.js';
import { TaskPane } from './task-pane.js';

export function BoardRegion({ panel }: { readonly panel: Panel }): JSX.Element | null {
  const state = panel.board.state.value;
  if (!state.isOpen) return null;
  return (
    <Board desk={panel.board} state={state} faces={panel.members.value} isCovered={panel.form.state.value !== null} />
  );
}

interface BoardProps {
  readonly desk: BoardDesk;
  readonly state: BoardState;
  readonly faces: Faces;
  /** The form of the team stands over it. */
  readonly isCovered: boolean;
}

function Board({ desk, state, faces, isCovered }: BoardProps): JSX.Element {
  const root = useRef<HTMLElement>(null);
  useEffect(() => root.current?.querySelector<HTMLElement>('h1')?.focus(), []);
  useFocusReturned(root);
  useFocusKept(root);
  usePaneFocus(root, state);
  const { pane, tasks, said } = state;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || isComposed(event)) return;
    // An open menu closes itself.
    if (event.target instanceof Element && event.target.closest('[popover]') !== null) return;
    event.preventDefault();
    if (pane?.kind === 'form' && pane.isLeaving) desk.act({ kind: 'stay' });
    else if (pane?.kind === 'task' && pane.isDeleting) desk.act({ kind: 'askDelete', isAsking: false });
    else desk.act(pane === null ? { kind: 'close' } : { kind: 'leave', drop: false });
  };
  return (
    <section
      class={pane === null ? 'board' : 'board has-pane'}
      aria-label="Task board"
      ref={root}
      inert={isCovered}
      onKeyDown={onKeyDown}
    >
      <header class="form-head board-head">
        <ToolButton label="Back to the room" icon="arrow-left" onClick={() => desk.act({ kind: 'close' })} />
        <div class="form-names">
          <h1 class="clip" tabIndex={-1}>
            Board
          </h1>
        </div>
        <ToolButton
          label="Claim Next Ready Task"
          icon="play"
          words
          disabled={isBusy(state, null)}
          onClick={() => desk.act({ kind: 'claimNext' })}
        />
        <Button label="New Task" icon="add" primary onClick={() => desk.act({ kind: 'write', taskId: null })} />
      </header>
      <Elsewhere desk={desk} state={state} faces={faces} />
      {tasks === null ? (
        <p class="board-wait quiet" aria-busy="true">
          Reading the board…
        </p>
      ) : tasks.length === 0 && pane === null ? (
        <Empty desk={desk} />
      ) : (
        <div class="board-body">
          <div class="board-list" inert={pane?.kind === 'form' && pane.isLeaving}>
            <Filters desk={desk} filter={state.filter} faces={faces} />
            <Columns
              desk={desk}
              state={state}
              tasks={tasks}
              columns={columnsOf(tasks, state.filter, (id) => nameOf(id, faces))}
              faces={faces}
            />
          </div>
          {pane === null ? null : (
            <aside class="board-pane" aria-label={pane.kind === 'task' ? `Task ${pane.taskId}` : 'Task form'}>
              {pane.kind === 'task' ? (
                <TaskPane key={pane.taskId} desk={desk} state={state} faces={faces} {...pane} />
              ) : (
                <FormPane desk={desk} state={state} faces={faces} {...pane} />
              )}
            </aside>
          )}
        </div>
      )}
      <div class="hidden" role="status" aria-live="polite">
        <p key={said.serial}>{said.text}</p>
      </div>
    </section>
  );
}

function Empty({ desk }: { readonly desk: BoardDesk }): JSX.Element {
  return (
    <div class="board-empty">
      <Icon id="tasklist" />
      <h2 class="empty-title">No tasks yet</h2>
      <p class="empty-words">Members put tasks here as they split up their work. You can do the same.</p>
      <Button label="New Task" icon="add" onClick={() => desk.act({ kind: 'write', taskId: null })} />
    </div>
  );
}

/** Refusals that no card on the board can show. */
function Elsewhere({ desk, state, faces }: Omit<BoardProps, 'isCovered'>): JSX.Element | null {
  const shown = paneTask(state.pane) ?? (state.pane === null ? null : '');
  const homeless = Object.entries(state.refusals).filter(([id]) => id !== shown && taskOf(state, id) === null);
  if (homeless.length === 0) return null;
  return (
    <div class="board-refusals">
      {homeless.map(([id, refusal]) => (
        <RefusalNote
          key={id}
          refusal={id === '' ? refusal : { ...refusal, goal: `${refusal.goal} of ${id}` }}
          faces={faces}
          onDismiss={() => desk.act({ kind: 'dismiss', taskId: id })}
        />
      ))}
    </div>
  );
}

/** WX-11: a card that goes to another column is another element there, and has the focus that it had. */
function useFocusKept(root: { readonly current: HTMLElement | null }): void {
  const last = useRef<string | null>(null);
  useEffect(() => {
    const board = root.current;
    const note = (event: FocusEvent): void => {
      const card = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-task]') : null;
      last.current = card?.dataset['task'] ?? null;
    };
    board?.addEventListener('focusin', note);
    return () => board?.removeEventListener('focusin', note);
  }, []);
  useLayoutEffect(() => {
    if (last.current === null || document.activeElement !== document.body) return;
    focusCard(root.current, last.current);
  });
}

/** What opens beside the columns gets the focus, and gives it back to its card. */
function usePaneFocus(root: { readonly current: HTMLElement | null }, { pane }: BoardState): void {
  const key = pane === null ? null : `${pane.kind}/${paneTask(pane) ?? ''}`;
  const before = useRef<{ readonly key: string | null; readonly taskId: string | null }>({ key: null, taskId: null });
  useLayoutEffect(() => {
    const was = before.current;
    before.current = { key, taskId: paneTask(pane) };
    if (key === was.key) return;
    if (key !== null) {
      const first = pane?.kind === 'form' ? '.board-pane input' : '.board-pane h2';
      root.current?.querySelector<HTMLElement>(first)?.focus();
    } else if (document.activeElement === document.body) {
      focusCard(root.current, was.taskId ?? '');
    }
  }, [key]);
}

function focusCard(root: HTMLElement | null, taskId: string): void {
  const card = root?.querySelector<HTMLElement>(`[data-task="${CSS.escape(taskId)}"] .card-main`);
  (card ?? root?.querySelector<HTMLElement>('h1'))?.focus();
}
