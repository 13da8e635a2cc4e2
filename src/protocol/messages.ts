// The messages between the extension host and the panel. Both sides guard what they receive with these schemas.
// The panel says `ready`; the host answers with a snapshot; then every change carries its revision range, and a gap
// makes the panel say `ready` again.
import * as v from 'valibot';
import { BOARD_HOST_MESSAGES, BOARD_PANEL_MESSAGES } from './board.js';
import { SafeTarget, WorkspacePath } from './safe-node.js';
import { TEAM_FORM_HOST_MESSAGES, TEAM_FORM_PANEL_MESSAGES } from './team-form.js';
import { ConversationItem, ConversationView, LiveTextView, PostView, ProblemView, StepView } from './view.js';

const text = v.string();
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** How long a post may be, in UTF-16 code units; the composer says so before the host must refuse it. */
export const MAX_POST_LENGTH = 100_000;

/** How long a text may be that is kept as a draft, or refused as a post that is too long, in UTF-16 code units. */
export const MAX_DRAFT_LENGTH = 1_000_000;

export const PanelMessage = v.variant('type', [
  /** Sent at load, when the panel becomes visible again and after a gap. Asks for the whole picture. */
  v.strictObject({
    type: v.literal('ready'),
    conversation: v.nullable(text),
    revision: count,
    hostEpoch: v.nullable(text),
    /** The room whose newest posts are wanted; null lets the host choose. */
    roomId: v.nullable(text),
  }),
  v.strictObject({ type: v.literal('openRoom'), roomId: text }),
  v.strictObject({ type: v.literal('older'), roomId: text, before: v.strictObject({ revision: count, index: count }) }),
  v.strictObject({
    type: v.literal('post'),
    /** Chosen by the panel, unique; the host answers `posted` or `refused` with it, and never posts it twice. */
    requestId: v.pipe(text, v.minLength(1), v.maxLength(64)),
    roomId: text,
    text: v.pipe(text, v.maxLength(MAX_DRAFT_LENGTH)),
  }),
  v.strictObject({ type: v.literal('draft'), roomId: text, text: v.pipe(text, v.maxLength(MAX_DRAFT_LENGTH)) }),
  v.strictObject({ type: v.literal('resumeTeam') }),
  /** Asks the window that runs the conversation to let this one run it. */
  v.strictObject({ type: v.literal('takeOver') }),
  v.strictObject({ type: v.literal('resumeTurn'), position: text }),
  v.strictObject({ type: v.literal('skipTurn'), position: text }),
  /** Ends everything that runs or waits in the conversation. */
  v.strictObject({ type: v.literal('stop') }),
  /** Ends one running turn. */
  v.strictObject({ type: v.literal('interruptTurn'), position: text }),
  /** Tries a failed or stopped turn again. */
  v.strictObject({ type: v.literal('retryTurn'), position: text }),
  /** Grants a chain that stopped at a limit as much again. */
  v.strictObject({
    type: v.literal('continueChain'),
    chain: text,
    limit: v.picklist(['hopCap', 'costCeiling', 'turnsPerMember']),
  }),
  /** Asks for a page of a turn's reasoning: the pieces after `after`, from the first when it is null. */
  v.strictObject({ type: v.literal('reasoning'), position: text, after: v.nullable(count) }),
  /** The reasoning of that turn is shown no more: nothing of it is pushed. */
  v.strictObject({ type: v.literal('reasoningClosed'), position: text }),
  v.strictObject({ type: v.literal('openReasoning'), position: text }),
  v.strictObject({ type: v.literal('openLink'), target: SafeTarget }),
  /** Asks for the bytes of an image of the workspace. */
  v.strictObject({ type: v.literal('image'), path: WorkspacePath }),
  /** Asks for the conversations of this workspace, newest activity first. */
  v.strictObject({
    type: v.literal('conversations'),
    /** Words that title, first post or team must contain; empty for all. */
    query: v.pipe(text, v.maxLength(200)),
    archived: v.boolean(),
    /** How many are wanted. */
    limit: v.pipe(count, v.maxValue(1000)),
  }),
  v.strictObject({ type: v.literal('openConversation'), runId: text }),
  v.strictObject({ type: v.literal('newConversation') }),
  /** The rest of what is done to a conversation is asked for in VS Code's own boxes. */
  v.strictObject({
    type: v.literal('conversationAction'),
    action: v.picklist(['rename', 'archive', 'unarchive', 'delete', 'exportMarkdown', 'exportRecord', 'copyLink']),
    runId: text,
  }),
  /** Begins a conversation that goes on from this post. */
  v.strictObject({ type: v.literal('fork'), postId: text }),
  v.strictObject({ type: v.literal('newRoom') }),
  v.strictObject({ type: v.literal('messageDirectly'), memberId: text }),
  /** Asks for the form of the open conversation's team. */
  v.strictObject({ type: v.literal('configureTeam') }),
  ...TEAM_FORM_PANEL_MESSAGES,
  ...BOARD_PANEL_MESSAGES,
  v.strictObject({ type: v.literal('openAsText'), roomId: text }),
  v.strictObject({ type: v.literal('openRoomFile'), roomId: text }),
  v.strictObject({ type: v.literal('revealRoomFile'), roomId: text }),
  v.strictObject({
    type: v.literal('problemAction'),
    action: v.picklist(['retry', 'openTeamFile', 'newConversation', 'showLog', 'openFolder', 'manageTrust']),
  }),
]);
export type PanelMessage = v.InferOutput<typeof PanelMessage>;

export const HostMessage = v.variant('type', [
  v.strictObject({
    type: v.literal('snapshot'),
    /** New at each activation of the extension: a panel that outlived its host knows it by this. */
    hostEpoch: text,
    revision: count,
    conversation: ConversationView,
    /** The open room and the newest page of its posts, oldest first. */
    roomId: text,
    posts: v.array(PostView),
    hasOlder: v.boolean(),
    /** Drafts by room id. */
    drafts: v.record(text, text),
    /** What running turns have said so far. */
    live: v.array(LiveTextView),
  }),
  /** A running turn said more: `text` goes after the first `from` characters of what it has said. */
  v.strictObject({
    type: v.literal('live'),
    runId: text,
    position: text,
    memberId: text,
    roomId: text,
    from: count,
    text,
  }),
  /** A page of a turn's reasoning, or what a running turn added to it. */
  v.strictObject({
    type: v.literal('reasoning'),
    position: text,
    /** The `after` of the question, null for the first page; null when it was pushed. */
    after: v.nullable(count),
    isPush: v.boolean(),
    steps: v.array(StepView),
    hasMore: v.boolean(),
    /** True while the turn runs: more is pushed. */
    isRunning: v.boolean(),
    /** True when the turn was stopped, so that this is all that there is of it. */
    isPartial: v.boolean(),
    /** Why it cannot be read, in words for the person. */
    problem: v.nullable(text),
  }),
  v.strictObject({
    type: v.literal('image'),
    path: text,
    image: v.variant('kind', [
      v.strictObject({ kind: v.literal('shown'), mime: text, base64: text }),
      v.strictObject({ kind: v.literal('refused'), reason: text }),
    ]),
  }),
  v.strictObject({
    type: v.literal('conversations'),
    query: text,
    archived: v.boolean(),
    items: v.array(ConversationItem),
    hasMore: v.boolean(),
  }),
  /** The list of conversations is not what it was: whoever shows it asks again. */
  v.strictObject({ type: v.literal('conversationsChanged') }),
  v.strictObject({
    type: v.literal('changes'),
    hostEpoch: text,
    /** The change covers the events after `from` up to and including `to`. */
    from: count,
    to: count,
    conversation: ConversationView,
    /** New posts of all rooms, in order. */
    posts: v.array(PostView),
  }),
  v.strictObject({ type: v.literal('page'), roomId: text, posts: v.array(PostView), hasOlder: v.boolean() }),
  v.strictObject({ type: v.literal('posted'), requestId: text, postId: text }),
  v.strictObject({ type: v.literal('refused'), requestId: v.nullable(text), message: text }),
  /** A room was chosen outside the panel. */
  v.strictObject({ type: v.literal('show'), roomId: text }),
  /** Puts a text, such as a mention that was chosen outside the panel, at the caret of the composer. */
  v.strictObject({ type: v.literal('insert'), text }),
  v.strictObject({ type: v.literal('problem'), hostEpoch: text, problem: ProblemView }),
  ...TEAM_FORM_HOST_MESSAGES,
  ...BOARD_HOST_MESSAGES,
]);
export type HostMessage = v.InferOutput<typeof HostMessage>;

/** Reads a message from the panel. @returns the message, or null when it is not one. */
export function parsePanelMessage(value: unknown): PanelMessage | null {
  const result = v.safeParse(PanelMessage, value);
  return result.success ? result.output : null;
}

/** Reads a message from the host. @returns the message, or null when it is not one. */
export function parseHostMessage(value: unknown): HostMessage | null {
  const result = v.safeParse(HostMessage, value);
  return result.success ? result.output : null;
}
