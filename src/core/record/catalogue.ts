// The event catalogue: every type that a conversation's record may hold, its version and the shape of its payload.
// A change of shape is a new version with an upcast; docs/run-record.md tells what each event means.
import * as v from 'valibot';
import type { JsonValue } from '../json.js';
import { RecordError } from './error.js';
import { isPlainly } from './quick-check.js';
import { MemberSnapshotSchema, MessageSnapshotSchema, TEAM_PAYLOADS } from './team-schemas.js';
import { UPCASTS, type Upcast } from './upcasts.js';

const text = v.string();
const name = v.pipe(text, v.minLength(1));
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const ordinal = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const names = v.pipe(v.array(name), v.readonly());
const texts = v.pipe(v.array(text), v.readonly());

const dollars = v.pipe(v.number(), v.finite(), v.minValue(0));

/** A 0 means that none is allowed. */
export const LiveLimitsSchema = v.strictObject({
  hopCap: count,
  /** US dollars a chain; null: no ceiling. */
  costCeiling: v.nullable(dollars),
  turnsPerMember: count,
  concurrency: count,
  tailMessages: count,
  turnTimeoutMinutes: v.pipe(v.number(), v.finite(), v.minValue(0)),
});
export type LiveLimits = v.InferOutput<typeof LiveLimitsSchema>;

/** Which level set each limit: its key and the level's name. */
export const LimitSources = v.record(
  v.picklist(['hopCap', 'costCeiling', 'turnsPerMember', 'concurrency', 'tailMessages', 'turnTimeoutMinutes']),
  v.picklist(['default', 'user', 'workspace', 'team', 'machine']),
);
export type LimitSources = v.InferOutput<typeof LimitSources>;

/** Rules of a conversation that are no limits. `acknowledgements`: what a reply of a few words does to whom it mentions. */
const Policies = v.strictObject({ acknowledgements: v.picklist(['quiet', 'wake']) });

/** Limits at which a chain stops and waits for a person. */
export const CHAIN_LIMITS = ['hopCap', 'costCeiling', 'turnsPerMember'] as const;
export type ChainLimit = (typeof CHAIN_LIMITS)[number];

/** What a turn used. A figure that its engine did not report is null, never 0. */
export const UsageSchema = v.strictObject({
  model: v.nullable(text),
  inputTokens: v.nullable(count),
  outputTokens: v.nullable(count),
  cacheReadTokens: v.nullable(count),
  cacheWriteTokens: v.nullable(count),
  reasoningTokens: v.nullable(count),
  /** US dollars as the engine reported them. */
  reportedCost: v.nullable(dollars),
  /** US dollars by the price table that was in force. */
  pricedCost: v.nullable(dollars),
});
export type TurnUsage = v.InferOutput<typeof UsageSchema>;

/**
 * A post inside a turn's result. `unresolved`: mentions as written that named nobody. `acknowledgement`: it says so
 * little that its mentions wake nobody.
 */
const ResultPost = v.looseObject({
  roomId: name,
  text,
  mentions: names,
  unresolved: v.optional(texts),
  acknowledgement: v.optional(v.boolean()),
});

/**
 * The result of a turn of a live conversation. `turn` says where in its chain the turn stood, and which posts it
 * answers, at most the newest eight.
 */
const LiveResult = v.looseObject({
  summary: text,
  /** Any JSON: the payload was read as JSON before the schema sees it. */
  data: v.optional(v.custom<JsonValue>(() => true)),
  posts: v.pipe(v.array(ResultPost), v.readonly()),
  turn: v.optional(
    v.strictObject({
      chain: name,
      hop: count,
      cap: count,
      answers: v.optional(v.pipe(v.array(v.strictObject({ id: name, sender: name })), v.readonly())),
    }),
  ),
});
export type LiveTurnResult = v.InferOutput<typeof LiveResult>;

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
    2,
    v.strictObject({
      teamId: name,
      /** Canonical text of the team file. */
      team: text,
      limits: LiveLimitsSchema,
      limitSources: LimitSources,
      policies: Policies,
      /** URIs of the workspace folders. */
      folders: texts,
      /** The conversation that this one goes on from, up to and including a revision of it; null for a fresh one. */
      forkOf: v.nullable(v.strictObject({ runId: name, revision: ordinal, digest: name })),
    }),
  ],
  'conversation:run': [1, v.strictObject({ runner: name, epoch: ordinal })],
  /** A window asks the one that runs the conversation to let go of it. */
  'conversation:requested': [1, v.strictObject({ runner: name })],
  'conversation:limited': [
    2,
    v.strictObject({
      chain: name,
      limit: v.picklist(CHAIN_LIMITS),
      /** The limit in force, with what was granted on top. */
      value: dollars,
      /** What the chain has made of it: hops, turns of the member, or US dollars. */
      count: dollars,
      roomId: name,
      /** The member whose turn was not started, and who would have followed it. */
      next: v.pipe(v.array(name), v.minLength(1), v.readonly()),
      /** True when the same limit has stopped the chain before and nobody has let it go on since. */
      isRepeat: v.boolean(),
    }),
  ],
  /** A person grants a chain the same again, and what the limit kept back is queued. */
  'conversation:continued': [1, v.strictObject({ chain: name, limit: v.picklist(CHAIN_LIMITS), by: name })],
  /** Stop: nothing of what was queued runs, and what runs is ended. `roomId`: where the notice stands. */
  'conversation:cancelled': [1, v.strictObject({ by: name, roomId: name })],
  'conversation:renamed': [1, v.strictObject({ name: text })],
  'conversation:archived': [1, v.strictObject({ archived: v.boolean() })],
  'limits:changed': [1, v.strictObject({ limits: LiveLimitsSchema, limitSources: LimitSources, policies: Policies })],
  /** The team file that is in force from here on, as canonical text. */
  'team:changed': [1, v.strictObject({ team: text })],
  'room:created': [
    1,
    v.strictObject({
      id: name,
      name: text,
      kind: v.picklist(['public', 'private', 'direct']),
      members: v.pipe(v.array(name), v.minLength(1), v.readonly()),
    }),
  ],
  'team/member': [1, TEAM_PAYLOADS['team/member']],
  'team/task': [1, TEAM_PAYLOADS['team/task']],
  /** What the task's owner hands over with its completion, in one append with it. */
  'task:resulted': [1, v.strictObject({ taskId: name, revision: ordinal, result: v.custom<JsonValue>(() => true) })],
  'team/message/queued': [1, TEAM_PAYLOADS['team/message/queued']],
  'team/message/delivered': [1, TEAM_PAYLOADS['team/message/delivered']],
  /** Mail that was on its way when a person stopped the conversation. */
  'mail:held': [1, v.strictObject({ messageIds: names })],
  /** The member was given messages while its turn ran; what was there when it began it has anyhow. */
  'mail:read': [1, v.strictObject({ member: name, position: name, messageIds: names })],
  /** A person lets mail go on its way again: its targets may be woken by it. */
  'mail:released': [1, v.strictObject({ messageIds: names, by: name })],
  /** A person gives mail up that could not be delivered, or is held. */
  'mail:discarded': [1, v.strictObject({ messageIds: names, by: name })],
  'post:written': [
    1,
    v.strictObject({ id: name, sender: name, roomId: name, text, mentions: names, unresolved: texts }),
  ],
  /** A post of the conversation that this one was forked from. It wakes nobody. */
  'post:inherited': [
    1,
    v.strictObject({
      id: name,
      sender: name,
      roomId: name,
      text,
      mentions: names,
      unresolved: texts,
      /** ISO timestamp of the post itself. */
      at: text,
      /** Position of the turn that wrote it, in the ancestor; null for a person's. */
      position: v.nullable(name),
    }),
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
  /** A person wants one running turn to end. */
  'turn:interrupted': [1, v.strictObject({ member: name, position: name, by: name })],
  /** A turn that was stopped or interrupted has ended without an answer. */
  'turn:cancelled': [
    1,
    v.strictObject({
      member: name,
      position: name,
      roomId: name,
      reason: v.picklist(['stopped', 'interrupted']),
      by: name,
    }),
  ],
  /** The triggers of a cancelled or failed turn wait again, for the member's next position. */
  'turn:requeued': [1, v.strictObject({ member: name, position: name, by: name })],
  /** In one append with the outcome of the turn. */
  'usage:recorded': [1, v.strictObject({ member: name, position: name, chain: name, usage: UsageSchema })],
  /** A message reached its member: from here on it is the member's, whatever becomes of the sender. */
  'mail:received': [1, v.strictObject({ message: MessageSnapshotSchema })],
  /** What a new member is asked to do, before it is active, and the posts that a forked one knows. */
  'prompt:given': [
    2,
    v.strictObject({
      member: MemberSnapshotSchema,
      prompt: text,
      posts: v.pipe(v.array(v.strictObject({ id: name, sender: name, text, mentions: names })), v.readonly()),
    }),
  ],
  'input:given': [1, v.strictObject({ position: name, digest: name, messageIds: names })],
  /**
   * One piece of a step. A long text comes in pieces of one `id`, in order; the last of them is not open. `parent` is the
   * id of the tool call inside of which the step was made.
   */
  'step:recorded': [
    2,
    v.strictObject({
      position: name,
      sequence: count,
      id: name,
      parent: v.nullable(name),
      isOpen: v.boolean(),
      step: v.variant('kind', [
        v.strictObject({ kind: v.literal('thought'), text }),
        v.strictObject({ kind: v.literal('text'), text }),
        v.strictObject({ kind: v.literal('tool-call'), name, input: v.custom<JsonValue>(() => true) }),
        /** `callId`: id of the step that made the call. */
        v.strictObject({ kind: v.literal('tool-result'), callId: name, text, isError: v.boolean() }),
        v.strictObject({
          kind: v.literal('plan'),
          entries: v.pipe(
            v.array(v.strictObject({ text, status: v.picklist(['pending', 'in_progress', 'completed']) })),
            v.readonly(),
          ),
        }),
        v.strictObject({ kind: v.literal('usage'), usage: UsageSchema }),
        v.strictObject({ kind: v.literal('error'), message: text }),
        /** The answer itself, durable before the outcome: a turn cut off between the two ends with it. */
        v.strictObject({
          kind: v.literal('final'),
          text,
          data: v.optional(v.custom<JsonValue>(() => true)),
          usage: v.nullable(UsageSchema),
        }),
      ]),
    }),
  ],
} as const;

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
  if (version === known && isPlainly(type, payload)) {
    // Nothing is left out of a payload that has exactly the fields of its type, so it is taken as it is.
    return { type, revision, timestamp: envelope.timestamp, payload } as RecordEvent;
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
