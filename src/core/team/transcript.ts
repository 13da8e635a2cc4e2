// What people read of a conversation: its posts and notices, made from one event at a time, so that any page of a long
// conversation can be shown without folding what came before.
import type { RecordEvent } from '../record/catalogue.js';
import { messageId } from './identifiers.js';

/** What the system has to say; the words are made where it is shown. */
export type Notice =
  | { readonly kind: 'limited'; readonly count: number; readonly next: readonly string[] }
  | { readonly kind: 'failed'; readonly member: string; readonly message: string }
  | { readonly kind: 'skipped'; readonly member: string };

interface EntryPlace {
  readonly id: string;
  readonly roomId: string;
  /** Entries are ordered by revision, then by index within the event. */
  readonly revision: number;
  readonly index: number;
  /** ISO timestamp. */
  readonly at: string;
}

export interface TranscriptPost extends EntryPlace {
  readonly kind: 'post';
  /** Member id, or `you`. */
  readonly sender: string;
  readonly text: string;
  readonly mentions: readonly string[];
  readonly unresolved: readonly string[];
  /** Hop of the turn in its chain and the cap then in force; null for a person's post. */
  readonly hop: { readonly hop: number; readonly cap: number } | null;
}

export interface TranscriptNotice extends EntryPlace {
  readonly kind: 'notice';
  readonly notice: Notice;
}

export type TranscriptEntry = TranscriptPost | TranscriptNotice;

/** The posts and notices that one event adds, in order. */
export function transcriptOf(event: RecordEvent): readonly TranscriptEntry[] {
  const place = { revision: event.revision, at: event.timestamp };
  switch (event.type) {
    case 'post:written': {
      const { id, roomId, sender, text, mentions, unresolved } = event.payload;
      return [{ kind: 'post', ...place, id, roomId, index: 0, sender, text, mentions, unresolved, hop: null }];
    }
    case 'graph:node-completed': {
      const { nodeId, position, result } = event.payload;
      const hop = result.turn === undefined ? null : { hop: result.turn.hop, cap: result.turn.cap };
      return result.posts.map((post, index) => ({
        kind: 'post',
        ...place,
        id: messageId(position, index),
        roomId: post.roomId,
        index,
        sender: nodeId,
        text: post.text,
        mentions: post.mentions,
        unresolved: post.unresolved ?? [],
        hop,
      }));
    }
    case 'conversation:limited': {
      const { roomId, count, next } = event.payload;
      return [notice(event, roomId, { kind: 'limited', count, next })];
    }
    case 'turn:failed':
      return [
        notice(event, event.payload.roomId, {
          kind: 'failed',
          member: event.payload.member,
          message: event.payload.message,
        }),
      ];
    case 'turn:skipped':
      return [notice(event, event.payload.roomId, { kind: 'skipped', member: event.payload.member })];
    case 'conversation:started':
    case 'conversation:run':
    case 'conversation:requested':
    case 'team/member':
    case 'graph:node-dispatched':
    case 'graph:node-attempt-started':
    case 'graph:node-paused':
    case 'graph:node-resumed':
    case 'graph:node-failed':
    case 'input:given':
    case 'step:recorded':
      return [];
  }
}

function notice(event: RecordEvent, roomId: string, what: Notice): TranscriptNotice {
  return {
    kind: 'notice',
    id: `note/${event.revision}`,
    roomId,
    revision: event.revision,
    index: 0,
    at: event.timestamp,
    notice: what,
  };
}
