// What the panel knows: a projection of what the host said, plus what only this panel has (the open room, drafts,
// posts on their way). Pure; see step.ts for how it changes.
import type { ConversationView, PostView, ProblemView } from '../../src/protocol/view.js';
import { NO_LIVE, type Live } from './live.js';

/** At most this many posts stand in the transcript; older and newer ones are asked for again. */
export const WINDOW = 400;

/** A post that was sent and has not been seen in the record yet. */
export interface PendingPost {
  readonly requestId: string;
  readonly roomId: string;
  readonly text: string;
  /** ISO timestamp of the click. */
  readonly at: string;
  /** Revision of the panel when it was sent: the post itself must have a later one. */
  readonly after: number;
  /** The id that the host gave it, null until `posted`. */
  readonly postId: string | null;
}

/** The one question to the host that has not been answered. */
export interface Request {
  /** The wanted room, null when the host chooses. */
  readonly roomId: string | null;
  /** The greatest revision heard of when it was asked. */
  readonly seen: number;
}

export interface PanelState {
  readonly hostEpoch: string | null;
  readonly revision: number;
  /** The greatest revision that the host mentioned, applied or not. */
  readonly seen: number;
  /** Which host's and which conversation's revision `seen` is: those of others cannot be compared with it. */
  readonly seenOf: string;
  readonly conversation: ConversationView | null;
  /** Run id of the conversation that the drafts belong to. */
  readonly runId: string | null;
  readonly roomId: string | null;
  /** A window of the open room's posts, oldest first, at most WINDOW. */
  readonly posts: readonly PostView[];
  readonly hasOlder: boolean;
  /** True when newer posts than the last of `posts` are not in the window. */
  readonly hasNewer: boolean;
  readonly loadingOlder: boolean;
  /** True while the reader stands at the end of the transcript. */
  readonly following: boolean;
  /** New posts below the reading place. */
  readonly missed: number;
  /** New posts of rooms that are not open, by room id. */
  readonly unread: Readonly<Record<string, number>>;
  /** What running turns have said so far, of all rooms. */
  readonly live: Live;
  readonly drafts: Readonly<Record<string, string>>;
  readonly pending: readonly PendingPost[];
  readonly problem: ProblemView | null;
  /** Why the last post or command was refused, in the host's words. */
  readonly complaint: string | null;
  readonly request: Request | null;
}

export const INITIAL: PanelState = {
  hostEpoch: null,
  revision: 0,
  seen: 0,
  seenOf: '',
  conversation: null,
  runId: null,
  roomId: null,
  posts: [],
  hasOlder: false,
  hasNewer: false,
  loadingOlder: false,
  following: true,
  missed: 0,
  unread: {},
  live: NO_LIVE,
  drafts: {},
  pending: [],
  problem: null,
  complaint: null,
  request: null,
};

/** True while the open room's posts are on their way. */
export function isLoading(state: PanelState): boolean {
  return state.posts.length === 0 && state.request !== null;
}
