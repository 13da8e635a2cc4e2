// What a member that is spawned as a fork knows of the conversation: what the lead had said and read when its last turn
// ended. The turn that spawns it is left out.
// Rules: docs/rules.md § The team service.
import { noticeRoom, type LivePost, type LiveState } from '../live-state.js';

/** How much of it goes along, in UTF-16 code units. */
const MAX_POSTS_LENGTH = 32_000;

/** The newest posts of the lead's room up to its own last one; none where it has not answered there yet. */
export function forkedPosts(state: LiveState): readonly Pick<LivePost, 'id' | 'sender' | 'text' | 'mentions'>[] {
  const roomId = state.members.get(state.lead)?.open?.roomId ?? noticeRoom(state);
  const tail = state.rooms.get(roomId)?.tail ?? [];
  const known = tail.slice(0, tail.findLastIndex(({ sender }) => sender === state.lead) + 1);
  let length = 0;
  const first = known.findLastIndex(({ text }) => (length += text.length) > MAX_POSTS_LENGTH);
  return known.slice(first + 1).map(({ id, sender, text, mentions }) => ({ id, sender, text, mentions }));
}
