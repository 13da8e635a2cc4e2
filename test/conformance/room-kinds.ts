// The two kinds of conversation whose rooms become files, told alike: a writer asks in a room, a reviewer answers.
import type { JsonValue } from '../../src/core/json.js';
import type { NewDomainEvent, RunStorage } from '../../src/storage/port.js';
import { RUN, STARTED_AT } from './run-binding.js';
import { completedEvent, dispatchedEvent, startedRun, type OpenOptions, type RunLab } from './run-fixture.js';
import { bentTeam, releaseTeam } from './team-fixture.js';

export interface RoomDeclaration {
  readonly id: string;
  readonly members: readonly string[];
}

const REVIEW: readonly RoomDeclaration[] = [{ id: 'review', members: ['writer', 'reviewer'] }];

export interface RoomKind {
  readonly kind: 'team' | 'team-live';
  /** What wakes the writer, and the line of it. */
  readonly opening: readonly NewDomainEvent[];
  readonly openingLine: string;
  /** An event that says nothing in a room. */
  readonly silent: NewDomainEvent;
  /** A stored conversation with these events. */
  stored(
    lab: RunLab,
    events: readonly NewDomainEvent[],
    more?: OpenOptions & { readonly rooms?: readonly RoomDeclaration[] },
  ): Promise<RunStorage>;
}

/** A turn from dispatch to completion, as either kind records it. */
export const turnEvents = (short: string, result: JsonValue): readonly NewDomainEvent[] => [
  dispatchedEvent(short),
  completedEvent(short, result),
];

let made = 0;

/** An event of a live conversation. */
export function liveEvent(type: string, payload: JsonValue): NewDomainEvent {
  made += 1;
  return {
    eventId: `live-${made}`,
    type,
    version: 1,
    timestamp: STARTED_AT,
    correlationId: RUN,
    causationId: null,
    payload,
  };
}

const limits = { hopCap: 8, costCeiling: null, turnsPerMember: 16, concurrency: 4, tailMessages: 3 };

export function liveStart(rooms: readonly RoomDeclaration[] = REVIEW): NewDomainEvent {
  const { id, nodes } = releaseTeam();
  const data = { communication: { rooms, tailMessages: 3 } };
  const team = JSON.stringify({ id, lead: 'writer', data, nodes, edges: [] });
  return liveEvent('conversation:started', { teamId: id, team, limits, folders: [] });
}

export async function append(storage: RunStorage, events: readonly NewDomainEvent[]): Promise<RunStorage> {
  const stream = { namespace: storage.record.namespace, streamId: RUN };
  let revision = 0;
  for await (const event of storage.eventStore.read(stream)) revision = event.revision;
  for (const event of events) revision = await storage.eventStore.append(stream, revision, [event]);
  return storage;
}

export const KINDS: readonly RoomKind[] = [
  {
    kind: 'team',
    opening: [],
    openingLine: '',
    silent: { ...liveEvent('host:looked', {}), version: 3 },
    stored: async (lab, events, { rooms = REVIEW, ...open } = {}) => {
      const graph = bentTeam((team) => {
        team.data.communication = {
          rooms: rooms.map(({ id, members }) => ({ id, members: [...members] })),
          tailMessages: 3,
        };
      });
      return append((await startedRun(lab, graph, {}, open)).storage, events);
    },
  },
  {
    kind: 'team-live',
    opening: [
      liveEvent('post:written', {
        id: 'you/1/0',
        sender: 'you',
        roomId: 'review',
        text: 'Go.',
        mentions: ['writer'],
        unresolved: [],
      }),
    ],
    openingLine: 'you [you/1/0] @writer: Go.\n',
    silent: liveEvent('conversation:run', { runner: 'window', epoch: 1 }),
    stored: (lab, events, { rooms = REVIEW, ...open } = {}) => append(lab.open(open), [liveStart(rooms), ...events]),
  },
];
