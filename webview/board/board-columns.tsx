// The columns and their cards. Cards are carried with the mouse; arrows go from card to card, and with Alt they move one.
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { TaskItem } from '../../src/protocol/board.js';
import { isComposed } from '../composer/keys.js';
import { Card } from './card.js';
import { cardBeside, type Arrow, type Column } from './columns.js';
import type { BoardDesk } from './desk.js';
import { useDrag, type Drag } from './drag.js';
import { COLUMN_WORDS, moveTo } from './moves.js';
import type { Faces } from './owner.js';
import { isBusy, paneTask, taskOf, type BoardState } from './state.js';

const ARROWS: readonly Arrow[] = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'];

export interface ColumnsProps {
  readonly desk: BoardDesk;
  readonly state: BoardState;
  readonly tasks: readonly TaskItem[];
  readonly columns: readonly Column[];
  readonly faces: Faces;
}

export function Columns({ desk, state, tasks, columns, faces }: ColumnsProps): JSX.Element {
  const root = useRef<HTMLDivElement>(null);
  const drag = useDrag(root, (taskId, to) => desk.act({ kind: 'move', taskId, to })).value;
  const carried = drag === null ? null : taskOf(state, drag.taskId);
  const shown = paneTask(state.pane);
  const onKeyDown = (event: KeyboardEvent): void => {
    const arrow = ARROWS.find((one) => one === event.key);
    const card = event.target instanceof Element ? event.target.closest<HTMLElement>('.card-main') : null;
    const id = card?.closest<HTMLElement>('[data-task]')?.dataset['task'];
    if (arrow === undefined || id === undefined || isModified(event) || isComposed(event)) return;
    event.preventDefault();
    const next = cardBeside(columns, id, arrow);
    if (next === null) return;
    root.current?.querySelector<HTMLElement>(`[data-task="${CSS.escape(next)}"] .card-main`)?.focus();
  };
  return (
    <div class={drag === null ? 'board-columns' : 'board-columns is-dragging'} ref={root} onKeyDown={onKeyDown}>
      {columns.map(({ id, tasks: cards, hidden }) => {
        const way = carried === null ? null : moveTo(carried, id, tasks);
        const over = drag?.over === id ? (way?.kind === 'none' ? ' is-no' : ' is-over') : '';
        return (
          <section key={id} class={`board-column${over}`} data-column={id} aria-labelledby={`column-${id}`}>
            <h2 class="column-title" id={`column-${id}`}>
              {COLUMN_WORDS[id]}
              <span class="badge">{cards.length}</span>
            </h2>
            {cards.length === 0 ? (
              <p class="column-empty quiet">{hidden === 0 ? 'None' : `None of ${hidden} fits the filter`}</p>
            ) : (
              <ul class="cards">
                {cards.map((task) => (
                  <Card
                    key={task.id}
                    desk={desk}
                    task={task}
                    tasks={tasks}
                    faces={faces}
                    refusal={shown === task.id ? null : (state.refusals[task.id] ?? null)}
                    isBusy={isBusy(state, task.id)}
                    isShown={shown === task.id}
                  />
                ))}
              </ul>
            )}
          </section>
        );
      })}
      {drag === null || carried === null ? null : <Ghost drag={drag} task={carried} />}
    </div>
  );
}

function Ghost({ drag: { x, y }, task }: { readonly drag: Drag; readonly task: TaskItem }): JSX.Element {
  return (
    <div class="drag-ghost" aria-hidden="true" style={{ left: `${x}px`, top: `${y}px` }}>
      <span class="card-id">{task.id}</span>
      <span class="clip">{task.subject}</span>
    </div>
  );
}

function isModified({ altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean {
  return altKey || ctrlKey || metaKey || shiftKey;
}
