// What the system says, quiet and centred; with what can be done about it while that waits.
import type { JSX } from 'preact';
import type { PostView, WaitView } from '../../src/protocol/view.js';
import { Reasoning } from '../reasoning/reasoning.js';
import type { Panel } from '../store/panel.js';
import { memo } from '../ui/memo.js';
import { absolute, clock, type Reader } from './time.js';
import { Waiting } from './waiting.js';

export interface NoticeProps {
  readonly panel: Panel;
  readonly post: PostView;
  readonly reader: Reader;
  /** What waits because of it; null when that is dealt with. */
  readonly wait: WaitView | null;
}

export const Notice = memo(function Notice({ panel, post, reader, wait }: NoticeProps): JSX.Element {
  const words = (
    <>
      {post.text}{' '}
      <time class="notice-time" dateTime={post.at} title={absolute(post.at, reader)}>
        {clock(post.at, reader)}
      </time>
    </>
  );
  return (
    <div class={wait === null ? 'notice' : 'notice waits'} role="note" data-post={post.id} tabIndex={-1}>
      {wait === null ? (
        <p class="notice-words">{words}</p>
      ) : (
        <Waiting panel={panel} wait={wait}>
          {words}
        </Waiting>
      )}
      {wait !== null || post.position === null ? null : (
        <Reasoning panel={panel} position={post.position} isRunning={false} />
      )}
    </div>
  );
});
