// A live state as JSON and back: a snapshot saves folding a long record again. It is a cache: one that is missing, cut
// short or changed is not used, and the fold begins at the first event.
import * as v from 'valibot';
import { canonicalJson, digestText, type JsonValue } from '../json.js';
import { CHAIN_LIMITS, LimitSources, LiveLimitsSchema } from '../record/catalogue.js';
import { MemberSnapshotSchema, MessageSnapshotSchema, TaskSnapshotSchema } from '../record/team-schemas.js';
import type { LiveState } from './live-state.js';

/** Counts up whenever the fold or the shape of its state changes: older snapshots are then not used. */
export const FOLD_VERSION = 6;

const text = v.string();
const texts = v.pipe(v.array(text), v.readonly());
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const map = <Value extends v.GenericSchema>(value: Value) =>
  v.pipe(
    v.array(v.strictTuple([text, value])),
    v.transform((entries): ReadonlyMap<string, v.InferOutput<Value>> => new Map(entries)),
  );

const Post = v.strictObject({ id: text, roomId: text, sender: text, text, mentions: texts });
const Cause = v.variant('kind', [
  v.strictObject({ kind: v.literal('post'), post: Post }),
  v.strictObject({ kind: v.literal('mail'), messageId: text, sender: text }),
  v.strictObject({ kind: v.literal('prompt'), sender: text }),
  v.strictObject({ kind: v.literal('tasks'), tasks: texts, sender: text }),
]);
const Trigger = v.strictObject({
  cause: Cause,
  chain: text,
  person: v.boolean(),
  hop: count,
  revision: count,
  then: texts,
});
const triggers = v.pipe(v.array(Trigger), v.readonly());
const Retried = v.nullable(v.strictObject({ code: v.nullable(text) }));
const InboxItem = v.strictObject({ message: MessageSnapshotSchema, chain: text, hop: count });
const inbox = v.pipe(v.array(InboxItem), v.readonly());
const Queued = v.strictObject({ roomId: v.nullable(text), triggers, order: count, retried: Retried });
const Open = v.strictObject({
  position: text,
  roomId: v.nullable(text),
  triggers,
  chain: text,
  hop: count,
  epoch: count,
  since: text,
  retried: Retried,
  stopping: v.nullable(v.strictObject({ reason: v.picklist(['stopped', 'interrupted']), by: text })),
  mail: inbox,
});
const Left = v.strictObject({
  position: text,
  roomId: v.nullable(text),
  triggers,
  ended: v.picklist(['failed', 'cancelled']),
  code: v.nullable(text),
  message: v.nullable(text),
  at: text,
});
const amount = v.pipe(v.number(), v.finite(), v.minValue(0));
const Usage = v.strictObject({
  turns: count,
  unknownCost: count,
  mismatches: count,
  cost: amount,
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
  reasoningTokens: count,
});
const Previous = v.strictObject({ summary: text, data: v.custom<JsonValue>((value) => value !== undefined) });
const Member = v.strictObject({
  id: text,
  ordinal: count,
  handleId: v.nullable(text),
  inbox,
  turns: count,
  queue: v.pipe(v.array(Queued), v.readonly()),
  open: v.nullable(Open),
  left: v.pipe(v.array(Left), v.readonly()),
  previous: map(Previous),
  failure: v.nullable(text),
  endedAt: v.nullable(text),
  usage: Usage,
});
const Room = v.strictObject({
  id: text,
  name: text,
  kind: v.picklist(['public', 'private', 'direct']),
  members: texts,
  tail: v.pipe(v.array(Post), v.readonly()),
  isEmpty: v.boolean(),
});
const limit = v.picklist(CHAIN_LIMITS);
const Chain = v.strictObject({
  hops: count,
  turns: map(count),
  cost: amount,
  granted: v.strictObject({ hopCap: amount, costCeiling: amount, turnsPerMember: amount }),
  stopped: v.pipe(v.array(limit), v.readonly()),
  parked: v.pipe(v.array(v.strictObject({ memberId: text, limit, turn: Queued })), v.readonly()),
});
const Board = v.strictObject({
  id: text,
  members: map(MemberSnapshotSchema),
  tasks: map(TaskSnapshotSchema),
  pending: map(MessageSnapshotSchema),
  nextTaskNumber: count,
});
const State = v.strictObject({
  revision: count,
  runId: text,
  teamId: text,
  team: text,
  lead: text,
  limits: LiveLimitsSchema,
  limitSources: LimitSources,
  acknowledgements: v.picklist(['quiet', 'wake']),
  runner: v.nullable(v.strictObject({ id: text, epoch: count })),
  requestedBy: v.nullable(text),
  members: map(Member),
  former: map(Member),
  nextOrdinal: count,
  rooms: map(Room),
  chains: map(Chain),
  personPosts: count,
  personRoom: v.nullable(text),
  nextOrder: count,
  name: v.nullable(text),
  isArchived: v.boolean(),
  firstPost: v.nullable(text),
  activeAt: v.nullable(text),
  usage: Usage,
  board: Board,
  spawning: map(v.strictObject({ chain: text, hop: count, ordinal: count })),
  mailFrom: map(v.strictObject({ chain: text, hop: count })),
  heldMail: v.pipe(
    v.array(text),
    v.transform((ids): ReadonlySet<string> => new Set(ids)),
  ),
});

const Snapshot = v.strictObject({
  foldVersion: v.literal(FOLD_VERSION),
  /** Id of the event at the state's revision: a snapshot of another history does not fit. */
  eventId: text,
  /** Over the canonical text of `[eventId, state]`. */
  digest: text,
  state: v.custom<JsonValue>((value) => value !== undefined),
});

export interface LiveSnapshot {
  readonly state: LiveState;
  readonly eventId: string;
}

/** @param eventId - id of the event that `state.revision` names. */
export function writeLiveSnapshot({ state, eventId }: LiveSnapshot): string {
  const json = encode(state);
  return JSON.stringify({ foldVersion: FOLD_VERSION, eventId, digest: digestOf(eventId, json), state: json });
}

/** @returns the snapshot, or null when the text is not a whole and unchanged one of this version. */
export function readLiveSnapshot(text: string): LiveSnapshot | null {
  const snapshot = v.safeParse(Snapshot, parseJson(text));
  if (!snapshot.success) return null;
  const { eventId, digest, state: json } = snapshot.output;
  if (digestOf(eventId, json) !== digest) return null;
  const state = v.safeParse(State, json);
  return state.success ? { state: state.output, eventId } : null;
}

function digestOf(eventId: string, state: JsonValue): string {
  return digestText(canonicalJson([eventId, state]));
}

/** Maps as lists of pairs, in their order: the order of members and rooms is part of the state. */
function encode(value: unknown): JsonValue {
  if (value instanceof Map) return [...value].map(([key, inner]) => [String(key), encode(inner)]);
  if (value instanceof Set) return [...value].map(encode);
  if (Array.isArray(value)) return value.map(encode);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, encode(inner)]));
  }
  // What is left in a state are texts, numbers, truth values and null.
  return value as JsonValue;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
