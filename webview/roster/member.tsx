// One member in the roster: who it is, what it is doing, and what can be done about that.
import type { JSX } from 'preact';
import { isMarkedLead, type MemberView } from '../../src/protocol/view.js';
import type { Panel } from '../store/panel.js';
import { PlainButton, ToolButton } from '../ui/button.js';
import { Avatar } from '../ui/icon.js';
import { TurnActions } from './turn-actions.js';
import { statusWords } from './turn.js';
import { usageWords } from './usage-words.js';

export interface MemberProps {
  readonly panel: Panel;
  readonly member: MemberView;
  readonly tint: number;
  /** Called when something was chosen: a narrow panel closes the side then. */
  readonly onChosen: () => void;
}

export function Member({ panel, member, tint, onChosen }: MemberProps): JSX.Element {
  const { id, name, position, status } = member;
  const details = [`Mention ${name} · ${member.engine}`, usageWords(member.usage), member.failure ?? ''];
  return (
    <li class={`member is-${status}`} data-member-row={id}>
      <div class="member-row">
        <PlainButton
          class="member-main"
          title={details.filter((line) => line !== '').join('\n')}
          onClick={() => {
            panel.insert(`@${name}`);
            onChosen();
          }}
        >
          <Avatar icon={member.icon} tint={tint} status={status} />
          <span class="member-lines">
            <span class="member-line">
              <span class="member-name clip">{name}</span>
              {isMarkedLead(member) ? <span class="badge">Lead</span> : null}
            </span>
            <span class="member-line">
              <span class="member-status clip">{statusWords(member)}</span>
              {member.role === '' ? null : <span class="member-role clip">{member.role}</span>}
            </span>
          </span>
        </PlainButton>
        <span class="member-tools">
          {/* SP-3: whoever runs can be stopped from here at any time. */}
          {status === 'running' && position !== null ? (
            <span class="member-stop">
              <ToolButton
                label={`Stop ${name}`}
                icon="debug-stop"
                onClick={() => panel.tell({ type: 'interruptTurn', position })}
              />
            </span>
          ) : null}
          <span class="member-message">
            <ToolButton
              label={`Message ${name} Directly`}
              icon="comment"
              onClick={() => {
                panel.flush();
                panel.tell({ type: 'messageDirectly', memberId: id });
                onChosen();
              }}
            />
          </span>
        </span>
      </div>
      <TurnActions panel={panel} member={member} />
    </li>
  );
}
