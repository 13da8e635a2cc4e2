// Where the conversation finds the engine of a member.
import type { Engine } from './engine.js';

export interface EngineDirectory {
  /** The engine of that name, or null when this installation has none. */
  find(id: string): Engine | null;
}
