// What the team's own records look like: member, task and message, each a whole value in a version of its own.
// An unknown key anywhere makes a payload invalid.
import * as v from 'valibot';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.js';

const text = v.string();
const id = v.pipe(text, v.minLength(1));
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const ordinal = v.pipe(v.number(), v.safeInteger(), v.minValue(1));

/** `task-<digits>` must name a safe integer; any other id is one that was made elsewhere. */
const taskId = v.pipe(
  id,
  v.check((value) => {
    const digits = /^task-(\d+)$/.exec(value)?.[1];
    return digits === undefined || Number.isSafeInteger(Number(digits));
  }, 'The number of the task is too large.'),
);

export const MemberSnapshotSchema = v.strictObject({
  id,
  name: text,
  description: text,
  provider: text,
  context: v.picklist(['fresh', 'fork']),
  phase: v.picklist(['provisioning', 'active', 'failed']),
  error: v.optional(text),
});
/** A member on the roster; the lead is not on it. */
export type MemberSnapshot = v.InferOutput<typeof MemberSnapshotSchema>;

export const TASK_STATUSES = ['pending', 'in_progress', 'completed', 'deleted'] as const;

export const TaskSnapshotSchema = v.strictObject({
  id: taskId,
  revision: ordinal,
  subject: text,
  description: text,
  status: v.picklist(TASK_STATUSES),
  ownerId: v.optional(id),
  blockedBy: v.pipe(v.array(taskId), v.readonly()),
  writeScopes: v.pipe(v.array(text), v.readonly()),
});
/** A task in one revision. */
export type TaskSnapshot = v.InferOutput<typeof TaskSnapshotSchema>;

const known: Readonly<Record<string, v.GenericSchema>> = {
  text: v.strictObject({ type: v.literal('text'), text }),
  reasoning: v.strictObject({ type: v.literal('reasoning'), text }),
  image: v.strictObject({
    type: v.literal('image'),
    attachment: v.strictObject({
      attachmentId: id,
      mediaType: v.picklist(['image/png', 'image/jpeg', 'image/webp', 'image/gif']),
      bytes: count,
      width: ordinal,
      height: ordinal,
      name: v.optional(text),
    }),
  }),
  'tool-call': v.strictObject({ type: v.literal('tool-call'), id, name: text, arguments: text }),
  'tool-result': v.strictObject({
    type: v.literal('tool-result'),
    toolCallId: id,
    content: v.array(v.lazy(() => ContentBlockSchema)),
    isError: v.optional(v.boolean()),
  }),
};

/** A piece of a message. A tag that is not known here is kept with all its fields. */
export type ContentBlock = JsonObject & { readonly type: string };

export const ContentBlockSchema: v.GenericSchema<unknown, ContentBlock> = v.custom<ContentBlock>((value) => {
  // The payload was read as JSON before the schema sees it.
  if (!isJsonObject(value as JsonValue)) return false;
  const { type } = value as JsonObject;
  if (typeof type !== 'string' || type === '') return false;
  const schema = known[type];
  return schema === undefined || v.is(schema, value);
}, 'The content block is not valid.');

export const MessageSnapshotSchema = v.strictObject({
  id,
  senderId: id,
  senderName: text,
  targetId: id,
  delivery: v.picklist(['quiet', 'wakeup']),
  content: v.pipe(v.array(ContentBlockSchema), v.readonly()),
});
/** A message between members, kept until its target has it. */
export type MessageSnapshot = v.InferOutput<typeof MessageSnapshotSchema>;

const head = { version: v.literal(1), teamId: id };

/** Payloads of the team's records, by event type. */
export const TEAM_PAYLOADS = {
  'team/member': v.strictObject({ ...head, member: MemberSnapshotSchema }),
  'team/task': v.strictObject({ ...head, task: TaskSnapshotSchema }),
  'team/message/queued': v.strictObject({ ...head, message: MessageSnapshotSchema }),
  'team/message/delivered': v.strictObject({ ...head, messageId: id, targetId: id }),
} as const;

export type TeamEventType = keyof typeof TEAM_PAYLOADS;
export type TeamEventPayload<Type extends TeamEventType> = v.InferOutput<(typeof TEAM_PAYLOADS)[Type]>;

/** One of the team's records. */
export type TeamEvent = {
  [Type in TeamEventType]: { readonly type: Type; readonly payload: TeamEventPayload<Type> };
}[TeamEventType];

export function isTeamEventType(type: string): type is TeamEventType {
  return Object.hasOwn(TEAM_PAYLOADS, type);
}
