// A turn of the live conversation, seen from its member: what it is given, and what its answer becomes in the record.
import type { LiveTurnResult, NewRecordEvent } from '../record/catalogue.js';
import type { JsonValue } from '../json.js';
import { isAcknowledgement } from './acknowledgement.js';
import { parseMentions, type MentionRoster } from './mentions.js';
import { postOf, type LivePost, type LiveState, type OpenTurn } from './live-state.js';

/**
 * The posts of a turn's input: the newest of its room and its triggers, each once, in the order recorded.
 * Posts of other rooms never enter.
 */
export function givenPosts(state: LiveState, turn: OpenTurn): readonly LivePost[] {
  const tail = turn.roomId === null ? [] : (state.rooms.get(turn.roomId)?.tail ?? []);
  const shown = new Set(tail.map(({ id }) => id));
  const older = [...turn.triggers]
    .sort((a, b) => a.revision - b.revision)
    .flatMap((trigger) => postOf(trigger) ?? [])
    .filter(({ id }) => !shown.has(id));
  return [...older, ...tail];
}

/** What a member answered. */
export interface Answer {
  readonly text: string;
  readonly data?: JsonValue;
}

/** How many of the posts that a turn answers its result names. */
const ANSWERS = 8;

/**
 * The result of a completed turn: the answer as one post in the turn's room, its mentions read once, here; a member
 * that has nothing to say posts nothing.
 */
export function turnResult(
  answer: Answer,
  turn: OpenTurn,
  context: {
    readonly memberId: string;
    readonly roster: MentionRoster;
    /** The hop cap in force for the turn's chain. */
    readonly hopCap: number;
    readonly acknowledgements: 'quiet' | 'wake';
  },
): LiveTurnResult {
  // A model that was cut off inside a character must not cost the whole answer.
  const text = answer.text.toWellFormed();
  const { mentions, unresolved, spans } = parseMentions(text, context.roster, context.memberId);
  const others = mentions.filter((id) => id !== context.memberId);
  const isQuiet = others.length > 0 && context.acknowledgements === 'quiet' && isAcknowledgement(text, spans);
  const post = {
    roomId: turn.roomId ?? '',
    text,
    mentions: others,
    unresolved,
    ...(isQuiet ? { acknowledgement: true } : {}),
  };
  const answers = [...turn.triggers]
    .sort((a, b) => a.revision - b.revision)
    .flatMap((trigger) => postOf(trigger) ?? [])
    .slice(-ANSWERS)
    .map(({ id, sender }) => ({ id, sender }));
  return {
    summary: text,
    ...(answer.data === undefined ? {} : { data: answer.data }),
    // A turn without a room says nothing in one: its answer goes to whoever woke it.
    posts: text.trim() === '' || turn.roomId === null ? [] : [post],
    turn: { chain: turn.chain, hop: turn.hop, cap: context.hopCap, answers },
  };
}

/** How a failed turn is recorded: the graph's own event and, beside it, what a person can read. */
export function turnFailure(
  turn: { readonly memberId: string; readonly position: string; readonly roomId: string },
  failure: { readonly code: string; readonly message: string; readonly retryable: boolean },
): readonly NewRecordEvent[] {
  const { memberId, position, roomId } = turn;
  return [
    { type: 'graph:node-failed', payload: { nodeId: memberId, position, code: failure.code } },
    { type: 'turn:failed', payload: { member: memberId, position, roomId, ...failure } },
  ];
}
