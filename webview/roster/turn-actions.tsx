// What a person can do about a turn that waits for them: let it go on or leave it out.
import type { JSX } from 'preact';
import type { PanelMessage } from '../../src/protocol/messages.js';
import type { MemberView } from '../../src/protocol/view.js';
import type { Panel } from '../store/panel.js';
import { Button } from '../ui/button.js';

export interface TurnActionsProps {
  readonly panel: Panel;
  /** The member with the turn that waits: how it ended is its status. */
  readonly member: Pick<MemberView, 'name' | 'status' | 'position'>;
}

interface Again {
  readonly label: string;
  readonly title: string;
  readonly message: PanelMessage;
}

/** @returns how a turn that ended before its answer is begun again; null for a member without one */
export function againOf({ name, status, position }: TurnActionsProps['member']): Again | null {
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

export function TurnActions({ panel, member }: TurnActionsProps): JSX.Element | null {
  const again = againOf(member);
  const { name, position } = member;
  if (again === null || position === null) return null;
  return (
    <span class="turn-actions" role="group" aria-label={`Turn of ${name}`}>
      <Button label={again.label} title={again.title} onClick={() => panel.tell(again.message)} />
      <Button
        label="Skip"
        title={`Leave this turn of ${name} out`}
        onClick={() => panel.tell({ type: 'skipTurn', position })}
      />
    </span>
  );
}
