// The offline engine: plays the scripts of a team file. The same input gives the same answer; it needs no account and no
// network, and says what it is. Rules: docs/rules.md § Scripted engine.
import type { Clock } from '../../runtime/ports/clock.js';
import type { Engine, EngineTurn, TurnInput, TurnResult } from '../../runtime/ports/engine.js';
import { systemClock } from '../../runtime/system-clock.js';
import { perform, refuseAborted } from './perform.js';
import { play } from './play.js';

/** Long enough to see that a member is at work, short enough not to wait for it. */
const DEFAULT_PAUSE_MS = 600;

export interface ScriptedEngineOptions {
  /** How long a turn takes when its script does not say, in milliseconds; 600 when absent. */
  readonly pauseMs?: number;
  readonly clock?: Clock;
}

/**
 * Makes the scripted engine. A turn reports the script's steps, spread over its pause, and then answers; it rejects with
 * an `AbortError` as soon as its signal is aborted unless the script is deaf to that, and with a plain error when the
 * script says so or cannot be read.
 */
export function createScriptedEngine(options: ScriptedEngineOptions = {}): Engine {
  const { pauseMs = DEFAULT_PAUSE_MS, clock = systemClock } = options;
  return {
    id: 'scripted',
    label: 'Scripted (offline)',
    async runTurn(input, turn) {
      refuseAborted(turn.signal);
      return runPlay(input, turn, clock, pauseMs);
    },
  };
}

async function runPlay(input: TurnInput, turn: EngineTurn, clock: Clock, pauseMs: number): Promise<TurnResult> {
  const played = play(input);
  const { usage, result } = played;
  try {
    await perform(played, turn, clock, pauseMs);
  } catch (error) {
    // A turn without an answer has used what it has used.
    if (usage !== null) turn.step({ kind: 'usage', usage });
    throw error;
  }
  return usage === null ? result : { ...result, usage };
}
