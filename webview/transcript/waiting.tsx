// Something that waits for the person: what it is, and what can be done about it.
import type { ComponentChildren, JSX } from 'preact';
import type { WaitView } from '../../src/protocol/view.js';
import { Reasoning } from '../reasoning/reasoning.js';
import type { Panel } from '../store/panel.js';
import { Icon } from '../ui/icon.js';
import { WaitActions } from './wait-actions.js';
import { waitingWords } from './waits.js';

const ICONS = { interrupted: 'debug-pause', stopped: 'debug-stop', failed: 'error' } as const;

export interface WaitingProps {
  readonly panel: Panel;
  readonly wait: WaitView;
  /** What is said instead of the words for it. */
  readonly children?: ComponentChildren;
}

export function Waiting({ panel, wait, children }: WaitingProps): JSX.Element {
  const words = waitingWords(wait, (id) => panel.members.value.get(id)?.name ?? id);
  return (
    <div class={`activity ${wait.kind === 'turn' ? wait.how : 'limited'}`} role="group" aria-label={words}>
      <Icon id={wait.kind === 'limit' ? 'debug-pause' : ICONS[wait.how]} />
      <span class="activity-words">{children ?? words}</span>
      <WaitActions panel={panel} wait={wait} />
      {wait.kind === 'limit' ? null : <Reasoning panel={panel} position={wait.position} isRunning={false} />}
    </div>
  );
}
