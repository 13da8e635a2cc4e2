// The decisions of a live conversation: what may be written next. Each reads the folded state only, so it can be made
// again after an append lost its race.
import type { NewRecordEvent } from '../record/catalogue.js';
import { TeamError } from './error.js';
import { turnPosition } from './identifiers.js';
import { chainOf } from './live-queue.js';
import {
  currentEpoch,
  isRunning,
  memberAt,
  PERSON,
  type LiveMember,
  type LiveState,
  type OpenTurn,
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
 * @returns nothing to do when both lists are empty.
 */
export function decideNext(state: LiveState): NextStep {
  // Asked for by another window: what runs may end, nothing new begins.
  if (state.requestedBy !== null && state.requestedBy !== state.runner?.id) return { limited: [], starts: [] };
  const members = [...state.members.values()];
  let free = state.limits.concurrency - members.filter((member) => isRunning(state, member)).length;
  const hops = new Map([...state.chains].map(([chain, { hops: made }]) => [chain, made]));
  const limited: NextStep['limited'][number][] = [];
  const starts: TurnStart[] = [];
  for (const { member, turn } of waitingInOrder(members)) {
    const { chain, hop } = chainOf(turn);
    const made = hops.get(chain) ?? 0;
    if (hop > 0 && made >= state.limits.hopCap) {
      const stopped = turn.triggers.filter((trigger) => trigger.chain === chain);
      const next = [member.id, ...stopped.flatMap(({ then }) => then)];
      const payload = {
        chain,
        limit: 'hopCap',
        value: state.limits.hopCap,
        count: made,
        roomId: turn.roomId,
        next,
      } as const;
      limited.push({ type: 'conversation:limited', payload });
    } else if (free > 0) {
      free -= 1;
      if (hop > 0) hops.set(chain, made + 1);
      starts.push({ memberId: member.id, position: turnPosition(member.id, member.turns + 1) });
    }
  }
  return { limited, starts };
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

function waitingInOrder(members: readonly LiveMember[]) {
  return members
    .flatMap((member) => {
      const [turn] = member.queue;
      return turn === undefined || member.open !== null ? [] : [{ member, turn }];
    })
    .sort((a, b) => a.turn.order - b.turn.order);
}
