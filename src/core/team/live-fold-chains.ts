// What stops and what lets go on: a limit that a chain reached, a person who grants more, and Stop.
import type { RecordEvent } from '../record/catalogue.js';
import { invalid, knownMember, withMember } from './live-fold-parts.js';
import { chainOf, enqueueTurn, NEW_CHAIN, pruneChains } from './live-queue.js';
import type { LiveChain, LiveState } from './live-state.js';

/**
 * A chain that reached its limit: its triggers are taken out of the turn that was next and kept until a person lets
 * the chain go on; those of other chains stay.
 */
export function park(state: LiveState, event: Extract<RecordEvent, { type: 'conversation:limited' }>): LiveState {
  const { chain, limit } = event.payload;
  const [next] = event.payload.next;
  const member = knownMember(state, event, next ?? '');
  const [turn, ...queue] = member.queue;
  if (turn === undefined || chainOf(turn).chain !== chain) {
    throw invalid(event, `no turn of that chain waits for ${member.id}`);
  }
  const kept = { ...turn, triggers: turn.triggers.filter((trigger) => trigger.chain === chain) };
  const triggers = turn.triggers.filter((trigger) => trigger.chain !== chain);
  const rest = triggers.length === 0 ? queue : [{ ...turn, triggers }, ...queue];
  const before = state.chains.get(chain) ?? NEW_CHAIN;
  const after: LiveChain = {
    ...before,
    stopped: before.stopped.includes(limit) ? before.stopped : [...before.stopped, limit],
    parked: [...before.parked, { memberId: member.id, limit, turn: kept }],
  };
  const chains = new Map(state.chains).set(chain, after);
  return pruneChains(withMember({ ...state, chains }, member, () => ({ queue: rest })));
}

/** A person grants the chain as much again: what the limit kept back is queued. */
export function continueChain(
  state: LiveState,
  event: Extract<RecordEvent, { type: 'conversation:continued' }>,
): LiveState {
  const { chain, limit } = event.payload;
  const before = state.chains.get(chain);
  if (before?.parked.some((parked) => parked.limit === limit) !== true) {
    throw invalid(event, `nothing of the chain "${chain}" waits at that limit`);
  }
  const granted = { ...before.granted, [limit]: before.granted[limit] + (state.limits[limit] ?? 0) };
  const after: LiveChain = {
    ...before,
    granted,
    stopped: before.stopped.filter((other) => other !== limit),
    parked: before.parked.filter((parked) => parked.limit !== limit),
  };
  const next = { ...state, chains: new Map(state.chains).set(chain, after) };
  return before.parked
    .filter((parked) => parked.limit === limit)
    .reduce<LiveState>((queued, { memberId, turn }) => enqueueTurn(queued, memberId, turn), next);
}

/** Stop: nothing that waits will run, and what runs is to end. Turns that ended before stay as they are. */
export function stopAll(state: LiveState, by: string): LiveState {
  const members = new Map(
    [...state.members].map(([id, member]) => [
      id,
      {
        ...member,
        queue: [],
        open:
          member.open === null
            ? null
            : {
                ...member.open,
                triggers: member.open.triggers.map((trigger) => ({ ...trigger, then: [] })),
                stopping: { reason: 'stopped' as const, by },
              },
      },
    ]),
  );
  const chains = new Map([...state.chains].map(([id, chain]) => [id, { ...chain, parked: [], stopped: [] }]));
  return pruneChains({ ...state, members, chains });
}
