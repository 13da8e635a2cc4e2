// The panel's one store: a signal of the state, and the effects around the pure step.
import { batch, computed, signal, type ReadonlySignal } from '@preact/signals';
import type { PanelMessage } from '../../src/protocol/messages.js';
import type { MemberView, PostView, RoomView } from '../../src/protocol/view.js';
import type { Host } from '../host.js';
import { fromSaved, toSaved, type Anchor } from './saved.js';
import { isLoading, type PanelState } from './state.js';
import { step, type Input } from './step.js';

const DRAFT_PAUSE_MS = 300;
const PLACE_PAUSE_MS = 150;

/** What the parts of the screen read and do. */
export interface Panel {
  readonly state: ReadonlySignal<PanelState>;
  readonly room: ReadonlySignal<RoomView | null>;
  /** Members of the open room in the order of the roster. */
  readonly roomMembers: ReadonlySignal<readonly MemberView[]>;
  /** All members by id. */
  readonly members: ReadonlySignal<ReadonlyMap<string, MemberView>>;
  readonly draft: ReadonlySignal<string>;
  readonly loading: ReadonlySignal<boolean>;
  /** Text that a part of the screen wants at the caret of the composer; the composer takes it. */
  readonly toInsert: ReadonlySignal<string | null>;
  /** New posts since the last change, for the live region. */
  readonly news: ReadonlySignal<readonly PostView[]>;
  /** Where the reader was when the panel was left, null at the end. */
  readonly anchor: Anchor | null;
  act(input: Exclude<Input, { kind: 'host' | 'draft' | 'send' }>): void;
  send(text: string): void;
  write(text: string): void;
  insert(text: string | null): void;
  tell(message: PanelMessage): void;
  readAt(anchor: Anchor | null): void;
  /** Gives the host a draft that it has not heard yet. */
  flush(): void;
}

/** Connects the store to its host and asks for the first picture. */
export function createPanel(host: Host): Panel {
  const restored = fromSaved(host.read());
  const state = signal(restored.state);
  const toInsert = signal<string | null>(null);
  const news = signal<readonly PostView[]>([]);
  let anchor = restored.anchor;
  let placing: ReturnType<typeof setTimeout> | null = null;
  let unsaid: { roomId: string; text: string; timer: ReturnType<typeof setTimeout> } | null = null;

  const run = (input: Input): void => {
    const before = state.value;
    const next = step(before, input);
    batch(() => {
      state.value = next.state;
      if (input.kind === 'host' && input.message.type === 'changes' && next.state.revision !== before.revision) {
        news.value = input.message.posts.filter((post) => post.roomId === next.state.roomId);
      }
    });
    if (next.state !== before) keep();
    for (const message of next.send) host.send(message);
  };
  const keep = (): void => host.keep(toSaved(state.value, anchor));

  const flush = (): void => {
    if (unsaid === null) return;
    clearTimeout(unsaid.timer);
    host.send({ type: 'draft', roomId: unsaid.roomId, text: unsaid.text });
    unsaid = null;
  };

  const members = computed(() => new Map((state.value.conversation?.members ?? []).map((one) => [one.id, one])));
  const room = computed(() => {
    const { conversation, roomId } = state.value;
    return conversation?.rooms.find((one) => one.id === roomId) ?? null;
  });
  const roomMembers = computed(() => {
    const inRoom = new Set(room.value?.members ?? []);
    return (state.value.conversation?.members ?? []).filter((member) => inRoom.has(member.id));
  });

  host.listen((message) => run({ kind: 'host', message }));
  document.addEventListener('visibilitychange', () => {
    // WV-7: whatever was missed while hidden is asked for.
    if (document.visibilityState === 'visible') run({ kind: 'shown' });
    else flush();
  });
  window.addEventListener('pagehide', flush);
  run({ kind: 'shown' });

  return {
    state,
    room,
    roomMembers,
    members,
    draft: computed(() => state.value.drafts[state.value.roomId ?? ''] ?? ''),
    loading: computed(() => isLoading(state.value)),
    toInsert,
    news,
    anchor: restored.anchor,
    act: run,
    send: (text) => {
      if (unsaid !== null) clearTimeout(unsaid.timer);
      unsaid = null;
      run({ kind: 'send', requestId: newRequestId(), text, at: new Date().toISOString() });
    },
    write: (text) => {
      const roomId = state.value.roomId;
      if (roomId === null) return;
      if (unsaid !== null && unsaid.roomId !== roomId) flush();
      if (unsaid !== null) clearTimeout(unsaid.timer);
      unsaid = { roomId, text, timer: setTimeout(flush, DRAFT_PAUSE_MS) };
      run({ kind: 'draft', roomId, text });
    },
    insert: (text) => {
      toInsert.value = text;
    },
    tell: (message) => host.send(message),
    readAt: (place) => {
      anchor = place;
      placing ??= setTimeout(() => {
        placing = null;
        keep();
      }, PLACE_PAUSE_MS);
    },
    flush,
  };
}

/** `crypto.randomUUID` is missing where the editor is served over plain HTTP; this is not. */
function newRequestId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
