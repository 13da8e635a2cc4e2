// A play on stage: its steps are reported in their time, the team's tools are really called, and the answer is written
// bit by bit when the script wants that.
import { setImmediate as breathe } from 'node:timers/promises';
import { pause } from '../../runtime/pause.js';
import type { Clock } from '../../runtime/ports/clock.js';
import type { EngineTurn } from '../../runtime/ports/engine.js';
import type { Play } from './play.js';
import type { PretendedCall, Step } from './script-steps.js';
import { tokensOf } from './tokens.js';

/** How many steps are reported in one go before others get their turn. */
const IN_ONE_GO = 50;

/**
 * Performs everything up to the answer.
 * @param defaultPauseMs - how long it takes when the script does not say, in milliseconds.
 * @throws `AbortError` as soon as the turn must end; the failure that the script asks for.
 */
export async function perform(play: Play, turn: EngineTurn, clock: Clock, defaultPauseMs: number): Promise<void> {
  const { steps, pauseMs, stream, ending, result, ignoresAbort } = play;
  const share = (pauseMs ?? defaultPauseMs) / (sharing(steps) + 1);
  // Who ignores the turn's signal hears another one, which nobody ever aborts.
  const signal = ignoresAbort ? new AbortController().signal : turn.signal;
  const stage = new Stage(turn, clock, signal, share);
  await stage.playAll(steps, null);
  if (stream === false || result.text === '') await stage.wait(share);
  else await stage.write(result.text, stream, ending === 'answer');
  if (ending === 'hang') await stage.hear(new Promise<never>(() => undefined));
  else if (ending !== 'answer') throw new Error(ending.failure);
}

/** How many steps share the rule's pause: those that have none of their own. */
function sharing(steps: readonly Step[]): number {
  return steps.reduce((sum, step) => {
    const inner = 'result' in step ? sharing(step.steps ?? []) : 0;
    return sum + inner + (step.pauseMs === undefined && !('flood' in step) ? 1 : 0);
  }, 0);
}

class Stage {
  readonly #turn: EngineTurn;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #share: number;
  #calls = 0;

  constructor(turn: EngineTurn, clock: Clock, signal: AbortSignal, share: number) {
    this.#turn = turn;
    this.#clock = clock;
    this.#signal = signal;
    this.#share = share;
  }

  async playAll(steps: readonly Step[], parent: string | null): Promise<void> {
    for (const step of steps) await this.#play(step, parent);
  }

  /** Reports a text as it is written. `isWhole`: it is written to its end; else it stays open. */
  async write(text: string, pace: number | true, isWhole: boolean): Promise<void> {
    const tokens = tokensOf(text);
    const each = pace === true ? this.#share / tokens.length : 1_000 / pace;
    const began = this.#clock.elapsed();
    for (const [index, token] of tokens.entries()) {
      // By the clock and not by the sum of the pauses: a late token is made up for.
      const due = began + each * (index + 1) - this.#clock.elapsed();
      if (due > 0) await this.wait(due);
      else await this.#breathe(index);
      const isOpen = !isWhole || index < tokens.length - 1;
      this.#turn.step({ kind: 'text', id: 'answer', text: token, isOpen });
    }
  }

  async wait(milliseconds: number): Promise<void> {
    if (milliseconds > 0) await pause(milliseconds, this.#clock, this.#signal);
    refuseAborted(this.#signal);
  }

  /** Waits for work no longer than the turn may last. */
  async hear<Result>(work: Promise<Result>): Promise<Result> {
    const { promise, reject } = Promise.withResolvers<never>();
    const end = (): void => reject(aborted());
    this.#signal.addEventListener('abort', end, { once: true });
    if (this.#signal.aborted) end();
    try {
      return await Promise.race([work, promise]);
    } finally {
      this.#signal.removeEventListener('abort', end);
    }
  }

  async #play(step: Step, parent: string | null): Promise<void> {
    const { tools } = this.#turn;
    if ('result' in step) return this.#pretend(step, parent);
    if ('think' in step) this.#turn.step({ kind: 'thought', parent, text: step.think });
    else if ('plan' in step) this.#turn.step({ kind: 'plan', parent, entries: step.plan });
    else if ('error' in step) this.#turn.step({ kind: 'error', parent, message: step.error });
    else if ('flood' in step) await this.#flood(step.flood, step.text ?? '', parent);
    else if ('call' in step) await this.hear(tools.call(step.call, step.input ?? {}, parent));
    await this.wait(step.pauseMs ?? ('flood' in step ? 0 : this.#share));
  }

  async #pretend(step: PretendedCall, parent: string | null): Promise<void> {
    this.#calls += 1;
    const id = `scripted/${this.#calls}`;
    this.#turn.step({ kind: 'tool-call', id, parent, name: step.call, input: step.input ?? {} });
    await this.playAll(step.steps ?? [], id);
    await this.wait(step.pauseMs ?? this.#share);
    const { result, isError = false } = step;
    this.#turn.step({ kind: 'tool-result', parent, callId: id, text: result, isError });
  }

  async #flood(times: number, text: string, parent: string | null): Promise<void> {
    for (let index = 0; index < times; index += 1) {
      await this.#breathe(index);
      this.#turn.step({ kind: 'thought', parent, text: `${text} ${index + 1}` });
    }
  }

  /** Lets others have their turn now and then, Stop above all. */
  async #breathe(index: number): Promise<void> {
    if (index % IN_ONE_GO !== IN_ONE_GO - 1) return;
    await breathe();
    refuseAborted(this.#signal);
  }
}

/** @throws `AbortError` when the turn must end. */
export function refuseAborted(signal: AbortSignal): void {
  if (signal.aborted) throw aborted();
}

function aborted(): DOMException {
  return new DOMException('The turn was aborted.', 'AbortError');
}
