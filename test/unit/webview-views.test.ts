// What is drawn again, what is written down when, and what is said aloud.
import { effect, signal } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MAX_DRAFT_LENGTH, MAX_POST_LENGTH, parsePanelMessage } from '../../src/protocol/messages.js';
import { createKeeper } from '../../webview/store/keeper.js';
import { spoken } from '../../webview/store/spoken.js';
import { INITIAL, type PanelState } from '../../webview/store/state.js';
import { step, type Input } from '../../webview/store/step.js';
import { viewsOf } from '../../webview/store/views.js';
import { isSame } from '../../webview/ui/memo.js';
import { changesOf, conversation, member, post, snapshot } from './webview-pictures.js';

const after = (state: PanelState, input: Input): PanelState => step(state, input).state;
const opened = (): PanelState => after(INITIAL, { kind: 'host', message: snapshot(10) });

describe('what is drawn again', () => {
  test('WV-6 typing draws the draft and nothing else', () => {
    const state = signal(opened());
    const { draft, ...others } = viewsOf(state);
    const drawn: string[] = [];
    effect(() => void drawn.push(draft.value));
    for (const [name, view] of Object.entries(others)) {
      view.subscribe(() => void drawn.push(name));
    }
    drawn.length = 0;
    for (const text of ['h', 'he', 'hey']) state.value = after(state.value, { kind: 'draft', roomId: 'main', text });
    expect(drawn).toEqual(['h', 'he', 'hey']);
  });

  test('WV-6 members who begin and end their turns leave the faces of the posts as they are', () => {
    const state = signal(opened());
    const { faces, members } = viewsOf(state);
    const before = faces.value;
    const at = (members: ReturnType<typeof conversation>['members']): Input => ({
      kind: 'host',
      message: changesOf(10, 10, { posts: [], conversation: conversation({ members }) }),
    });
    state.value = after(state.value, at([member('lead', { status: 'running' }), member('helper')]));
    expect(members.value.get('lead')?.status).toBe('running');
    expect(faces.value).toBe(before);
    state.value = after(state.value, at([member('lead', { name: 'Ada' }), member('helper')]));
    expect(faces.value).not.toBe(before);
    expect(faces.value.get('lead')?.name).toBe('Ada');
  });

  test.each([
    [{ a: 1, b: 'x' }, { b: 'x', a: 1 }, true],
    [{ a: 1 }, { a: 2 }, false],
    [{ a: 1 }, { a: 1, b: undefined }, false],
    [{ a: 1, b: undefined }, { a: 1, c: undefined }, false],
    [{ a: {} }, { a: {} }, false],
  ])('a part that was given %j and is given %j: the same is %s', (before, now, same) => {
    expect(isSame(before, now)).toBe(same);
  });
});

describe('what is written down', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('WV-9 while somebody types the state is written once in a while, and at once when the panel is left', () => {
    let text = '';
    const written: string[] = [];
    const keeper = createKeeper(() => written.push(text), 200);
    for (const key of 'hello') {
      text += key;
      keeper.soon();
      vi.advanceTimersByTime(50);
    }
    expect(written).toEqual(['hell']);
    keeper.flush();
    expect(written).toEqual(['hell', 'hello']);
    keeper.flush();
    vi.advanceTimersByTime(1_000);
    expect(written).toHaveLength(2);
  });

  test('what happens is written at once, with what was waiting', () => {
    const written: number[] = [];
    const keeper = createKeeper(() => written.push(1), 200);
    keeper.soon();
    keeper.now();
    vi.advanceTimersByTime(1_000);
    expect(written).toHaveLength(1);
  });
});

describe('what is said aloud', () => {
  const silent = { serial: 0, text: '' };
  const change = (before: PanelState, message: ReturnType<typeof changesOf>) =>
    spoken(silent, before, after(before, { kind: 'host', message }), message.posts);

  test.each([
    [{ status: 'running', position: 'p/1' }, 'Ada is working.'],
    [{ status: 'interrupted', position: 'p/1' }, 'Ada was interrupted.'],
    [{ status: 'failed', failure: 'No key.' }, 'Ada failed: No key.'],
    [{ status: 'failed' }, 'Ada failed.'],
    [{ status: 'queued' }, ''],
  ] as const)('WX-8 a member that becomes %j: "%s"', (changes, words) => {
    const members = [member('lead', { name: 'Ada', ...changes }), member('helper')];
    const message = changesOf(10, 11, { posts: [], conversation: conversation({ members }) });
    expect(change(opened(), message).text).toBe(words);
  });

  test('WX-8 what stays as it is, and members of other rooms, are not told again', () => {
    const rooms = conversation().rooms.map((room) => ({ ...room, members: ['lead'] }));
    const working = [member('lead', { status: 'running', position: 'p/1' }), member('helper')];
    const start = after(opened(), {
      kind: 'host',
      message: changesOf(10, 11, { posts: [], conversation: conversation({ rooms, members: working }) }),
    });
    const members = working.map((one) => (one.id === 'helper' ? { ...one, status: 'running' as const } : one));
    const message = changesOf(11, 12, { posts: [], conversation: conversation({ rooms, members }) });
    expect(change(start, message)).toBe(silent);
  });

  test('WX-8 two equal posts in a row are said twice', () => {
    const said = (revision: number) =>
      changesOf(revision - 1, revision, { posts: [post(revision, { text: 'Done.' })] });
    const one = after(opened(), { kind: 'host', message: said(11) });
    const first = spoken(silent, opened(), one, said(11).posts);
    const second = spoken(first, one, after(one, { kind: 'host', message: said(12) }), said(12).posts);
    expect(first).toEqual({ serial: 1, text: 'helper: Done.' });
    expect(second).toEqual({ serial: 2, text: 'helper: Done.' });
  });

  test('WX-8 a change that came twice is told once', () => {
    const message = changesOf(9, 10, { posts: [post(10)] });
    expect(change(opened(), message)).toBe(silent);
  });
});

test.each([
  ['draft', MAX_POST_LENGTH + 1, true],
  ['draft', MAX_DRAFT_LENGTH, true],
  ['draft', MAX_DRAFT_LENGTH + 1, false],
  ['post', MAX_POST_LENGTH + 1, true],
])('a %s of %i characters is part of the protocol: %s', (type, length, isPart) => {
  const message = { type, roomId: 'main', text: 'x'.repeat(length), ...(type === 'post' && { requestId: 'r1' }) };
  expect(parsePanelMessage(message) !== null).toBe(isPart);
});
