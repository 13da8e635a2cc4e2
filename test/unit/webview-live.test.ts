// What running turns have said so far, and the pictures of posts.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { PanelMessage } from '../../src/protocol/messages.js';
import { createImages } from '../../webview/store/images.js';
import type { LivePiece } from '../../webview/store/live.js';
import { INITIAL, type PanelState } from '../../webview/store/state.js';
import { step, type Input } from '../../webview/store/step.js';
import { changesOf, conversation, member, post, snapshot } from './webview-pictures.js';

const running = (position = 'helper/1') =>
  conversation({ members: [member('lead'), member('helper', { status: 'running', position, roomId: 'main' })] });
const piece = (from: number, text: string, changes: Partial<LivePiece> = {}): LivePiece => ({
  type: 'live',
  runId: 'run',
  position: 'helper/1',
  memberId: 'helper',
  roomId: 'main',
  from,
  text,
  ...changes,
});
const pieces = (...all: LivePiece[]): Input => ({ kind: 'live', pieces: all });
const heard = (message: Extract<Input, { kind: 'host' }>['message']): Input => ({ kind: 'host', message });

function play(...inputs: Input[]): { state: PanelState; sent: string[] } {
  const sent: string[] = [];
  let state = INITIAL;
  for (const input of [heard(snapshot(10, { conversation: running() })), ...inputs]) {
    const next = step(state, input);
    state = next.state;
    sent.push(...next.send.map(({ type }) => type));
  }
  return { state, sent };
}
const said = ({ state }: { state: PanelState }): string | undefined => state.live.get('helper/1')?.text;

describe('a text that is being written', () => {
  test('WV-8 grows by the pieces that go on where it ends', () => {
    const played = play(pieces(piece(0, 'One '), piece(4, 'two')), pieces(piece(7, '.')));
    expect(said(played)).toBe('One two.');
    expect(played.sent).toEqual([]);
  });

  test('WV-8 takes a piece once, also when the snapshot had it', () => {
    expect(said(play(pieces(piece(0, 'One ')), pieces(piece(0, 'One '))))).toBe('One ');
    const live = [{ position: 'helper/1', memberId: 'helper', roomId: 'main', text: 'One two' }];
    const played = play(heard(snapshot(10, { conversation: running(), live })), pieces(piece(4, 'two'), piece(7, '!')));
    expect(said(played)).toBe('One two!');
    expect(played.sent).toEqual([]);
  });

  test('WV-8 asks once for what it did not hear, and shows nothing of what comes after that', () => {
    const played = play(pieces(piece(0, 'One ')), pieces(piece(9, 'three')), pieces(piece(14, 'four')));
    expect(said(played)).toBe('One ');
    expect(played.sent).toEqual(['ready']);
    const live = [{ position: 'helper/1', memberId: 'helper', roomId: 'main', text: 'One two three four' }];
    const mended = step(played.state, heard(snapshot(10, { conversation: running(), live })));
    expect(said(mended)).toBe('One two three four');
    expect(mended.send).toEqual([]);
  });

  test('of another conversation is not taken in', () => {
    const played = play(pieces(piece(0, 'One', { runId: 'other' })));
    expect(played.state.live.size).toBe(0);
    expect(played.sent).toEqual([]);
  });

  test.each([
    ['its post', changesOf(10, 11, { posts: [post(11, { position: 'helper/1' })], conversation: running() })],
    ['a member that is idle', changesOf(10, 10, { posts: [] })],
    ['a member at another turn', changesOf(10, 10, { posts: [], conversation: running('helper/2') })],
    ['a picture without it', snapshot(11, { conversation: running() })],
  ])('is gone with %s', (_name, message) => {
    expect(play(pieces(piece(0, 'One')), heard(message)).state.live.size).toBe(0);
  });

  test('stays while its member runs or stops, whatever others post', () => {
    const members = [member('lead'), member('helper', { status: 'stopping', position: 'helper/1' })];
    const message = changesOf(10, 11, { conversation: conversation({ members }) });
    expect(said(play(pieces(piece(0, 'One')), heard(message)))).toBe('One');
  });

  test('WV-5 leaves the posts as they are', () => {
    const before = play().state;
    const after = step(before, pieces(piece(0, 'One'))).state;
    expect(after.posts).toBe(before.posts);
    expect(after.conversation).toBe(before.conversation);
  });
});

describe('the pictures of posts', () => {
  const urls = { made: 0, revoked: [] as string[] };
  beforeEach(() => {
    Object.assign(urls, { made: 0, revoked: [] });
    vi.spyOn(URL, 'createObjectURL').mockImplementation(() => `blob:${(urls.made += 1)}`);
    vi.spyOn(URL, 'revokeObjectURL').mockImplementation((url) => void urls.revoked.push(url));
  });
  afterEach(() => void vi.restoreAllMocks());

  const answer = (path: string, mime = 'image/png') =>
    ({ type: 'image', path, image: { kind: 'shown', mime, base64: btoa('bytes') } }) as const;

  test('WX-3 are asked for once per path, and shown from a blob', () => {
    const sent: PanelMessage[] = [];
    const desk = createImages((message) => sent.push(message));
    const shown = desk.image('a.png');
    expect(shown.value).toEqual({ kind: 'loading' });
    desk.onImage('a.png');
    desk.onImage('a.png');
    expect(sent).toEqual([{ type: 'image', path: 'a.png' }]);
    desk.hear(answer('a.png'));
    expect(shown.value).toEqual({ kind: 'shown', url: 'blob:1' });
    desk.onImage('a.png');
    expect(sent).toHaveLength(1);
    desk.dispose();
    expect(urls.revoked).toEqual(['blob:1']);
  });

  test('WX-3 that nobody asked for, and that are none, are not shown', () => {
    const desk = createImages(() => undefined);
    desk.hear(answer('a.png'));
    expect(desk.image('a.png').value).toEqual({ kind: 'loading' });
    desk.onImage('b.png');
    desk.hear(answer('b.png', 'text/html'));
    expect(desk.image('b.png').value.kind).toBe('refused');
    expect(urls.made).toBe(0);
  });

  test('that the host refuses say why, and may be asked for again', () => {
    const sent: PanelMessage[] = [];
    const desk = createImages((message) => sent.push(message));
    desk.onImage('a.png');
    desk.hear({ type: 'image', path: 'a.png', image: { kind: 'refused', reason: 'It is too large.' } });
    expect(desk.image('a.png').value).toEqual({ kind: 'refused', reason: 'It is too large.' });
    desk.onImage('a.png');
    expect(sent).toHaveLength(2);
  });

  test('WV-5 are let go, the first asked for first, when there are many', () => {
    const desk = createImages(() => undefined);
    for (let at = 0; at < 150; at += 1) {
      desk.onImage(`${at}.png`);
      desk.hear(answer(`${at}.png`));
    }
    expect(urls.made - urls.revoked.length).toBe(100);
    expect(urls.revoked[0]).toBe('blob:1');
  });
});
