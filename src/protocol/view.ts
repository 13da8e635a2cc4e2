// What the screen shows of a conversation: whole values that the host projects from the record. The webview keeps
// nothing that cannot be asked for again.
import * as v from 'valibot';
import { TaskCounts } from './board.js';
import { SafeTree } from './safe-node.js';

const text = v.string();
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** A codicon id, or one or two letters. */
export const IconView = v.variant('kind', [
  v.strictObject({ kind: v.literal('codicon'), id: text }),
  v.strictObject({ kind: v.literal('letters'), letters: text }),
]);
export type IconView = v.InferOutput<typeof IconView>;

/** `stopped`: its turn was stopped or interrupted by a person and can be resumed. */
export const MEMBER_STATUSES = ['idle', 'queued', 'running', 'stopping', 'interrupted', 'stopped', 'failed'] as const;

const amount = v.pipe(v.number(), v.finite(), v.minValue(0));

/** What turns used; sums of what is known. */
export const UsageView = v.strictObject({
  turns: count,
  /** Turns of which no cost is known. */
  unknownCost: count,
  /** US dollars. */
  cost: amount,
  inputTokens: count,
  outputTokens: count,
  /** Turns whose reported cost differs from the priced one. */
  mismatches: count,
});
export type UsageView = v.InferOutput<typeof UsageView>;

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
  /** Position of the open turn, else of the turn that waits for the person. */
  position: v.nullable(text),
  /** Room of that turn. */
  roomId: v.nullable(text),
  /** How many turns of it are queued. */
  queued: count,
  usage: UsageView,
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
  /** The text as safe nodes; null for a notice, and where the plain text says it all. */
  blocks: v.nullable(SafeTree),
  /** ISO timestamp. */
  at: text,
  /** Ids of the members it is addressed to: those mentioned, or the lead for a person's post without a mention. */
  to: v.array(text),
  /** Mentions as written that named nobody. */
  unresolved: v.array(text),
  /** For a member's post: hop within its chain and the cap in force. */
  hop: v.nullable(v.strictObject({ hop: count, cap: count })),
  /** Position of the turn that wrote it, or that a notice is about; its reasoning is asked for by it. Null for none. */
  position: v.nullable(text),
  /** The posts that it answers, the newest last; sender is a member id or `you`. */
  answers: v.array(v.strictObject({ id: text, sender: text })),
  /** True when it says so little that its mentions wake nobody. */
  isAcknowledgement: v.boolean(),
  /** True for a post of the conversation that this one was forked from. */
  isInherited: v.boolean(),
  /** For the notice of a limit: the chain that stopped at it, as in `waits`. */
  limited: v.exactOptional(
    v.strictObject({ chain: text, limit: v.picklist(['hopCap', 'costCeiling', 'turnsPerMember']) }),
  ),
});
export type PostView = v.InferOutput<typeof PostView>;

/** Something that waits for the person. */
export const WaitView = v.variant('kind', [
  v.strictObject({
    kind: v.literal('turn'),
    /** `interrupted`: cut off with its window; `stopped`: by a person; `failed`: by itself. */
    how: v.picklist(['interrupted', 'stopped', 'failed']),
    memberId: text,
    position: text,
    roomId: text,
    /** Why it failed; null otherwise. */
    message: v.nullable(text),
  }),
  v.strictObject({
    kind: v.literal('limit'),
    chain: text,
    limit: v.picklist(['hopCap', 'costCeiling', 'turnsPerMember']),
    /** The room of the first turn that was kept back. */
    roomId: text,
    /** Ids of the members that wait. */
    next: v.array(text),
    /** False where the limit is 0, so that granting it again grants nothing. */
    canContinue: v.boolean(),
  }),
]);
export type WaitView = v.InferOutput<typeof WaitView>;

/** A limit in force and the level that set it. */
export const LimitView = v.strictObject({
  key: v.picklist(['hopCap', 'costCeiling', 'turnsPerMember', 'concurrency', 'tailMessages', 'turnTimeoutMinutes']),
  value: v.nullable(amount),
  source: v.picklist(['default', 'user', 'workspace', 'team', 'machine']),
});
export type LimitView = v.InferOutput<typeof LimitView>;

/** What a running turn has said so far of its answer; not in the record yet. */
export const LiveTextView = v.strictObject({ position: text, memberId: text, roomId: text, text });
export type LiveTextView = v.InferOutput<typeof LiveTextView>;

/** Who runs the conversation, as seen from this window. */
export const RunnerView = v.picklist(['here', 'elsewhere', 'nobody']);
export type RunnerView = v.InferOutput<typeof RunnerView>;

export const ConversationView = v.strictObject({
  runId: text,
  teamId: text,
  teamName: text,
  /** What the person called the conversation, else the beginning of its first post; null while it has neither. */
  title: v.nullable(text),
  isArchived: v.boolean(),
  /** The conversation that it was forked from; null for a fresh one. */
  forkOf: v.nullable(text),
  members: v.array(MemberView),
  rooms: v.array(RoomView),
  runner: RunnerView,
  /** True while a turn is running or can be started without a person. */
  busy: v.boolean(),
  /** True from Stop until everything that ran has ended. */
  stopping: v.boolean(),
  /** What waits for the person, the oldest first. */
  waits: v.array(WaitView),
  limits: v.array(LimitView),
  usage: UsageView,
  tasks: TaskCounts,
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

/** One conversation in the switcher. */
export const ConversationItem = v.strictObject({
  runId: text,
  /** What the person called it, else the beginning of its first post; null while it has neither. */
  title: v.nullable(text),
  /** Beginning of the first post; null while nothing was posted. */
  preview: v.nullable(text),
  teamName: text,
  /** ISO timestamp of the last activity. */
  activeAt: text,
  /** How many things in it wait for the person. */
  waits: count,
  isRunning: v.boolean(),
  isArchived: v.boolean(),
  isOpen: v.boolean(),
  /** Why it cannot be opened, in words for the person; null when it can. */
  problem: v.nullable(text),
});
export type ConversationItem = v.InferOutput<typeof ConversationItem>;

/**
 * A piece of a step of a member's reasoning, as recorded. Pieces of one `id` belong together: their texts are joined in
 * the order of `sequence`; the step goes on while its newest piece is open. `parent`: the tool call it was made inside.
 */
export const StepView = v.strictObject({
  sequence: count,
  id: text,
  parent: v.nullable(text),
  isOpen: v.boolean(),
  /** ISO timestamp of the record, or of the moment for a piece that is not recorded yet. */
  at: text,
  step: v.variant('kind', [
    v.strictObject({ kind: v.literal('thought'), text }),
    v.strictObject({ kind: v.literal('text'), text }),
    /** `input`: as text for the person. */
    v.strictObject({ kind: v.literal('tool-call'), name: text, input: text }),
    v.strictObject({ kind: v.literal('tool-result'), callId: text, text, isError: v.boolean() }),
    v.strictObject({
      kind: v.literal('plan'),
      entries: v.array(v.strictObject({ text, status: v.picklist(['pending', 'in_progress', 'completed']) })),
    }),
    v.strictObject({
      kind: v.literal('usage'),
      inputTokens: v.nullable(count),
      outputTokens: v.nullable(count),
      cost: v.nullable(amount),
      model: v.nullable(text),
    }),
    v.strictObject({ kind: v.literal('error'), message: text }),
  ]),
});
export type StepView = v.InferOutput<typeof StepView>;
