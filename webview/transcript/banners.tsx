// What a person should know about the whole conversation before reading on.
import type { JSX } from 'preact';
import type { Panel } from '../store/panel.js';
import { Button } from '../ui/button.js';
import { Icon } from '../ui/icon.js';

export function Banners({ panel }: { readonly panel: Panel }): JSX.Element | null {
  const conversation = panel.conversation.value;
  if (conversation === null) return null;
  const { runner, waiting, readOnly } = conversation;
  return (
    <>
      {readOnly === null ? null : (
        <div class="banner" role="status">
          <Icon id="lock" />
          <span class="banner-words">{readOnly}</span>
        </div>
      )}
      {runner === 'elsewhere' ? (
        <div class="banner" role="status">
          <Icon id="multiple-windows" />
          <span class="banner-words">
            <strong>Running in another window.</strong> This one follows along.
          </span>
          {readOnly === null ? <Button label="Run Here" onClick={() => panel.tell({ type: 'takeOver' })} /> : null}
        </div>
      ) : null}
      {waiting > 0 && runner !== 'elsewhere' && readOnly === null ? (
        <div class="banner needs-you" role="status">
          <Icon id="debug-pause" />
          <span class="banner-words">{waiting === 1 ? '1 turn is waiting.' : `${waiting} turns are waiting.`}</span>
          <Button label="Resume Team" primary onClick={() => panel.tell({ type: 'resumeTeam' })} />
        </div>
      ) : null}
    </>
  );
}
