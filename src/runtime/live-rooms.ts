// The posts of a live conversation's rooms, folded from its record.
import { parseRecordEvent, type RecordEvent } from '../core/record/catalogue.js';
import { RecordError } from '../core/record/error.js';
import { foldLive, startLive } from '../core/team/live-fold.js';
import type { LiveState } from '../core/team/live-state.js';
import { TeamFileError } from '../core/team/team-file.js';
import { transcriptOf, type TranscriptPost } from '../core/team/transcript.js';
import type { DomainEventEnvelope, RunStorage } from '../storage/port.js';
import { GraphExecutionError } from './executor-error.js';
import { invalidEvent, readGraphEvent } from './graph-events.js';
import { readLiveTeam } from '../core/team/live-team.js';
import type { RoomTranscripts } from './room-files.js';

/**
 * Reads a live conversation. Its rooms stand in the order of the team file, then of their making.
 * @throws as `projectTeamRooms`.
 */
export async function foldLiveRooms(storage: RunStorage, runId: string): Promise<RoomTranscripts> {
  const { namespace } = storage.record;
  const posts: TranscriptPost[] = [];
  let state: LiveState | null = null;
  for await (const envelope of storage.eventStore.read({ namespace, streamId: runId })) {
    const before: LiveState | null = state;
    const event: RecordEvent = before === null ? readStart(envelope) : readNext(envelope, namespace, before);
    state = guarded(envelope, () => (before === null ? start(event, runId) : foldLive(before, event)));
    for (const entry of transcriptOf(event)) if (entry.kind === 'post') posts.push(entry);
  }
  const rooms = [...(state?.rooms.keys() ?? [])];
  return {
    revision: state?.revision ?? 0,
    rooms: rooms.map((id) => ({ roomId: id, messages: posts.filter(({ roomId }) => roomId === id) })),
  };
}

/** a start that this build does not know belongs to another kind of conversation. */
function readStart(envelope: DomainEventEnvelope): RecordEvent {
  try {
    return parseRecordEvent(envelope);
  } catch (error) {
    if (!(error instanceof RecordError) || error.code !== 'UNSUPPORTED_EVENT') throw invalidOf(envelope, error);
    throw new GraphExecutionError('STORED_GRAPH_MISMATCH', error.message, error);
  }
}

function start(event: RecordEvent, runId: string): LiveState {
  if (event.type !== 'conversation:started') throw new TypeError('Only a start begins a conversation.');
  return startLive(event, runId, readLiveTeam(event.payload.team, event.payload.teamId));
}

/** a completion whose result the conversation cannot take says nothing, and its member has failed. */
function readNext(envelope: DomainEventEnvelope, namespace: string, state: LiveState): RecordEvent {
  const { type, revision, timestamp } = envelope;
  if (type !== 'graph:node-completed') return guarded(envelope, () => parseRecordEvent(envelope));
  const event = parsedOrNull(envelope);
  if (event?.type === type && canTake(state, event)) return event;
  const read = readGraphEvent(envelope, { namespace, nodeIds: new Set(state.members.keys()) });
  if (read?.kind !== 'node-completed') throw invalidEvent(envelope, 'it is no completion');
  const { nodeId, position } = read;
  return {
    type: 'graph:node-failed',
    revision,
    timestamp,
    payload: { nodeId, position, code: 'RESULT_INVALID' },
  };
}

function canTake(state: LiveState, { payload }: Extract<RecordEvent, { type: 'graph:node-completed' }>): boolean {
  return payload.result.posts.every(
    ({ roomId, mentions }) => state.rooms.has(roomId) && mentions.every((id) => state.members.has(id)),
  );
}

function parsedOrNull(envelope: DomainEventEnvelope): RecordEvent | null {
  try {
    return parseRecordEvent(envelope);
  } catch (error) {
    if (error instanceof RecordError) return null;
    throw error;
  }
}

function guarded<Value>(envelope: DomainEventEnvelope, work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    throw invalidOf(envelope, error);
  }
}

/** Everything that the record's own readers refuse is one error here. */
function invalidOf(envelope: DomainEventEnvelope, error: unknown): unknown {
  if (!(error instanceof RecordError || error instanceof TeamFileError)) return error;
  return invalidEvent(envelope, error.message, error);
}
