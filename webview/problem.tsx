// Something stops the panel from showing a conversation: what, where, and what to do about it.
import type { JSX } from 'preact';
import type { ProblemView } from '../src/protocol/view.js';
import { Complaint } from './composer/complaint.js';
import type { Panel } from './store/panel.js';
import { Button } from './ui/button.js';
import { Icon } from './ui/icon.js';

const ACTION_WORDS: Readonly<Record<ProblemView['actions'][number], string>> = {
  retry: 'Try Again',
  openTeamFile: 'Open Team File',
  newConversation: 'New Conversation',
  showLog: 'Show Log',
  openFolder: 'Open Folder',
  manageTrust: 'Manage Trust',
};

export function Problem({ panel, problem }: { readonly panel: Panel; readonly problem: ProblemView }): JSX.Element {
  return (
    <main class="problem">
      <span class="problem-icon">
        <Icon id="warning" />
      </span>
      <div role="alert">
        <h1 class="problem-title">{problem.title}</h1>
        <p class="problem-detail">{problem.detail}</p>
      </div>
      <div class="problem-actions">
        {problem.actions.map((action, index) => (
          <Button
            key={action}
            label={ACTION_WORDS[action]}
            primary={index === 0}
            onClick={() => panel.tell({ type: 'problemAction', action })}
          />
        ))}
      </div>
      <Complaint panel={panel} />
    </main>
  );
}
