// What the end of a live turn becomes in the record: its usage and its outcome, in one append.
import { inspect } from 'node:util';
import type { TurnUsage } from '../core/record/catalogue.js';
import { RecordError } from '../core/record/error.js';
import { liveRoster } from '../core/team/live-roster.js';
import { limitsOf } from '../core/team/live-decide.js';
import { decideCancelled } from '../core/team/live-person.js';
import { isRunning, memberAt, noticeRoom, type LiveState, type OpenTurn } from '../core/team/live-state.js';
import { turnFailure, turnResult, type Answer } from '../core/team/live-turn.js';
import type { TeamFile } from '../core/team/team-file.js';
import { isStorageError } from '../storage/error.js';
import type { Draft } from './live-record.js';
import type { TurnResult } from './ports/engine.js';
import type { TimedOutcome } from './time-limit.js';

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
}

/** A failure that has a code of its own. */
export class TurnFailure extends Error {
  override readonly name = 'TurnFailure';
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** True while the turn may still be settled by the window that runs it. */
export function isStillOpen(state: LiveState, position: string): boolean {
  const member = memberAt(state, position);
  return member !== null && isRunning(state, member);
}

/** True while its answer would be taken: nobody has stopped it. */
export function isStillWanted(state: LiveState, position: string): boolean {
  return isStillOpen(state, position) && memberAt(state, position)?.open?.stopping === null;
}

/** What a turn used: recorded before its outcome, so that its chain is still there to be charged. */
export function usageDraft(memberId: string, turn: OpenTurn, usage: TurnUsage): Draft {
  const { position, chain } = turn;
  return {
    event: { type: 'usage:recorded', payload: { member: memberId, position, chain, usage } },
    correlationId: chain,
    causationId: position,
  };
}

/** An answer as a completed turn; its mentions are read once, here, by the names in force. */
export function answerDraft(
  memberId: string,
  turn: OpenTurn,
  answer: Answer,
  { team, state }: { readonly team: TeamFile; readonly state: LiveState },
): Draft {
  const { hopCap } = limitsOf(state, turn.chain);
  const roster = roomRoster(team, state, turn.roomId ?? '');
  const { acknowledgements } = state;
  const result = turnResult(answer, turn, { memberId, roster, hopCap, acknowledgements });
  return {
    event: { type: 'graph:node-completed', payload: { nodeId: memberId, position: turn.position, result } },
    correlationId: turn.chain,
    causationId: turn.position,
  };
}

export function failureDrafts(memberId: string, turn: OpenTurn, failure: Failure, state: LiveState): readonly Draft[] {
  const place = { memberId, position: turn.position, roomId: turn.roomId ?? noticeRoom(state) };
  return turnFailure(place, failure).map((event) => ({ event, correlationId: turn.chain, causationId: turn.position }));
}

/** How a turn that was stopped or interrupted is closed. */
export function cancelledDrafts(state: LiveState, turn: OpenTurn): readonly Draft[] {
  return decideCancelled(state, turn.position).map((event) => ({
    event,
    correlationId: turn.chain,
    causationId: turn.position,
  }));
}

/** Who can be mentioned in a room: its members, with the names people see. */
export function roomRoster(team: TeamFile, state: LiveState, roomId: string) {
  const inRoom = new Set(state.rooms.get(roomId)?.members ?? []);
  return {
    lead: team.lead,
    members: liveRoster(team, state)
      .filter(({ id }) => inRoom.has(id))
      .map(({ id, name }) => ({ id, name })),
  };
}

export function describeFailure(
  outcome: Exclude<TimedOutcome<TurnResult>, { kind: 'value' }>,
  timeoutMinutes: number,
): Failure {
  switch (outcome.kind) {
    case 'timeout':
      return {
        code: 'TIMEOUT',
        message: `The turn took longer than ${timeoutMinutes} ${timeoutMinutes === 1 ? 'minute' : 'minutes'} and was ended.`,
        retryable: true,
      };
    case 'aborted':
      return { code: 'ABORTED', message: 'The turn was stopped.', retryable: true };
    case 'error': {
      const { error } = outcome;
      const code = error instanceof TurnFailure ? error.code : 'EFFECT_FAILED';
      return refusedOutcome(error) ?? { code, message: messageOf(error), retryable: true };
    }
  }
}

/** An outcome that the store will never take becomes a failed turn; what may pass later is passed on. */
export function refusedOutcome(error: unknown): Failure | null {
  if (isStorageError(error, 'STORAGE_LIMIT_EXCEEDED')) {
    return { code: 'RESULT_TOO_LARGE', message: 'The answer is too large to be saved.', retryable: true };
  }
  if (isStorageError(error, 'KNOWN_SECRET') || isStorageError(error, 'SENSITIVE_CONTENT')) {
    return { code: 'RESULT_INVALID', message: 'The answer contained a secret and was not saved.', retryable: true };
  }
  if (isStorageError(error, 'INVALID_STORED_VALUE')) {
    return { code: 'RESULT_INVALID', message: `The answer cannot be saved: ${error.message}`, retryable: true };
  }
  // What the conversation's own rules refuse, before it is written.
  if (error instanceof RecordError) {
    return { code: 'RESULT_INVALID', message: `The answer cannot be saved: ${error.message}`, retryable: true };
  }
  return null;
}

/** How much of an engine's own words is told, in UTF-16 code units. */
const MAX_MESSAGE = 4_000;

/** Words of whatever was thrown: it may be anything, and may throw when it is read. */
function messageOf(error: unknown): string {
  let message = '';
  try {
    const words: unknown = error instanceof Error ? error.message : error;
    message = typeof words === 'string' ? words : words === undefined ? '' : inspect(words, { breakLength: Infinity });
  } catch {
    // Nothing can be told of it.
  }
  const told = message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message;
  return told.trim() === '' ? 'The engine failed without a reason.' : told.toWellFormed();
}

/** The positions of turns that a person has stopped or interrupted, as the state says. */
export function stoppedPositions(state: LiveState): readonly string[] {
  return [...state.members.values()].flatMap(({ open }) =>
    open === null || open.stopping === null ? [] : [open.position],
  );
}
