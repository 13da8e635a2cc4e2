// What a live conversation remembers between two events: who is doing what, what waits, and the newest posts of each
// room. It holds pending work only, so a step costs the same after a hundred posts and after a hundred thousand.
import type { JsonValue } from '../json.js';
import type { ChainLimit, LimitSources, LiveLimits } from '../record/catalogue.js';
import type { MessageSnapshot } from '../record/team-schemas.js';
import type { AgentTeam } from './board/team-state.js';
import type { UsageTotals } from './usage.js';

/** The handle of the person. */
export const PERSON = 'you';

/** A post as the fold keeps it. */
export interface LivePost {
  readonly id: string;
  readonly roomId: string;
  /** Member id, or `you`. */
  readonly sender: string;
  readonly text: string;
  readonly mentions: readonly string[];
}

/** What a trigger is: a post, a message, the first prompt of a member, or tasks that can be begun. */
export type TriggerCause =
  | { readonly kind: 'post'; readonly post: LivePost }
  | { readonly kind: 'mail'; readonly messageId: string; readonly sender: string }
  | { readonly kind: 'prompt'; readonly sender: string }
  | { readonly kind: 'tasks'; readonly tasks: readonly string[]; readonly sender: string };

/** What woke, or will wake, a turn. */
export interface Trigger {
  readonly cause: TriggerCause;
  /** Id of the person's post that everything follows from. */
  readonly chain: string;
  /** True when the cause is a person's. */
  readonly person: boolean;
  /** Hop of the turn that caused it; 0 for a person's. */
  readonly hop: number;
  /** Revision of the event that holds it: the newest trigger is the one with the greatest. */
  readonly revision: number;
  /** Members that the same post mentions and that answer after this one, in the order of its text. */
  readonly then: readonly string[];
}

/** A message that its target has and has not been given in a turn yet. */
export interface InboxItem {
  readonly message: MessageSnapshot;
  /** Chain and hop of the turn that it was sent in. */
  readonly chain: string;
  readonly hop: number;
}

/** That a turn was tried before: it counts against no limit again but that of cost. */
export interface Retried {
  /** Code of the failure that ended the try before; null when it was cancelled. */
  readonly code: string | null;
}

/** A turn that waits. One per member and room, and one without: further triggers join it. */
export interface QueuedTurn {
  /** Null for a turn that only mail, a prompt or tasks woke: what it answers goes to whoever did. */
  readonly roomId: string | null;
  readonly triggers: readonly Trigger[];
  /** Order of arrival over all members. */
  readonly order: number;
  readonly retried: Retried | null;
}

/** Why a turn that runs is to end: the conversation was stopped, or the member interrupted, and by whom. */
export interface Stopping {
  readonly reason: 'stopped' | 'interrupted';
  readonly by: string;
}

/** A turn that was dispatched and has no outcome yet. */
export interface OpenTurn {
  readonly position: string;
  readonly roomId: string | null;
  readonly triggers: readonly Trigger[];
  readonly chain: string;
  readonly hop: number;
  /** Epoch of the runner that started or resumed it; an older one than the record's means it was interrupted. */
  readonly epoch: number;
  readonly since: string;
  readonly retried: Retried | null;
  /** Set once it is to end: whatever it still answers is not taken. */
  readonly stopping: Stopping | null;
  /** Mail that was there when it began, in the order received. */
  readonly mail: readonly InboxItem[];
}

/** A turn that ended without an answer and waits for a person: to try it again, or to leave it. */
export interface LeftTurn {
  readonly position: string;
  readonly roomId: string | null;
  readonly triggers: readonly Trigger[];
  readonly ended: 'failed' | 'cancelled';
  /** Code of the failure; null for a cancelled turn. */
  readonly code: string | null;
  readonly message: string | null;
  readonly at: string;
}

export interface LiveMember {
  readonly id: string;
  /** The member's place in the roster, 1 for the lead; names its own stream, and never changes. */
  readonly ordinal: number;
  /** The roster's identity of the member; the lead has none and acts under the run id. */
  readonly handleId: string | null;
  /** Mail that it has and that no turn of it has been given and answered, in the order received. */
  readonly inbox: readonly InboxItem[];
  /** Turns dispatched so far; the next position counts on. */
  readonly turns: number;
  readonly queue: readonly QueuedTurn[];
  readonly open: OpenTurn | null;
  /** At most one a room: a newer one takes the triggers of the older in, and one that completes takes its place. */
  readonly left: readonly LeftTurn[];
  /** Text and data of the newest completed turn in each room: no text of one room enters a turn in another (C24). */
  readonly previous: ReadonlyMap<string, { readonly summary: string; readonly data: JsonValue }>;
  /** Why the newest turn failed; null after one that completed. */
  readonly failure: string | null;
  /** When the newest turn ended. */
  readonly endedAt: string | null;
  readonly usage: UsageTotals;
}

export interface LiveRoom {
  readonly id: string;
  readonly name: string;
  readonly kind: 'public' | 'private' | 'direct';
  readonly members: readonly string[];
  /** The newest posts, oldest first, at most `limits.tailMessages`. */
  readonly tail: readonly LivePost[];
  readonly isEmpty: boolean;
}

/** A turn that a limit keeps back until a person lets its chain go on. */
export interface ParkedTurn {
  readonly memberId: string;
  readonly limit: ChainLimit;
  readonly turn: QueuedTurn;
}

/** How far a chain has come. Kept while something of it is pending. */
export interface LiveChain {
  /** Turns that a member caused. */
  readonly hops: number;
  /** Turns by member. */
  readonly turns: ReadonlyMap<string, number>;
  /** What the chain has cost as far as that is known, in US dollars. */
  readonly cost: number;
  /** What a person granted on top of each limit. */
  readonly granted: Readonly<Record<ChainLimit, number>>;
  /** Limits that stopped the chain and that nobody has extended since. */
  readonly stopped: readonly ChainLimit[];
  readonly parked: readonly ParkedTurn[];
}

export interface LiveState {
  /** Revision of the last event folded. */
  readonly revision: number;
  readonly runId: string;
  readonly teamId: string;
  /** Canonical text of the team file in force. */
  readonly team: string;
  readonly lead: string;
  readonly limits: LiveLimits;
  readonly limitSources: LimitSources;
  readonly acknowledgements: 'quiet' | 'wake';
  readonly runner: { readonly id: string; readonly epoch: number } | null;
  /** The runner that asked for the conversation since the current one began; it starts no turns then. */
  readonly requestedBy: string | null;
  /** In the order of the team file, then those that were spawned. */
  readonly members: ReadonlyMap<string, LiveMember>;
  /** Members that have left the team file: whoever comes back goes on where it was. */
  readonly former: ReadonlyMap<string, LiveMember>;
  readonly nextOrdinal: number;
  readonly rooms: ReadonlyMap<string, LiveRoom>;
  /** The oldest first. */
  readonly chains: ReadonlyMap<string, LiveChain>;
  /** Posts of the person so far. */
  readonly personPosts: number;
  /** Room of the newest of them. */
  readonly personRoom: string | null;
  readonly nextOrder: number;
  /** What a person called the conversation; null: its first post says what it is. */
  readonly name: string | null;
  readonly isArchived: boolean;
  /** Beginning of the first post. */
  readonly firstPost: string | null;
  /** When something was said or a turn began or ended last; null before. */
  readonly activeAt: string | null;
  readonly usage: UsageTotals;
  /** The roster, the tasks and the mail that is on its way. */
  readonly board: AgentTeam;
  /** Members that are being provisioned, by id: the place that each will have, and the chain that it is spawned in. */
  readonly spawning: ReadonlyMap<string, Spawning>;
  /** Of mail on its way: the chain and hop of the turn that it was sent in. */
  readonly mailFrom: ReadonlyMap<string, MailOrigin>;
  /** Mail that waits since a Stop until a person lets it go. */
  readonly heldMail: ReadonlySet<string>;
}

export interface Spawning extends MailOrigin {
  readonly ordinal: number;
}

/** Where a message, or a member, comes from. */
export interface MailOrigin {
  readonly chain: string;
  readonly hop: number;
}

/** The part of a team file that the rules read. */
export interface LiveTeam {
  readonly id: string;
  readonly lead: string;
  readonly members: readonly string[];
  readonly rooms: readonly Pick<LiveRoom, 'id' | 'name' | 'kind' | 'members'>[];
}

/** Epoch of the current runner; 0 before anybody ran the conversation. */
export function currentEpoch(state: LiveState): number {
  return state.runner?.epoch ?? 0;
}

/** True when the member's open turn belongs to the current runner. */
export function isRunning(state: LiveState, member: LiveMember): boolean {
  return member.open !== null && member.open.epoch === currentEpoch(state);
}

/** The member and its turn at `position` that waits for a person after it failed or was cancelled. */
export function leftAt(
  state: LiveState,
  position: string,
): { readonly member: LiveMember; readonly turn: LeftTurn } | null {
  for (const member of state.members.values()) {
    const turn = member.left.find((left) => left.position === position);
    if (turn !== undefined) return { member, turn };
  }
  return null;
}

/** The member whose open turn stands at `position`. */
export function memberAt(state: LiveState, position: string): LiveMember | null {
  for (const member of state.members.values()) if (member.open?.position === position) return member;
  return null;
}

/** The id under which a member acts in the team: the lead's is the run id. */
export function actorId(state: LiveState, memberId: string): string | null {
  return memberId === state.lead ? state.runId : (state.members.get(memberId)?.handleId ?? null);
}

/** The member that acts under that id; null for the person and for whoever has left. */
export function memberOfActor(state: LiveState, actor: string): LiveMember | null {
  if (actor === state.runId) return state.members.get(state.lead) ?? null;
  // A member that was made the lead still has what was sent to it before.
  for (const member of state.members.values()) if (member.handleId === actor) return member;
  return null;
}

/** Where a notice stands that belongs to no room: in that of the person's newest post. */
export function noticeRoom(state: LiveState): string {
  return state.personRoom ?? [...state.rooms.keys()][0] ?? '';
}

/** The post of a trigger; null for one that is none. */
export function postOf({ cause }: Trigger): LivePost | null {
  return cause.kind === 'post' ? cause.post : null;
}

/** Who or what a trigger is, so that the same one is not taken in twice. */
export function triggerKey({ cause }: Trigger): string {
  switch (cause.kind) {
    case 'post':
      return `post/${cause.post.id}`;
    case 'mail':
      return `mail/${cause.messageId}`;
    case 'prompt':
      return 'prompt';
    case 'tasks':
      return `tasks/${cause.tasks.join(',')}`;
  }
}
