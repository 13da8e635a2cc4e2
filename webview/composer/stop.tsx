// Stop, beside Send, while anything runs or waits its turn.
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { ConversationView } from '../../src/protocol/view.js';
import type { Panel } from '../store/panel.js';
import { Button } from '../ui/button.js';

/** @returns true while there is something to stop, from the first turn on (SP-6) */
export function canStop({ busy, stopping, members }: Pick<ConversationView, 'busy' | 'stopping' | 'members'>): boolean {
  return busy || stopping || members.some(({ status }) => status === 'running' || status === 'stopping');
}

export function Stop({ panel }: { readonly panel: Panel }): JSX.Element | null {
  const conversation = panel.conversation.value;
  /** Asked for and not heard of since: more clicks ask nothing more (SP-7). */
  const asked = useSignal(false);
  const complaint = panel.complaint.value;
  useEffect(() => {
    asked.value = false;
  }, [conversation, complaint]);
  if (conversation === null || !canStop(conversation)) return null;
  const isStopping = conversation.stopping || asked.value;
  return (
    <Button
      label={isStopping ? 'Stopping…' : 'Stop'}
      icon="debug-stop"
      disabled={isStopping}
      title="Stop everything that runs or waits"
      onClick={() => {
        if (asked.value) return;
        asked.value = true;
        panel.tell({ type: 'stop' });
      }}
    />
  );
}
