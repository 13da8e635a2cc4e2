// What a person can do about an interrupted turn.
import type { JSX } from 'preact';
import type { MemberView } from '../../src/protocol/view.js';
import type { Panel } from '../store/panel.js';
import { Button } from '../ui/button.js';

export function TurnActions({
  panel,
  member,
}: {
  readonly panel: Panel;
  readonly member: MemberView;
}): JSX.Element | null {
  const position = member.position;
  if (position === null) return null;
  return (
    <span class="turn-actions">
      <Button
        label="Resume"
        title={`Let ${member.name} go on with this turn`}
        onClick={() => panel.tell({ type: 'resumeTurn', position })}
      />
      <Button
        label="Skip"
        title={`Leave this turn of ${member.name} out`}
        onClick={() => panel.tell({ type: 'skipTurn', position })}
      />
    </span>
  );
}
