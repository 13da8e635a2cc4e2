// What a team has begun when it closes: it is told to end, waited for as long as a step of closing may take, and what
// went wrong with it is told to whoever closes.
// Rules: docs/rules.md § The team service.
import { TeamError } from '../core/team/error.js';
import type { Clock } from './ports/clock.js';

export class TeamClosing {
  readonly #closing = new AbortController();
  readonly #begun = new Set<Promise<unknown>>();
  readonly #closed = new TeamError('TEAM_DISPOSED', 'The team was closed.');

  /** Aborted when the team closes. */
  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  /** @throws TeamError `TEAM_DISPOSED` from the moment on in which the team closes. */
  refuse(): void {
    this.#closing.signal.throwIfAborted();
  }

  /** Does `work`, for which closing waits. */
  admit<Result>(work: () => Promise<Result>): Promise<Result> {
    const begun = work();
    this.#begun.add(begun);
    const done = (): void => void this.#begun.delete(begun);
    begun.then(done, done);
    return begun;
  }

  /**
   * Takes nothing in from here on, and waits for what was begun.
   * @param timeoutMs - how long; `TEAM_DISPOSAL_TIMEOUT` when it takes longer.
   * @throws AggregateError of what failed otherwise than by the closing itself.
   */
  async close(clock: Clock, timeoutMs: number): Promise<void> {
    const begun = [...this.#begun];
    this.#closing.abort(this.#closed);
    if (begun.length === 0) return;
    const failures: unknown[] = [];
    const settled = Promise.allSettled(begun).then((ends) => {
      for (const end of ends) if (end.status === 'rejected' && !this.#isExpected(end.reason)) failures.push(end.reason);
    });
    await within(settled, clock, timeoutMs, 'What the team had begun').catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw new AggregateError(failures, 'The team was closed, and something went wrong.');
  }

  /** The closing itself, however deep among the causes. */
  #isExpected(error: unknown): boolean {
    const seen = new Set<unknown>();
    for (let cause = error; cause instanceof Error && !seen.has(cause); cause = cause.cause) {
      if (cause === this.#closed || (cause instanceof TeamError && cause.code === 'TEAM_DISPOSED')) return true;
      seen.add(cause);
    }
    return false;
  }
}

/**
 * Waits for one step of closing.
 * @param what - the words for it.
 * @throws TeamError `TEAM_DISPOSAL_TIMEOUT` after `timeoutMs`; what the step itself fails with.
 */
export async function within(step: Promise<unknown>, clock: Clock, timeoutMs: number, what: string): Promise<void> {
  const late = Promise.withResolvers<undefined>();
  const message = `${what} did not end within ${timeoutMs} ms.`;
  using _timer = clock.after(timeoutMs, () => late.reject(new TeamError('TEAM_DISPOSAL_TIMEOUT', message)));
  await Promise.race([step, late.promise]);
}
