// The end of the transcript: who is at work now, whose turn was interrupted, whose failed.
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { MemberView } from '../../src/protocol/view.js';
import type { Panel } from '../store/panel.js';
import { Reasoning } from '../reasoning/reasoning.js';
import { Avatar, Icon } from '../ui/icon.js';
import { TurnActions } from '../roster/turn-actions.js';
import { tintOf } from '../words.js';
import { elapsed } from './time.js';

/** One row per member of the room with an open, interrupted or failed turn. */
export function Activity({ panel }: { readonly panel: Panel }): JSX.Element {
  const members = panel.members.value;
  return (
    <>
      {panel.roomMembers.value.map((member) => {
        switch (member.status) {
          case 'running':
            return <Working key={member.id} panel={panel} member={member} tint={tintOf(member.id, members)} />;
          case 'interrupted':
            return (
              <div
                key={member.id}
                class="activity needs-you"
                role="group"
                aria-label={`${member.name} was interrupted`}
              >
                <Icon id="debug-pause" />
                <span class="activity-words">
                  <strong>{member.name}</strong> was interrupted.
                </span>
                <TurnActions panel={panel} member={member} />
              </div>
            );
          case 'failed':
            return (
              <div key={member.id} class="activity failed">
                <Icon id="error" />
                <span class="activity-words">
                  <strong>{member.name}</strong> failed{member.failure === null ? '.' : `: ${member.failure}`}
                </span>
              </div>
            );
          case 'stopped':
            return (
              <div key={member.id} class="activity needs-you" role="group" aria-label={`${member.name} was stopped`}>
                <Icon id="debug-stop" />
                <span class="activity-words">
                  <strong>{member.name}</strong> was stopped.
                </span>
                <TurnActions panel={panel} member={member} />
              </div>
            );
          case 'idle':
          case 'queued':
          case 'stopping':
            return null;
        }
      })}
    </>
  );
}

function Working({
  panel,
  member,
  tint,
}: {
  readonly panel: Panel;
  readonly member: MemberView;
  readonly tint: number;
}): JSX.Element {
  return (
    <div class="activity working">
      <Avatar icon={member.icon} tint={tint} />
      <span class="activity-words">
        <strong>{member.name}</strong> is working
        <span class="dots" aria-hidden="true">
          <i />
          <i />
          <i />
        </span>
      </span>
      {member.since === null ? null : <Elapsed since={member.since} />}
      {member.position === null ? null : <Reasoning panel={panel} position={member.position} isRunning />}
    </div>
  );
}

/** Counts up while it is shown; nothing ticks when nobody works. */
function Elapsed({ since }: { readonly since: string }): JSX.Element {
  const now = useSignal(Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      now.value = Date.now();
    }, 1000);
    return () => clearInterval(timer);
  }, [since]);
  return <span class="quiet">{elapsed(since, now.value)}</span>;
}
