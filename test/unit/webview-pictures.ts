// Small pictures of a conversation for the tests of the panel's pure parts.
import type { HostMessage } from '../../src/protocol/messages.js';
import type { ConversationView, MemberView, PostView, RoomView, UsageView } from '../../src/protocol/view.js';

export const NO_USAGE: UsageView = {
  turns: 0,
  unknownCost: 0,
  cost: 0,
  inputTokens: 0,
  outputTokens: 0,
  mismatches: 0,
};

export function member(id: string, changes: Partial<MemberView> = {}): MemberView {
  return {
    id,
    name: id,
    role: '',
    icon: { kind: 'letters', letters: 'AB' },
    isLead: id === 'lead',
    engine: 'Scripted (offline)',
    status: 'idle',
    since: null,
    position: null,
    roomId: null,
    queued: 0,
    usage: NO_USAGE,
    failure: null,
    ...changes,
  };
}

function room(id: string): RoomView {
  return { id, name: id, kind: 'public', members: ['lead', 'helper'], contact: 'lead', suggestion: null };
}

export function conversation(changes: Partial<ConversationView> = {}): ConversationView {
  return {
    runId: 'run',
    teamId: 'team',
    teamName: 'Team',
    title: null,
    isArchived: false,
    forkOf: null,
    members: [member('lead'), member('helper')],
    rooms: [room('main'), room('side')],
    runner: 'here',
    busy: false,
    stopping: false,
    waits: [],
    limits: [],
    usage: NO_USAGE,
    tasks: { blocked: 0, ready: 0, in_progress: 0, completed: 0 },
    waiting: 0,
    readOnly: null,
    ...changes,
  };
}

export function post(revision: number, changes: Partial<PostView> = {}): PostView {
  return {
    id: `post/${revision}`,
    roomId: 'main',
    revision,
    index: 0,
    sender: { kind: 'member', id: 'helper' },
    text: `text ${revision}`,
    blocks: null,
    at: '2026-03-02T10:00:00.000Z',
    to: [],
    unresolved: [],
    hop: null,
    position: null,
    answers: [],
    isAcknowledgement: false,
    isInherited: false,
    ...changes,
  };
}

type Snapshot = Extract<HostMessage, { type: 'snapshot' }>;
type Changes = Extract<HostMessage, { type: 'changes' }>;

export function snapshot(revision: number, changes: Partial<Snapshot> = {}): Snapshot {
  return {
    type: 'snapshot',
    hostEpoch: 'e1',
    revision,
    conversation: conversation(),
    roomId: 'main',
    posts: [post(revision)],
    hasOlder: false,
    drafts: {},
    live: [],
    ...changes,
  };
}

export function changesOf(from: number, to: number, changes: Partial<Changes> = {}): Changes {
  return { type: 'changes', hostEpoch: 'e1', from, to, conversation: conversation(), posts: [post(to)], ...changes };
}
