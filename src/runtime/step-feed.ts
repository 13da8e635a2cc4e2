// What turns of this window report while they run, told to whoever shows it.
import type { StepPiece } from './step-pieces.js';

export interface StepReport {
  readonly position: string;
  readonly piece: StepPiece & { readonly at: string };
}

export class StepFeed {
  readonly #onError: (error: unknown) => void;
  readonly #listeners = new Set<(report: StepReport) => void>();

  /** @param onError - called with what a listener threw: a screen that fails must not end a turn. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  onDidStep(listener: (report: StepReport) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  tell(report: StepReport): void {
    for (const listener of this.#listeners) {
      try {
        listener(report);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}
