// The task board of one panel: what there is, pushed while it is open, and what a person does to it. Each command is
// answered under its request: done, or refused with a code, words and what the task is now.
import * as vscode from 'vscode';
import { canonicalJson } from '../core/json.js';
import { LEAD_NAME } from '../core/team/board/team-state.js';
import { TeamError } from '../core/team/error.js';
import { liveProfile } from '../core/team/live-roster.js';
import { PERSON, type LiveState } from '../core/team/live-state.js';
import type { TaskRevisionView, UpdateTask } from '../protocol/board.js';
import type { HostMessage, PanelMessage } from '../protocol/messages.js';
import type { Conversation } from '../runtime/conversation.js';
import type { RecordChange } from '../runtime/live-record.js';
import type { TaskHistoryEntry } from '../runtime/team-service.js';
import { messageOf } from './errors.js';
import { actorOf, revisionWords, taskItemOf, taskItems } from './task-view.js';
import type { TeamSession } from './team-session.js';

const MESSAGES = ['board', 'boardClosed', 'task', 'createTask', 'updateTask', 'claimNextTask'] as const;
export type BoardMessage = Extract<PanelMessage, { type: (typeof MESSAGES)[number] }>;
type Command = Extract<BoardMessage, { readonly requestId: string }>;

export function isBoardMessage(message: PanelMessage): message is BoardMessage {
  return MESSAGES.some((type) => type === message.type);
}

export interface BoardHostOptions {
  readonly session: Pick<TeamSession, 'open' | 'openToAct'>;
  readonly send: (message: HostMessage) => void;
}

export class BoardHost {
  readonly #options: BoardHostOptions;
  #isOpen = false;
  /** It was asked for outside, and the panel has not heard of it yet. */
  #wanted: { readonly taskId: string | null } | null = null;

  constructor(options: BoardHostOptions) {
    this.#options = options;
  }

  /** Does what the panel asks for. @throws when what there is cannot be read. */
  async handle(message: BoardMessage): Promise<void> {
    switch (message.type) {
      case 'board': {
        this.#isOpen = true;
        const { state } = await this.#conversation().then((conversation) => conversation.status());
        this.#sendBoard(state);
        return;
      }
      case 'boardClosed':
        this.#isOpen = false;
        return;
      case 'task':
        this.#options.send(await detailOf(await this.#conversation(), message.taskId));
        return;
      case 'createTask':
      case 'updateTask':
      case 'claimNextTask':
        return this.#run(message);
    }
  }

  /** Pushes the board when a change of the record is one of it. */
  changed({ events, state }: Pick<RecordChange, 'events' | 'state'>): void {
    if (this.#isOpen && events.some(({ type }) => type === 'team/task')) this.#sendBoard(state);
  }

  /** The panel hears nothing any more, or asks again for what it shows. */
  clear(): void {
    this.#isOpen = false;
  }

  /**
   * Opens the board in the panel, at a task if one is named.
   * @param isShown - false for a panel that hears nothing yet: then `sayWanted` says it.
   */
  show(taskId: string | null, isShown: boolean): void {
    this.#wanted = { taskId };
    if (isShown) this.sayWanted();
  }

  /** Says what was asked for while the panel heard nothing. */
  sayWanted(): void {
    const wanted = this.#wanted;
    if (wanted === null) return;
    this.#wanted = null;
    this.#options.send({ type: 'showBoard', taskId: wanted.taskId });
  }

  async #run(message: Command): Promise<void> {
    const { requestId } = message;
    const { send } = this.#options;
    try {
      const conversation = await this.#options.session.openToAct();
      const done = await command(conversation, message);
      const { state } = await conversation.status();
      const task = done === null ? null : taskItemOf(state, done.id);
      send({ type: 'taskDone', requestId, task, revision: done?.revision ?? 0 });
    } catch (error) {
      const taskId = message.type === 'updateTask' ? message.taskId : null;
      const { task, changed } = await this.#now(taskId, error);
      const code = error instanceof TeamError ? error.code : '';
      const words =
        changed === null || message.type !== 'updateTask'
          ? messageOf(error)
          : vscode.l10n.t('You saw revision {seen} of {task}; it is at {now} now.', {
              ...{ seen: message.expectedRevision, task: message.taskId, now: changed.revision },
            });
      send({ type: 'taskRefused', requestId, code, message: words, task, changed });
    }
  }

  /** TB-1: what a refused task is now, and for one that was changed meanwhile, by whom. */
  async #now(taskId: string | null, error: unknown) {
    try {
      if (taskId === null) return { task: null, changed: null };
      const conversation = await this.#conversation();
      const { state } = await conversation.status();
      const isStale = error instanceof TeamError && error.code === 'TEAM_TASK_STALE_REVISION';
      const [changed = null] = isStale ? (await historyOf(conversation, state, taskId)).views : [];
      return { task: taskItemOf(state, taskId), changed };
    } catch {
      // What was refused is said all the same.
      return { task: null, changed: null };
    }
  }

  #sendBoard(state: LiveState): void {
    const { runId, revision } = state;
    this.#options.send({ type: 'board', runId, revision, tasks: [...taskItems(state)] });
  }

  async #conversation(): Promise<Conversation> {
    return (await this.#options.session.open()).conversation;
  }
}

async function command(conversation: Conversation, message: Command) {
  const { service } = conversation;
  switch (message.type) {
    case 'createTask': {
      const { subject, description, blockedBy, writeScopes } = message;
      return service.createTask(service.person, { subject, description, blockedBy, writeScopes });
    }
    case 'updateTask': {
      const { state } = await conversation.status();
      return service.updateTask(service.person, updateOf(message, state));
    }
    case 'claimNextTask':
      return service.claimNext(service.person);
  }
}

function updateOf({ type: _type, requestId: _request, owner, ...update }: UpdateTask, { lead }: LiveState) {
  if (owner === undefined) return update;
  return { ...update, owner: owner === lead ? LEAD_NAME : owner };
}

async function detailOf(conversation: Conversation, taskId: string): Promise<Extract<HostMessage, { type: 'task' }>> {
  const { state } = await conversation.status();
  const now = state.board.tasks.get(taskId);
  const head = {
    type: 'task' as const,
    taskId,
    revision: now?.revision ?? 0,
    subject: now?.subject ?? '',
    description: now?.description ?? '',
    isDeleted: now === undefined || now.status === 'deleted',
  };
  try {
    const { entries, views } = await historyOf(conversation, state, taskId);
    // What a task was completed with holds as long as it is completed.
    const result = now?.status === 'completed' ? entries.findLast((entry) => entry.result !== undefined)?.result : null;
    return { ...head, result: result === undefined ? null : textOf(result), history: [...views], problem: null };
  } catch (error) {
    return { ...head, result: null, history: [], problem: messageOf(error) };
  }
}

/** The revisions of a task and the words for them, the newest view first. */
async function historyOf(
  { service, team }: Conversation,
  state: LiveState,
  taskId: string,
): Promise<{ readonly entries: readonly TaskHistoryEntry[]; readonly views: readonly TaskRevisionView[] }> {
  const entries = await service.taskHistory(service.person, taskId);
  const nameOf = (owner: string): string => {
    const id = actorOf(owner, state);
    return id === PERSON ? vscode.l10n.t('you') : (liveProfile(team, state, id)?.name ?? id);
  };
  const views = entries.map((entry, at) => ({
    revision: entry.revision,
    at: entry.at,
    by: entry.position === null ? PERSON : memberAt(entry.position),
    words: revisionWords(entries[at - 1] ?? null, entry, nameOf),
  }));
  return { entries, views: views.reverse() };
}

/** The member whose turn a position is: `team/<member>/<n>`. */
function memberAt(position: string): string | null {
  return position.split('/').at(-2) ?? null;
}

function textOf(result: TaskHistoryEntry['result'] | null): string | null {
  if (result === undefined || result === null) return null;
  return typeof result === 'string' ? result : canonicalJson(result);
}
