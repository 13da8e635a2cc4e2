// What a member's turn is doing, and how one that ended before its answer is begun again. Pure.
import type { PanelMessage } from '../../src/protocol/messages.js';
import type { MemberView } from '../../src/protocol/view.js';
import { STATUS_WORDS } from '../words.js';

/** @returns what a member is doing, e.g. "Running · 2 queued" */
export function statusWords({ status, queued }: Pick<MemberView, 'status' | 'queued'>): string {
  const words = STATUS_WORDS[status] + (status === 'stopping' ? '…' : '');
  if (status === 'queued') return queued > 1 ? `${words} (${queued})` : words;
  return queued > 0 ? `${words} · ${queued} queued` : words;
}

export interface Again {
  readonly label: string;
  readonly title: string;
  readonly message: PanelMessage;
}

/** @returns how a turn that ended before its answer is begun again; null for a member without one */
export function againOf({ name, status, position }: Pick<MemberView, 'name' | 'status' | 'position'>): Again | null {
  if (position === null) return null;
  switch (status) {
    case 'interrupted':
      return {
        label: 'Resume',
        title: `Let ${name} go on with this turn`,
        message: { type: 'resumeTurn', position },
      };
    case 'stopped':
      return {
        label: 'Resume',
        title: `Let ${name} begin this turn again`,
        message: { type: 'retryTurn', position },
      };
    case 'failed':
      return { label: 'Retry', title: `Let ${name} try this turn again`, message: { type: 'retryTurn', position } };
    case 'idle':
    case 'queued':
    case 'running':
    case 'stopping':
      return null;
  }
}
