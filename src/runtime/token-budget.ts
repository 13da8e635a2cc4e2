// Tokens that several turns share. What is reserved cannot be reserved again; a use that nobody knows ends the budget,
// because what is left cannot be told any more. Rules: docs/rules.md § Engine lanes.
import type { TokenBudget, TokenReservation } from './ports/binding.js';

export interface SharedTokenBudget extends TokenBudget {
  /** Tokens that are neither used nor reserved; null after a use that nobody knows. */
  readonly left: number | null;
  /** A part of this budget: what is reserved in it is reserved in both. @param tokens - a positive whole number. */
  child(tokens: number): SharedTokenBudget;
}

/**
 * @param tokens - how many there are, a positive whole number.
 * @throws RangeError for another number; its `reserve` throws RangeError when so many are not left.
 */
export function createTokenBudget(tokens: number): SharedTokenBudget {
  return new Budget(tokens, null);
}

class Budget implements SharedTokenBudget {
  readonly #tokens: number;
  readonly #parent: Budget | null;
  #spent = 0;
  #reserved = 0;
  #unknown = false;

  constructor(tokens: number, parent: Budget | null) {
    this.#tokens = positive(tokens);
    this.#parent = parent;
  }

  get left(): number | null {
    return this.#unknown ? null : Math.max(0, this.#tokens - this.#spent - this.#reserved);
  }

  child(tokens: number): SharedTokenBudget {
    return new Budget(tokens, this);
  }

  reserve(tokens: number): TokenReservation {
    const { left } = this;
    if (left === null) throw new RangeError('A call did not say how many tokens it used: the budget is closed.');
    if (positive(tokens) > left) throw new RangeError(`${tokens} tokens are wanted; ${left} are left.`);
    const above = this.#parent?.reserve(tokens);
    this.#reserved += tokens;
    let open = true;
    const end = (): boolean => {
      if (!open) return false;
      open = false;
      this.#reserved -= tokens;
      return true;
    };
    return {
      commit: (used) => {
        if (!end()) return;
        if (used === null) this.#unknown = true;
        else this.#spent += used;
        above?.commit(used);
      },
      release: () => {
        if (end()) above?.release();
      },
    };
  }
}

function positive(tokens: number): number {
  if (Number.isSafeInteger(tokens) && tokens > 0) return tokens;
  throw new RangeError(`A number of tokens is a positive whole number, not ${tokens}.`);
}
