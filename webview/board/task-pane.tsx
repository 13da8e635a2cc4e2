// One task beside the columns: all of it, what it waits for and what waits for it, what was done to it, and what can be.
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { TaskItem, TaskRevisionView } from '../../src/protocol/board.js';
import { absolute, clock, dayLabel, type Reader } from '../transcript/time.js';
import { Button, PlainButton, ToolButton } from '../ui/button.js';
import { ChoiceField } from '../ui/field.js';
import { Icon } from '../ui/icon.js';
import { listOf } from '../words.js';
import type { BoardDesk } from './desk.js';
import { COLUMN_WORDS, dependents } from './moves.js';
import { nameOf, Owner, PERSON, type Faces } from './owner.js';
import { RefusalNote } from './refusal.js';
import { isBusy, taskOf, type BoardState } from './state.js';
import { assignEntry } from './task-menu.js';
import { overlapWords, restWords } from './words.js';

const READER: Reader = { locale: undefined, zone: undefined };
/** No member's id is empty. */
const NOBODY = '';

export interface TaskPaneProps {
  readonly desk: BoardDesk;
  readonly state: BoardState;
  readonly taskId: string;
  readonly isDeleting: boolean;
  readonly faces: Faces;
}

export function TaskPane({ desk, state, taskId, isDeleting, faces }: TaskPaneProps): JSX.Element {
  const task = taskOf(state, taskId);
  const detail = state.detail?.taskId === taskId ? state.detail : null;
  const refusal = state.refusals[taskId] ?? null;
  const isGone = task === null && (detail?.isDeleted === true || state.tasks !== null);
  return (
    <>
      <header class="pane-head">
        <h2 class="pane-title" tabIndex={-1}>
          {taskId}
          <span class="quiet"> · revision {task?.revision ?? detail?.revision ?? '…'}</span>
        </h2>
        <ToolButton label="Close Task" icon="close" onClick={() => desk.act({ kind: 'leave', drop: false })} />
      </header>
      <div class="pane-scroll">
        <p class="pane-subject">{task?.subject ?? detail?.subject ?? ''}</p>
        {isGone ? <p class="quiet">This task was deleted. What was done to it stays readable.</p> : null}
        {refusal === null ? null : (
          <RefusalNote refusal={refusal} faces={faces} onDismiss={() => desk.act({ kind: 'dismiss', taskId })} />
        )}
        {task === null ? null : (
          <>
            <Actions desk={desk} state={state} task={task} isDeleting={isDeleting} />
            <Rest words={restWords(task, faces)} />
            <OwnerChoice desk={desk} task={task} faces={faces} isBusy={isBusy(state, taskId)} />
          </>
        )}
        <Part title="Description">
          <p class="pane-text">{detail?.description ?? 'Loading…'}</p>
        </Part>
        {detail === null || detail.result === null ? null : (
          <Part title="Result">
            <p class="pane-text">{detail.result}</p>
          </Part>
        )}
        {task === null ? null : <Links desk={desk} task={task} tasks={state.tasks ?? []} />}
        <Part title="History">
          {detail === null || detail.problem === null ? null : <p class="field-problem">{detail.problem}</p>}
          <ol class="history">
            {(detail?.history ?? []).map((one) => (
              <Revision key={one.revision} one={one} faces={faces} />
            ))}
          </ol>
        </Part>
      </div>
    </>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <section class="pane-part" aria-label={title}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function Rest({ words }: { readonly words: string }): JSX.Element | null {
  if (words === '') return null;
  return (
    <p class="pane-warning">
      <Icon id="debug-pause" /> {words}
    </p>
  );
}

interface ActionsProps {
  readonly desk: BoardDesk;
  readonly state: BoardState;
  readonly task: TaskItem;
  readonly isDeleting: boolean;
}

function Actions({ desk, state, task, isDeleting }: ActionsProps): JSX.Element {
  const { id, column } = task;
  const busy = isBusy(state, id);
  const act = (goal: string, action: 'claim' | 'release' | 'complete' | 'reopen') => (
    <Button
      label={goal}
      primary={action === 'complete' || action === 'claim'}
      disabled={busy}
      onClick={() => desk.act({ kind: 'act', taskId: id, goal, step: { action } })}
    />
  );
  return (
    <>
      <div class="pane-actions">
        <span class={`pane-state state-${column}`}>{COLUMN_WORDS[column]}</span>
        {column === 'ready' ? act('Claim for Me', 'claim') : null}
        {column === 'in_progress' ? act('Complete', 'complete') : null}
        {column === 'in_progress' ? act('Release', 'release') : null}
        {column === 'completed' ? act('Reopen', 'reopen') : null}
        <Button
          label="Edit"
          disabled={state.detail?.taskId !== id}
          onClick={() => desk.act({ kind: 'write', taskId: id })}
        />
        <Button label="Delete…" disabled={busy} onClick={() => desk.act({ kind: 'askDelete', isAsking: true })} />
      </div>
      {isDeleting ? <AskDelete desk={desk} task={task} tasks={state.tasks ?? []} isBusy={busy} /> : null}
    </>
  );
}

interface AskProps {
  readonly desk: BoardDesk;
  readonly task: TaskItem;
  readonly tasks: readonly TaskItem[];
  readonly isBusy: boolean;
}

/** Who waits for it is said before, since it cannot be deleted then. */
function AskDelete({ desk, task, tasks, isBusy: busy }: AskProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const waiting = dependents(task.id, tasks);
  useEffect(() => {
    const before = document.activeElement;
    box.current?.querySelector<HTMLElement>('vscode-button:last-of-type')?.focus();
    return () => {
      if (document.activeElement === document.body && before instanceof HTMLElement) before.focus();
    };
  }, []);
  const words =
    waiting.length === 0
      ? 'Nobody waits for it. It cannot be brought back.'
      : `${listOf(waiting.map(({ id }) => id))} wait${waiting.length === 1 ? 's' : ''} for it: change that first.`;
  return (
    <div class="pane-ask" role="alertdialog" aria-labelledby="ask-title" aria-describedby="ask-words" ref={box}>
      <p id="ask-title">
        <b>Delete {task.id}?</b>
      </p>
      <p id="ask-words">{words}</p>
      {waiting.length === 0 ? null : <TaskLinks desk={desk} tasks={waiting} />}
      <div class="pane-actions">
        {waiting.length > 0 ? null : (
          <Button
            label="Delete"
            disabled={busy}
            onClick={() => desk.act({ kind: 'act', taskId: task.id, goal: 'Delete', step: { action: 'delete' } })}
          />
        )}
        <Button label="Keep" primary onClick={() => desk.act({ kind: 'askDelete', isAsking: false })} />
      </div>
    </div>
  );
}

interface OwnerChoiceProps {
  readonly desk: BoardDesk;
  readonly task: TaskItem;
  readonly faces: Faces;
  readonly isBusy: boolean;
}

function OwnerChoice({ desk, task, faces, isBusy: busy }: OwnerChoiceProps): JSX.Element {
  const { id, owner, column } = task;
  if (column === 'completed') {
    return (
      <Part title="Owner">{owner === null ? <p class="quiet">Nobody</p> : <Owner id={owner} faces={faces} />}</Part>
    );
  }
  const choices = [
    { id: NOBODY, label: 'Nobody' },
    ...[PERSON, ...faces.keys()].map((one) => ({ id: one, label: nameOf(one, faces) })),
  ];
  return (
    <ChoiceField
      label="Owner"
      hint="Whoever is chosen has it in progress. Nobody is woken by that."
      value={owner ?? NOBODY}
      problem={null}
      disabled={busy}
      choices={choices}
      onInput={(one) => {
        const to = one === NOBODY ? null : one;
        const label = `Assign to ${to === null ? 'Nobody' : nameOf(to, faces)}`;
        desk.act(assignEntry(id, to, label, 'account').act);
      }}
    />
  );
}

interface LinksProps {
  readonly desk: BoardDesk;
  readonly task: TaskItem;
  readonly tasks: readonly TaskItem[];
}

function Links({ desk, task, tasks }: LinksProps): JSX.Element {
  const blockers = tasks.filter(({ id }) => task.blockedBy.includes(id));
  const waiting = dependents(task.id, tasks);
  const overlap = overlapWords(task);
  return (
    <>
      {blockers.length === 0 ? null : (
        <Part title="Waits for">
          <TaskLinks desk={desk} tasks={blockers} />
        </Part>
      )}
      {waiting.length === 0 ? null : (
        <Part title="Wait for it">
          <TaskLinks desk={desk} tasks={waiting} />
        </Part>
      )}
      {task.writeScopes.length === 0 ? null : (
        <Part title="Writes to">
          <ul class="scopes">
            {task.writeScopes.map((scope) => (
              <li key={scope}>
                <code>{scope}</code>
              </li>
            ))}
          </ul>
          {overlap === '' ? null : (
            <p class="pane-warning">
              <Icon id="warning" /> {overlap}
            </p>
          )}
        </Part>
      )}
    </>
  );
}

function TaskLinks({ desk, tasks }: { readonly desk: BoardDesk; readonly tasks: readonly TaskItem[] }): JSX.Element {
  return (
    <ul class="task-links">
      {tasks.map(({ id, subject, column }) => (
        <li key={id}>
          <PlainButton class="task-link" onClick={() => desk.act({ kind: 'task', taskId: id })}>
            <span class="card-id">{id}</span>
            <span class="clip">{subject}</span>
            <span class="quiet">{COLUMN_WORDS[column]}</span>
          </PlainButton>
        </li>
      ))}
    </ul>
  );
}

function Revision({ one, faces }: { readonly one: TaskRevisionView; readonly faces: Faces }): JSX.Element {
  const { revision, at, by, words } = one;
  return (
    <li class="revision">
      <span class="card-id">r{revision}</span>
      <span class="revision-words">
        <b>{by === null ? 'Somebody' : nameOf(by, faces)}</b>: {words}
      </span>
      <time class="quiet" dateTime={at} title={absolute(at, READER)}>
        {dayLabel(at, Date.now(), READER) === 'Today' ? clock(at, READER) : dayLabel(at, Date.now(), READER)}
      </time>
    </li>
  );
}
