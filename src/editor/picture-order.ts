// In which order a panel hears of a conversation: a whole picture takes time to be made, and a change that is pushed
// meanwhile would come before it and be lost.

/** A picture of a conversation as of a revision. */
export interface Picture {
  readonly revision: number;
  readonly conversation: { readonly runId: string };
}

/** How often a picture is made again; a panel that hears of more than its picture shows asks for another itself. */
const TRIES = 5;

export class PictureOrder {
  #runId = '';
  #pushed = 0;

  /** To be told of every change that is sent, before or after a picture. @param to its last revision */
  pushed(runId: string, to: number): void {
    this.#pushed = runId === this.#runId ? Math.max(this.#pushed, to) : to;
    this.#runId = runId;
  }

  /**
   * Makes a picture, again while changes overtake it, and sends it.
   * @param send is called at once when the picture is found good: nothing can come in between
   */
  async send<Shown extends Picture>(make: () => Promise<Shown>, send: (picture: Shown) => void): Promise<void> {
    for (let left = TRIES - 1; ; left -= 1) {
      const picture = await make();
      if (left > 0 && this.#isOvertaken(picture)) continue;
      send(picture);
      return;
    }
  }

  #isOvertaken({ revision, conversation }: Picture): boolean {
    return conversation.runId === this.#runId && revision < this.#pushed;
  }
}
