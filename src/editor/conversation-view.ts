// Turns the state of a conversation into what the panel shows; the words for the person are made here.
import * as vscode from 'vscode';
import { isRunning, PERSON, type LiveMember, type LiveState } from '../core/team/live-state.js';
import type { TeamFile, TeamFileMember } from '../core/team/team-file.js';
import type { Notice, TranscriptEntry } from '../core/team/transcript.js';
import type { ConversationView, MemberView, PostView } from '../protocol/view.js';
import type { RunnerPlace } from '../runtime/tenure.js';
import type { EngineDirectory } from '../runtime/ports/engines.js';

export interface ViewContext {
  readonly runId: string;
  readonly team: TeamFile;
  readonly engines: EngineDirectory;
  readonly runner: RunnerPlace;
}

/** The conversation as the panel shows it, without its posts. */
export function conversationView(state: LiveState, context: ViewContext): ConversationView {
  const { runId, team, runner } = context;
  const members = [...state.members.values()];
  const queued = members.flatMap(({ queue, open }) => (open === null ? queue : []));
  const alive = runner !== 'nobody';
  return {
    runId,
    teamId: team.id,
    teamName: team.name,
    members: team.members.map((member) => memberView(member, state, context)),
    rooms: team.rooms.map(({ id, name, kind, members: inRoom }) => ({
      id,
      name,
      kind,
      members: [...inRoom],
      contact: contactOf(inRoom, team),
      suggestion: state.rooms.get(id)?.isEmpty === true ? team.suggestion : null,
    })),
    runner,
    busy: alive && (queued.length > 0 || members.some((member) => isRunning(state, member))),
    waiting: alive ? 0 : queued.length,
    readOnly: vscode.workspace.isTrusted
      ? null
      : vscode.l10n.t('This folder is in Restricted Mode: the conversation can be read, but nothing can be posted.'),
  };
}

function memberView(member: TeamFileMember, state: LiveState, { team, engines, runner }: ViewContext): MemberView {
  const { id, name, role, icon, engine } = member;
  const live = state.members.get(id);
  return {
    id,
    name,
    role,
    icon,
    isLead: id === team.lead,
    engine: engines.find(engine.kind)?.label ?? vscode.l10n.t('{engine} (not available)', { engine: engine.kind }),
    status: live === undefined ? 'idle' : memberStatus(live, state, runner),
    since: live?.open?.since ?? live?.endedAt ?? null,
    position: live?.open?.position ?? null,
    failure: live?.failure ?? null,
  };
}

function memberStatus(member: LiveMember, state: LiveState, runner: RunnerPlace): MemberView['status'] {
  if (member.open !== null) return isRunning(state, member) && runner !== 'nobody' ? 'running' : 'interrupted';
  if (member.queue.length > 0) return 'queued';
  return member.failure === null ? 'idle' : 'failed';
}

/** Who answers a post that mentions nobody. */
function contactOf(inRoom: readonly string[], { lead }: TeamFile): string | null {
  return inRoom.includes(lead) ? lead : (inRoom[0] ?? null);
}

/** One entry of the transcript as the panel shows it. */
export function postView(entry: TranscriptEntry, team: TeamFile): PostView {
  const { id, roomId, revision, index, at } = entry;
  const place = { id, roomId, revision, index, at };
  if (entry.kind === 'notice') {
    const text = noticeText(entry.notice, team);
    return { ...place, sender: { kind: 'notice' }, text, to: [], unresolved: [], hop: null };
  }
  const { sender, text, mentions, unresolved, hop } = entry;
  const contact = contactOf(team.rooms.find((room) => room.id === roomId)?.members ?? [], team);
  const isPerson = sender === PERSON;
  return {
    ...place,
    sender: isPerson ? { kind: 'person' } : { kind: 'member', id: sender },
    text,
    to: mentions.length > 0 || !isPerson || contact === null ? [...mentions] : [contact],
    unresolved: [...unresolved],
    hop,
  };
}

function noticeText(notice: Notice, team: TeamFile): string {
  const { l10n } = vscode;
  const name = (id: string): string => team.members.find((member) => member.id === id)?.name ?? id;
  switch (notice.kind) {
    case 'limited':
      return l10n.t('Stopped after {count} hops: {next} was next.', {
        count: notice.count,
        next: notice.next.map((id) => `@${name(id)}`).join(', '),
      });
    case 'failed':
      return l10n.t('{name} could not answer: {message}', { name: name(notice.member), message: notice.message });
    case 'skipped':
      return l10n.t('The interrupted turn of {name} was skipped.', { name: name(notice.member) });
  }
}
