// Why the last post or action was refused.
import type { JSX } from 'preact';
import type { Panel } from '../store/panel.js';
import { ToolButton } from '../ui/button.js';
import { Icon } from '../ui/icon.js';

export function Complaint({ panel }: { readonly panel: Panel }): JSX.Element | null {
  const complaint = panel.complaint.value;
  if (complaint === null) return null;
  return (
    <div class="complaint" role="alert">
      <Icon id="error" />
      <span class="banner-words">{complaint}</span>
      <ToolButton label="Dismiss" icon="close" onClick={() => panel.act({ kind: 'dismiss' })} />
    </div>
  );
}
