// Turns the state of a conversation into what the panel shows; the words for the person are made here.
import * as vscode from 'vscode';
import { LIMIT_KEYS } from '../core/team/limits.js';
import { isRunning, type LiveRoom, type LiveState } from '../core/team/live-state.js';
import { liveRoster, type LiveProfile } from '../core/team/live-roster.js';
import type { TeamFile } from '../core/team/team-file.js';
import { NO_USAGE, type UsageTotals } from '../core/team/usage.js';
import type { ConversationView, LimitView, MemberView, RoomView, UsageView } from '../protocol/view.js';
import type { EngineDirectory } from '../runtime/ports/engines.js';
import type { RunnerPlace } from '../runtime/tenure.js';
import { contactOf } from './post-view.js';
import { taskCounts } from './task-view.js';
import { memberStand, waitsOf } from './waits.js';

export interface ViewContext {
  readonly runId: string;
  /** Run id of the conversation that it was forked from; null for a fresh one. */
  readonly forkOf: string | null;
  /** The team file in force. */
  readonly team: TeamFile;
  readonly engines: EngineDirectory;
  readonly runner: RunnerPlace;
}

/** The conversation as the panel shows it, without its posts. */
export function conversationView(state: LiveState, context: ViewContext): ConversationView {
  const { runId, forkOf, team, runner } = context;
  const members = [...state.members.values()];
  const queued = members.flatMap(({ queue, open }) => (open === null ? queue : []));
  const alive = runner !== 'nobody';
  const running = alive ? members.filter((member) => isRunning(state, member)) : [];
  return {
    runId,
    teamId: team.id,
    teamName: team.name,
    title: titleOf(state),
    isArchived: state.isArchived,
    forkOf,
    members: liveRoster(team, state).map((member) => memberView(member, state, context)),
    rooms: [...state.rooms.values()].map((room) => roomView(room, team)),
    runner,
    busy: running.length > 0 || (alive && queued.length > 0),
    stopping: running.some(({ open }) => open?.stopping?.reason === 'stopped'),
    waits: waitsOf(state, runner),
    limits: LIMIT_KEYS.map((key): LimitView => ({
      key,
      value: state.limits[key],
      source: state.limitSources[key] ?? 'default',
    })),
    usage: usageView(state.usage),
    tasks: taskCounts(state.board),
    waiting: alive ? 0 : queued.length,
    readOnly: vscode.workspace.isTrusted
      ? null
      : vscode.l10n.t('This folder is in Restricted Mode: the conversation can be read, but nothing can be posted.'),
  };
}

/** What the person called the conversation, else the beginning of its first post in one line. */
export function titleOf({ name, firstPost }: Pick<LiveState, 'name' | 'firstPost'>): string | null {
  const title = (name ?? firstPost ?? '').replaceAll(/\s+/gu, ' ').trim();
  return title === '' ? null : title;
}

function roomView({ id, name, kind, members, isEmpty }: LiveRoom, team: TeamFile): RoomView {
  return {
    id,
    name,
    kind,
    members: [...members],
    contact: contactOf(members, team),
    // A direct room's first words are the person's own.
    suggestion: isEmpty && kind !== 'direct' ? team.suggestion : null,
  };
}

function memberView(member: LiveProfile, state: LiveState, { team, engines, runner }: ViewContext): MemberView {
  const { id, name, role, icon, engine } = member;
  const live = state.members.get(id);
  const stand =
    live === undefined
      ? { status: 'idle' as const, since: null, position: null, roomId: null }
      : memberStand(state, live, runner);
  return {
    id,
    name,
    role,
    icon,
    isLead: id === team.lead,
    engine: engines.find(engine)?.label ?? vscode.l10n.t('{engine} (not available)', { engine }),
    ...stand,
    queued: live?.queue.length ?? 0,
    usage: usageView(live?.usage ?? NO_USAGE),
    failure: stand.status === 'failed' ? (live?.left.at(-1)?.message ?? live?.failure ?? null) : null,
  };
}

function usageView({ turns, unknownCost, cost, inputTokens, outputTokens, mismatches }: UsageTotals): UsageView {
  return { turns, unknownCost, cost, inputTokens, outputTokens, mismatches };
}
