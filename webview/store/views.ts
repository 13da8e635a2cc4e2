// What the parts of the screen read of the panel's state, each part as a signal of its own: what did not change draws
// nothing again, however often something else does.
import { computed, type ReadonlySignal } from '@preact/signals';
import type { ConversationView, MemberView, PostView, ProblemView, RoomView } from '../../src/protocol/view.js';
import type { Live } from './live.js';
import { isLoading, type PanelState, type PendingPost } from './state.js';

/** What a post shows of a member: it stays the same while the member works. */
export type MemberFace = Pick<MemberView, 'id' | 'name' | 'icon' | 'isLead'>;

export interface Views {
  readonly conversation: ReadonlySignal<ConversationView | null>;
  readonly problem: ReadonlySignal<ProblemView | null>;
  readonly complaint: ReadonlySignal<string | null>;
  readonly roomId: ReadonlySignal<string | null>;
  readonly room: ReadonlySignal<RoomView | null>;
  /** Members of the open room in the order of the roster. */
  readonly roomMembers: ReadonlySignal<readonly MemberView[]>;
  /** All members by id. */
  readonly members: ReadonlySignal<ReadonlyMap<string, MemberView>>;
  /** All members by id, the same map until one is named or drawn otherwise. */
  readonly faces: ReadonlySignal<ReadonlyMap<string, MemberFace>>;
  readonly unread: ReadonlySignal<Readonly<Record<string, number>>>;
  readonly posts: ReadonlySignal<readonly PostView[]>;
  /** What running turns have said so far, by position. */
  readonly live: ReadonlySignal<Live>;
  readonly pending: ReadonlySignal<readonly PendingPost[]>;
  readonly hasOlder: ReadonlySignal<boolean>;
  readonly loadingOlder: ReadonlySignal<boolean>;
  /** True where the reader is at the newest post. */
  readonly atLatest: ReadonlySignal<boolean>;
  readonly following: ReadonlySignal<boolean>;
  readonly missed: ReadonlySignal<number>;
  readonly loading: ReadonlySignal<boolean>;
  readonly draft: ReadonlySignal<string>;
}

export function viewsOf(state: ReadonlySignal<PanelState>): Views {
  const conversation = computed(() => state.value.conversation);
  const roomId = computed(() => state.value.roomId);
  const room = computed(() => conversation.value?.rooms.find((one) => one.id === roomId.value) ?? null);
  const members = computed(() => new Map((conversation.value?.members ?? []).map((one) => [one.id, one])));
  return {
    conversation,
    problem: computed(() => state.value.problem),
    complaint: computed(() => state.value.complaint),
    roomId,
    room,
    roomMembers: computed(() => {
      const inRoom = new Set(room.value?.members ?? []);
      return (conversation.value?.members ?? []).filter((member) => inRoom.has(member.id));
    }),
    members,
    faces: facesOf(members),
    unread: computed(() => state.value.unread),
    posts: computed(() => state.value.posts),
    live: computed(() => state.value.live),
    pending: computed(() => state.value.pending),
    hasOlder: computed(() => state.value.hasOlder),
    loadingOlder: computed(() => state.value.loadingOlder),
    atLatest: computed(() => state.value.following && !state.value.hasNewer),
    following: computed(() => state.value.following),
    missed: computed(() => state.value.missed),
    loading: computed(() => isLoading(state.value)),
    draft: computed(() => state.value.drafts[state.value.roomId ?? ''] ?? ''),
  };
}

function facesOf(
  members: ReadonlySignal<ReadonlyMap<string, MemberView>>,
): ReadonlySignal<ReadonlyMap<string, MemberFace>> {
  let key = '';
  let faces: ReadonlyMap<string, MemberFace> = new Map();
  return computed(() => {
    const now = [...members.value.values()].map(({ id, name, icon, isLead }) => ({ id, name, icon, isLead }));
    const nowKey = JSON.stringify(now);
    if (nowKey !== key) {
      key = nowKey;
      faces = new Map(now.map((face) => [face.id, face]));
    }
    return faces;
  });
}
