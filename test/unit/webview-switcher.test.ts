// The list of conversations: what is asked, which answer counts, what keys do, and how rows are named.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { parsePanelMessage, type HostMessage, type PanelMessage } from '../../src/protocol/messages.js';
import type { ConversationItem } from '../../src/protocol/view.js';
import { ago } from '../../webview/switcher/ago.js';
import * as list from '../../webview/switcher/conversations.js';
import { createSwitcher } from '../../webview/switcher/desk.js';
import { switcherKey } from '../../webview/switcher/keys.js';
import { entriesOf, nextEntry } from '../../webview/switcher/row-entries.js';
import { conversation, snapshot } from './webview-pictures.js';

type Answer = Extract<HostMessage, { type: 'conversations' }>;

function item(runId: string, changes: Partial<ConversationItem> = {}): ConversationItem {
  return {
    runId,
    title: runId,
    preview: null,
    teamName: 'Team',
    activeAt: '2026-03-02T10:00:00.000Z',
    waits: 0,
    isRunning: false,
    isArchived: false,
    isOpen: false,
    problem: null,
    ...changes,
  };
}

const answer = (items: ConversationItem[], changes: Partial<Answer> = {}): Answer => ({
  type: 'conversations',
  query: '',
  archived: false,
  items,
  hasMore: false,
  ...changes,
});
const asks = (query = '', archived = false, limit = list.PAGE): PanelMessage => ({
  type: 'conversations',
  query,
  archived,
  limit,
});
const picks = (runId: string): PanelMessage => ({ type: 'openConversation', runId });
const ids = ({ items }: list.SwitcherState): string[] => items.map(({ runId }) => runId);
const opened = (): list.SwitcherState => list.opened(list.NO_SWITCHER).state;
const listed = (...items: ConversationItem[]): list.SwitcherState => list.onConversations(opened(), answer(items));

describe('what is listed', () => {
  test('C17 the rows stand in the order of the host', () => {
    expect(ids(listed(item('b'), item('a')))).toEqual(['b', 'a']);
  });

  test('opening it asks once, and shows what was listed before until the answer comes', () => {
    const again = list.opened(list.closed(listed(item('a'))).state);
    expect(again.send).toEqual([asks()]);
    expect(again.state).toMatchObject({ isAsking: true, items: [item('a')] });
    expect(list.opened(again.state).send).toEqual([]);
  });

  test('what a search found is not shown when it is opened again', () => {
    const found = { ...listed(item('a')), query: 'x' };
    expect(list.opened(list.closed(found).state).state).toMatchObject({ query: '', items: [] });
  });

  const stale: [string, list.SwitcherState, Answer][] = [
    ['of an earlier search', list.typed(opened(), 'new'), answer([item('a')], { query: 'old' })],
    ['of the other list', list.turned(opened(), true).state, answer([item('a')])],
    ['when it is closed', list.NO_SWITCHER, answer([item('a')])],
  ];
  test.each(stale)('an answer %s is ignored', (_name, state, message) => {
    expect(list.onConversations(state, message)).toBe(state);
  });

  test('white space around the words is not searched for', () => {
    const { state, send } = list.asked(list.typed(opened(), ' a b '));
    expect(send).toEqual([asks('a b')]);
    expect(ids(list.onConversations(state, answer([item('a')], { query: 'a b' })))).toEqual(['a']);
  });

  test.each(['x'.repeat(500), '😀'.repeat(150), `${'x'.repeat(199)}😀`])(
    'a search of any length can be sent',
    (query) => {
      expect(list.asked(list.typed(opened(), query)).send.map(parsePanelMessage)).not.toContain(null);
    },
  );

  test('more is asked for only where there is more, one page at a time, up to what can be asked', () => {
    const state = list.onConversations(opened(), answer([item('a')], { hasMore: true }));
    const more = list.further(state);
    expect(more.send).toEqual([asks('', false, 2 * list.PAGE)]);
    expect(list.further(more.state).send).toEqual([]);
    expect(list.further(listed(item('a'))).send).toEqual([]);
    const most = list.onConversations({ ...opened(), limit: list.MOST }, answer([item('a')], { hasMore: true }));
    expect(list.further(most).send).toEqual([]);
  });

  test('C17 a list that changed is asked for again while it is open, and only then', () => {
    expect(list.onConversationsChanged(listed(item('a'))).send).toEqual([asks()]);
    expect(list.onConversationsChanged(list.NO_SWITCHER).send).toEqual([]);
  });
});

describe('what is picked', () => {
  const two = listed(item('a', { isOpen: true }), item('b'), item('c', { problem: 'Damaged.' }));

  test('a pick closes the list, asks for the conversation and marks it until it is shown', () => {
    const { state, send } = list.picked(two, 'b');
    expect(send).toEqual([picks('b')]);
    expect(state).toMatchObject({ isOpen: false, picked: 'b' });
    const shown = list.onShown(state, 'b');
    expect(shown.picked).toBeNull();
    expect(shown.items.filter(({ isOpen }) => isOpen).map(({ runId }) => runId)).toEqual(['b']);
  });

  test('WV-11 of two quick picks the last is the one that is waited for', () => {
    const first = list.onConversations(list.opened(list.picked(two, 'b').state).state, answer([...two.items]));
    const { state, send } = list.picked(first, 'a');
    expect(send).toEqual([picks('a')]);
    expect(list.onShown(state, 'b').picked).toBe('a');
    expect(list.onShown(state, 'a').picked).toBeNull();
  });

  test('the open one only closes the list; one that cannot be opened does nothing', () => {
    expect(list.picked(two, 'a')).toMatchObject({ state: { isOpen: false }, send: [] });
    expect(list.picked(two, 'c')).toEqual({ state: two, send: [] });
    expect(list.picked(two, 'gone')).toEqual({ state: two, send: [] });
  });

  test('a pick that was refused is over', () => {
    expect(list.onRefused(list.picked(two, 'b').state).picked).toBeNull();
  });
});

describe('what is asked while somebody types', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function open(): { desk: ReturnType<typeof createSwitcher>; sent: PanelMessage[] } {
    const sent: PanelMessage[] = [];
    const desk = createSwitcher((message) => sent.push(message));
    desk.open();
    return { desk, sent };
  }

  test('a word is asked for when typing pauses, once', () => {
    const { desk, sent } = open();
    for (const query of ['s', 'se', 'search']) desk.search(query);
    expect(desk.state.value.query).toBe('search');
    expect(sent).toEqual([asks()]);
    vi.runAllTimers();
    expect(sent).toEqual([asks(), asks('search')]);
  });

  test('what asks sooner takes the word with it', () => {
    const { desk, sent } = open();
    desk.search('search');
    desk.showArchived(true);
    vi.runAllTimers();
    expect(sent).toEqual([asks(), asks('search', true)]);
  });

  test('a list that is closed asks nothing more', () => {
    const { desk, sent } = open();
    desk.search('search');
    desk.close();
    vi.runAllTimers();
    desk.hear({ type: 'conversationsChanged' });
    expect(sent).toEqual([asks()]);
  });

  test('a picture of the picked conversation, or a refusal, ends the waiting', () => {
    const { desk } = open();
    desk.hear(answer([item('a'), item('b')]));
    desk.pick('b');
    expect(desk.state.value.picked).toBe('b');
    desk.hear(snapshot(1, { conversation: conversation({ runId: 'b' }) }));
    expect(desk.state.value.picked).toBeNull();
    desk.open();
    desk.hear(answer([item('a'), item('b', { isOpen: true })]));
    desk.pick('a');
    desk.hear({ type: 'refused', requestId: null, message: 'It is gone.' });
    expect(desk.state.value.picked).toBeNull();
  });
});

describe('keys', () => {
  const key = (
    name: string,
    more: Partial<Parameters<typeof switcherKey>[0]> = {},
  ): Parameters<typeof switcherKey>[0] => ({
    key: name,
    shiftKey: false,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    isComposing: false,
    keyCode: 0,
    ...more,
  });
  const cases: [string, ReturnType<typeof key>, 'search' | 'row' | 'other', string][] = [
    ['Enter opens the first that was found', key('Enter'), 'search', 'open'],
    ['WX-7 Enter while composing opens nothing', key('Enter', { isComposing: true }), 'search', 'leave'],
    ['WX-7 Enter with key code 229 opens nothing', key('Enter', { keyCode: 229 }), 'search', 'leave'],
    ['WX-7 arrows while composing stay', key('ArrowDown', { isComposing: true }), 'search', 'leave'],
    ['WX-7 Escape while composing closes nothing', key('Escape', { keyCode: 229 }), 'search', 'leave'],
    ['down goes to the rows', key('ArrowDown'), 'search', 'next'],
    ['up goes back', key('ArrowUp'), 'row', 'previous'],
    ['Home in the search is the text’s', key('Home'), 'search', 'leave'],
    ['Home on a row goes to the first', key('Home'), 'row', 'first'],
    ['End on a row goes to the last', key('End'), 'row', 'last'],
    ['Enter on a row presses it', key('Enter'), 'row', 'leave'],
    ['space on a row presses it', key(' '), 'row', 'leave'],
    ['right opens the menu of a row', key('ArrowRight'), 'row', 'menu'],
    ['right in the search is the text’s', key('ArrowRight'), 'search', 'leave'],
    ['Shift+F10 opens the menu', key('F10', { shiftKey: true }), 'row', 'menu'],
    ['F2 renames', key('F2'), 'row', 'rename'],
    ['Delete on a row deletes', key('Delete'), 'row', 'delete'],
    ['Delete in the search is the text’s', key('Delete'), 'search', 'leave'],
    ['a letter on a row searches', key('a'), 'row', 'search'],
    ['a letter of any script on a row searches', key('居'), 'row', 'search'],
    ['a letter with Ctrl is the editor’s', key('a', { ctrlKey: true }), 'row', 'leave'],
    ['Tab goes on', key('Tab'), 'row', 'leave'],
    ['Escape closes from everywhere', key('Escape'), 'other', 'close'],
    ['other keys elsewhere are not ours', key('ArrowDown'), 'other', 'leave'],
  ];
  test.each(cases)('%s', (_name, pressed, place, action) => {
    expect(switcherKey(pressed, place)).toBe(action);
  });

  test.each([
    ['ArrowDown', 5, 0],
    ['ArrowUp', 0, 5],
    ['Home', 3, 0],
    ['End', 3, 5],
    ['Escape', 3, 'close'],
    ['Tab', 3, 'close'],
    ['Enter', 3, null],
  ])('%s in the menu from entry %i', (pressed, at, expected) => {
    expect(nextEntry(pressed, at, 6)).toBe(expected);
  });
});

describe('the menu of a row', () => {
  const actions = (changes: Partial<ConversationItem>): string[] =>
    entriesOf(item('a', changes)).map(({ action }) => action);

  test.each([
    [{}, ['rename', 'archive', 'exportMarkdown', 'exportRecord', 'copyLink', 'delete']],
    [{ isArchived: true }, ['rename', 'unarchive', 'exportMarkdown', 'exportRecord', 'copyLink', 'delete']],
    [{ problem: 'Damaged.' }, ['exportRecord', 'delete']],
  ])('of %j offers %j', (changes, expected) => {
    expect(actions(changes)).toEqual(expected);
  });
});

test.each([
  [-5_000, 'just now'],
  [59_000, 'just now'],
  [60_000, '1 min ago'],
  [3_599_000, '59 min ago'],
  [7_300_000, '2 h ago'],
  [90_000_000, '1 day ago'],
  [6 * 86_400_000, '6 days ago'],
  [60 * 86_400_000, '2026-01-01'],
])('%i ms ago is "%s"', (passed, words) => {
  const at = '2026-03-02T10:00:00.000Z';
  const now = Date.parse(at);
  const reader = { locale: 'en', zone: 'UTC' };
  expect(ago(new Date(now - passed).toISOString(), now, reader)).toBe(words);
});
