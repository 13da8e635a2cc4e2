// What people read of a conversation: its posts and notices, made from one event at a time, so that any page of a long
// conversation can be shown without folding what came before.
import type { ChainLimit, RecordEvent } from '../record/catalogue.js';
import { inheritedPosition, messageId } from './identifiers.js';

/** What the system has to say; the words are made where it is shown. */
export type Notice =
  | {
      readonly kind: 'limited';
      readonly chain: string;
      readonly limit: ChainLimit;
      /** The limit with what was granted on top, and what the chain has made of it. */
      readonly value: number;
      readonly count: number;
      readonly next: readonly string[];
    }
  | { readonly kind: 'failed'; readonly member: string; readonly position: string; readonly message: string }
  | { readonly kind: 'skipped'; readonly member: string }
  | { readonly kind: 'interrupted'; readonly member: string; readonly position: string }
  | { readonly kind: 'cancelled' };

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
  /**
   * Position of the turn that wrote it; null for a person's. Its reasoning is found by it. That of an inherited post
   * says so: see `inheritedPosition`.
   */
  readonly position: string | null;
  /** The posts that it answers, the newest last. */
  readonly answers: readonly { readonly id: string; readonly sender: string }[];
  /** True when it says so little that its mentions wake nobody. */
  readonly isAcknowledgement: boolean;
  /** True for a post of the conversation that this one was forked from. */
  readonly isInherited: boolean;
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
      const post = { id, roomId, sender, text, mentions, unresolved };
      return [{ kind: 'post', ...place, ...NO_TURN, ...post, index: 0 }];
    }
    case 'post:inherited': {
      const { id, roomId, sender, text, mentions, unresolved, at } = event.payload;
      const position = event.payload.position === null ? null : inheritedPosition(event.payload.position);
      const post = { id, roomId, sender, text, mentions, unresolved, at, position, isInherited: true };
      return [{ kind: 'post', ...place, ...NO_TURN, ...post, index: 0 }];
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
        position,
        answers: result.turn?.answers ?? [],
        isAcknowledgement: post.acknowledgement ?? false,
        isInherited: false,
      }));
    }
    case 'conversation:limited': {
      const { roomId, isRepeat, ...limited } = event.payload;
      return isRepeat ? [] : [notice(event, roomId, { kind: 'limited', ...limited })];
    }
    case 'conversation:cancelled':
      return [notice(event, event.payload.roomId, { kind: 'cancelled' })];
    case 'turn:cancelled': {
      const { member, position, roomId, reason } = event.payload;
      return reason === 'stopped' ? [] : [notice(event, roomId, { kind: 'interrupted', member, position })];
    }
    case 'turn:failed':
      return [
        notice(event, event.payload.roomId, {
          kind: 'failed',
          member: event.payload.member,
          position: event.payload.position,
          message: event.payload.message,
        }),
      ];
    case 'turn:skipped':
      return [notice(event, event.payload.roomId, { kind: 'skipped', member: event.payload.member })];
    case 'conversation:started':
    case 'conversation:run':
    case 'conversation:requested':
    case 'conversation:continued':
    case 'conversation:renamed':
    case 'conversation:archived':
    case 'limits:changed':
    case 'team:changed':
    case 'room:created':
    case 'team/member':
    case 'team/task':
    case 'task:resulted':
    case 'team/message/queued':
    case 'team/message/delivered':
    case 'mail:held':
    case 'mail:released':
    case 'mail:discarded':
    case 'mail:received':
    case 'mail:read':
    case 'prompt:given':
    case 'turn:interrupted':
    case 'turn:requeued':
    case 'usage:recorded':
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

/** What a post has that no turn wrote. */
const NO_TURN = { hop: null, position: null, answers: [], isAcknowledgement: false, isInherited: false } as const;

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
