// The team's service: who is who, mail, tasks, waiting, and who may start or stop whom. Authority is the very handle that
// the service handed out; a copy of it is nothing.
// Rules: docs/rules.md § The team service.
import { randomUUID } from 'node:crypto';
import type { JsonValue } from '../core/json.js';
import type { NewRecordEvent } from '../core/record/catalogue.js';
import type { ContentBlock, MemberSnapshot, TaskSnapshot } from '../core/record/team-schemas.js';
import { decideMessage } from '../core/team/board/mailbox.js';
import { createTask, ownerName, updateTask, type NewTask, type TaskUpdate } from '../core/team/board/task-commands.js';
import { listTasks, nextReadyTask, taskView, type TaskFilter, type TaskView } from '../core/team/board/task-view.js';
import { LEAD_NAME, memberNamed, type TeamActor } from '../core/team/board/team-state.js';
import { TeamError } from '../core/team/error.js';
import { decideInterrupt, decideRetry } from '../core/team/live-person.js';
import { actorId, isRunning, memberOfActor, PERSON, type LiveMember, type LiveState } from '../core/team/live-state.js';
import type { Draft, LiveRecord, RecordContext } from './live-record.js';
import type { Clock } from './ports/clock.js';
import type { EngineDirectory } from './ports/engines.js';
import { spawn, type SpawnRequest } from './spawning.js';
import { readTaskHistory, type TaskRevision } from './task-history.js';
import { TeamClosing } from './team-closing.js';
import { command } from './team-command.js';
import type { TeamLimits } from './team-limits.js';
import { waitForChange } from './team-wait.js';

export interface TeamServiceOptions extends RecordContext {
  readonly record: LiveRecord;
  readonly engines: EngineDirectory;
  readonly clock: Clock;
  readonly limits: TeamLimits;
  /** Ids and names of everybody in the team. */
  readonly names: (state: LiveState) => readonly string[];
  /** Lets what was written run: mail is delivered, turns are started. */
  readonly drive: () => void;
  /** Resolves when mail that can be delivered is. */
  readonly deliver: () => Promise<void>;
  readonly isRunnerAlive: (state: LiveState) => boolean;
}

/** What acts in a team. Only the object that the service handed out counts. */
export interface TeamHandle {
  readonly id: string;
  readonly name: string;
}

export interface Membership extends TeamActor {
  readonly teamId: string;
}

export type MemberStatus = 'running' | 'idle' | 'inactive' | 'provisioning' | 'failed';

export interface MemberRow {
  readonly id: string;
  readonly name: string;
  readonly role: 'lead' | 'teammate';
  readonly status: MemberStatus;
  readonly description?: string;
  readonly provider?: string;
  readonly context?: 'fresh' | 'fork';
  readonly diagnostics: readonly string[];
}

/** A revision of a task: itself, when and in which turn it was made, and what was handed over with it. */
export type TaskHistoryEntry = Omit<TaskSnapshot, 'ownerId'> &
  Omit<TaskRevision, 'task'> & { readonly ownerName?: string };

export interface SendRequest {
  readonly target: string;
  readonly content: readonly ContentBlock[];
  readonly delivery: 'quiet' | 'wakeup';
  readonly signal?: AbortSignal;
}

export class TeamService {
  readonly #options: TeamServiceOptions;
  readonly #limits: TeamLimits;
  readonly #handles = new Map<string, TeamHandle>();
  readonly #closing = new TeamClosing();

  constructor(options: TeamServiceOptions) {
    this.#options = options;
    this.#limits = options.limits;
  }

  /** The handle of a member, the same object every time. */
  handle(state: LiveState, memberId: string): TeamHandle {
    const id = actorId(state, memberId);
    if (id === null) throw new TeamError('TEAM_NOT_MEMBER', `There is no member "${memberId}".`);
    return this.#handleOf(id, memberId === state.lead ? LEAD_NAME : memberId);
  }

  /** The person's handle. */
  get person(): TeamHandle {
    return this.#handleOf(PERSON, PERSON);
  }

  /** @throws TeamError `TEAM_NOT_MEMBER` for anything but a handle of this service whose member is in the team. */
  async membership(caller: TeamHandle): Promise<Membership> {
    return this.#member(await this.#options.record.refresh(), caller);
  }

  /** Aborted when the team closes: nothing new begins then. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** `membership`, or null for whoever has none, and where the record cannot be read. */
  async tryMembership(caller: TeamHandle): Promise<Membership | null> {
    return this.membership(caller).catch(() => null);
  }

  /** The lead first, then the others in the order of provisioning. */
  async listMembers(caller: TeamHandle): Promise<readonly MemberRow[]> {
    const state = await this.#read(caller);
    const lead = state.members.get(state.lead);
    const first: MemberRow = {
      id: state.runId,
      name: LEAD_NAME,
      role: 'lead',
      status: lead !== undefined && this.#status(state, lead) === 'running' ? 'running' : 'idle',
      diagnostics: [],
    };
    // One that was made the lead is on the roster from before.
    const others = [...state.board.members.values()].filter(({ name }) => name !== state.lead);
    return [first, ...others.map((member) => this.#row(state, member))];
  }

  /** Spawns a teammate. @throws TeamError in the order of `spawn`; `TEAM_DISPOSED` when the team is closing. */
  async spawnTeammate(caller: TeamHandle, request: SpawnRequest): Promise<MemberRow> {
    this.#closing.refuse();
    return this.#closing.admit(async () => {
      const state = await this.#read(caller);
      const signal = AbortSignal.any([request.signal, this.#closing.signal]);
      const member = await spawn(this.#options, this.#member(state, caller), { ...request, signal });
      this.#options.drive();
      return this.#row(await this.#options.record.refresh(), member);
    });
  }

  /**
   * Sends mail.
   * @returns `queued` is a success too: the message is durable, and is delivered when its target next takes a turn.
   */
  async sendMessage(
    caller: TeamHandle,
    { target, content, delivery, signal }: SendRequest,
  ): Promise<{ readonly messageId: string; readonly status: 'accepted' | 'queued' }> {
    this.#closing.refuse();
    return this.#closing.admit(async () => {
      const messageId = `team-message-${randomUUID()}`;
      await this.#command((state) => {
        const sender = this.#member(state, caller);
        signal?.throwIfAborted();
        const to = teamName(state, target);
        const message = decideMessage(
          state.board,
          sender,
          { id: messageId, target: to, content, delivery },
          this.#limits,
        );
        return this.#events(state, caller, [
          { type: 'team/message/queued', payload: { version: 1, teamId: state.runId, message } },
        ]);
      });
      // Durable from here on: whatever happens now, it is not to be sent again.
      const isPending = await this.#options
        .deliver()
        .then(() => this.#options.record.refresh())
        .then(
          ({ board }) => board.pending.has(messageId),
          () => true,
        );
      return { messageId, status: isPending ? 'queued' : 'accepted' };
    });
  }

  async createTask(caller: TeamHandle, request: NewTask, signal?: AbortSignal): Promise<TaskView> {
    return this.#task(caller, (state) => createTask(state.board, request, this.#limits), { signal });
  }

  /** One task, a deleted one too. @throws TeamError `TEAM_TASK_NOT_FOUND`. */
  async getTask(caller: TeamHandle, id: string): Promise<TaskView> {
    const { board } = await this.#read(caller);
    const task = board.tasks.get(id);
    if (task === undefined) throw new TeamError('TEAM_TASK_NOT_FOUND', `There is no task "${id}".`);
    return taskView(board, task);
  }

  async listTasks(caller: TeamHandle, filter: TaskFilter = {}): Promise<readonly TaskView[]> {
    const state = await this.#read(caller);
    const { owner } = filter;
    return listTasks(state.board, owner === undefined ? filter : { ...filter, owner: teamName(state, owner) });
  }

  /** Changes a task at the revision that the caller has seen. */
  async updateTask(caller: TeamHandle, update: TaskUpdate, signal?: AbortSignal): Promise<TaskView> {
    const { action, owner, result } = update;
    return this.#task(
      caller,
      (state) => {
        const named = owner === undefined ? update : { ...update, owner: teamName(state, owner) };
        return updateTask(state.board, this.#member(state, caller), named);
      },
      { result: action === 'complete' ? result : undefined, signal },
    );
  }

  /**
   * A task in all its revisions, the first one first.
   * @throws TeamError `TEAM_TASK_NOT_FOUND`.
   */
  async taskHistory(caller: TeamHandle, id: string): Promise<readonly TaskHistoryEntry[]> {
    const state = await this.#read(caller);
    const revisions = await readTaskHistory(this.#options.storage, state.runId, id);
    if (revisions.length === 0) throw new TeamError('TEAM_TASK_NOT_FOUND', `There is no task "${id}".`);
    return revisions.map(({ task: { ownerId, ...task }, ...revision }) => {
      const owner = ownerId === undefined ? null : ownerName(state.board, ownerId);
      return { ...task, ...(owner === null ? {} : { ownerName: owner }), ...revision };
    });
  }

  /** Claims the next task that can be begun and gets in nobody's way. @returns null when there is none. */
  async claimNext(caller: TeamHandle): Promise<TaskView | null> {
    const claimed: TaskSnapshot[] = [];
    const state = await this.#command((before) => {
      claimed.length = 0;
      const next = nextReadyTask(before.board);
      if (next === null) return [];
      const update = { taskId: next.id, expectedRevision: next.revision, action: 'claim' } as const;
      const task = updateTask(before.board, this.#member(before, caller), update);
      claimed.push(task);
      return this.#events(before, caller, [taskEvent(before, task)]);
    });
    const [task] = claimed;
    return task === undefined ? null : taskView(state.board, task);
  }

  /** Waits for the next change of the team or of a member's status. See `waitForChange` in team-wait.ts. */
  waitForChange(caller: TeamHandle, timeoutMs: number, signal: AbortSignal): Promise<{ readonly timedOut: boolean }> {
    // No pause before it listens: what the caller starts right after this call must not be missed.
    if (this.#handles.get(caller.id) !== caller) return Promise.reject(notMember());
    const { record, clock } = this.#options;
    return waitForChange({ record, clock, closing: this.#closing.signal }, timeoutMs, signal);
  }

  /** Ends a member's running turn; its mail and its tasks stay. */
  async interrupt(
    caller: TeamHandle,
    targetName: string,
  ): Promise<{ readonly previousStatus: 'running' | 'idle' | 'inactive' }> {
    const state = await this.#read(caller);
    const target = this.#target(state, caller, targetName);
    const status = target === null ? 'inactive' : this.#status(state, target);
    const position = target?.open?.position;
    if (status === 'running' && position !== undefined) {
      const by = caller.name;
      await this.#command((now) => {
        // A turn that has ended meanwhile is none to interrupt.
        if (now.members.get(target?.id ?? '')?.open?.position !== position) return [];
        return decideInterrupt(now, position, this.#options.isRunnerAlive(now), by).map((event) => ({ event }));
      });
    }
    return { previousStatus: status };
  }

  /** Lets a member's stopped or failed turn be tried again. @returns false when nothing of it waits. */
  async resumeTeammate(caller: TeamHandle, targetName: string): Promise<{ readonly resumed: boolean }> {
    this.#closing.refuse();
    const state = await this.#read(caller);
    const left = this.#target(state, caller, targetName)?.left.at(-1);
    if (left === undefined) return { resumed: false };
    await this.#command((now) => [{ event: decideRetry(now, left.position) }]);
    this.#options.drive();
    return { resumed: true };
  }

  /**
   * Refuses new members and mail from here on, lets everybody go who waits, and waits for what was begun.
   * @throws AggregateError of what failed otherwise than by being closed, or took longer than a step may take.
   */
  close(): Promise<void> {
    return this.#closing.close(this.#options.clock, this.#limits.disposalTimeoutMs);
  }

  #row(state: LiveState, member: MemberSnapshot): MemberRow {
    const { id, name, description, provider, context, phase, error } = member;
    const live = state.members.get(name);
    const status = phase === 'active' ? (live === undefined ? 'inactive' : this.#status(state, live)) : phase;
    const diagnostics = error === undefined ? [] : [error];
    return { id, name, role: 'teammate', status, description, provider, context, diagnostics };
  }

  /**
   * A member that waits for its turn is idle, and so is one whose turn nobody runs any more; one that has nothing to do
   * is not resident.
   */
  #status(state: LiveState, member: LiveMember): 'running' | 'idle' | 'inactive' {
    if (isRunning(state, member) && this.#options.isRunnerAlive(state)) return 'running';
    return member.queue.length > 0 || member.open !== null ? 'idle' : 'inactive';
  }

  #handleOf(id: string, name: string): TeamHandle {
    const known = this.#handles.get(id);
    if (known !== undefined) return known;
    const handle = Object.freeze({ id, name });
    this.#handles.set(id, handle);
    return handle;
  }

  #member(state: LiveState, caller: TeamHandle): Membership {
    const isKnown = this.#handles.get(caller.id) === caller;
    const isPerson = caller.id === PERSON;
    if (isKnown && (isPerson || memberOfActor(state, caller.id) !== null)) {
      const role = isPerson || caller.id === state.runId ? 'lead' : 'teammate';
      return { id: caller.id, name: caller.name, role, teamId: state.runId };
    }
    throw notMember();
  }

  async #read(caller: TeamHandle): Promise<LiveState> {
    const state = await this.#options.record.refresh();
    this.#member(state, caller);
    return state;
  }

  /** @throws TeamError `TEAM_LEAD_REQUIRED`, `TEAM_MEMBER_NOT_FOUND`, `TEAM_INVALID_TARGET`. */
  #target(state: LiveState, caller: TeamHandle, name: string): LiveMember | null {
    if (this.#member(state, caller).role !== 'lead') {
      throw new TeamError('TEAM_LEAD_REQUIRED', 'only the Team Lead may do that.');
    }
    const wanted = name.trim();
    if (wanted === LEAD_NAME || wanted === state.lead) {
      throw new TeamError('TEAM_INVALID_TARGET', 'The lead cannot be the target of that.');
    }
    const member = memberNamed(state.board, wanted);
    if (member?.phase !== 'active')
      throw new TeamError('TEAM_MEMBER_NOT_FOUND', `There is no active member "${wanted}".`);
    return state.members.get(wanted) ?? null;
  }

  /** @param signal - of the turn that asks: after it was stopped, nothing it still asks for is written (SP-11). */
  async #task(
    caller: TeamHandle,
    decide: (state: LiveState) => TaskSnapshot,
    { result, signal }: { readonly result?: JsonValue | undefined; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<TaskView> {
    const changed: TaskSnapshot[] = [];
    const after = await this.#command((state) => {
      signal?.throwIfAborted();
      this.#member(state, caller);
      const task = decide(state);
      changed.splice(0, 1, task);
      const { id: taskId, revision } = task;
      const resulted: readonly NewRecordEvent[] =
        result === undefined ? [] : [{ type: 'task:resulted', payload: { taskId, revision, result } }];
      return this.#events(state, caller, [taskEvent(state, task), ...resulted]);
    });
    this.#options.drive();
    const [task = decide(after)] = changed;
    return taskView(after.board, task);
  }

  /** Decides on the newest state; what another writer got in first is decided again. */
  #command(decide: (state: LiveState) => readonly Draft[]): Promise<LiveState> {
    return command(this.#options, decide);
  }

  /** Events belong to the chain that the caller is at work in. */
  #events(state: LiveState, caller: TeamHandle, events: readonly NewRecordEvent[]): readonly Draft[] {
    const open = memberOfActor(state, caller.id)?.open ?? null;
    const cause = open === null ? {} : { correlationId: open.chain, causationId: open.position };
    return events.map((event) => ({ event, ...cause }));
  }
}

function notMember(): TeamError {
  return new TeamError('TEAM_NOT_MEMBER', 'Whoever asks is no member of this team.');
}

/** The lead is known by its own id too. */
function teamName({ lead }: LiveState, name: string): string {
  return name.trim() === lead ? LEAD_NAME : name;
}

function taskEvent(state: LiveState, task: TaskSnapshot): NewRecordEvent {
  return { type: 'team/task', payload: { version: 1, teamId: state.runId, task } };
}
