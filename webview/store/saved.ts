// What survives a reload of the panel through VS Code's getState/setState.
import * as v from 'valibot';
import { SavedBoard } from '../board/state.js';
import { SavedForm } from '../team-form/desk.js';
import { INITIAL, type PanelState } from './state.js';

const Anchor = v.strictObject({ postId: v.string(), offset: v.number() });

/** The reading place: a post and how many pixels its top stands below the top of the list. */
export type Anchor = v.InferOutput<typeof Anchor>;

const Saved = v.strictObject({
  version: v.literal(1),
  conversation: v.nullable(v.string()),
  roomId: v.nullable(v.string()),
  drafts: v.record(v.string(), v.string()),
  pending: v.array(
    v.strictObject({
      requestId: v.string(),
      roomId: v.string(),
      text: v.string(),
      at: v.string(),
      after: v.number(),
      postId: v.nullable(v.string()),
    }),
  ),
  /** Null while the reader follows the newest posts. */
  anchor: v.nullable(Anchor),
  /** What was filled in to the form of the team; missing or null while it is closed. */
  form: v.fallback(v.nullish(SavedForm), null),
  /** The open board, and what was filled in there; missing or null while it is closed. */
  board: v.fallback(v.nullish(SavedBoard), null),
});
export type Saved = v.InferOutput<typeof Saved>;

/** @returns what is worth keeping of a state, as plain JSON */
export function toSaved(
  state: PanelState,
  anchor: Anchor | null,
  form: SavedForm | null = null,
  board: SavedBoard | null = null,
): Saved {
  return {
    version: 1,
    conversation: state.runId,
    roomId: state.roomId,
    drafts: { ...state.drafts },
    pending: state.pending.map((post) => ({ ...post })),
    anchor: state.following ? null : anchor,
    form,
    board,
  };
}

/** @returns the state to begin with; the initial one when nothing usable was kept */
export function fromSaved(value: unknown): {
  state: PanelState;
  anchor: Anchor | null;
  form: SavedForm | null;
  board: SavedBoard | null;
} {
  const result = v.safeParse(Saved, value);
  if (!result.success) return { state: INITIAL, anchor: null, form: null, board: null };
  const { conversation, roomId, drafts, pending, anchor, form = null, board = null } = result.output;
  return {
    state: { ...INITIAL, runId: conversation, roomId, drafts, pending, following: anchor === null },
    anchor,
    form,
    board,
  };
}
