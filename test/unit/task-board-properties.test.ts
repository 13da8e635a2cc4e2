// Whatever members do to the board, in whatever order: what can never be.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTask, TASK_ACTIONS, updateTask, type TaskUpdate } from '../../src/core/team/board/task-commands.js';
import { applyTeamEvent, foldTeam } from '../../src/core/team/board/team-fold.js';
import type { AgentTeam, TeamActor } from '../../src/core/team/board/team-state.js';
import type { TaskSnapshot } from '../../src/core/record/team-schemas.js';
import { TeamError } from '../../src/core/team/error.js';
import { member, TEAM } from '../support/team-records.js';

const ROSTER = ['alpha', 'beta', 'gamma'].flatMap((name, index) => {
  const id = `m-${index + 1}`;
  return [member({ id, name }), member({ id, name, phase: name === 'gamma' ? 'failed' : 'active' })];
});

const ACTORS: readonly TeamActor[] = [
  { id: TEAM, name: 'lead', role: 'lead' },
  { id: 'you', name: 'you', role: 'lead' },
  { id: 'm-1', name: 'alpha', role: 'teammate' },
  { id: 'm-2', name: 'beta', role: 'teammate' },
];

const taskId = fc.integer({ min: 1, max: 4 }).map((n) => `task-${n}`);
const blockedBy = fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.array(taskId, { maxLength: 3 }));
const actor = fc.constantFrom(...ACTORS);

const create = fc.record({ kind: fc.constant('create' as const), actor, blockedBy });
const update = fc.record({
  kind: fc.constant('update' as const),
  actor,
  taskId,
  action: fc.constantFrom(...TASK_ACTIONS),
  blockedBy,
  owner: fc.constantFrom('lead', 'you', 'alpha', 'beta', 'gamma', 'nobody', ''),
  // Mostly what is there, sometimes what was or will be.
  drift: fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constantFrom(-1, 1) }),
});
const move = fc.oneof({ weight: 1, arbitrary: create }, { weight: 6, arbitrary: update });
type Move = typeof move extends fc.Arbitrary<infer Value> ? Value : never;

function decide(team: AgentTeam, what: Move): TaskSnapshot | null {
  try {
    if (what.kind === 'create') {
      return createTask(team, { subject: 's', description: 'd', blockedBy: what.blockedBy }, { maxTasks: 4 });
    }
    const { drift, action, owner } = what;
    const revision = team.tasks.get(what.taskId)?.revision ?? 1;
    const request: TaskUpdate = {
      taskId: what.taskId,
      expectedRevision: revision + drift,
      action,
      owner,
      blockedBy: what.blockedBy,
      subject: 'other',
    };
    return updateTask(team, what.actor, request);
  } catch (error) {
    // A refusal says so by its code; anything else is a fault.
    if (error instanceof TeamError) return null;
    throw error;
  }
}

/** Follows blockers from each task; independent of the check that the commands use. */
function hasCycle({ tasks }: AgentTeam): boolean {
  const edges = new Map(
    [...tasks.values()].filter(({ status }) => status !== 'deleted').map((t) => [t.id, t.blockedBy]),
  );
  let isChanged = true;
  while (isChanged) {
    isChanged = false;
    for (const [id, blockers] of edges) {
      if (blockers.some((blocker) => edges.has(blocker))) continue;
      edges.delete(id);
      isChanged = true;
    }
  }
  return edges.size > 0;
}

test('No sequence of actions makes a cycle, work without an owner, a completion with an open blocker, or a revision that repeats', () => {
  const seen = { completed: 0, refused: 0, reassigned: 0, deleted: 0 };
  fc.assert(
    fc.property(fc.array(move, { minLength: 30, maxLength: 60 }), (moves) => {
      let team = foldTeam(TEAM, ROSTER);
      const revisions = new Set<string>();
      for (const what of moves) {
        const task = decide(team, what);
        if (task === null) {
          seen.refused += 1;
          continue;
        }
        const before = team.tasks.get(task.id);
        const isOpen = task.blockedBy.some((id) => team.tasks.get(id)?.status !== 'completed');
        if (task.status === 'completed' && before?.status !== 'completed') {
          expect(isOpen, `${task.id} was completed with an open blocker`).toBe(false);
          seen.completed += 1;
        }
        if (task.status === 'in_progress' && before?.status !== 'in_progress') expect(isOpen).toBe(false);
        if (what.kind === 'update' && what.action === 'reassign') seen.reassigned += 1;
        if (task.status === 'deleted') seen.deleted += 1;
        const key = `${task.id}@${task.revision}`;
        expect(revisions.has(key), `${key} repeats`).toBe(false);
        revisions.add(key);
        // What a command decides, the fold takes.
        team = applyTeamEvent(team, { type: 'team/task', payload: { version: 1, teamId: TEAM, task } });
        expect(hasCycle(team)).toBe(false);
        const owners = [TEAM, 'you', 'm-1', 'm-2'];
        for (const { status, ownerId } of team.tasks.values()) {
          if (status === 'in_progress') expect(owners).toContain(ownerId);
          if (status === 'pending') expect(ownerId).toBeUndefined();
        }
      }
    }),
    { numRuns: 400 },
  );
  // The moves reach what they are about.
  for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(50);
});
