// A conversation that goes on from a post of another one. What was said up to that post is copied, so that neither
// needs the other afterwards (docs/decisions/009).
import { randomUUID } from 'node:crypto';
import { cloneJson, digestJson } from '../core/json.js';
import { parseRecordEvent, type NewRecordEvent, type RecordEvent } from '../core/record/catalogue.js';
import { RecordError } from '../core/record/error.js';
import { TeamError } from '../core/team/error.js';
import { foldLive, startLive } from '../core/team/live-fold.js';
import type { LiveRoom, LiveState } from '../core/team/live-state.js';
import { readLiveTeam } from '../core/team/live-team.js';
import { parseTeamFile, type TeamFile } from '../core/team/team-file.js';
import { transcriptOf, type TranscriptPost } from '../core/team/transcript.js';
import type { EventStore, LocalRunStorage, NewDomainEvent } from '../storage/port.js';
import { newDomainEvent } from './live-record.js';
import type { Clock } from './ports/clock.js';
import { rosterEvents } from './roster-events.js';
import { systemClock } from './system-clock.js';
import { readRecord } from './transcript-pages.js';

export interface ForkHost {
  readonly storage: LocalRunStorage;
  readonly clock?: Clock;
}

export interface ForkOptions {
  /** What the new conversation is called; when absent, its first post says what it is. */
  readonly name?: string;
  /** URIs of the workspace folders; those of the ancestor when absent. */
  readonly folders?: readonly string[];
}

/** Where the ancestor is left. */
interface Parting {
  readonly post: TranscriptPost;
  readonly state: LiveState;
  readonly folders: readonly string[];
  /** Of the envelope that holds the post. */
  readonly digest: string;
}

/**
 * Begins a conversation with the team, the limits and the rooms that another one had when a post was written, and with
 * the posts up to and including that one. Nothing of it is woken. It appears whole or not at all.
 * @returns its run id.
 * @throws TeamError `POST_NOT_FOUND`, `ROOM_NOT_FOUND` when nobody of the team is left in the room of the post;
 * StorageError or RecordError when the ancestor cannot be read.
 */
export async function forkConversation(
  { storage, clock = systemClock }: ForkHost,
  ancestorId: string,
  postId: string,
  options: ForkOptions = {},
): Promise<string> {
  const runId = randomUUID();
  const parting = await findParting(storage, ancestorId, postId);
  await storage.runs.build(runId, async (store) => {
    const chunks = new Chunks(store, { namespace: storage.record.namespace, streamId: runId });
    for await (const event of forkEvents(storage, ancestorId, runId, parting, options)) {
      await chunks.add(newDomainEvent({ runId, clock }, { event }));
    }
    await chunks.flush();
  });
  return runId;
}

async function findParting(storage: LocalRunStorage, runId: string, postId: string): Promise<Parting> {
  let state: LiveState | null = null;
  let folders: readonly string[] = [];
  const stream = { namespace: storage.record.namespace, streamId: runId };
  for await (const envelope of storage.eventStore.read(stream)) {
    const event = parseRecordEvent(envelope);
    if (event.type === 'conversation:started') folders = event.payload.folders;
    state = state === null ? start(event, runId) : foldLive(state, event);
    const post = transcriptOf(event).find((entry) => entry.id === postId);
    if (post?.kind === 'post') return { post, state, folders, digest: digestJson(cloneJson({ ...envelope })) };
  }
  throw new TeamError('POST_NOT_FOUND', `There is no post "${postId}" in the conversation ${runId}.`);
}

function start(event: RecordEvent, runId: string): LiveState {
  if (event.type !== 'conversation:started') {
    throw new RecordError('INVALID_EVENT', event.revision, `The stored run ${runId} is not a conversation.`);
  }
  return startLive(event, runId, readLiveTeam(event.payload.team, event.payload.teamId));
}

async function* forkEvents(
  storage: LocalRunStorage,
  ancestorId: string,
  runId: string,
  { post: last, state, folders, digest }: Parting,
  options: ForkOptions,
): AsyncIterable<NewRecordEvent> {
  const { teamId, team: text, limits, limitSources, acknowledgements } = state;
  const team = parseTeamFile(text, teamId);
  const made = madeRooms(state, team);
  const rooms = new Set([...team.rooms, ...made].map(({ id }) => id));
  if (!rooms.has(last.roomId)) {
    throw new TeamError('ROOM_NOT_FOUND', 'Nobody of the team is left in the room of this post. Choose another post.');
  }
  yield {
    type: 'conversation:started',
    payload: {
      ...{ teamId, team: text, limits, limitSources, policies: { acknowledgements } },
      folders: [...(options.folders ?? folders)],
      forkOf: { runId: ancestorId, revision: last.revision, digest },
    },
  };
  yield* rosterEvents(runId, team);
  for (const { id, name, kind, members } of made) {
    yield { type: 'room:created', payload: { id, name, kind, members: [...members] } };
  }
  let count = 0;
  for await (const post of postsUpTo(storage, ancestorId, last)) {
    if (!rooms.has(post.roomId)) continue;
    count += 1;
    const { sender, roomId, text: said, mentions, unresolved, at, position } = post;
    const payload = { sender, roomId, text: said, mentions: [...mentions], unresolved: [...unresolved], at, position };
    yield { type: 'post:inherited', payload: { id: `past/${count}`, ...payload } };
  }
  if (options.name !== undefined) yield { type: 'conversation:renamed', payload: { name: options.name } };
}

/** Rooms that the team file does not have. One that everybody has left could not be made again, and nobody sees it. */
function madeRooms({ rooms }: LiveState, team: TeamFile): readonly LiveRoom[] {
  const declared = new Set(team.rooms.map(({ id }) => id));
  // Who was spawned belongs to the ancestor alone.
  const known = new Set(team.members.map(({ id }) => id));
  return [...rooms.values()]
    .filter(({ id }) => !declared.has(id))
    .map((room) => ({ ...room, members: room.members.filter((id) => known.has(id)) }))
    .filter(({ members }) => members.length > 0);
}

async function* postsUpTo(
  storage: LocalRunStorage,
  runId: string,
  last: TranscriptPost,
): AsyncIterable<TranscriptPost> {
  for await (const { entries } of readRecord(storage, runId)) {
    for (const entry of entries) {
      if (entry.kind !== 'post') continue;
      yield entry;
      if (entry.id === last.id) return;
    }
  }
}

/** How much one append has at most, in bytes; the thread is free between two. */
const CHUNK_BYTES = 262_144;
/** What an envelope adds to what its writer chose, generously. */
const ENVELOPE_BYTES = 400;

/** Appends events many at a time. */
class Chunks {
  readonly #store: EventStore;
  readonly #stream: { readonly namespace: string; readonly streamId: string };
  #events: NewDomainEvent[] = [];
  #bytes = 0;
  #revision = 0;

  constructor(store: EventStore, stream: { readonly namespace: string; readonly streamId: string }) {
    this.#store = store;
    this.#stream = stream;
  }

  async add(event: NewDomainEvent): Promise<void> {
    const bytes = Buffer.byteLength(JSON.stringify(event)) + ENVELOPE_BYTES;
    if (this.#bytes + bytes > CHUNK_BYTES) await this.flush();
    this.#events.push(event);
    this.#bytes += bytes;
  }

  async flush(): Promise<void> {
    if (this.#events.length === 0) return;
    this.#revision = await this.#store.append(this.#stream, this.#revision, this.#events);
    this.#events = [];
    this.#bytes = 0;
  }
}
