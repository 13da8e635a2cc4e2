// The engines of this installation.
import { createScriptedEngine } from '../engines/scripted/engine.js';
import type { EngineDirectory } from '../runtime/ports/engines.js';
import type { Engine } from '../runtime/ports/engine.js';

/** How long a scripted member thinks, in milliseconds: long enough to be seen at work. */
const SCRIPTED_PAUSE_MS = 700;

/** What a person can choose from. */
export interface EngineList extends EngineDirectory {
  readonly all: readonly Engine[];
}

export function createEngines(): EngineList {
  const all: readonly Engine[] = [createScriptedEngine({ pauseMs: SCRIPTED_PAUSE_MS })];
  return { all, find: (id) => all.find((engine) => engine.id === id) ?? null };
}
