// What can be done about something that waits for the person.
import type { JSX } from 'preact';
import type { WaitView } from '../../src/protocol/view.js';
import { TurnActions } from '../roster/turn-actions.js';
import type { Panel } from '../store/panel.js';
import { Button } from '../ui/button.js';

const AGAIN: Readonly<Record<Extract<WaitView, { kind: 'limit' }>['limit'], string>> = {
  hopCap: 'Let the team go on for as many hops again',
  costCeiling: 'Let the team spend as much again',
  turnsPerMember: 'Let each member take as many turns again',
};

export function WaitActions({ panel, wait }: { readonly panel: Panel; readonly wait: WaitView }): JSX.Element | null {
  if (wait.kind === 'turn') {
    const { memberId, how, position } = wait;
    const name = panel.members.value.get(memberId)?.name ?? memberId;
    return <TurnActions panel={panel} member={{ name, status: how, position }} />;
  }
  if (!wait.canContinue) return null;
  const { chain, limit } = wait;
  return (
    <Button label="Continue" title={AGAIN[limit]} onClick={() => panel.tell({ type: 'continueChain', chain, limit })} />
  );
}
