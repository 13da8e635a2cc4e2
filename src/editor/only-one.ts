// Of something that may be open once only: opening, closing and putting another in its place, one after the other, in
// the order in which they were asked for.

export interface Opener<Value> {
  open(): Promise<Value>;
  /** Called when it counts as the open one. */
  opened(value: Value): void;
  close(value: Value): Promise<void>;
}

export class OnlyOne<Value> {
  readonly #opener: Opener<Value>;
  #current: Value | null = null;
  /** What everybody waits for who asked for it since the last closing was asked for. */
  #opening: Promise<Value> | null = null;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(opener: Opener<Value>) {
    this.#opener = opener;
  }

  /** The open one, if it is open already. */
  get current(): Value | null {
    return this.#current;
  }

  /** The open one; opened now when it is not. One that failed to open is tried again by the next who asks. */
  open(): Promise<Value> {
    if (this.#opening !== null) return this.#opening;
    const opening = this.#exclusive(() => this.#open());
    const isOver = (): void => {
      if (this.#opening === opening) this.#opening = null;
    };
    opening.then(isOver, isOver);
    this.#opening = opening;
    return opening;
  }

  /**
   * Closes what is open, or is being opened.
   * @param prepare what must be done first, while nothing can be opened; when it fails, what is open stays open.
   */
  close(prepare?: () => Promise<void>): Promise<void> {
    this.#opening = null;
    return this.#exclusive(async () => {
      await prepare?.();
      const closing = this.#current;
      this.#current = null;
      if (closing !== null) await this.#opener.close(closing);
    });
  }

  /** Closes what is open, or is being opened, and then does `work` before anything can be opened again. */
  replace(work: () => Promise<void>): Promise<void> {
    this.#opening = null;
    return this.#exclusive(async () => {
      const closing = this.#current;
      this.#current = null;
      if (closing !== null) await this.#opener.close(closing);
      await work();
    });
  }

  async #open(): Promise<Value> {
    if (this.#current !== null) return this.#current;
    const value = await this.#opener.open();
    this.#current = value;
    this.#opener.opened(value);
    return value;
  }

  #exclusive<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#queue.then(work, work);
    this.#queue = done.catch(() => undefined);
    return done;
  }
}
