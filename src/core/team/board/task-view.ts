// A task as members and people see it: with its owner's name, whether it can be begun, and whose work it may get in the
// way of. Owner ids never leave the record.
import type { TaskSnapshot } from '../../record/team-schemas.js';
import { isUnblocked } from './task-graph.js';
import { ownerName } from './task-commands.js';
import type { AgentTeam } from './team-state.js';
import { overlapping } from './write-scopes.js';

export interface TaskView {
  readonly id: string;
  readonly revision: number;
  readonly subject: string;
  readonly description: string;
  readonly status: TaskSnapshot['status'];
  readonly blockedBy: readonly string[];
  readonly writeScopes: readonly string[];
  /** `lead`, `you` or a member's name; absent where nobody owns it. */
  readonly ownerName?: string;
  /** Pending, and everything that it waits for is completed. */
  readonly ready: boolean;
  readonly writeScopeWarnings: readonly string[];
}

export function taskView(team: AgentTeam, task: TaskSnapshot): TaskView {
  const { id, revision, subject, description, status, ownerId } = task;
  const owner = ownerId === undefined ? null : ownerName(team, ownerId);
  return {
    id,
    revision,
    subject,
    description,
    status,
    blockedBy: [...task.blockedBy],
    writeScopes: [...task.writeScopes],
    ...(owner === null ? {} : { ownerName: owner }),
    ready: status === 'pending' && isUnblocked(team.tasks, task),
    writeScopeWarnings: overlapping(team.tasks, task).map((other) => `write scopes overlap with ${other.id}`),
  };
}

export interface TaskFilter {
  readonly status?: 'pending' | 'in_progress' | 'completed';
  /** A name; `unowned` for tasks that nobody owns. */
  readonly owner?: string;
  readonly ready?: boolean;
}

/** The tasks that are not deleted and fit the filter, in the order of the board. */
export function listTasks(team: AgentTeam, filter: TaskFilter = {}): readonly TaskView[] {
  return [...team.tasks.values()]
    .filter(({ status }) => status !== 'deleted')
    .map((task) => taskView(team, task))
    .filter(
      (view) =>
        (filter.status === undefined || view.status === filter.status) &&
        (filter.owner === undefined || (view.ownerName ?? 'unowned') === filter.owner) &&
        (filter.ready === undefined || view.ready === filter.ready),
    );
}

/** The next task that can be begun without getting in the way of one in progress; null when there is none. */
export function nextReadyTask(team: AgentTeam): TaskSnapshot | null {
  for (const task of team.tasks.values()) {
    const isFree = task.status === 'pending' && task.ownerId === undefined && isUnblocked(team.tasks, task);
    if (isFree && overlapping(team.tasks, task).length === 0) return task;
  }
  return null;
}
