// Where a task can go, and to whom: all that dragging does, for the keyboard, and more.
import type { JSX } from 'preact';
import type { TaskItem } from '../../src/protocol/board.js';
import { Icon } from '../ui/icon.js';
import { MenuItem, Popup } from '../ui/popup.js';
import type { BoardAct, BoardDesk } from './desk.js';
import { COLUMN_WORDS, targets } from './moves.js';
import { nameOf, PERSON, type Faces } from './owner.js';

export interface TaskMenuProps {
  readonly desk: BoardDesk;
  readonly task: TaskItem;
  readonly tasks: readonly TaskItem[];
  readonly faces: Faces;
}

interface Entry {
  readonly label: string;
  readonly icon: string;
  readonly act: BoardAct;
}

const COLUMN_ICONS = {
  blocked: 'lock',
  ready: 'circle-outline',
  in_progress: 'play-circle',
  completed: 'pass-filled',
} as const;

/** @returns what can be asked for, in order; what the rules refuse is said when it is asked for */
export function entriesOf(task: TaskItem, tasks: readonly TaskItem[], faces: Faces): readonly Entry[] {
  const { id, owner, column } = task;
  const moves = targets(task, tasks).map((to): Entry => ({
    label: `Move to ${COLUMN_WORDS[to]}`,
    icon: COLUMN_ICONS[to],
    act: { kind: 'move', taskId: id, to },
  }));
  const others = [PERSON, ...faces.keys()].filter((one) => one !== owner);
  const assign = others.map((one): Entry => assignEntry(id, one, `Assign to ${nameOf(one, faces)}`, 'account'));
  const free = owner === null ? [] : [assignEntry(id, null, 'Assign to Nobody', 'circle-slash')];
  return [...moves, ...(column === 'completed' ? [] : [...assign, ...free])];
}

export function assignEntry(taskId: string, owner: string | null, label: string, icon: string): Entry {
  const step = { action: 'reassign' as const, ...(owner === null ? {} : { owner }) };
  return { label, icon, act: { kind: 'act', taskId, goal: label, step } };
}

export function TaskMenu({ desk, task, tasks, faces }: TaskMenuProps): JSX.Element {
  return (
    <Popup class="tool card-menu" label={`Move ${task.id}…`} role="menu" face={<Icon id="ellipsis" />}>
      {(close) =>
        entriesOf(task, tasks, faces).map(({ label, icon, act }) => (
          <MenuItem
            key={label}
            label={label}
            icon={icon}
            onPick={() => {
              close();
              desk.act(act);
            }}
          />
        ))
      }
    </Popup>
  );
}
