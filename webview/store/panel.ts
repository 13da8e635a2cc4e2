// The panel's one store: a signal of the state, and the effects around the pure step.
import { batch, signal, type ReadonlySignal } from '@preact/signals';
import { MAX_DRAFT_LENGTH, type PanelMessage } from '../../src/protocol/messages.js';
import { createBoardDesk, type BoardDesk } from '../board/desk.js';
import type { Host } from '../host.js';
import type { NodeActions } from '../transcript/node-actions.js';
import { createReasoning, type ReasoningDesk } from '../reasoning/desk.js';
import { createFormDesk, type FormDesk } from '../team-form/desk.js';
import { createSwitcher, type SwitcherDesk } from '../switcher/desk.js';
import { createImages } from './images.js';
import { createKeeper } from './keeper.js';
import type { LivePiece } from './live.js';
import { createOpened, type Opened } from './opened.js';
import { fromSaved, toSaved, type Anchor } from './saved.js';
import { spoken, type Spoken } from './spoken.js';
import type { PanelState } from './state.js';
import { step, type Input } from './step.js';
import { viewsOf, type Views } from './views.js';

const DRAFT_PAUSE_MS = 300;
const KEEP_PAUSE_MS = 200;

/** What the parts of the screen read and do. */
export interface Panel extends Views {
  /** All of it, for what happens; what is drawn reads the views, or it is drawn again at every key. */
  readonly state: ReadonlySignal<PanelState>;
  /** Text that a part of the screen wants at the caret of the composer; the composer takes it. */
  readonly toInsert: ReadonlySignal<string | null>;
  /** What the live region says. */
  readonly spoken: ReadonlySignal<Spoken>;
  /** The reasoning of turns, as far as it is open. */
  readonly reasoning: ReasoningDesk;
  /** The list of conversations. */
  readonly switcher: SwitcherDesk;
  /** The form of the team. */
  readonly form: FormDesk;
  /** The task board. */
  readonly board: BoardDesk;
  /** What the words of posts ask for. */
  readonly nodes: NodeActions;
  /** Which long posts are shown whole. */
  readonly opened: Opened;
  /** Where the reader was when the panel was left, null at the end. */
  readonly anchor: Anchor | null;
  act(input: Exclude<Input, { kind: 'host' | 'live' | 'draft' | 'send' }>): void;
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
  const said = signal<Spoken>({ serial: 0, text: '' });
  let anchor = restored.anchor;
  let unsaid: { roomId: string; text: string; timer: ReturnType<typeof setTimeout> } | null = null;

  const run = (input: Input): void => {
    const before = state.value;
    const next = step(before, input);
    batch(() => {
      state.value = next.state;
      if (input.kind === 'host' && input.message.type === 'changes') {
        said.value = spoken(said.value, before, next.state, input.message.posts);
      }
    });
    if (next.state !== before) {
      // Nothing of a live text is kept.
      if (input.kind === 'draft') keeper.soon();
      else if (input.kind !== 'live') keeper.now();
    }
    for (const message of next.send) host.send(message);
  };
  const keeper = createKeeper(
    () => host.keep(toSaved(state.value, anchor, form.saved(), board.saved())),
    KEEP_PAUSE_MS,
  );

  const flush = (): void => {
    keeper.flush();
    if (unsaid === null) return;
    clearTimeout(unsaid.timer);
    // A longer text stays here: the composer says that it is too long to be posted.
    if (unsaid.text.length <= MAX_DRAFT_LENGTH) host.send({ type: 'draft', roomId: unsaid.roomId, text: unsaid.text });
    unsaid = null;
  };

  const reasoning = createReasoning((message) => host.send(message));
  const switcher = createSwitcher((message) => host.send(message));
  const form = createFormDesk(
    (message) => host.send(message),
    () => keeper.soon(),
    restored.form,
  );
  const board = createBoardDesk(
    (message) => host.send(message),
    () => keeper.soon(),
    newRequestId,
    restored.board,
  );
  const images = createImages((message) => host.send(message));
  const live = inFrames((pieces) => run({ kind: 'live', pieces }));
  host.listen((message) => {
    if (message.type === 'live') {
      live.add(message);
      return;
    }
    // What was said before is taken in before.
    live.flush();
    run({ kind: 'host', message });
    if (message.type === 'insert') toInsert.value = message.text;
    images.hear(message);
    reasoning.hear(message);
    switcher.hear(message);
    form.hear(message);
    board.hear(message);
  });
  document.addEventListener('visibilitychange', () => {
    // WV-7: whatever was missed while hidden is asked for.
    if (document.visibilityState === 'visible') run({ kind: 'shown' });
    else flush();
  });
  window.addEventListener('pagehide', () => {
    flush();
    images.dispose();
  });
  run({ kind: 'shown' });

  return {
    ...viewsOf(state),
    state,
    toInsert,
    spoken: said,
    reasoning,
    switcher,
    form,
    board,
    nodes: {
      onOpen: (target) => host.send({ type: 'openLink', target }),
      onImage: images.onImage,
      image: images.image,
    },
    opened: createOpened(),
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
      keeper.soon();
    },
    flush,
  };
}

/** Many pieces come between two drawings: they are taken in together, once per drawing. */
function inFrames(take: (pieces: readonly LivePiece[]) => void): { add(piece: LivePiece): void; flush(): void } {
  let pieces: LivePiece[] = [];
  const flush = (): void => {
    if (pieces.length === 0) return;
    const taken = pieces;
    pieces = [];
    take(taken);
  };
  return {
    add: (piece) => {
      if (pieces.length === 0) requestAnimationFrame(flush);
      pieces.push(piece);
    },
    flush,
  };
}

/** `crypto.randomUUID` is missing where the editor is served over plain HTTP; this is not. */
function newRequestId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
