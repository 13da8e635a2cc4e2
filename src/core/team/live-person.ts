// What a person can do about turns and chains, beside posting: stop everything, interrupt one, try one again, leave one
// out, let a chain go on.
import type { ChainLimit, NewRecordEvent } from '../record/catalogue.js';
import { TeamError } from './error.js';
import {
  isRunning,
  leftAt,
  memberAt,
  noticeRoom,
  PERSON,
  type LeftTurn,
  type LiveMember,
  type LiveState,
  type OpenTurn,
} from './live-state.js';

/**
 * Stop: nothing that waits runs any more, and what runs is to end. Turns that nobody runs end with it.
 * @param alive - true when the runner that the record names is alive.
 * @returns nothing when there is nothing to stop, so that five clicks are one stop (C14, SP-7).
 */
export function decideStop(state: LiveState, alive: boolean, by: string): readonly NewRecordEvent[] {
  const members = [...state.members.values()];
  const isAtWork = members.some(
    ({ queue, open }) => queue.length > 0 || (open !== null && open.stopping?.reason !== 'stopped'),
  );
  const isKept = [...state.chains.values()].some(({ parked }) => parked.length > 0);
  const isMailComing = [...state.board.pending.values()].some(
    ({ id, delivery }) => delivery === 'wakeup' && !state.heldMail.has(id),
  );
  if (!isAtWork && !isKept && !isMailComing) return [];
  const roomId = noticeRoom(state);
  const ended = members.flatMap((member): NewRecordEvent[] =>
    member.open === null || (alive && isRunning(state, member))
      ? []
      : [cancelled(state, member.id, member.open, 'stopped', by)],
  );
  const messageIds = [...state.board.pending.keys()].filter((id) => !state.heldMail.has(id));
  const held: NewRecordEvent[] = messageIds.length === 0 ? [] : [{ type: 'mail:held', payload: { messageIds } }];
  return [{ type: 'conversation:cancelled', payload: { by, roomId } }, ...ended, ...held];
}

/**
 * Interrupts one running turn.
 * @returns nothing when it is to end already.
 * @throws TeamError `TURN_NOT_RUNNING` when no turn runs at `position`.
 */
export function decideInterrupt(
  state: LiveState,
  position: string,
  alive: boolean,
  by: string,
): readonly (NewRecordEvent & { readonly type: 'turn:interrupted' })[] {
  const member = memberAt(state, position);
  if (member === null || member.open === null || !alive || !isRunning(state, member)) {
    throw new TeamError('TURN_NOT_RUNNING', `The turn ${position} is not running any more.`);
  }
  if (member.open.stopping !== null) return [];
  return [{ type: 'turn:interrupted', payload: { member: member.id, position, by } }];
}

/**
 * Lets held mail go on its way, or gives up mail that waits.
 * @param ids - of messages that are on their way; others are passed over.
 */
export function decideMail(
  state: LiveState,
  what: 'mail:released' | 'mail:discarded',
  ids: readonly string[],
): readonly NewRecordEvent[] {
  const known = what === 'mail:released' ? state.heldMail : state.board.pending;
  const messageIds = ids.filter((id) => known.has(id));
  return messageIds.length === 0 ? [] : [{ type: what, payload: { messageIds, by: PERSON } }];
}

/** How a turn that was to end is closed, whatever it still answered. */
export function decideCancelled(state: LiveState, position: string): readonly NewRecordEvent[] {
  const member = memberAt(state, position);
  const stopping = member?.open?.stopping ?? null;
  if (member === null || member.open === null || stopping === null) return [];
  return [cancelled(state, member.id, member.open, stopping.reason, stopping.by)];
}

function cancelled(
  state: LiveState,
  memberId: string,
  turn: OpenTurn,
  reason: 'stopped' | 'interrupted',
  by: string,
): NewRecordEvent {
  const { position } = turn;
  const roomId = turn.roomId ?? noticeRoom(state);
  return { type: 'turn:cancelled', payload: { member: memberId, position, roomId, reason, by } };
}

/**
 * Lets a failed or cancelled turn be tried again, at the member's next position.
 * @throws TeamError `TURN_NOT_LEFT` when no such turn stands at `position`.
 */
export function decideRetry(state: LiveState, position: string): NewRecordEvent & { readonly type: 'turn:requeued' } {
  const { member } = knownLeft(state, position);
  return { type: 'turn:requeued', payload: { member: member.id, position, by: PERSON } };
}

/**
 * Gives a turn up that was interrupted, cancelled or has failed.
 * @throws TeamError `TURN_NOT_INTERRUPTED`, `TURN_NOT_LEFT` when no such turn stands at `position`.
 */
export function decideSkip(
  state: LiveState,
  position: string,
  alive: boolean,
): NewRecordEvent & { readonly type: 'turn:skipped' } {
  const isOpen = memberAt(state, position) !== null;
  if (isOpen) {
    const { id, open } = interruptedAt(state, position, alive);
    return {
      type: 'turn:skipped',
      payload: { member: id, position, roomId: open.roomId ?? noticeRoom(state), by: PERSON },
    };
  }
  const { member, turn } = knownLeft(state, position);
  return {
    type: 'turn:skipped',
    payload: { member: member.id, position, roomId: turn.roomId ?? noticeRoom(state), by: PERSON },
  };
}

/**
 * Grants a chain that stopped at a limit as much again.
 * @throws TeamError `CHAIN_NOT_LIMITED` when nothing of the chain waits at that limit.
 */
export function decideContinue(
  state: LiveState,
  chain: string,
  limit: ChainLimit,
): NewRecordEvent & { readonly type: 'conversation:continued' } {
  const parked = state.chains.get(chain)?.parked ?? [];
  if (!parked.some((turn) => turn.limit === limit)) {
    throw new TeamError('CHAIN_NOT_LIMITED', 'Nothing waits at this limit any more. Post to go on.');
  }
  return { type: 'conversation:continued', payload: { chain, limit, by: PERSON } };
}

function knownLeft(state: LiveState, position: string): { readonly member: LiveMember; readonly turn: LeftTurn } {
  const left = leftAt(state, position);
  if (left !== null) return left;
  throw new TeamError('TURN_NOT_LEFT', `The turn ${position} does not wait any more. Look at the conversation again.`);
}

/**
 * Finds the interrupted turn that a person wants to resume or skip.
 * @param alive - true when the runner that the record names is alive: its own open turns are not interrupted.
 * @throws TeamError `TURN_NOT_INTERRUPTED` when no interrupted turn stands at `position`.
 */
export function interruptedAt(
  state: LiveState,
  position: string,
  alive: boolean,
): LiveMember & { readonly open: OpenTurn } {
  const member = memberAt(state, position);
  if (member === null || member.open === null || (alive && isRunning(state, member))) {
    throw new TeamError(
      'TURN_NOT_INTERRUPTED',
      `The turn ${position} is not interrupted any more. Look at the conversation again.`,
    );
  }
  return { ...member, open: member.open };
}
