// What waits for the person in a conversation: turns that ended without an answer, and chains that a limit keeps back.
import { isRunning, type LeftTurn, type LiveMember, type LiveState, type Trigger } from '../core/team/live-state.js';
import type { MemberView, WaitView } from '../protocol/view.js';
import type { RunnerPlace } from '../runtime/tenure.js';

/** What a member is doing, and for how long. */
export type MemberStand = Pick<MemberView, 'status' | 'since' | 'position' | 'roomId'>;

/** True for an open turn that some window works on. */
function isAtWork(state: LiveState, member: LiveMember, runner: RunnerPlace): boolean {
  return runner !== 'nobody' && isRunning(state, member);
}

/** @param runner - who runs the conversation: the turns that it runs are not interrupted. */
export function memberStand(state: LiveState, member: LiveMember, runner: RunnerPlace): MemberStand {
  const { open, queue, endedAt } = member;
  if (open !== null) {
    const { position, roomId, since } = open;
    return { status: openStatus(state, member, runner), since, position, roomId };
  }
  const left = member.left.at(-1);
  const waits = { since: left?.at ?? endedAt, position: left?.position ?? null, roomId: left?.roomId ?? null };
  if (queue.length > 0) return { ...waits, status: 'queued', roomId: queue[0]?.roomId ?? null };
  return { ...waits, status: left === undefined ? 'idle' : left.ended === 'failed' ? 'failed' : 'stopped' };
}

function openStatus(state: LiveState, member: LiveMember, runner: RunnerPlace): MemberView['status'] {
  const isStopping = member.open?.stopping !== null;
  if (isAtWork(state, member, runner)) return isStopping ? 'stopping' : 'running';
  // One that was to end, and whose window went away before it said so, is closed by the next one that acts.
  return isStopping ? 'stopped' : 'interrupted';
}

/** @returns the oldest first, by what they were to answer */
export function waitsOf(state: LiveState, runner: RunnerPlace): WaitView[] {
  const turns = [...state.members.values()].flatMap((member) => turnWaits(state, member, runner));
  return [...turns, ...limitWaits(state)].sort((a, b) => a.at - b.at).map(({ wait }) => wait);
}

/** `at`: revision of the newest thing that the turn was to answer. */
interface Waiting {
  readonly at: number;
  readonly wait: WaitView;
}

function turnWaits(state: LiveState, member: LiveMember, runner: RunnerPlace): Waiting[] {
  const left = member.left.map((turn) => waiting(state, member.id, turn, howLeft(turn), turn.message));
  const { open } = member;
  if (open === null || open.stopping !== null || isAtWork(state, member, runner)) return left;
  return [...left, waiting(state, member.id, open, 'interrupted', null)];
}

function howLeft({ ended }: LeftTurn): 'failed' | 'stopped' {
  return ended === 'failed' ? 'failed' : 'stopped';
}

function waiting(
  state: LiveState,
  memberId: string,
  turn: Pick<LeftTurn, 'position' | 'roomId' | 'triggers'>,
  how: Extract<WaitView, { kind: 'turn' }>['how'],
  message: string | null,
): Waiting {
  const { position, triggers } = turn;
  const roomId = roomOf(state, turn);
  return { at: newest(triggers), wait: { kind: 'turn', how, memberId, position, roomId, message } };
}

function limitWaits(state: LiveState): Waiting[] {
  return [...state.chains].flatMap(([chain, { parked }]) => {
    const limits = [...new Set(parked.map(({ limit }) => limit))];
    return limits.map((limit): Waiting => {
      const kept = parked.filter((turn) => turn.limit === limit);
      const next = [...new Set(kept.map(({ memberId }) => memberId))];
      const roomId = roomOf(state, { roomId: kept[0]?.turn.roomId ?? null });
      const canContinue = (state.limits[limit] ?? 0) > 0;
      return {
        at: Math.max(...kept.map(({ turn }) => newest(turn.triggers))),
        wait: { kind: 'limit', chain, limit, roomId, next, canContinue },
      };
    });
  });
}

/** A turn that no post woke has no room: it is shown where the person spoke last. */
function roomOf(state: LiveState, { roomId }: { readonly roomId: string | null }): string {
  return roomId ?? state.personRoom ?? [...state.rooms.keys()][0] ?? '';
}

function newest(triggers: readonly Trigger[]): number {
  return Math.max(0, ...triggers.map(({ revision }) => revision));
}
