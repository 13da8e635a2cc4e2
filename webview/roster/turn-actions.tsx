// What a person can do about a turn that waits for them: let it go on or leave it out.
import type { JSX } from 'preact';
import type { MemberView } from '../../src/protocol/view.js';
import type { Panel } from '../store/panel.js';
import { Button } from '../ui/button.js';
import { againOf } from './turn.js';

export interface TurnActionsProps {
  readonly panel: Panel;
  /** The member with the turn that waits: how it ended is its status. */
  readonly member: Pick<MemberView, 'name' | 'status' | 'position'>;
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
