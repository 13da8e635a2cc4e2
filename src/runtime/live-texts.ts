// What running turns have said so far of their answers, for whoever shows it as it comes. Nothing of it is recorded
// here: the record has it when the step or the turn ends.
export interface LiveText {
  readonly position: string;
  readonly memberId: string;
  readonly roomId: string;
  readonly text: string;
}

/** What a text grew by. */
export interface LiveTextPiece extends LiveText {
  /** How many characters it had before, in UTF-16 code units. */
  readonly from: number;
}

/** How much of an answer is shown while it is written, in UTF-16 code units. */
const MAX_LENGTH = 200_000;

export class LiveTexts {
  readonly #texts = new Map<string, LiveText>();
  readonly #listeners = new Set<(piece: LiveTextPiece) => void>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  get all(): readonly LiveText[] {
    return [...this.#texts.values()];
  }

  onDidGrow(listener: (piece: LiveTextPiece) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  add(turn: Omit<LiveText, 'text'>, text: string): void {
    const before = this.#texts.get(turn.position)?.text ?? '';
    const piece = text.slice(0, MAX_LENGTH - before.length);
    if (piece === '') return;
    this.#texts.set(turn.position, { ...turn, text: before + piece });
    for (const listener of this.#listeners) {
      try {
        listener({ ...turn, from: before.length, text: piece });
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  /** The turn has ended: its answer is in the record, or will never be. */
  end(position: string): void {
    this.#texts.delete(position);
  }
}
