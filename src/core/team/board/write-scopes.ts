// Where in the project a task is going to write, as path prefixes. They are advice: they lock nothing and permit nothing.
// Rules: docs/rules.md § Task board.
import type { TaskSnapshot } from '../../record/team-schemas.js';
import { TeamError } from '../error.js';

/**
 * Normalised scopes, each once.
 * @throws TeamError `TEAM_INVALID_WRITE_SCOPE` for one that is absolute, empty or has a segment that is empty, `.` or `..`.
 */
export function normalizeScopes(scopes: readonly string[]): readonly string[] {
  return [...new Set(scopes.map(normalizeScope))];
}

function normalizeScope(given: string): string {
  const scope = given.replaceAll('\\', '/').replace(/^\.\//, '').replace(/\/+$/, '');
  const isAbsolute = scope.startsWith('/') || /^[a-zA-Z]:/.test(scope);
  const isOdd = scope.split('/').some((segment) => segment === '' || segment === '.' || segment === '..');
  if (scope !== '' && !isAbsolute && !isOdd && scope.isWellFormed()) return scope;
  throw new TeamError(
    'TEAM_INVALID_WRITE_SCOPE',
    `The write scope "${given}" cannot be used. Name a path relative to the project, such as "src/api".`,
  );
}

/** True when one scope is the other, or a folder around it. */
export function scopesOverlap(left: string, right: string): boolean {
  return left === right || left.startsWith(`${right}/`) || right.startsWith(`${left}/`);
}

/** The other tasks in progress that may write where this one does, in the order of the board. */
export function overlapping(
  tasks: ReadonlyMap<string, TaskSnapshot>,
  task: Pick<TaskSnapshot, 'id' | 'writeScopes'>,
): readonly TaskSnapshot[] {
  return [...tasks.values()].filter(
    (other) =>
      other.id !== task.id &&
      other.status === 'in_progress' &&
      other.writeScopes.some((theirs) => task.writeScopes.some((mine) => scopesOverlap(mine, theirs))),
  );
}
