// What running turns say, on its way to the panel: pieces of one turn that come in quick succession go together, so that
// a member that writes two hundred words a second costs twenty messages.
import type { Clock } from '../runtime/ports/clock.js';
import type { LiveTextPiece } from '../runtime/live-texts.js';

/** Milliseconds that one message stands for. */
const EVERY_MS = 50;

export class LiveFeed implements Disposable {
  readonly #clock: Clock;
  readonly #send: (piece: LiveTextPiece) => void;
  /** By position. */
  readonly #waiting = new Map<string, LiveTextPiece>();
  #timer: Disposable | null = null;

  constructor(clock: Clock, send: (piece: LiveTextPiece) => void) {
    this.#clock = clock;
    this.#send = send;
  }

  add(piece: LiveTextPiece): void {
    const before = this.#waiting.get(piece.position);
    const follows = before !== undefined && piece.from === before.from + before.text.length;
    this.#waiting.set(piece.position, follows ? { ...before, text: before.text + piece.text } : piece);
    if (this.#timer === null) this.#flush();
  }

  /** The turn has ended: what it said last is in its post. */
  end(position: string): void {
    this.#waiting.delete(position);
  }

  /** What waits is not sent any more: a whole picture has it. */
  clear(): void {
    this.#waiting.clear();
  }

  [Symbol.dispose](): void {
    this.clear();
    this.#timer?.[Symbol.dispose]();
    this.#timer = null;
  }

  #flush(): void {
    this.#timer = null;
    const pieces = [...this.#waiting.values()];
    if (pieces.length === 0) return;
    this.#waiting.clear();
    this.#timer = this.#clock.after(EVERY_MS * pieces.length, () => this.#flush());
    for (const piece of pieces) this.#send(piece);
  }
}
