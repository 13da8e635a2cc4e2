// Stop, beside Send, while anything runs or waits its turn.
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Panel } from '../store/panel.js';
import { Button } from '../ui/button.js';
import { canStop } from './can-stop.js';

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
