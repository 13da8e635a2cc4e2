// What a live conversation remembers between two events: who is doing what, what waits, and the newest posts of each
// room. It holds pending work only, so a step costs the same after a hundred posts and after a hundred thousand.
import type { JsonValue } from '../json.js';
import type { LiveLimits } from '../record/catalogue.js';

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

/** What woke, or will wake, a turn. */
export interface Trigger {
  readonly post: LivePost;
  /** Id of the person's post that everything follows from. */
  readonly chain: string;
  /** True when the post is a person's. */
  readonly person: boolean;
  /** Hop of the turn that wrote the post; 0 for a person's. */
  readonly hop: number;
  /** Revision of the event that holds the post: the newest trigger is the one with the greatest. */
  readonly revision: number;
  /** Members that the same post mentions and that answer after this one, in the order of its text. */
  readonly then: readonly string[];
}

/** A turn that waits. One per member and room: further triggers join it. */
export interface QueuedTurn {
  readonly roomId: string;
  readonly triggers: readonly Trigger[];
  /** Order of arrival over all members. */
  readonly order: number;
}

/** A turn that was dispatched and has no outcome yet. */
export interface OpenTurn {
  readonly position: string;
  readonly roomId: string;
  readonly triggers: readonly Trigger[];
  readonly chain: string;
  readonly hop: number;
  /** Epoch of the runner that started or resumed it; an older one than the record's means it was interrupted. */
  readonly epoch: number;
  readonly since: string;
}

export interface LiveMember {
  readonly id: string;
  /** The roster's identity of the member; the lead has none. */
  readonly handleId: string | null;
  /** Turns dispatched so far; the next position counts on. */
  readonly turns: number;
  readonly queue: readonly QueuedTurn[];
  readonly open: OpenTurn | null;
  /** Text and data of the newest completed turn in each room: no text of one room enters a turn in another (C24). */
  readonly previous: ReadonlyMap<string, { readonly summary: string; readonly data: JsonValue }>;
  /** Why the newest turn failed; null after one that completed. */
  readonly failure: string | null;
  /** When the newest turn ended. */
  readonly endedAt: string | null;
}

export interface LiveRoom {
  readonly id: string;
  readonly members: readonly string[];
  /** The newest posts, oldest first, at most `limits.tailMessages`. */
  readonly tail: readonly LivePost[];
  readonly isEmpty: boolean;
}

/** How far a chain has come. Kept while something of it is pending. */
export interface LiveChain {
  /** Turns that a member caused. */
  readonly hops: number;
}

export interface LiveState {
  /** Revision of the last event folded. */
  readonly revision: number;
  readonly runId: string;
  readonly teamId: string;
  readonly lead: string;
  readonly limits: LiveLimits;
  readonly runner: { readonly id: string; readonly epoch: number } | null;
  /** The runner that asked for the conversation since the current one began; it starts no turns then. */
  readonly requestedBy: string | null;
  /** In the order of the team file. */
  readonly members: ReadonlyMap<string, LiveMember>;
  readonly rooms: ReadonlyMap<string, LiveRoom>;
  readonly chains: ReadonlyMap<string, LiveChain>;
  /** Posts of the person so far. */
  readonly personPosts: number;
  readonly nextOrder: number;
}

/** The part of a team file that the rules read. */
export interface LiveTeam {
  readonly id: string;
  readonly lead: string;
  readonly members: readonly string[];
  readonly rooms: readonly { readonly id: string; readonly members: readonly string[] }[];
}

/** Epoch of the current runner; 0 before anybody ran the conversation. */
export function currentEpoch(state: LiveState): number {
  return state.runner?.epoch ?? 0;
}

/** True when the member's open turn belongs to the current runner. */
export function isRunning(state: LiveState, member: LiveMember): boolean {
  return member.open !== null && member.open.epoch === currentEpoch(state);
}

/** The member whose open turn stands at `position`. */
export function memberAt(state: LiveState, position: string): LiveMember | null {
  for (const member of state.members.values()) if (member.open?.position === position) return member;
  return null;
}
