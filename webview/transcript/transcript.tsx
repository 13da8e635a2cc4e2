// The posts of the open room, and the place in them where the reader is.
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Panel } from '../store/panel.js';
import type { Anchor } from '../store/saved.js';
import { PlainButton } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { Activity } from './activity.js';
import { EmptyRoom } from './empty.js';
import { Notice, Pending, Post } from './post.js';
import { rowsOf, type Row } from './rows.js';
import { isAtEnd, readingPlace, returnTo } from './scroll.js';
import { dayLabel, type Reader } from './time.js';

const READER: Reader = { locale: undefined, zone: undefined };
const LOAD_OLDER_PX = 240;

export function Transcript({ panel }: { readonly panel: Panel }): JSX.Element {
  const posts = panel.posts.value;
  const missed = panel.missed.value;
  const waiting = panel.pending.value.filter((post) => post.roomId === panel.roomId.value);
  const rows = useMemo(() => rowsOf(posts, READER), [posts]);
  const list = useReadingPlace(panel);
  const isEmpty = posts.length === 0 && waiting.length === 0;
  return (
    <div class="transcript">
      <div class="list" ref={list} role="log" aria-live="off" aria-label="Posts" tabIndex={0}>
        <div class="list-inner">
          {panel.hasOlder.value ? (
            <div class="older quiet">{panel.loadingOlder.value ? 'Loading earlier posts…' : 'Earlier posts'}</div>
          ) : null}
          {isEmpty ? panel.loading.value ? <Skeleton /> : <EmptyRoom panel={panel} /> : null}
          {rows.map((row) => (
            <RowOf key={row.key} row={row} panel={panel} />
          ))}
          {waiting.map((post) => (
            <Pending key={post.requestId} post={post} />
          ))}
          <Activity panel={panel} />
        </div>
      </div>
      {panel.atLatest.value ? null : (
        <PlainButton class="jump" onClick={() => panel.act({ kind: 'latest' })}>
          <Icon id="arrow-down" />
          {missed > 0 ? `Jump to latest (${missed})` : 'Jump to latest'}
        </PlainButton>
      )}
      <Announcer panel={panel} />
    </div>
  );
}

function RowOf({ row, panel }: { readonly row: Row; readonly panel: Panel }): JSX.Element {
  switch (row.kind) {
    case 'day':
      return (
        <div class="day" role="separator">
          <span>{dayLabel(row.at, Date.now(), READER)}</span>
        </div>
      );
    case 'notice':
      return <Notice post={row.post} reader={READER} />;
    case 'post':
      return (
        <Post panel={panel} post={row.post} continued={row.continued} members={panel.faces.value} reader={READER} />
      );
  }
}

/** Follows the end only while the reader stands there; asks for older posts near the top. */
function useReadingPlace(panel: Panel): { current: HTMLDivElement | null } {
  const list = useRef<HTMLDivElement | null>(null);
  const place = useRef<Anchor | null>(panel.anchor);
  const seen = [panel.posts.value, panel.pending.value, panel.following.value, panel.conversation.value];

  const settle = (): void => {
    const element = list.current;
    if (element === null) return;
    if (panel.state.value.following) element.scrollTop = element.scrollHeight;
    else if (place.current !== null && panel.state.value.posts.length > 0 && !returnTo(element, place.current)) {
      // The post is not in the window any more: the end is the one place that is always true.
      place.current = null;
      panel.act({ kind: 'following', following: true });
    }
  };
  useLayoutEffect(settle, seen);

  useEffect(() => {
    const element = list.current;
    if (element === null) return;
    const onScroll = (): void => {
      const state = panel.state.value;
      if (state.posts.length === 0) return;
      place.current = readingPlace(element);
      panel.act({ kind: 'following', following: isAtEnd(element) });
      panel.readAt(place.current);
      if (element.scrollTop < LOAD_OLDER_PX) panel.act({ kind: 'older' });
    };
    element.addEventListener('scroll', onScroll, { passive: true });
    const sizes = new ResizeObserver(settle);
    sizes.observe(element);
    if (element.firstElementChild !== null) sizes.observe(element.firstElementChild);
    return () => {
      element.removeEventListener('scroll', onScroll);
      sizes.disconnect();
    };
  }, []);
  return list;
}

/** Tells a screen reader what is new, once each; the same words said again are another element, so that they count. */
function Announcer({ panel }: { readonly panel: Panel }): JSX.Element {
  const { serial, text } = panel.spoken.value;
  return (
    <div class="hidden" role="status" aria-live="polite">
      <p key={serial}>{text}</p>
    </div>
  );
}

function Skeleton(): JSX.Element {
  return (
    <div class="skeleton" role="status">
      <span class="hidden">Loading posts…</span>
      {[0, 1, 2].map((line) => (
        <div key={line} class="skeleton-post" aria-hidden="true">
          <span class="skeleton-face" />
          <span class="skeleton-lines">
            <i />
            <i />
          </span>
        </div>
      ))}
    </div>
  );
}
