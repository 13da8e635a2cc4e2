// A task on the board: what it is, whose, what holds it up, and where it can go.
import type { JSX } from 'preact';
import type { TaskItem } from '../../src/protocol/board.js';
import { isComposed } from '../composer/keys.js';
import { Icon } from '../ui/icon.js';
import type { BoardDesk } from './desk.js';
import { neighbour } from './moves.js';
import { Owner, type Faces } from './owner.js';
import { RefusalNote } from './refusal.js';
import type { Refusal } from './state.js';
import { TaskMenu } from './task-menu.js';
import { overlapWords, restWords, waitsWords } from './words.js';

export interface CardProps {
  readonly desk: BoardDesk;
  readonly task: TaskItem;
  readonly tasks: readonly TaskItem[];
  readonly faces: Faces;
  readonly refusal: Refusal | null;
  readonly isBusy: boolean;
  /** True while the pane shows it. */
  readonly isShown: boolean;
}

export function Card({ desk, task, tasks, faces, refusal, isBusy, isShown }: CardProps): JSX.Element {
  const { id, owner } = task;
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (by === undefined || !event.altKey || event.ctrlKey || event.metaKey || isComposed(event)) return;
    // Else the editor goes back in its history.
    event.preventDefault();
    event.stopPropagation();
    const to = neighbour(task, by > 0 ? 1 : -1, tasks);
    if (to !== null) desk.act({ kind: 'move', taskId: id, to });
  };
  return (
    <li class={`card${isBusy ? ' is-busy' : ''}`} data-task={id} aria-busy={isBusy} onKeyDown={onKeyDown}>
      <div class="card-face">
        <button
          type="button"
          class="card-main"
          aria-keyshortcuts="Alt+ArrowLeft Alt+ArrowRight"
          onClick={() => desk.act({ kind: 'task', taskId: id })}
          {...(isShown ? { 'aria-current': 'true' as const } : {})}
        >
          <span class="card-id">
            {id}
            <span class="card-revision" title={`Revision ${task.revision}`}>
              <span class="hidden">, revision </span>
              <span aria-hidden="true"> · r</span>
              {task.revision}
            </span>
          </span>
          <span class="card-subject">{task.subject}</span>
          <Line icon="lock" words={waitsWords(task, tasks)} />
          <Line icon="folder" words={task.writeScopes.join(', ')} name="Writes to" />
          <Line icon="warning" words={overlapWords(task)} />
          <Line icon="debug-pause" words={restWords(task, faces)} />
          {owner === null ? (
            <span class="card-owner quiet">{isBusy ? 'Asking…' : 'Nobody’s'}</span>
          ) : (
            <span class="card-owner">
              <Owner id={owner} faces={faces} />
              {isBusy ? <span class="quiet">Asking…</span> : null}
            </span>
          )}
        </button>
        <TaskMenu desk={desk} task={task} tasks={tasks} faces={faces} />
      </div>
      {refusal === null ? null : (
        <RefusalNote refusal={refusal} faces={faces} onDismiss={() => desk.act({ kind: 'dismiss', taskId: id })} />
      )}
    </li>
  );
}

interface LineProps {
  readonly icon: string;
  readonly words: string;
  /** Said before the words where they do not say it themselves. */
  readonly name?: string;
}

function Line({ icon, words, name }: LineProps): JSX.Element | null {
  if (words === '') return null;
  return (
    <span class={`card-line card-${icon}`} title={name === undefined ? words : `${name} ${words}`}>
      <Icon id={icon} />
      <span class="clip">
        {name === undefined ? null : <span class="hidden">{name} </span>}
        {words}
      </span>
    </span>
  );
}
