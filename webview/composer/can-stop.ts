// Whether Stop has anything to do. Pure.
import type { ConversationView } from '../../src/protocol/view.js';

/** @returns true while there is something to stop, from the first turn on (SP-6) */
export function canStop({ busy, stopping, members }: Pick<ConversationView, 'busy' | 'stopping' | 'members'>): boolean {
  return busy || stopping || members.some(({ status }) => status === 'running' || status === 'stopping');
}
