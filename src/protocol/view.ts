// What the screen shows of a conversation: whole values that the host projects from the record. The webview keeps
// nothing that cannot be asked for again.
import * as v from 'valibot';

const text = v.string();
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** A codicon id, or one or two letters. */
export const IconView = v.variant('kind', [
  v.strictObject({ kind: v.literal('codicon'), id: text }),
  v.strictObject({ kind: v.literal('letters'), letters: text }),
]);
export type IconView = v.InferOutput<typeof IconView>;

export const MEMBER_STATUSES = ['idle', 'queued', 'running', 'interrupted', 'failed'] as const;

export const MemberView = v.strictObject({
  id: text,
  name: text,
  role: text,
  icon: IconView,
  isLead: v.boolean(),
  /** Words for the engine, e.g. "Scripted (offline)". */
  engine: text,
  status: v.picklist(MEMBER_STATUSES),
  /** ISO timestamp since which the status holds, null when unknown. */
  since: v.nullable(text),
  /** The open turn's position while running or interrupted. */
  position: v.nullable(text),
  /** Why the last turn failed, in words for the person. */
  failure: v.nullable(text),
});
export type MemberView = v.InferOutput<typeof MemberView>;

/** True for a lead whose name does not say so already: "Ada" is marked, "Lead" and "Team Lead" are not. */
export function isMarkedLead({ isLead, name }: Pick<MemberView, 'isLead' | 'name'>): boolean {
  return isLead && !/\blead\b/iu.test(name);
}

export const RoomView = v.strictObject({
  id: text,
  name: text,
  kind: v.picklist(['public', 'private', 'direct']),
  members: v.array(text),
  /** Id of the member who answers a post that mentions nobody; null when nobody does. */
  contact: v.nullable(text),
  /** A first post to offer while the room is empty. */
  suggestion: v.nullable(text),
});
export type RoomView = v.InferOutput<typeof RoomView>;

export const PostView = v.strictObject({
  id: text,
  roomId: text,
  /** Revision of the event that holds the post; posts are ordered by (revision, index). */
  revision: count,
  index: count,
  sender: v.variant('kind', [
    v.strictObject({ kind: v.literal('person') }),
    v.strictObject({ kind: v.literal('member'), id: text }),
    v.strictObject({ kind: v.literal('notice') }),
  ]),
  text,
  /** ISO timestamp. */
  at: text,
  /** Ids of the members it is addressed to: those mentioned, or the lead for a person's post without a mention. */
  to: v.array(text),
  /** Mentions as written that named nobody. */
  unresolved: v.array(text),
  /** For a member's post: hop within its chain and the cap in force. */
  hop: v.nullable(v.strictObject({ hop: count, cap: count })),
});
export type PostView = v.InferOutput<typeof PostView>;

/** Who runs the conversation, as seen from this window. */
export const RunnerView = v.picklist(['here', 'elsewhere', 'nobody']);
export type RunnerView = v.InferOutput<typeof RunnerView>;

export const ConversationView = v.strictObject({
  runId: text,
  teamId: text,
  teamName: text,
  members: v.array(MemberView),
  rooms: v.array(RoomView),
  runner: RunnerView,
  /** True while a turn is running or can be started without a person. */
  busy: v.boolean(),
  /** Queued turns that wait for a person to resume the team, e.g. after a reload. */
  waiting: count,
  /** Why nothing can be posted here, in words for the person; null when posting is possible. */
  readOnly: v.nullable(text),
});
export type ConversationView = v.InferOutput<typeof ConversationView>;

/** Something that stops the panel from showing a conversation, or a part of it. */
export const ProblemView = v.strictObject({
  /** What is wrong, in one sentence. */
  title: text,
  /** Where, and what to do. */
  detail: text,
  actions: v.array(v.picklist(['retry', 'openTeamFile', 'newConversation', 'showLog', 'openFolder', 'manageTrust'])),
});
export type ProblemView = v.InferOutput<typeof ProblemView>;
