// The posts of the open room, and the place in them where the reader is.
import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { PostView, WaitView } from '../../src/protocol/view.js';
import type { Panel } from '../store/panel.js';
import { Boundary } from '../ui/boundary.js';
import { PlainButton } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { Activity } from './activity.js';
import { EmptyRoom } from './empty.js';
import { Notice } from './notice.js';
import { Pending, Post } from './post.js';
import { Reading } from './reading.js';
import { rowsOf, type Row } from './rows.js';
import { Skeleton } from './skeleton.js';
import { dayLabel, type Reader } from './time.js';
import { waitsByNotice } from './waits.js';

const READER: Reader = { locale: undefined, zone: undefined };

export function Transcript({ panel }: { readonly panel: Panel }): JSX.Element {
  const posts = panel.posts.value;
  const waiting = panel.pending.value.filter((post) => post.roomId === panel.roomId.value);
  const isEmpty = posts.length === 0 && waiting.length === 0;
  const list = useRef<HTMLDivElement | null>(null);
  const reading = useReading(panel, list);
  return (
    <div class="transcript">
      <div class="list" ref={list} role="log" aria-live="off" aria-label="Posts" tabIndex={0}>
        <div class="list-inner">
          {panel.hasOlder.value ? (
            <div class="older quiet">{panel.loadingOlder.value ? 'Loading earlier posts…' : 'Earlier posts'}</div>
          ) : null}
          {isEmpty ? panel.loading.value ? <Skeleton /> : <EmptyRoom panel={panel} /> : null}
          <Rows panel={panel} reading={reading} posts={posts} />
          {waiting.map((post) => (
            <Pending key={post.requestId} post={post} />
          ))}
          <Activity panel={panel} />
        </div>
      </div>
      <Jump panel={panel} />
      <Announcer panel={panel} />
    </div>
  );
}

function useReading(panel: Panel, list: { readonly current: HTMLDivElement | null }): Reading {
  const reading = useMemo(() => new Reading(panel), [panel]);
  useLayoutEffect(() => (list.current === null ? undefined : reading.attach(list.current)), [reading]);
  return reading;
}

interface RowsProps {
  readonly panel: Panel;
  readonly reading: Reading;
  readonly posts: readonly PostView[];
}

/** The rows that are in view or near it, with space for the others. */
function Rows({ panel, reading, posts }: RowsProps): JSX.Element {
  const all = useMemo(() => rowsOf(posts, READER), [posts]);
  const waits = panel.conversation.value?.waits;
  const waitsOf = useMemo(() => waitsByNotice(posts, waits ?? []), [posts, waits]);
  const jump = useMemo(() => (postId: string) => reading.jumpTo(postId), [reading]);
  const isFollowing = panel.following.value;
  const drawing = reading.drawing.value;
  const { rows, after } = reading.rows(all);
  // The place is kept at each drawing, before anybody sees it.
  useLayoutEffect(() => reading.settle(), [all, isFollowing, drawing]);
  return (
    <div class="rows">
      {rows.flatMap(({ row, index, space }) => [
        space === 0 ? null : <Space key={`space/${row.key}`} height={space} />,
        <div key={row.key} class="row" data-key={row.key} data-index={index} ref={reading.measure}>
          <Boundary region="This post" onReload={() => undefined}>
            <RowOf
              row={row}
              panel={panel}
              wait={waitsOf.get(row.key) ?? null}
              onJump={isAnswerLoaded(row, reading) ? jump : null}
            />
          </Boundary>
        </div>,
      ])}
      {after === 0 ? null : <Space key="space" height={after} />}
    </div>
  );
}

function isAnswerLoaded(row: Row, reading: Reading): boolean {
  const answered = row.kind === 'post' ? row.post.answers.at(-1) : undefined;
  return answered !== undefined && reading.has(answered.id);
}

function Space({ height }: { readonly height: number }): JSX.Element {
  return <div class="space" aria-hidden="true" style={{ height: `${height}px` }} />;
}

interface RowProps {
  readonly row: Row;
  readonly panel: Panel;
  readonly wait: WaitView | null;
  readonly onJump: ((postId: string) => void) | null;
}

function RowOf({ row, panel, wait, onJump }: RowProps): JSX.Element {
  switch (row.kind) {
    case 'day':
      return <Line>{dayLabel(row.at, Date.now(), READER)}</Line>;
    case 'fork':
      return <Origin panel={panel} />;
    case 'notice':
      return <Notice panel={panel} post={row.post} reader={READER} wait={wait} />;
    case 'post':
      return (
        <Post
          panel={panel}
          post={row.post}
          continued={row.continued}
          members={panel.faces.value}
          reader={READER}
          onJump={onJump}
        />
      );
  }
}

/** Where a forked conversation becomes one of its own, and the way to the one that it goes on from. */
function Origin({ panel }: { readonly panel: Panel }): JSX.Element {
  const runId = panel.conversation.value?.forkOf ?? null;
  const words = (
    <>
      Forked here<span class="hidden">: what is above was said in the conversation that this one goes on from</span>
    </>
  );
  if (runId === null) return <Line>{words}</Line>;
  return (
    <Line>
      <PlainButton
        class="origin"
        title="Open the conversation that this one goes on from"
        onClick={() => {
          panel.flush();
          panel.tell({ type: 'openConversation', runId });
        }}
      >
        {words}
      </PlainButton>
    </Line>
  );
}

function Line({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return (
    <div class="day" role="separator">
      <span>{children}</span>
    </div>
  );
}

function Jump({ panel }: { readonly panel: Panel }): JSX.Element | null {
  const missed = panel.missed.value;
  if (panel.atLatest.value) return null;
  return (
    <PlainButton class="jump" onClick={() => panel.act({ kind: 'latest' })}>
      <Icon id="arrow-down" />
      {missed > 0 ? `Jump to latest (${missed})` : 'Jump to latest'}
    </PlainButton>
  );
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
