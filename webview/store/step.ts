// How the panel's state changes: one function from what happened to the next state and what to tell the host.
import type { HostMessage, PanelMessage } from '../../src/protocol/messages.js';
import { above, onChanges, onPage, onPosted, onSnapshot } from './hear.js';
import { withPieces, type LivePiece } from './live.js';
import type { PanelState, PendingPost } from './state.js';

/** What happened to the panel. */
export type Input =
  | { readonly kind: 'host'; readonly message: HostMessage }
  /** What running turns said since the last drawing. */
  | { readonly kind: 'live'; readonly pieces: readonly LivePiece[] }
  /** The panel was loaded, became visible again, or a person asked to try again. */
  | { readonly kind: 'shown' }
  | { readonly kind: 'openRoom'; readonly roomId: string }
  | { readonly kind: 'older' }
  | { readonly kind: 'latest' }
  | { readonly kind: 'following'; readonly following: boolean }
  | { readonly kind: 'draft'; readonly roomId: string; readonly text: string }
  | { readonly kind: 'send'; readonly requestId: string; readonly text: string; readonly at: string }
  | { readonly kind: 'dismiss' };

export interface Step {
  readonly state: PanelState;
  readonly send: readonly PanelMessage[];
}

/**
 * @param state what the panel knew
 * @param input what happened
 * @returns what it knows now, and the messages for the host in order
 */
export function step(state: PanelState, input: Input): Step {
  switch (input.kind) {
    case 'host':
      return hear(state, input.message);
    case 'live':
      return live(state, input.pieces);
    case 'shown':
      return ask(state);
    case 'openRoom':
      return openRoom(state, input.roomId);
    case 'older':
      return older(state);
    case 'latest':
      return state.hasNewer
        ? ask({ ...state, posts: [], hasNewer: false, hasOlder: false, following: true, missed: 0 })
        : quiet({ ...state, following: true, missed: 0 });
    case 'following':
      return quiet(following(state, input.following));
    case 'draft':
      return quiet({ ...state, drafts: { ...state.drafts, [input.roomId]: input.text } });
    case 'send':
      return sendPost(state, input);
    case 'dismiss':
      return quiet({ ...state, complaint: null });
  }
}

function quiet(state: PanelState): Step {
  return { state, send: [] };
}

function following(state: PanelState, value: boolean): PanelState {
  // The end of the window is not the end of the room while newer posts are missing from it.
  const at = value && !state.hasNewer;
  return at === state.following ? state : { ...state, following: at, missed: at ? 0 : state.missed };
}

/** Asks for the whole picture. An answer to an earlier question is still welcome when it fits. */
function ask(state: PanelState): Step {
  return {
    state: { ...state, request: { roomId: state.roomId, seen: state.seen } },
    send: [
      {
        type: 'ready',
        conversation: state.runId,
        revision: state.revision,
        hostEpoch: state.hostEpoch,
        roomId: state.roomId,
      },
    ],
  };
}

function openRoom(state: PanelState, roomId: string): Step {
  if (roomId === state.roomId && state.problem === null) return quiet(state);
  const unread = Object.fromEntries(Object.entries(state.unread).filter(([id]) => id !== roomId));
  return {
    state: {
      ...state,
      roomId,
      unread,
      posts: [],
      hasOlder: false,
      hasNewer: false,
      loadingOlder: false,
      following: true,
      missed: 0,
      complaint: null,
      request: { roomId, seen: state.seen },
    },
    send: [{ type: 'openRoom', roomId }],
  };
}

function older(state: PanelState): Step {
  const first = state.posts[0];
  if (first === undefined || state.roomId === null || !state.hasOlder || state.loadingOlder) return quiet(state);
  const before = { revision: first.revision, index: first.index };
  return {
    state: { ...state, loadingOlder: true },
    send: [{ type: 'older', roomId: state.roomId, before }],
  };
}

function sendPost(state: PanelState, input: { requestId: string; text: string; at: string }): Step {
  const roomId = state.roomId;
  if (roomId === null || input.text.trim() === '') return quiet(state);
  const post: PendingPost = {
    requestId: input.requestId,
    roomId,
    text: input.text,
    at: input.at,
    after: state.revision,
    postId: null,
  };
  const sent: PanelState = {
    ...state,
    drafts: { ...state.drafts, [roomId]: '' },
    pending: [...state.pending, post],
    complaint: null,
  };
  const shown = state.hasNewer ? step(sent, { kind: 'latest' }) : quiet({ ...sent, following: true, missed: 0 });
  return { state: shown.state, send: [...shown.send, postMessage(post), { type: 'draft', roomId, text: '' }] };
}

function postMessage(post: PendingPost): PanelMessage {
  return { type: 'post', requestId: post.requestId, roomId: post.roomId, text: post.text };
}

function draftMessage([roomId, text]: readonly [string, string]): PanelMessage {
  return { type: 'draft', roomId, text };
}

function hear(state: PanelState, message: HostMessage): Step {
  switch (message.type) {
    case 'snapshot': {
      const next = onSnapshot(state, message);
      // Something newer was announced after the question: once more. What was known when asking is not asked again.
      const asked = state.request !== null && next.request === null;
      const missed = asked && next.seen > next.revision && state.request.seen < next.seen;
      // A post that an earlier host may never have heard is said again under the same request id, which the host
      // knows if it did hear it.
      const again = message.hostEpoch === state.hostEpoch ? [] : next.pending.map(postMessage);
      // Words that came back from another conversation are drafts of this one now.
      const drafts = next.runId === state.runId ? [] : Object.entries(next.drafts);
      const back = drafts.filter(([roomId, text]) => message.drafts[roomId] !== text).map(draftMessage);
      const answer = missed ? ask(next) : quiet(next);
      return { state: answer.state, send: [...answer.send, ...again, ...back] };
    }
    case 'changes': {
      const next = onChanges(state, message);
      // One open question at a time: what it brings covers this gap too, or the snapshot says so.
      return next.gap && state.request === null ? ask(next.state) : quiet(next.state);
    }
    case 'page':
      return quiet(onPage(state, message));
    case 'posted':
      // The pending row stays until the post is seen in the record: there is one truth about what was said.
      return quiet(onPosted(state, message));
    case 'refused':
      return quiet(onRefused(state, message.requestId, message.message));
    case 'show':
      return openRoom(state, message.roomId);
    case 'insert':
      // The composer takes it.
      return quiet(state);
    case 'problem':
      return quiet({ ...state, problem: message.problem, request: null });
    case 'live':
      return live(state, [message]);
    // These have state of their own beside this one.
    case 'image':
    case 'reasoning':
    case 'conversations':
    case 'conversationsChanged':
    case 'teamForm':
    case 'teamFormSaved':
    case 'teamFormRefused':
    case 'board':
    case 'task':
    case 'taskDone':
    case 'taskRefused':
    case 'showBoard':
      return quiet(state);
  }
}

/** One open question at a time: the picture that it brings has what was not heard. */
function live(state: PanelState, pieces: readonly LivePiece[]): Step {
  const heard = withPieces(state.live, state.runId, pieces);
  const next = heard.live === state.live ? state : { ...state, live: heard.live };
  return heard.gap && state.request === null ? ask(next) : quiet(next);
}

function onRefused(state: PanelState, requestId: string | null, complaint: string): PanelState {
  const refused = state.pending.find((post) => post.requestId === requestId);
  if (refused === undefined) return { ...state, complaint };
  const text = above(refused.text, state.drafts[refused.roomId] ?? '');
  return {
    ...state,
    complaint,
    pending: state.pending.filter((post) => post !== refused),
    drafts: { ...state.drafts, [refused.roomId]: text },
  };
}
