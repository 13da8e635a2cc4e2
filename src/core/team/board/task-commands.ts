// The commands of the task board. Each looks at the board as it is and returns the next revision of one task, whole, or
// says by a code why not. Nothing here writes.
// Rules: docs/rules.md § Task board.
import { canonicalJson, type JsonValue } from '../../json.js';
import type { TaskSnapshot } from '../../record/team-schemas.js';
import { TeamError, type TeamErrorCode } from '../error.js';
import { dependentsOf, describeProblem, graphProblem, isUnblocked, type GraphProblem } from './task-graph.js';
import { LEAD_NAME, memberNamed, type AgentTeam, type TeamActor } from './team-state.js';
import { normalizeScopes } from './write-scopes.js';

/** How long the texts of a task may be, in UTF-16 code units, without the white space around them. */
export const MAX_SUBJECT = 200;
export const MAX_TASK_DESCRIPTION = 16_384;
/** How long a result may be as JSON, in UTF-16 code units. */
const MAX_RESULT = 32_768;

export interface NewTask {
  readonly subject: string;
  readonly description: string;
  readonly blockedBy?: readonly string[];
  readonly writeScopes?: readonly string[];
}

export const TASK_ACTIONS = [
  'claim',
  'release',
  'edit',
  'set_dependencies',
  'complete',
  'reopen',
  'reassign',
  'delete',
] as const;
export type TaskAction = (typeof TASK_ACTIONS)[number];

export interface TaskUpdate {
  readonly taskId: string;
  /** The revision that the caller has seen: another one refuses the update. */
  readonly expectedRevision: number;
  readonly action: TaskAction;
  /** For `edit`. */
  readonly subject?: string;
  readonly description?: string;
  readonly writeScopes?: readonly string[];
  /** For `set_dependencies`: the whole list. */
  readonly blockedBy?: readonly string[];
  /** For `complete`: what is handed over with it. */
  readonly result?: JsonValue;
  /** For `reassign`: a name, `lead` or the person's; absent or blank: nobody. */
  readonly owner?: string;
}

/**
 * Makes a task: pending, owned by nobody, in revision 1.
 * @throws TeamError `TEAM_TASK_LIMIT`, `TEAM_INVALID_ARGUMENT`, `TEAM_TASK_NOT_FOUND`, `TEAM_INVALID_WRITE_SCOPE`.
 */
export function createTask(team: AgentTeam, request: NewTask, limits: { readonly maxTasks: number }): TaskSnapshot {
  const live = [...team.tasks.values()].filter(({ status }) => status !== 'deleted').length;
  const id = `task-${team.nextTaskNumber}`;
  if (live >= limits.maxTasks || team.tasks.has(id)) {
    throw new TeamError('TEAM_TASK_LIMIT', `The board has ${live} tasks and takes no more. Delete some that are done.`);
  }
  const subject = requiredText(request.subject, 'subject', MAX_SUBJECT);
  const description = requiredText(request.description, 'description', MAX_TASK_DESCRIPTION);
  const blockedBy = request.blockedBy ?? [];
  checkBlockers(team, id, blockedBy);
  const writeScopes = normalizeScopes(request.writeScopes ?? []);
  const task: TaskSnapshot = {
    id,
    revision: 1,
    subject,
    description,
    status: 'pending',
    blockedBy: [...blockedBy],
    writeScopes,
  };
  checkGraph(team, task);
  return task;
}

/**
 * Changes a task. The order of the checks is part of the contract: the revision comes before what the task has become.
 * @throws TeamError with a `TEAM_TASK_*` code, `TEAM_INVALID_ARGUMENT`, `TEAM_INVALID_WRITE_SCOPE`,
 * `TEAM_LEAD_REQUIRED` or `TEAM_MEMBER_NOT_FOUND`.
 */
export function updateTask(team: AgentTeam, caller: TeamActor, update: TaskUpdate): TaskSnapshot {
  const task = team.tasks.get(update.taskId);
  if (task === undefined) throw notFound(update.taskId);
  if (task.revision !== update.expectedRevision) {
    throw new TeamError(
      'TEAM_TASK_STALE_REVISION',
      `This is a stale team task: ${task.id} is at revision ${task.revision}, not ${update.expectedRevision}; ${standing(team, task)}. Read it again.`,
    );
  }
  if (task.status === 'deleted') throw new TeamError('TEAM_TASK_DELETED', `The task ${task.id} was deleted.`);
  const next = { ...act(team, caller, task, update), revision: task.revision + 1 };
  checkGraph(team, next);
  return next;
}

function act(team: AgentTeam, caller: TeamActor, task: TaskSnapshot, update: TaskUpdate): TaskSnapshot {
  switch (update.action) {
    case 'claim':
      return claim(team, caller, task);
    case 'release':
      checkOwner(caller, task);
      checkStatus(task, ['in_progress'], 'released');
      return unowned(task);
    case 'edit':
      checkOwner(caller, task);
      return edit(task, update);
    case 'set_dependencies': {
      checkOwner(caller, task);
      const { blockedBy } = update;
      if (blockedBy === undefined) throw invalid('Say which tasks it waits for: "blockedBy" is missing.');
      checkBlockers(team, task.id, blockedBy);
      return { ...task, blockedBy: [...blockedBy] };
    }
    case 'complete':
      checkOwner(caller, task);
      checkStatus(task, ['in_progress'], 'completed');
      if (!isUnblocked(team.tasks, task)) throw blocked(team, task, 'completed');
      checkResult(update.result);
      return { ...task, status: 'completed' };
    case 'reopen':
      checkOwner(caller, task);
      checkStatus(task, ['completed'], 'reopened');
      return unowned(task);
    case 'reassign':
      return reassign(team, caller, task, update.owner);
    case 'delete':
      checkOwner(caller, task);
      checkDependents(team, task);
      return { ...task, status: 'deleted' };
    default:
      throw invalid(`There is no action "${String(update.action)}". The actions: ${TASK_ACTIONS.join(', ')}.`);
  }
}

function claim(team: AgentTeam, caller: TeamActor, task: TaskSnapshot): TaskSnapshot {
  if (task.ownerId !== undefined && task.ownerId !== caller.id) {
    const owner = ownerName(team, task.ownerId) ?? 'somebody else';
    throw new TeamError('TEAM_TASK_ALREADY_CLAIMED', `The task ${task.id} belongs to ${owner}.`);
  }
  if (task.status !== 'pending') throw new TeamError('TEAM_TASK_BLOCKED', `The task ${task.id} is ${task.status}.`);
  if (!isUnblocked(team.tasks, task)) throw blocked(team, task, 'claimed');
  return { ...task, status: 'in_progress', ownerId: caller.id };
}

function reassign(team: AgentTeam, caller: TeamActor, task: TaskSnapshot, owner: string | undefined): TaskSnapshot {
  if (caller.role !== 'lead') throw new TeamError('TEAM_LEAD_REQUIRED', 'only the Team Lead may reassign a task.');
  checkStatus(task, ['pending', 'in_progress'], 'reassigned');
  const name = owner?.trim() ?? '';
  if (name === '') return unowned(task);
  if (!isUnblocked(team.tasks, task)) throw blocked(team, task, 'assigned');
  return { ...task, status: 'in_progress', ownerId: actorNamed(team, name) };
}

function edit(task: TaskSnapshot, { subject, description, writeScopes }: TaskUpdate): TaskSnapshot {
  if (subject === undefined && description === undefined && writeScopes === undefined) {
    throw invalid('Nothing is to be changed. Give a subject, a description or write scopes.');
  }
  return {
    ...task,
    ...(subject === undefined ? {} : { subject: requiredText(subject, 'subject', MAX_SUBJECT) }),
    ...(description === undefined
      ? {}
      : { description: requiredText(description, 'description', MAX_TASK_DESCRIPTION) }),
    ...(writeScopes === undefined ? {} : { writeScopes: normalizeScopes(writeScopes) }),
  };
}

/** TB-1: what a refused writer needs to know of the task as it is. */
function standing(team: AgentTeam, { status, ownerId }: TaskSnapshot): string {
  const owner = ownerId === undefined ? null : ownerName(team, ownerId);
  return owner === null ? `it is ${status}` : `it is ${status}, owned by ${owner}`;
}

/** The id of whoever may own a task under that name. */
function actorNamed(team: AgentTeam, name: string): string {
  if (name === LEAD_NAME) return team.id;
  if (name === 'you') return 'you';
  const member = memberNamed(team, name);
  if (member?.phase === 'active') return member.id;
  throw new TeamError('TEAM_MEMBER_NOT_FOUND', `There is no active member "${name}".`);
}

/** The name of a task's owner; null for one that nobody is known by. */
export function ownerName(team: AgentTeam, ownerId: string): string | null {
  if (ownerId === team.id) return LEAD_NAME;
  if (ownerId === 'you') return 'you';
  return team.members.get(ownerId)?.name ?? null;
}

function unowned(task: TaskSnapshot): TaskSnapshot {
  const { ownerId: _owner, ...rest } = task;
  return { ...rest, status: 'pending' };
}

function checkOwner(caller: TeamActor, task: TaskSnapshot): void {
  if (caller.role === 'lead' || task.ownerId === caller.id) return;
  throw new TeamError('TEAM_TASK_UNAUTHORIZED', `Only the owner of ${task.id} or the lead may do that.`);
}

function checkStatus(task: TaskSnapshot, from: readonly TaskSnapshot['status'][], verb: string): void {
  if (from.includes(task.status)) return;
  throw new TeamError('TEAM_TASK_INVALID_TRANSITION', `The task ${task.id} is ${task.status} and cannot be ${verb}.`);
}

function checkResult(result: JsonValue | undefined): void {
  if (result === undefined || canonicalJson(result).length <= MAX_RESULT) return;
  throw invalid(`The result has more than ${MAX_RESULT} characters. Say where it can be read.`);
}

function checkDependents(team: AgentTeam, task: TaskSnapshot): void {
  const dependents = dependentsOf(team.tasks, task.id);
  if (dependents.length === 0) return;
  const names = dependents.map(({ id }) => id).join(', ');
  throw new TeamError('TEAM_TASK_HAS_DEPENDENTS', `The task ${task.id} cannot be deleted: ${names} wait for it.`);
}

function checkBlockers(team: AgentTeam, id: string, blockedBy: readonly string[]): void {
  const seen = new Set<string>();
  for (const blocker of blockedBy) {
    if (blocker === id && team.tasks.has(id)) throw graphError({ kind: 'cycle', path: [id, id] });
    if (seen.has(blocker)) throw graphError({ kind: 'duplicate', task: id, blocker });
    const known = team.tasks.get(blocker);
    if (known === undefined || known.status === 'deleted') throw notFound(blocker);
    seen.add(blocker);
  }
}

function checkGraph(team: AgentTeam, task: TaskSnapshot): void {
  const problem = graphProblem(new Map(team.tasks).set(task.id, task));
  if (problem !== null) throw graphError(problem);
}

const GRAPH_CODES: Readonly<Record<GraphProblem['kind'], TeamErrorCode>> = {
  cycle: 'TEAM_TASK_DEPENDENCY_CYCLE',
  duplicate: 'TEAM_INVALID_ARGUMENT',
  missing: 'TEAM_TASK_NOT_FOUND',
};

function graphError(problem: GraphProblem): TeamError {
  return new TeamError(GRAPH_CODES[problem.kind], describeProblem(problem));
}

function blocked(team: AgentTeam, task: TaskSnapshot, verb: string): TeamError {
  const open = task.blockedBy.filter((blocker) => team.tasks.get(blocker)?.status !== 'completed');
  return new TeamError('TEAM_TASK_BLOCKED', `The task ${task.id} cannot be ${verb}: it waits for ${open.join(', ')}.`);
}

function notFound(id: string): TeamError {
  return new TeamError('TEAM_TASK_NOT_FOUND', `There is no task "${id}".`);
}

function requiredText(given: string, what: string, most: number): string {
  const text = given.toWellFormed().trim();
  if (text !== '' && text.length <= most) return text;
  throw invalid(text === '' ? `The ${what} is empty.` : `The ${what} has more than ${most} characters.`);
}

function invalid(message: string): TeamError {
  return new TeamError('TEAM_INVALID_ARGUMENT', message);
}
