// The decisions of a live conversation: what may be written next. Each reads the folded state only, so it can be made
// again after an append lost its race.
import type { ChainLimit, LiveLimits, NewRecordEvent } from '../record/catalogue.js';
import { TeamError } from './error.js';
import { turnPosition } from './identifiers.js';
import { chainOf, NEW_CHAIN } from './live-queue.js';
import {
  currentEpoch,
  isRunning,
  noticeRoom,
  PERSON,
  type LiveChain,
  type LiveMember,
  type LiveState,
  type QueuedTurn,
} from './live-state.js';

/** A turn to be started: its member and its position, which no other turn has or had. */
export interface TurnStart {
  readonly memberId: string;
  readonly position: string;
}

/** What to do now: limits that were reached, and turns to start, within the free slots. */
export interface NextStep {
  readonly limited: readonly (NewRecordEvent & { readonly type: 'conversation:limited' })[];
  readonly starts: readonly TurnStart[];
}

/**
 * Decides what runs next, in the order of arrival. Every limit is checked before the turn that would pass it.
 * @param resting - positions of turns that wait for something and need no slot meanwhile.
 * @returns nothing to do when both lists are empty.
 */
export function decideNext(state: LiveState, resting: ReadonlySet<string> = new Set()): NextStep {
  // Asked for by another window: what runs may end, nothing new begins.
  if (state.requestedBy !== null && state.requestedBy !== state.runner?.id) return { limited: [], starts: [] };
  const members = [...state.members.values()];
  const atWork = members.filter(
    ({ open, ...member }) => open !== null && isRunning(state, { open, ...member }) && !resting.has(open.position),
  );
  let free = state.limits.concurrency - atWork.length;
  const chains = new Map(state.chains);
  const limited: NextStep['limited'][number][] = [];
  const starts: TurnStart[] = [];
  for (const { member, turn } of waitingInOrder(members)) {
    const { chain, hop } = chainOf(turn);
    const made = chains.get(chain) ?? NEW_CHAIN;
    const reached = limitReached(made, state.limits, { memberId: member.id, hop, isRetry: turn.retried !== null });
    if (reached !== null) {
      limited.push(limitedEvent(made, reached, { chain, memberId: member.id, turn, noticeRoom: noticeRoom(state) }));
      chains.set(chain, { ...made, stopped: [...made.stopped, reached.limit] });
    } else if (free > 0) {
      free -= 1;
      if (turn.retried === null) chains.set(chain, withTurn(made, member.id, hop));
      starts.push({ memberId: member.id, position: turnPosition(member.id, member.turns + 1) });
    }
  }
  return { limited, starts };
}

/** The limits in force for a chain: with what was granted on top. */
export function limitsOf(
  state: LiveState,
  chain: string,
): Readonly<Record<ChainLimit, number | null>> & { readonly hopCap: number } {
  const { granted } = state.chains.get(chain) ?? NEW_CHAIN;
  const { hopCap, costCeiling, turnsPerMember } = state.limits;
  return {
    hopCap: Math.min(hopCap + granted.hopCap, Number.MAX_SAFE_INTEGER),
    costCeiling: costCeiling === null ? null : costCeiling + granted.costCeiling,
    turnsPerMember: turnsPerMember + granted.turnsPerMember,
  };
}

interface ReachedLimit {
  readonly limit: ChainLimit;
  /** With what was granted on top. */
  readonly value: number;
  readonly count: number;
}

/**
 * The limit that keeps a turn from starting, null when none does. A turn that is tried again was counted before: only
 * what it costs counts anew.
 */
export function limitReached(
  chain: LiveChain,
  limits: LiveLimits,
  turn: { readonly memberId: string; readonly hop: number; readonly isRetry: boolean },
): ReachedLimit | null {
  const { granted } = chain;
  const turns = chain.turns.get(turn.memberId) ?? 0;
  const hopCap = limits.hopCap + granted.hopCap;
  const turnsPerMember = limits.turnsPerMember + granted.turnsPerMember;
  if (!turn.isRetry && turn.hop > 0 && chain.hops >= hopCap)
    return { limit: 'hopCap', value: hopCap, count: chain.hops };
  if (!turn.isRetry && turns >= turnsPerMember) return { limit: 'turnsPerMember', value: turnsPerMember, count: turns };
  if (limits.costCeiling === null) return null;
  const ceiling = limits.costCeiling + granted.costCeiling;
  return chain.cost >= ceiling ? { limit: 'costCeiling', value: ceiling, count: chain.cost } : null;
}

function limitedEvent(
  chain: LiveChain,
  reached: ReachedLimit,
  of: { readonly chain: string; readonly memberId: string; readonly turn: QueuedTurn; readonly noticeRoom: string },
): NextStep['limited'][number] {
  const stopped = of.turn.triggers.filter((trigger) => trigger.chain === of.chain);
  const next = [of.memberId, ...stopped.flatMap(({ then }) => then)];
  const isRepeat = chain.stopped.includes(reached.limit);
  return {
    type: 'conversation:limited',
    payload: { chain: of.chain, ...reached, roomId: of.turn.roomId ?? of.noticeRoom, next, isRepeat },
  };
}

function withTurn(chain: LiveChain, memberId: string, hop: number): LiveChain {
  const turns = new Map(chain.turns).set(memberId, (chain.turns.get(memberId) ?? 0) + 1);
  return { ...chain, turns, hops: chain.hops + (hop > 0 ? 1 : 0) };
}

/** A post of the person, as the record keeps it. */
export interface PersonPost {
  readonly roomId: string;
  readonly text: string;
  readonly mentions: readonly string[];
  readonly unresolved: readonly string[];
}

/**
 * Decides a post of the person: to the mentioned members, else to the lead.
 * @throws TeamError `ROOM_NOT_FOUND` for a room that is not there, `POST_EMPTY` for a post without text.
 */
export function decidePost(state: LiveState, post: PersonPost): NewRecordEvent & { readonly type: 'post:written' } {
  if (!state.rooms.has(post.roomId)) {
    throw new TeamError(
      'ROOM_NOT_FOUND',
      `There is no room "${post.roomId}" in this conversation. Choose one of: ${[...state.rooms.keys()].join(', ')}.`,
    );
  }
  if (post.text.trim() === '')
    throw new TeamError('POST_EMPTY', 'The post is empty. Write something and send it again.');
  const id = `${PERSON}/${state.personPosts + 1}/0`;
  return { type: 'post:written', payload: { id, sender: PERSON, ...post } };
}

/** Makes `runner` the one that runs the conversation, in a new epoch: turns of earlier ones are interrupted by it. */
export function decideRun(state: LiveState, runner: string): NewRecordEvent & { readonly type: 'conversation:run' } {
  return { type: 'conversation:run', payload: { runner, epoch: currentEpoch(state) + 1 } };
}

function waitingInOrder(members: readonly LiveMember[]) {
  return members
    .flatMap((member) => {
      const [turn] = member.queue;
      return turn === undefined || member.open !== null ? [] : [{ member, turn }];
    })
    .sort((a, b) => a.turn.order - b.turn.order);
}
