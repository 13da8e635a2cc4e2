// The end of the transcript: who is at work now and what they have said so far, and what waits for the person.
import { useComputed, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { isMarkedLead, type MemberView } from '../../src/protocol/view.js';
import { Reasoning } from '../reasoning/reasoning.js';
import type { Panel } from '../store/panel.js';
import { ToolButton } from '../ui/button.js';
import { memo } from '../ui/memo.js';
import { Avatar } from '../ui/icon.js';
import { tintOf } from '../words.js';
import { elapsed } from './time.js';
import { stretchesOf } from './long-text.js';
import { Waiting } from './waiting.js';
import { waitKey, waitsAtEnd } from './waits.js';

/** One row per member who is at work in the room, and one per thing that waits and is said nowhere near. */
export function Activity({ panel }: { readonly panel: Panel }): JSX.Element {
  const members = panel.members.value;
  const roomId = panel.roomId.value;
  const waits = waitsAtEnd(panel.posts.value, panel.conversation.value?.waits ?? [], roomId);
  const working = panel.roomMembers.value.filter(
    ({ status, roomId: at }) => (status === 'running' || status === 'stopping') && (at === null || at === roomId),
  );
  return (
    <>
      {waits.map((wait) => (
        <Waiting key={waitKey(wait)} panel={panel} wait={wait} />
      ))}
      {working.map((member) => (
        <Working key={member.id} panel={panel} member={member} tint={tintOf(member.id, members)} />
      ))}
    </>
  );
}

interface WorkingProps {
  readonly panel: Panel;
  readonly member: MemberView;
  readonly tint: number;
}

/** Looks like the post that it becomes: nothing moves when that is recorded. */
function Working({ panel, member, tint }: WorkingProps): JSX.Element {
  const { name, status, since, position } = member;
  const isStopping = status === 'stopping';
  return (
    <div class={isStopping ? 'post working stopping' : 'post working'} role="group" aria-label={`${name} at work`}>
      <Avatar icon={member.icon} tint={tint} />
      <div class="post-body">
        <div class="post-head">
          <span class="working-words">
            <span class="post-name">{name}</span> {isStopping ? 'is stopping…' : 'is working'}
            {isStopping ? null : <Dots />}
          </span>
          {isMarkedLead(member) ? <span class="badge">Lead</span> : null}
          {since === null ? null : <Elapsed since={since} />}
          {/* SP-3: whoever runs can be stopped from here at any time. */}
          {position === null || isStopping ? null : (
            <ToolButton
              label={`Stop ${name}`}
              icon="debug-stop"
              onClick={() => panel.tell({ type: 'interruptTurn', position })}
            />
          )}
        </div>
        {position === null ? null : <SaidSoFar panel={panel} position={position} />}
        {position === null ? null : <Reasoning panel={panel} position={position} isRunning />}
      </div>
    </div>
  );
}

/** Plain, and not in a live region: it is said aloud when it is a post (WX-8). Each piece draws this and no more. */
function SaidSoFar({ panel, position }: { readonly panel: Panel; readonly position: string }): JSX.Element | null {
  const said = useComputed(() => panel.live.value.get(position)?.text ?? '').value;
  if (said.trim() === '') return null;
  return (
    <div class="post-text">
      <div class="said">
        {stretchesOf(said).map((text, at) => (
          <Stretch key={at} text={text} />
        ))}
      </div>
      <span class="writing">writing…</span>
    </div>
  );
}

/** Laid out by itself: what comes later lays nothing of it out again. */
const Stretch = memo(function Stretch({ text }: { readonly text: string }): JSX.Element {
  return <div class="plain">{text}</div>;
});

function Dots(): JSX.Element {
  return (
    <span class="dots" aria-hidden="true">
      <i />
      <i />
      <i />
    </span>
  );
}

/** Counts up while it is shown; nothing ticks when nobody works. */
function Elapsed({ since }: { readonly since: string }): JSX.Element {
  const now = useSignal(Date.now());
  useEffect(() => {
    now.value = Date.now();
    const timer = setInterval(() => {
      now.value = Date.now();
    }, 1000);
    return () => clearInterval(timer);
  }, [since]);
  return <span class="post-meta">{elapsed(since, now.value)}</span>;
}
