// The offline engine: plays the scripts of a team file. The same input gives the same answer; it needs no account and no
// network, and says what it is.
import { pause } from '../../runtime/pause.js';
import type { Clock } from '../../runtime/ports/clock.js';
import type { Engine } from '../../runtime/ports/engine.js';
import { systemClock } from '../../runtime/system-clock.js';
import { play } from './play.js';

/** Long enough to see that a member is at work, short enough not to wait for it. */
const DEFAULT_PAUSE_MS = 600;

export interface ScriptedEngineOptions {
  /** How long a turn takes when its script does not say, in milliseconds; 600 when absent. */
  readonly pauseMs?: number;
  readonly clock?: Clock;
}

/**
 * Makes the scripted engine. A turn reports the script's thoughts, spread over its pause, and then answers; it rejects
 * with an `AbortError` as soon as its signal is aborted, and with a plain error when the script cannot be read.
 */
export function createScriptedEngine(options: ScriptedEngineOptions = {}): Engine {
  const { pauseMs: defaultPause = DEFAULT_PAUSE_MS, clock = systemClock } = options;
  return {
    id: 'scripted',
    label: 'Scripted (offline)',
    async runTurn(input, turn) {
      const { signal } = turn;
      refuseAborted(signal);
      const { thoughts, pauseMs, result } = play(input);
      const share = (pauseMs ?? defaultPause) / (thoughts.length + 1);
      for (const text of thoughts) {
        turn.step({ kind: 'thought', text });
        await think(share, signal, clock);
      }
      await think(share, signal, clock);
      return result;
    },
  };
}

async function think(milliseconds: number, signal: AbortSignal, clock: Clock): Promise<void> {
  if (milliseconds > 0) await pause(milliseconds, clock, signal);
  refuseAborted(signal);
}

function refuseAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new DOMException('The turn was aborted.', 'AbortError');
}
