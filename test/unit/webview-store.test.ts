// The panel is a projection: what it shows after any order of messages is what the host said last.
import { describe, expect, test } from 'vitest';
import type { HostMessage, PanelMessage } from '../../src/protocol/messages.js';
import { fromSaved, toSaved } from '../../webview/store/saved.js';
import { INITIAL, isLoading, WINDOW, type PanelState } from '../../webview/store/state.js';
import { step, type Input } from '../../webview/store/step.js';
import { changesOf, conversation, post, snapshot } from './webview-pictures.js';

function play(start: PanelState, inputs: readonly Input[]): { state: PanelState; sent: PanelMessage[] } {
  const sent: PanelMessage[] = [];
  let state = start;
  for (const input of inputs) {
    const next = step(state, input);
    state = next.state;
    sent.push(...next.send);
  }
  return { state, sent };
}

const heard = (message: HostMessage): Input => ({ kind: 'host', message });
const shown: Input = { kind: 'shown' };
const open = (roomId: string): Input => ({ kind: 'openRoom', roomId });
const send = (requestId: string, text: string): Input => ({
  kind: 'send',
  requestId,
  text,
  at: '2026-03-02T10:00:00.000Z',
});
const opened = (): PanelState => play(INITIAL, [shown, heard(snapshot(10))]).state;
const ids = (state: PanelState): string[] => state.posts.map(({ id }) => id);
const types = (sent: readonly PanelMessage[]): string[] => sent.map(({ type }) => type);

describe('what the host says', () => {
  test('WV-11 the panel asks first and shows the snapshot that answers', () => {
    const { state, sent } = play(INITIAL, [shown, heard(snapshot(10))]);
    expect(sent).toEqual([{ type: 'ready', conversation: null, revision: 0, hostEpoch: null, roomId: null }]);
    expect(state).toMatchObject({ revision: 10, hostEpoch: 'e1', roomId: 'main', request: null });
    expect(ids(state)).toEqual(['post/10']);
  });

  test('changes that continue the shown revision are applied and nothing is asked', () => {
    const { state, sent } = play(opened(), [heard(changesOf(10, 11)), heard(changesOf(11, 13))]);
    expect(sent).toEqual([]);
    expect(state.revision).toBe(13);
    expect(ids(state)).toEqual(['post/10', 'post/11', 'post/13']);
  });

  test('a change without new events brings the new picture of the members', () => {
    const elsewhere = conversation({ runner: 'elsewhere' });
    const { state } = play(opened(), [heard(changesOf(10, 10, { conversation: elsewhere, posts: [] }))]);
    expect(state.conversation?.runner).toBe('elsewhere');
    expect(state.revision).toBe(10);
  });

  test('a change that came twice is taken once', () => {
    const { state, sent } = play(opened(), [heard(changesOf(10, 11)), heard(changesOf(10, 11))]);
    expect(ids(state)).toEqual(['post/10', 'post/11']);
    expect(sent).toEqual([]);
  });

  test('WV-8 a gap asks again, once, and shows nothing of what follows the gap', () => {
    const { state, sent } = play(opened(), [heard(changesOf(12, 13)), heard(changesOf(13, 14))]);
    expect(sent).toEqual([{ type: 'ready', conversation: 'run', revision: 10, hostEpoch: 'e1', roomId: 'main' }]);
    expect(ids(state)).toEqual(['post/10']);
    const mended = play(state, [heard(snapshot(14, { posts: [post(12), post(14)] }))]);
    expect(mended.sent).toEqual([]);
    expect(ids(mended.state)).toEqual(['post/12', 'post/14']);
  });

  test('WV-8 a snapshot that is older than a change heard meanwhile is followed by one more question', () => {
    const { sent } = play(opened(), [heard(changesOf(12, 13)), heard(changesOf(13, 14)), heard(snapshot(13))]);
    expect(types(sent)).toEqual(['ready', 'ready']);
  });

  test('WV-8 a change that overtakes the first snapshot is asked for after it', () => {
    const { state, sent } = play(INITIAL, [shown, heard(changesOf(10, 11)), heard(snapshot(10))]);
    expect(types(sent)).toEqual(['ready', 'ready']);
    expect(ids(play(state, [heard(snapshot(11))]).state)).toEqual(['post/11']);
  });

  test('WV-8 a change of another conversation that overtakes its snapshot is asked for, though its revision is lower', () => {
    const other = conversation({ runId: 'other' });
    const { sent } = play(opened(), [
      shown,
      heard(changesOf(4, 5, { conversation: other })),
      heard(snapshot(4, { conversation: other })),
    ]);
    expect(types(sent)).toEqual(['ready', 'ready']);
  });

  test('a host that never delivers what it announced is not asked for ever', () => {
    const { sent } = play(opened(), [heard(changesOf(12, 14)), heard(snapshot(13)), heard(snapshot(13))]);
    expect(types(sent)).toEqual(['ready']);
  });

  test('a snapshot of the same host that is older than what is shown does not go back', () => {
    const { state } = play(opened(), [heard(changesOf(10, 11)), shown, heard(snapshot(10))]);
    expect(state.revision).toBe(11);
    expect(ids(state)).toEqual(['post/10', 'post/11']);
  });

  test('changes of a new host epoch make the panel ask, and its snapshot counts though its revision is lower', () => {
    const { state, sent } = play(opened(), [
      heard(changesOf(10, 11, { hostEpoch: 'e2' })),
      heard(snapshot(9, { hostEpoch: 'e2' })),
    ]);
    expect(types(sent)).toEqual(['ready']);
    expect(state).toMatchObject({ hostEpoch: 'e2', revision: 9 });
  });

  test('a problem is shown until the next snapshot, and the drafts stay', () => {
    const problem = { title: 'Broken', detail: '', actions: [] };
    const { state } = play(opened(), [
      { kind: 'draft', roomId: 'main', text: 'half a thou' },
      heard({ type: 'problem', hostEpoch: 'e1', problem }),
    ]);
    expect(state.problem).toEqual(problem);
    const after = play(state, [heard(snapshot(10))]).state;
    expect(after.problem).toBeNull();
    expect(after.drafts['main']).toBe('half a thou');
  });
});

describe('rooms and pages', () => {
  test('WV-11 of two quick picks the last one is shown, whatever order the answers come in', () => {
    const { state, sent } = play(opened(), [
      open('side'),
      open('main'),
      heard(snapshot(10, { roomId: 'side', posts: [post(9, { roomId: 'side' })] })),
    ]);
    expect(types(sent)).toEqual(['openRoom', 'openRoom']);
    expect(isLoading(state)).toBe(true);
    const after = play(state, [heard(snapshot(10))]).state;
    expect(after.roomId).toBe('main');
    expect(ids(after)).toEqual(['post/10']);
  });

  test('a room that was chosen outside the panel is opened, whatever an earlier question brings', () => {
    const show = heard({ type: 'show', roomId: 'side' });
    const { state, sent } = play(opened(), [shown, show, show, heard(snapshot(10))]);
    expect(sent.slice(1)).toEqual([{ type: 'openRoom', roomId: 'side' }]);
    expect(state.roomId).toBe('side');
    expect(isLoading(state)).toBe(true);
  });

  test('a room that is chosen outside before the panel has heard anything is the one that is shown first', () => {
    const { state } = play(INITIAL, [
      shown,
      heard({ type: 'show', roomId: 'side' }),
      heard(snapshot(10)),
      heard(snapshot(10, { roomId: 'side', posts: [post(9, { roomId: 'side' })] })),
    ]);
    expect(state.roomId).toBe('side');
    expect(ids(state)).toEqual(['post/9']);
  });

  test('posts of other rooms are counted, and the count goes when the room is opened', () => {
    const aside = changesOf(10, 11, { posts: [post(11, { roomId: 'side' })] });
    const { state } = play(opened(), [heard(aside)]);
    expect(state.unread).toEqual({ side: 1 });
    expect(ids(state)).toEqual(['post/10']);
    expect(play(state, [open('side')]).state.unread).toEqual({});
  });

  test('an older page goes before what is shown, once, and is asked for once at a time', () => {
    const start = play(INITIAL, [shown, heard(snapshot(10, { hasOlder: true }))]).state;
    const older: Input = { kind: 'older' };
    const { state, sent } = play(start, [older, older]);
    expect(sent).toEqual([{ type: 'older', roomId: 'main', before: { revision: 10, index: 0 } }]);
    const page = heard({ type: 'page', roomId: 'main', posts: [post(8), post(9), post(10)], hasOlder: false });
    const after = play(state, [page, page, older]);
    expect(ids(after.state)).toEqual(['post/8', 'post/9', 'post/10']);
    expect(after.sent).toEqual([]);
  });

  test('WV-5 a follower keeps the newest posts of the window and can still go back', () => {
    const inputs = Array.from({ length: WINDOW + 5 }, (_, at) => heard(changesOf(10 + at, 11 + at)));
    const { state } = play(opened(), inputs);
    expect(state.posts).toHaveLength(WINDOW);
    expect(state.posts.at(-1)?.revision).toBe(10 + WINDOW + 5);
    expect(state.hasOlder).toBe(true);
  });

  test('WV-1 while reading far up the window does not move; new posts are counted and the latest can be asked for', () => {
    const inputs = Array.from({ length: WINDOW + 5 }, (_, at) => heard(changesOf(10 + at, 11 + at)));
    const { state } = play(opened(), [{ kind: 'following', following: false }, ...inputs]);
    expect(state.posts[0]?.revision).toBe(10);
    expect(state).toMatchObject({ hasNewer: true, missed: WINDOW + 5, following: false });
    expect(state.posts.length).toBeLessThanOrEqual(WINDOW);
    const jump = play(state, [{ kind: 'latest' }]);
    expect(types(jump.sent)).toEqual(['ready']);
    expect(jump.state).toMatchObject({ following: true, missed: 0 });
  });
});

describe('posts on their way', () => {
  test('a post is pending until the record has it, and the draft is empty at once', () => {
    const { state, sent } = play(opened(), [{ kind: 'draft', roomId: 'main', text: 'hello' }, send('r1', 'hello')]);
    expect(sent).toEqual([
      { type: 'post', requestId: 'r1', roomId: 'main', text: 'hello' },
      { type: 'draft', roomId: 'main', text: '' },
    ]);
    expect(state.pending).toHaveLength(1);
    expect(state.drafts['main']).toBe('');
    const mine = post(11, { sender: { kind: 'person' }, text: 'hello' });
    expect(play(state, [heard(changesOf(10, 11, { posts: [mine] }))]).state.pending).toEqual([]);
  });

  test('the id of the answer finds a post whose text the record has in another form', () => {
    const { state } = play(opened(), [
      send('r1', 'e\u0301'),
      heard({ type: 'posted', requestId: 'r1', postId: 'post/11' }),
    ]);
    expect(state.pending).toHaveLength(1);
    const mine = post(11, { sender: { kind: 'person' }, text: '\u00e9' });
    expect(play(state, [heard(changesOf(10, 11, { posts: [mine] }))]).state.pending).toEqual([]);
  });

  test('of two equal posts each takes one place in the record', () => {
    const { state } = play(opened(), [
      send('r1', 'again'),
      send('r2', 'again'),
      heard(changesOf(10, 11, { posts: [post(11, { sender: { kind: 'person' }, text: 'again' })] })),
    ]);
    expect(state.pending.map(({ requestId }) => requestId)).toEqual(['r2']);
  });

  test('a refused post comes back into the composer, above what was typed meanwhile, with the reason', () => {
    const { state } = play(opened(), [
      send('r1', 'first'),
      { kind: 'draft', roomId: 'main', text: 'second' },
      heard({ type: 'refused', requestId: 'r1', message: 'The disk is full.' }),
    ]);
    expect(state).toMatchObject({
      pending: [],
      complaint: 'The disk is full.',
      drafts: { main: 'first\n\nsecond' },
    });
    expect(play(state, [{ kind: 'dismiss' }]).state.complaint).toBeNull();
  });

  test('a post that a dead host may not have heard is said again under the same request id', () => {
    const { state, sent } = play(opened(), [send('r1', 'hello'), heard(snapshot(10, { hostEpoch: 'e2' }))]);
    expect(sent.filter(({ type }) => type === 'post')).toEqual([
      { type: 'post', requestId: 'r1', roomId: 'main', text: 'hello' },
      { type: 'post', requestId: 'r1', roomId: 'main', text: 'hello' },
    ]);
    expect(state.pending).toHaveLength(1);
  });

  test('a post that the dead host did record is not said again', () => {
    const mine = post(11, { sender: { kind: 'person' }, text: 'hello' });
    const { state, sent } = play(opened(), [
      send('r1', 'hello'),
      heard(snapshot(11, { hostEpoch: 'e2', posts: [mine] })),
    ]);
    expect(sent.filter(({ type }) => type === 'post')).toHaveLength(1);
    expect(state.pending).toEqual([]);
  });

  test('what was on its way to a conversation that is not shown any more comes back into the composer, once', () => {
    const other = conversation({ runId: 'other' });
    const { state, sent } = play(opened(), [
      send('r1', 'first'),
      send('r2', 'second'),
      send('r3', 'it was recorded'),
      heard({ type: 'posted', requestId: 'r3', postId: 'post/11' }),
      heard(snapshot(3, { conversation: other, drafts: { main: 'its own' } })),
    ]);
    expect(state.pending).toEqual([]);
    expect(state.drafts).toEqual({ main: 'first\n\nsecond\n\nits own' });
    expect(sent.at(-1)).toEqual({ type: 'draft', roomId: 'main', text: 'first\n\nsecond\n\nits own' });
  });

  test('words for a room that the other conversation has not come into the one that is open', () => {
    const { state } = play(opened(), [
      open('side'),
      send('r1', 'hello'),
      heard(snapshot(3, { conversation: conversation({ runId: 'other', rooms: conversation().rooms.slice(0, 1) }) })),
    ]);
    expect(state.drafts).toEqual({ main: 'hello' });
  });

  test('what was refused on the page of a problem is over when the conversation is shown', () => {
    const { state } = play(INITIAL, [
      shown,
      heard({ type: 'problem', hostEpoch: 'e1', problem: { title: 'Broken', detail: '', actions: [] } }),
      heard({ type: 'refused', requestId: null, message: 'Not now.' }),
    ]);
    expect(state.complaint).toBe('Not now.');
    expect(play(state, [heard(snapshot(10))]).state.complaint).toBeNull();
  });

  test('nothing but white space is never sent', () => {
    expect(play(opened(), [send('r1', ' \n')]).sent).toEqual([]);
  });
});

describe('what survives a reload', () => {
  test('WV-9 draft, room, posts on their way and the reading place are restored', () => {
    const { state } = play(opened(), [
      { kind: 'following', following: false },
      send('r1', 'hello'),
      { kind: 'following', following: false },
      { kind: 'draft', roomId: 'main', text: 'half' },
    ]);
    const place = { postId: 'post/10', offset: -12 };
    const kept: unknown = JSON.parse(JSON.stringify(toSaved(state, place)));
    const restored = fromSaved(kept);
    expect(restored.anchor).toEqual(place);
    expect(restored.state).toMatchObject({
      runId: 'run',
      roomId: 'main',
      drafts: { main: 'half' },
      pending: state.pending,
      following: false,
    });
  });

  test('what is typed here wins over what the host kept, and another conversation brings its own drafts', () => {
    const typed = play(opened(), [{ kind: 'draft', roomId: 'main', text: 'new' }]).state;
    const same = play(typed, [heard(snapshot(11, { drafts: { main: 'old', side: 'there' } }))]).state;
    expect(same.drafts).toEqual({ main: 'new', side: 'there' });
    const other = snapshot(3, { conversation: conversation({ runId: 'other' }), drafts: { main: 'its own' } });
    expect(play(typed, [heard(other)]).state.drafts).toEqual({ main: 'its own' });
  });

  test.each([undefined, null, 7, 'x', {}, { version: 2 }])('anything else that was kept (%j) starts afresh', (kept) => {
    expect(fromSaved(kept)).toEqual({ state: INITIAL, anchor: null, form: null, board: null });
  });
});
