// Who is woken by what: turns that wait, the triggers that join them, and the chain and hop of a turn.
import {
  postOf,
  triggerKey,
  type LeftTurn,
  type LiveChain,
  type LiveMember,
  type LivePost,
  type LiveState,
  type OpenTurn,
  type QueuedTurn,
  type Retried,
  type Trigger,
} from './live-state.js';

/** How many triggers one waiting turn carries; of more the oldest are left to the room, where they can be read. */
const MAX_TRIGGERS = 256;

/** How many chains are remembered that wait for a person at a limit; of more the oldest are given up. */
const MAX_PARKED_CHAINS = 32;

export const NEW_CHAIN: LiveChain = {
  hops: 0,
  turns: new Map(),
  cost: 0,
  granted: { hopCap: 0, costCeiling: 0, turnsPerMember: 0 },
  stopped: [],
  parked: [],
};

/**
 * Gives a member a reason to take a turn. A turn that already waits for the same room takes the trigger in; otherwise
 * a new one is queued. A member that is unknown (it left the team) is passed over, and the next of the post is woken.
 */
export function enqueue(state: LiveState, memberId: string, trigger: Trigger): LiveState {
  if (state.members.has(memberId)) {
    const roomId = postOf(trigger)?.roomId ?? null;
    return enqueueTurn(state, memberId, { roomId, triggers: [trigger], retried: null });
  }
  const [following, ...then] = trigger.then;
  return following === undefined ? state : enqueue(state, following, { ...trigger, then });
}

/** Queues a turn with all its triggers, or lets the one that waits for the same room take them in. */
export function enqueueTurn(state: LiveState, memberId: string, turn: Omit<QueuedTurn, 'order'>): LiveState {
  const member = state.members.get(memberId);
  if (member === undefined) return turn.triggers.reduce((next, one) => enqueue(next, memberId, one), state);
  const { roomId } = turn;
  const waiting = member.queue.some((other) => other.roomId === roomId);
  const queue = waiting
    ? member.queue.map((other) => (other.roomId === roomId ? join(other, turn.triggers, turn.retried) : other))
    : [...member.queue, { ...turn, order: state.nextOrder }];
  const chains = new Map(state.chains);
  for (const { chain } of turn.triggers) if (!chains.has(chain)) chains.set(chain, NEW_CHAIN);
  return {
    ...state,
    chains,
    members: new Map(state.members).set(memberId, { ...member, queue }),
    nextOrder: waiting ? state.nextOrder : state.nextOrder + 1,
  };
}

function join(turn: QueuedTurn, triggers: readonly Trigger[], retried: Retried | null): QueuedTurn {
  return { ...turn, triggers: joinTriggers(turn.triggers, triggers), retried: retried ?? turn.retried };
}

/** The triggers of both, each post once. */
export function joinTriggers(first: readonly Trigger[], second: readonly Trigger[]): readonly Trigger[] {
  const known = new Set(first.map(triggerKey));
  const all = [...first, ...second.filter((trigger) => !known.has(triggerKey(trigger)))];
  let excess = all.length - MAX_TRIGGERS;
  // A trigger whose post has others to answer after this one must stay, or they would never be woken.
  return excess <= 0 ? all : all.filter(({ then }) => then.length > 0 || excess-- <= 0);
}

/**
 * Chain and hop of a turn: the chain of the newest person's post among its triggers, else of its newest trigger; hop 0
 * when a person woke it, else one more than the greatest hop among its triggers in that chain.
 */
export function chainOf(turn: Pick<QueuedTurn, 'triggers'>): { readonly chain: string; readonly hop: number } {
  const persons = turn.triggers.filter(({ person }) => person);
  const newest = (persons.length > 0 ? persons : turn.triggers).reduce((a, b) => (b.revision >= a.revision ? b : a));
  if (persons.length > 0) return { chain: newest.chain, hop: 0 };
  const hops = turn.triggers.filter(({ chain }) => chain === newest.chain).map(({ hop }) => hop);
  return { chain: newest.chain, hop: 1 + Math.max(...hops) };
}

/** What a member's post wakes: the first member it mentions, the others after it. A self-mention wakes nobody. */
export function mentionTrigger(
  post: LivePost,
  turn: Pick<OpenTurn, 'chain' | 'hop'>,
  revision: number,
): { readonly first: string; readonly trigger: Trigger } | null {
  const [first, ...then] = post.mentions.filter((id) => id !== post.sender);
  if (first === undefined) return null;
  return {
    first,
    trigger: { cause: { kind: 'post', post }, chain: turn.chain, person: false, hop: turn.hop, revision, then },
  };
}

/** A member's turns that wait for a person, with one more: it takes in those of the same room. */
export function addLeft(left: readonly LeftTurn[], turn: LeftTurn): readonly LeftTurn[] {
  const before = left.find(({ roomId }) => roomId === turn.roomId);
  const triggers = before === undefined ? turn.triggers : joinTriggers(before.triggers, turn.triggers);
  return [...left.filter((other) => other !== before), { ...turn, triggers }];
}

/** Forgets chains of which nothing is queued, open or kept back any more. */
export function pruneChains(state: LiveState): LiveState {
  const pending = new Set<string>();
  for (const member of state.members.values()) for (const chain of chainsOf(member)) pending.add(chain);
  for (const { chain } of [...state.mailFrom.values(), ...state.spawning.values()]) pending.add(chain);
  const parked = [...state.chains].filter(([, { parked: kept }]) => kept.length > 0).map(([chain]) => chain);
  for (const chain of parked.slice(-MAX_PARKED_CHAINS)) pending.add(chain);
  if ([...state.chains.keys()].every((chain) => pending.has(chain))) return state;
  return { ...state, chains: new Map([...state.chains].filter(([chain]) => pending.has(chain))) };
}

/** Of a turn that waits for a retry the chains stay too: nothing of it counts twice against their limits. */
function* chainsOf(member: LiveMember): Iterable<string> {
  if (member.open !== null) {
    yield member.open.chain;
    for (const { chain } of member.open.triggers) yield chain;
  }
  for (const { triggers } of [...member.queue, ...member.left]) for (const { chain } of triggers) yield chain;
}
