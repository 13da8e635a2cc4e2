// A task as it is written or changed. What another has changed meanwhile is said, and nothing of the person's is lost.
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { MAX_SUBJECT, MAX_TASK_DESCRIPTION } from '../../src/core/team/board/task-commands.js';
import type { TaskItem } from '../../src/protocol/board.js';
import { Button, ToolButton } from '../ui/button.js';
import { LineField, TextField } from '../ui/field.js';
import type { BoardDesk } from './desk.js';
import { COLUMN_WORDS } from './moves.js';
import type { Faces } from './owner.js';
import { RefusalNote } from './refusal.js';
import { isBusy, taskOf, type BoardState } from './state.js';
import { problemsOf, type TaskForm } from './task-form.js';

export interface FormPaneProps {
  readonly desk: BoardDesk;
  readonly state: BoardState;
  readonly form: TaskForm;
  readonly isLeaving: boolean;
  readonly faces: Faces;
}

export function FormPane({ desk, state, form, isLeaving, faces }: FormPaneProps): JSX.Element {
  const root = useRef<HTMLDivElement>(null);
  const { taskId, fields, tried } = form;
  const problems = tried ? problemsOf(fields) : {};
  const refusal = state.refusals[taskId ?? ''] ?? null;
  const busy = isBusy(state, taskId);
  const task = taskOf(state, taskId);
  const isStale = task !== null && task.revision !== form.revision && !busy;
  const save = (): void => {
    desk.act({ kind: 'save' });
    requestAnimationFrame(() => root.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  };
  return (
    <>
      <header class="pane-head">
        <h2 class="pane-title" tabIndex={-1}>
          {taskId === null ? 'New task' : `Edit ${taskId}`}
        </h2>
        <ToolButton label="Close Form" icon="close" onClick={() => desk.act({ kind: 'leave', drop: false })} />
      </header>
      <div class="pane-scroll" ref={root}>
        {refusal === null ? null : (
          <RefusalNote
            refusal={refusal}
            faces={faces}
            onDismiss={() => desk.act({ kind: 'dismiss', taskId: taskId ?? '' })}
          />
        )}
        {isStale ? (
          <div class="pane-note">
            <p>
              {task.id} is at revision {task.revision} now; you began with {form.revision}.
            </p>
            <Button
              label="Go On From There"
              title="Keeps what you changed, and takes the rest from what the task is now"
              disabled={state.detail?.revision !== task.revision}
              onClick={() => desk.act({ kind: 'rebase' })}
            />
          </div>
        ) : null}
        <LineField
          label="Subject"
          value={fields.subject}
          maxLength={MAX_SUBJECT}
          problem={problems.subject ?? null}
          onInput={(subject) => desk.act({ kind: 'field', fields: { subject } })}
        />
        <TextField
          label="Description"
          rows={6}
          value={fields.description}
          maxLength={MAX_TASK_DESCRIPTION}
          problem={problems.description ?? null}
          onInput={(description) => desk.act({ kind: 'field', fields: { description } })}
        />
        <Blockers desk={desk} form={form} tasks={state.tasks ?? []} />
        <TextField
          label="Writes to"
          hint="Paths in the project, one in a line: src/api, README.md. Advice for the others, no lock."
          rows={2}
          value={fields.scopes}
          maxLength={MAX_TASK_DESCRIPTION}
          problem={null}
          onInput={(scopes) => desk.act({ kind: 'field', fields: { scopes } })}
        />
      </div>
      <footer class="pane-foot">
        {isLeaving ? (
          <AskLeave desk={desk} />
        ) : (
          <>
            <Button label={taskId === null ? 'Create Task' : 'Save'} primary disabled={busy} onClick={save} />
            <Button label="Cancel" onClick={() => desk.act({ kind: 'leave', drop: false })} />
            <span class="quiet" role="status">
              {busy ? 'Saving…' : ''}
            </span>
          </>
        )}
      </footer>
    </>
  );
}

interface BlockersProps {
  readonly desk: BoardDesk;
  readonly form: TaskForm;
  readonly tasks: readonly TaskItem[];
}

function Blockers({ desk, form, tasks }: BlockersProps): JSX.Element {
  const { blockedBy } = form.fields;
  const others = tasks.filter(
    ({ id, column }) => id !== form.taskId && (column !== 'completed' || blockedBy.includes(id)),
  );
  const toggle = (id: string): void => {
    const next = blockedBy.includes(id) ? blockedBy.filter((one) => one !== id) : [...blockedBy, id];
    desk.act({ kind: 'field', fields: { blockedBy: next } });
  };
  return (
    <fieldset class="blockers">
      <legend>Waits for</legend>
      {others.length === 0 ? <p class="field-hint">There is no open task that it could wait for.</p> : null}
      {others.map(({ id, subject, column }) => (
        <label key={id} class="blocker">
          <input type="checkbox" checked={blockedBy.includes(id)} onChange={() => toggle(id)} />
          <span class="card-id">{id}</span>
          <span class="clip">{subject}</span>
          <span class="quiet">{COLUMN_WORDS[column]}</span>
        </label>
      ))}
    </fieldset>
  );
}

function AskLeave({ desk }: { readonly desk: BoardDesk }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    box.current?.querySelector<HTMLElement>('vscode-button:last-of-type')?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <div class="form-ask" role="alertdialog" aria-labelledby="board-leave" ref={box}>
      <p id="board-leave">Drop what you wrote?</p>
      <Button label="Drop Changes" onClick={() => desk.act({ kind: 'leave', drop: true })} />
      <Button label="Keep Editing" primary onClick={() => desk.act({ kind: 'stay' })} />
    </div>
  );
}
