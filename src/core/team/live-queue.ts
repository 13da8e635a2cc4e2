// Who is woken by what: turns that wait, the triggers that join them, and the chain and hop of a turn.
import type { LiveMember, LivePost, LiveState, OpenTurn, QueuedTurn, Trigger } from './live-state.js';

/**
 * Gives a member a reason to take a turn. A turn that already waits for the same room takes the trigger in; otherwise
 * a new one is queued. A member that is unknown (it left the team) is passed over, and the next of the post is woken.
 */
export function enqueue(state: LiveState, memberId: string, trigger: Trigger): LiveState {
  const member = state.members.get(memberId);
  if (member === undefined) {
    const [following, ...then] = trigger.then;
    return following === undefined ? state : enqueue(state, following, { ...trigger, then });
  }
  const { roomId } = trigger.post;
  const waiting = member.queue.some((turn) => turn.roomId === roomId);
  const queue = waiting
    ? member.queue.map((turn) => (turn.roomId === roomId ? join(turn, trigger) : turn))
    : [...member.queue, { roomId, triggers: [trigger], order: state.nextOrder }];
  const chains = state.chains.has(trigger.chain) ? state.chains : new Map(state.chains).set(trigger.chain, { hops: 0 });
  return {
    ...state,
    chains,
    members: new Map(state.members).set(memberId, { ...member, queue }),
    nextOrder: waiting ? state.nextOrder : state.nextOrder + 1,
  };
}

function join(turn: QueuedTurn, trigger: Trigger): QueuedTurn {
  return { ...turn, triggers: [...turn.triggers, trigger] };
}

/**
 * Chain and hop of a turn: the chain of the newest person's post among its triggers, else of its newest trigger; hop 0
 * when a person woke it, else one more than the greatest hop among its triggers in that chain.
 */
export function chainOf(turn: QueuedTurn): { readonly chain: string; readonly hop: number } {
  const persons = turn.triggers.filter(({ person }) => person);
  const newest = (persons.length > 0 ? persons : turn.triggers).reduce((a, b) => (b.revision >= a.revision ? b : a));
  if (persons.length > 0) return { chain: newest.chain, hop: 0 };
  const hops = turn.triggers.filter(({ chain }) => chain === newest.chain).map(({ hop }) => hop);
  return { chain: newest.chain, hop: 1 + Math.max(...hops) };
}

/** What a member's post wakes: the first member it mentions, the others after it. A self-mention wakes nobody. */
export function mentionTrigger(
  post: LivePost,
  turn: OpenTurn,
  revision: number,
): { readonly first: string; readonly trigger: Trigger } | null {
  const [first, ...then] = post.mentions.filter((id) => id !== post.sender);
  if (first === undefined) return null;
  return { first, trigger: { post, chain: turn.chain, person: false, hop: turn.hop, revision, then } };
}

/** Forgets chains of which nothing is queued or open any more. */
export function pruneChains(state: LiveState): LiveState {
  const pending = new Set<string>();
  for (const member of state.members.values()) for (const chain of chainsOf(member)) pending.add(chain);
  if ([...state.chains.keys()].every((chain) => pending.has(chain))) return state;
  return { ...state, chains: new Map([...state.chains].filter(([chain]) => pending.has(chain))) };
}

function* chainsOf(member: LiveMember): Iterable<string> {
  if (member.open !== null) {
    yield member.open.chain;
    for (const { chain } of member.open.triggers) yield chain;
  }
  for (const turn of member.queue) for (const { chain } of turn.triggers) yield chain;
}
