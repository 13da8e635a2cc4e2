// The event catalogue: every type that a conversation's record may hold, its version and the shape of its payload.
// A change of shape is a new version with an upcast; docs/run-record.md tells what each event means.
import * as v from 'valibot';
import type { JsonValue } from '../json.js';
import { RecordError } from './error.js';

const text = v.string();
const name = v.pipe(text, v.minLength(1));
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const ordinal = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const names = v.pipe(v.array(name), v.readonly());
const texts = v.pipe(v.array(text), v.readonly());

export const LiveLimitsSchema = v.strictObject({
  hopCap: count,
  costCeiling: v.nullable(v.pipe(v.number(), v.finite(), v.minValue(0))),
  turnsPerMember: count,
  concurrency: count,
  tailMessages: count,
});
export type LiveLimits = v.InferOutput<typeof LiveLimitsSchema>;

/** A post inside a turn's result. `unresolved`: mentions as written that named nobody. */
const ResultPost = v.looseObject({ roomId: name, text, mentions: names, unresolved: v.optional(texts) });

/** The result of a turn of a live conversation. `turn` says where in its chain the turn stood. */
const LiveResult = v.looseObject({
  summary: text,
  /** Any JSON: the payload was read as JSON before the schema sees it. */
  data: v.optional(v.custom<JsonValue>(() => true)),
  posts: v.pipe(v.array(ResultPost), v.readonly()),
  turn: v.optional(v.strictObject({ chain: name, hop: count, cap: count })),
});
export type LiveTurnResult = v.InferOutput<typeof LiveResult>;

const TeamMember = v.strictObject({
  id: name,
  name: text,
  description: text,
  provider: text,
  context: v.picklist(['fresh', 'fork']),
  phase: v.picklist(['provisioning', 'active', 'failed']),
  error: v.optional(text),
});

const ATTEMPT_IDENTITY = v.strictObject({
  schemaVersion: v.literal(1),
  namespace: name,
  streamId: name,
  nodeId: name,
  position: name,
  attemptId: name,
});

/** Payload schemas by event type; the number is the version that this build writes and reads. */
export const CATALOGUE = {
  'conversation:started': [
    1,
    v.strictObject({
      teamId: name,
      /** Canonical text of the team file. */
      team: text,
      limits: LiveLimitsSchema,
      /** URIs of the workspace folders. */
      folders: texts,
    }),
  ],
  'conversation:run': [1, v.strictObject({ runner: name, epoch: ordinal })],
  /** A window asks the one that runs the conversation to let go of it. */
  'conversation:requested': [1, v.strictObject({ runner: name })],
  'conversation:limited': [
    1,
    v.strictObject({
      chain: name,
      limit: v.picklist(['hopCap']),
      /** The limit in force, and how many hops the chain has made. */
      value: count,
      count,
      roomId: name,
      /** The member whose turn was not started, and who would have followed it. */
      next: v.pipe(v.array(name), v.minLength(1), v.readonly()),
    }),
  ],
  'team/member': [1, v.strictObject({ version: v.literal(1), teamId: name, member: TeamMember })],
  'post:written': [
    1,
    v.strictObject({ id: name, sender: name, roomId: name, text, mentions: names, unresolved: texts }),
  ],
  'graph:node-dispatched': [1, v.strictObject({ nodeId: name, position: name })],
  'graph:node-attempt-started': [1, v.strictObject({ identity: ATTEMPT_IDENTITY, retrySafe: v.boolean() })],
  'graph:node-completed': [1, v.strictObject({ nodeId: name, position: name, result: LiveResult })],
  'graph:node-failed': [1, v.strictObject({ nodeId: name, position: name, code: name })],
  'graph:node-paused': [
    1,
    v.strictObject({ nodeId: name, position: name, reason: name, request: v.custom<JsonValue>(() => true) }),
  ],
  'graph:node-resumed': [1, v.strictObject({ nodeId: name, position: name })],
  'turn:failed': [
    1,
    v.strictObject({ member: name, position: name, roomId: name, code: name, message: text, retryable: v.boolean() }),
  ],
  'turn:skipped': [1, v.strictObject({ member: name, position: name, roomId: name, by: name })],
  'input:given': [1, v.strictObject({ position: name, digest: name, messageIds: names })],
  'step:recorded': [
    1,
    v.strictObject({
      position: name,
      sequence: count,
      step: v.strictObject({ kind: v.picklist(['thought', 'text']), text }),
    }),
  ],
} as const;

/** Turns a payload of one version into that of the next. */
export type Upcast = (payload: JsonValue) => JsonValue;

/** How payloads of earlier versions are read: by type, from the version they were written in. */
const UPCASTS: Partial<Record<RecordEventType, Readonly<Record<number, Upcast>>>> = {};

type Catalogue = typeof CATALOGUE;
export type RecordEventType = keyof Catalogue;
export type RecordPayload<Type extends RecordEventType> = v.InferOutput<Catalogue[Type][1]>;

/** What the record's envelope tells the fold beside the payload. */
export interface RecordEnvelope {
  readonly revision: number;
  readonly type: string;
  readonly version: number;
  readonly timestamp: string;
  readonly payload: JsonValue;
}

/** An event that was read and is what its type promises. */
export type RecordEvent = {
  [Type in RecordEventType]: {
    readonly type: Type;
    readonly revision: number;
    readonly timestamp: string;
    readonly payload: RecordPayload<Type>;
  };
}[RecordEventType];

/** An event to be written: type, version and payload of the catalogue. */
export type NewRecordEvent = {
  [Type in RecordEventType]: { readonly type: Type; readonly payload: RecordPayload<Type> };
}[RecordEventType];

/** The version in which this build writes events of `type`. */
export function eventVersion(type: RecordEventType): number {
  return CATALOGUE[type][0];
}

/**
 * Reads one stored event.
 * @throws RecordError `UNSUPPORTED_EVENT` for a type or version that this build does not know, `INVALID_EVENT` for a
 * payload that is not of its type's shape.
 */
export function parseRecordEvent(envelope: RecordEnvelope): RecordEvent {
  const { type, version, revision } = envelope;
  if (!isRecordEventType(type)) {
    throw new RecordError(
      'UNSUPPORTED_EVENT',
      revision,
      `Event ${revision} has the unknown type "${type}". A newer Teamroom wrote it; update the extension to open this conversation.`,
    );
  }
  const [known, schema] = CATALOGUE[type];
  const payload = upcast(UPCASTS[type] ?? {}, version, known, envelope.payload);
  if (payload === undefined) {
    throw new RecordError(
      'UNSUPPORTED_EVENT',
      revision,
      `Event ${revision} (${type}) has version ${version}; this Teamroom reads version ${known}. Update the extension to open this conversation.`,
    );
  }
  const result = v.safeParse(schema, payload);
  if (!result.success) {
    const issue = result.issues[0];
    throw new RecordError(
      'INVALID_EVENT',
      revision,
      `Event ${revision} (${type}) is not valid at "${v.getDotPath(issue) ?? ''}": ${issue.message}`,
    );
  }
  // The schema of this very type has just read the payload.
  return { type, revision, timestamp: envelope.timestamp, payload: result.output } as RecordEvent;
}

/**
 * Brings a payload from the version it was written in to the one that this build reads.
 * @returns undefined when there is no way: the version is newer, or older than every upcast.
 */
export function upcast(
  steps: Readonly<Record<number, Upcast>>,
  from: number,
  to: number,
  payload: JsonValue,
): JsonValue | undefined {
  let current = payload;
  for (let version = from; version !== to; version += 1) {
    const step = version > to ? undefined : steps[version];
    if (step === undefined) return undefined;
    current = step(current);
  }
  return current;
}

function isRecordEventType(type: string): type is RecordEventType {
  return Object.hasOwn(CATALOGUE, type);
}
