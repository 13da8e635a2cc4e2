// A turn's reasoning, read from its member's own stream when somebody asks for it, one page at a time.
import { isJsonObject } from '../core/json.js';
import { parseRecordEvent, type RecordPayload } from '../core/record/catalogue.js';
import { ancestorPosition, turnNumber, turnPosition } from '../core/team/identifiers.js';
import type { DomainEventEnvelope, RunStorage, StreamId } from '../storage/port.js';
import { memberStreamId } from '../storage/streams.js';

/** A piece of a step; `sequence` grows over all tries of the turn, and ids are unique over them. */
export interface ReasoningPiece {
  readonly sequence: number;
  readonly id: string;
  readonly parent: string | null;
  readonly isOpen: boolean;
  /** ISO timestamp. */
  readonly at: string;
  readonly step: Exclude<RecordPayload<'step:recorded'>['step'], { readonly kind: 'final' }>;
}

export interface ReasoningPage {
  readonly pieces: readonly ReasoningPiece[];
  readonly hasMore: boolean;
  /** True when the answer is recorded behind the last piece: the turn was not cut off. Known on the last page. */
  readonly isWhole: boolean;
}

/** Where a turn's steps are. */
export interface ReasoningPlace {
  readonly stream: StreamId;
  /** As that stream has it. */
  readonly position: string;
}

export const PAGE_PIECES = 50;
export const PAGE_BYTES = 262_144;

/**
 * How many tries of one turn a sequence tells apart from how many events of a stream. A sequence holds both: the try, so
 * that a page can begin anywhere and still give its steps names of their own, and the revision, which is where to go on.
 */
const STREAM_LENGTH = 2 ** 32;

/** How many members' streams are looked through in a conversation whose roster is not at hand. */
const MAX_ORDINAL = 64;

/**
 * Finds the stream that holds a turn.
 * @param ordinals - places in the roster to look at first.
 * @returns `deleted` when the turn belongs to an ancestor that is gone; null when there is no such turn.
 */
export async function findReasoning(
  storage: RunStorage,
  runId: string,
  position: string,
  ordinals: readonly number[] = [],
): Promise<ReasoningPlace | 'deleted' | null> {
  const inherited = ancestorPosition(position);
  if (inherited !== null) {
    const ancestor = await readForkOf(storage, runId);
    if (ancestor === null) return null;
    if ((await storage.eventStore.head(streamOf(storage, ancestor))) === 0) return 'deleted';
    return findReasoning(storage, ancestor, inherited, ordinals);
  }
  const rest = Array.from({ length: MAX_ORDINAL }, (_, index) => index + 1).filter((k) => !ordinals.includes(k));
  for (const ordinal of [...ordinals, ...rest]) {
    const stream = streamOf(storage, memberStreamId(runId, ordinal));
    const known = await nextPosition(storage, stream, 0);
    if (known !== null && isOfSameMember(known.position, position)) return { stream, position };
  }
  return null;
}

/** Run id of the conversation that a run was forked from; null for a fresh one, or when there is no such run. */
export async function readForkOf(storage: RunStorage, runId: string): Promise<string | null> {
  const first = await eventAt(storage, streamOf(storage, runId), 1);
  const event = first === null ? null : parseRecordEvent(first);
  return event?.type === 'conversation:started' ? (event.payload.forkOf?.runId ?? null) : null;
}

/**
 * Reads a page of a turn's reasoning: at most 50 pieces or 256 KiB, and at least one piece when there is one.
 * @param after - sequence of the last piece known; null reads from the first.
 * @throws StorageError or RecordError when the stream cannot be read.
 */
export async function readReasoning(
  storage: RunStorage,
  { stream, position }: ReasoningPlace,
  after: number | null,
): Promise<ReasoningPage> {
  let attempt = after === null ? -1 : Math.floor(after / STREAM_LENGTH);
  const from = after === null ? await firstRevision(storage, stream, position) : after % STREAM_LENGTH;
  const pieces: ReasoningPiece[] = [];
  let bytes = 0;
  let isWhole = false;
  for await (const envelope of storage.eventStore.read(stream, from)) {
    const at = positionOf(envelope);
    // Mail comes at any time, and belongs to no turn.
    if (at === null) continue;
    if (at !== position) break;
    const event = parseRecordEvent(envelope);
    if (event.type === 'input:given') attempt += 1;
    if (event.type !== 'step:recorded') continue;
    isWhole = event.payload.step.kind === 'final';
    const step = shownStep(event.payload.step);
    if (step === null) continue;
    bytes += Buffer.byteLength(JSON.stringify(step));
    const isFull = pieces.length === PAGE_PIECES || (pieces.length > 0 && bytes > PAGE_BYTES);
    if (isFull) return { pieces, hasMore: true, isWhole: false };
    pieces.push(pieceOf({ ...event.payload, step }, envelope, Math.max(0, attempt)));
  }
  return { pieces, hasMore: false, isWhole };
}

/** The answer itself is a post; what it says of the turn's use is part of the reasoning. */
function shownStep(step: RecordPayload<'step:recorded'>['step']): ReasoningPiece['step'] | null {
  if (step.kind !== 'final') return step;
  const { usage } = step;
  return usage === null || Object.values(usage).every((one) => one === null) ? null : { kind: 'usage', usage };
}

function pieceOf(
  payload: Omit<RecordPayload<'step:recorded'>, 'step'> & Pick<ReasoningPiece, 'step'>,
  { revision, timestamp }: DomainEventEnvelope,
  attempt: number,
): ReasoningPiece {
  // Every try of a turn numbers its steps anew.
  const own = (id: string): string => (attempt === 0 ? id : `${attempt}/${id}`);
  const { id, parent, isOpen, step } = payload;
  return {
    sequence: attempt * STREAM_LENGTH + revision,
    id: own(id),
    parent: parent === null ? null : own(parent),
    isOpen,
    at: timestamp,
    step: step.kind === 'tool-result' ? { ...step, callId: own(step.callId) } : step,
  };
}

/** @returns the revision after which the position's events begin; turns stand one after the other in a stream. */
async function firstRevision(storage: RunStorage, stream: StreamId, position: string): Promise<number> {
  const wanted = turnNumber(position) ?? 0;
  let before = 0;
  let behind = (await storage.eventStore.head(stream)) + 1;
  while (behind - before > 1) {
    const middle = Math.floor((before + behind) / 2);
    const next = await nextPosition(storage, stream, middle - 1);
    const number = next === null ? null : turnNumber(next.position);
    if (next !== null && number !== null && number < wanted) before = next.revision;
    else behind = middle;
  }
  return behind - 1;
}

/** The first event after a revision that belongs to a turn: mail and a prompt, which belong to none, are passed over. */
async function nextPosition(
  storage: RunStorage,
  stream: StreamId,
  after: number,
): Promise<{ readonly position: string; readonly revision: number } | null> {
  for await (const event of storage.eventStore.read(stream, after)) {
    const position = positionOf(event);
    if (position !== null) return { position, revision: event.revision };
  }
  return null;
}

function isOfSameMember(known: string, position: string): boolean {
  const number = turnNumber(known);
  const memberId = /^team\/(.+)\/\d+$/s.exec(position)?.[1];
  return number !== null && memberId !== undefined && known === turnPosition(memberId, number);
}

async function eventAt(storage: RunStorage, stream: StreamId, revision: number): Promise<DomainEventEnvelope | null> {
  for await (const event of storage.eventStore.read(stream, revision - 1)) return event;
  return null;
}

function positionOf({ payload }: DomainEventEnvelope): string | null {
  const position = isJsonObject(payload) ? payload['position'] : null;
  return typeof position === 'string' ? position : null;
}

function streamOf(storage: RunStorage, streamId: string): StreamId {
  return { namespace: storage.record.namespace, streamId };
}
