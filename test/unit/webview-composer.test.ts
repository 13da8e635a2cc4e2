// What keys mean in the composer, how a mention is completed, whom a text wakes, and what the roster says of turns.
import { describe, expect, test } from 'vitest';
import { parseMentions } from '../../src/core/team/mentions.js';
import type { MemberView, PostView } from '../../src/protocol/view.js';
import { canStop } from '../../webview/composer/can-stop.js';
import { earlier, isAtEdge, later, ownTexts } from '../../webview/composer/history.js';
import { keyAction, type Key, type KeyAction } from '../../webview/composer/keys.js';
import { insertMention, mentionChoices, mentionQuery, mentionRoster } from '../../webview/composer/mention-search.js';
import { wokenBy } from '../../webview/composer/woken.js';
import { againOf, statusWords } from '../../webview/roster/turn.js';
import { usageWords } from '../../webview/roster/usage-words.js';
import { conversation, member, NO_USAGE, post } from './webview-pictures.js';

const key = (name: string, changes: Partial<Key> = {}): Key => ({
  key: name,
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  isComposing: false,
  keyCode: 0,
  ...changes,
});

describe('keys', () => {
  const cases: [string, Key, boolean, KeyAction][] = [
    ['Enter sends', key('Enter'), false, 'send'],
    ['Ctrl+Enter sends', key('Enter', { ctrlKey: true }), false, 'send'],
    ['Shift+Enter makes a new line', key('Enter', { shiftKey: true }), false, 'type'],
    ['WX-7 Enter while composing never sends', key('Enter', { isComposing: true }), false, 'type'],
    ['WX-7 Enter with key code 229 never sends', key('Enter', { keyCode: 229 }), false, 'type'],
    ['WX-7 Enter while composing picks nobody', key('Enter', { isComposing: true }), true, 'type'],
    ['MR-17 Enter picks from the open list', key('Enter'), true, 'accept'],
    ['MR-17 Tab picks from the open list', key('Tab'), true, 'accept'],
    ['MR-17 Arrow down goes on', key('ArrowDown'), true, 'next'],
    ['MR-17 Arrow up goes back', key('ArrowUp'), true, 'previous'],
    ['MR-17 Escape closes the list', key('Escape'), true, 'close'],
    ['Shift+Tab leaves the composer', key('Tab', { shiftKey: true }), true, 'type'],
    ['Tab leaves the composer without a list', key('Tab'), false, 'type'],
    ['arrows move the caret without a list', key('ArrowUp'), false, 'type'],
    ['letters are typed', key('a'), true, 'type'],
  ];
  test.each(cases)('%s', (_name, pressed, choosing, action) => {
    expect(keyAction(pressed, choosing)).toBe(action);
  });
});

describe('the mention being typed', () => {
  const cases: [string, string, string | null][] = [
    ['at the start', '@re', 're'],
    ['bare', '@', ''],
    ['after white space', 'could @re', 're'],
    ['after a bracket', '(@re', 're'],
    ['after CJK text', '请@山', '山'],
    ['MR-1 an e-mail address', 'ops@re', null],
    ['a name that ended', '@re ', null],
    ['no mention', 're', null],
  ];
  test.each(cases)('%s', (_name, text, query) => {
    expect(mentionQuery(text, text.length)?.text ?? null).toBe(query);
  });

  test('only what stands before the caret counts', () => {
    expect(mentionQuery('@reviewer', 3)).toEqual({ start: 0, text: 're' });
  });
});

describe('who is offered', () => {
  const members = [
    member('lead', { name: 'Ada' }),
    member('w', { name: 'José' }),
    member('h', { name: 'Hermes｜居遊' }),
    member('ann-lee', { name: 'Ann Lee' }),
  ];
  const cases: [string, string, string[]][] = [
    ['everybody at first, and all of them last', '', ['lead', 'w', 'h', 'ann-lee', 'all']],
    ['by name in any case', 'ADA', ['lead']],
    ['by id', 'ann-', ['ann-lee']],
    ['MR-7 decomposed as well as composed', 'Jose\u0301', ['w']],
    ['MR-8 half width for full width', 'hermes|', ['h']],
    ['MR-8 by a later part of the name', '居遊', ['h']],
    ['nobody', 'zzz', []],
  ];
  test.each(cases)('%s', (_name, query, found) => {
    expect(mentionChoices(members, query).map(({ id }) => id)).toEqual(found);
  });

  test('beginnings come before what only contains the text', () => {
    const found = mentionChoices([member('x', { name: 'Banana' }), member('y', { name: 'Ana' })], 'ana');
    expect(found.map(({ id }) => id)).toEqual(['y', 'x']);
  });

  test('MR-17 whatever is picked, the parser finds that member in the text', () => {
    for (const choice of mentionChoices(members, '')) {
      const { text, caret } = insertMention('hi @x, please', { start: 3, text: 'x' }, choice.insert);
      const { mentions } = parseMentions(text, mentionRoster(members), 'you');
      expect(mentions).toEqual(choice.member === null ? members.map(({ id }) => id) : [choice.id]);
      expect(text.slice(0, caret)).toBe(`hi ${choice.insert} `);
    }
  });

  test('the rest of the text stays, with one space between', () => {
    expect(insertMention('hi @re you', { start: 3, text: 're' }, '@Reviewer')).toEqual({
      text: 'hi @Reviewer you',
      caret: 13,
    });
    expect(insertMention('@', { start: 0, text: '' }, '@Ada')).toEqual({ text: '@Ada ', caret: 5 });
  });
});

describe('whom a text wakes', () => {
  const members = [
    member('ana', { isLead: true }),
    member('legal'),
    member('tech'),
    member('h', { name: 'Hermes｜居遊' }),
  ];
  const cases: [string, string, string | null, string[], string[]][] = [
    ['C01 nobody mentioned: who answers for the room', 'hello', 'ana', ['ana'], []],
    ['C02 in the order of the text', '@legal @tech look', 'ana', ['legal', 'tech'], []],
    ['C03 once each', '@tech and @legal and @tech', 'ana', ['tech', 'legal'], []],
    ['C04 a name that nobody has: the lead', '@ghost hi', 'ana', ['ana'], ['ghost']],
    ['C05 a name that nobody has beside one', '@ghost @legal hi', 'ana', ['legal'], ['ghost']],
    ['MR-8 a full-width name', 'ask @hermes|居遊 now', 'ana', ['h'], []],
    ['MR-17 typed by hand in any case', '@LEGAL', 'ana', ['legal'], []],
    ['the lead by its place', '@lead', 'ana', ['ana'], []],
    ['everybody', '@all', 'ana', ['ana', 'legal', 'tech', 'h'], []],
    ['not what stands in code', '`@legal`', 'ana', ['ana'], []],
    ['nobody where nobody answers', 'hello', null, [], []],
  ];
  test.each(cases)('%s', (_name, text, contact, ids, ghosts) => {
    expect(wokenBy(text, members, { contact })).toMatchObject({ ids, ghosts });
  });

  test('that all are meant is told only where they are', () => {
    expect(wokenBy('@ALL', members, null).isAll).toBe(true);
    expect(wokenBy('`@all` @legal', members, null).isAll).toBe(false);
  });
});

describe('earlier posts', () => {
  const own = (revision: number, text: string): PostView => post(revision, { sender: { kind: 'person' }, text });
  const posts = [own(1, 'one'), post(2), own(3, 'two'), own(4, 'two'), post(5, { sender: { kind: 'notice' } })];
  const texts = ownTexts(posts, [{ text: 'three' }]);

  test('are one’s own, newest first, also those on their way', () => {
    expect(texts).toEqual(['three', 'two', 'one']);
  });

  test('come one after the other, and the draft comes back at the end', () => {
    const first = earlier(texts, null, 'draft');
    const second = earlier(texts, first, first?.shown ?? '');
    expect([first?.shown, second?.shown]).toEqual(['three', 'two']);
    if (second === null) throw new Error('There is a second one.');
    const back = later(texts, second);
    expect(back.text).toBe('three');
    if (back.place === null) throw new Error('There is a place.');
    expect(later(texts, back.place)).toEqual({ place: null, text: 'draft' });
  });

  test('end at the oldest', () => {
    expect(earlier(texts, { back: 2, shown: 'one', draft: '' }, 'one')).toBeNull();
    expect(earlier([], null, '')).toBeNull();
  });

  test('what was changed is a draft of its own', () => {
    expect(earlier(texts, { back: 1, shown: 'two', draft: 'lost' }, 'two and more')).toEqual({
      back: 0,
      shown: 'three',
      draft: 'two and more',
    });
  });

  const edges: [string, Parameters<typeof isAtEdge>, boolean][] = [
    ['up in an empty text', [{ start: 0, end: 0, length: 0 }, 'ArrowUp', false], true],
    ['up at the very start', [{ start: 0, end: 0, length: 9 }, 'ArrowUp', false], true],
    ['up elsewhere', [{ start: 4, end: 4, length: 9 }, 'ArrowUp', false], false],
    ['up with a selection', [{ start: 0, end: 4, length: 9 }, 'ArrowUp', false], false],
    ['down in one’s own text', [{ start: 9, end: 9, length: 9 }, 'ArrowDown', false], false],
    ['down at the start of an earlier post', [{ start: 0, end: 0, length: 9 }, 'ArrowDown', true], true],
    ['up at the end of an earlier post', [{ start: 9, end: 9, length: 9 }, 'ArrowUp', true], true],
    ['up inside an earlier post', [{ start: 4, end: 4, length: 9 }, 'ArrowUp', true], false],
  ];
  test.each(edges)('an arrow %s', (_name, given, expected) => {
    expect(isAtEdge(...given)).toBe(expected);
  });
});

describe('what can be done about turns', () => {
  const cases: [string, Partial<MemberView>, string | null, unknown][] = [
    [
      'C15 an interrupted turn is resumed',
      { status: 'interrupted' },
      'Resume',
      { type: 'resumeTurn', position: 'p/1' },
    ],
    ['SP-8 a stopped turn is resumed', { status: 'stopped' }, 'Resume', { type: 'retryTurn', position: 'p/1' }],
    ['C22 a failed turn is tried again', { status: 'failed' }, 'Retry', { type: 'retryTurn', position: 'p/1' }],
    ['a running turn is not begun again', { status: 'running' }, null, undefined],
    ['a turn that is stopping is not begun again', { status: 'stopping' }, null, undefined],
    ['where there is no turn nothing is offered', { status: 'failed', position: null }, null, undefined],
  ];
  test.each(cases)('%s', (_name, changes, label, message) => {
    const again = againOf(member('a', { position: 'p/1', ...changes }));
    expect(again?.label ?? null).toBe(label);
    expect(again?.message).toEqual(message);
  });

  test.each([
    [{ status: 'idle' as const, queued: 0 }, 'Idle'],
    [{ status: 'queued' as const, queued: 1 }, 'Queued'],
    [{ status: 'queued' as const, queued: 3 }, 'Queued (3)'],
    [{ status: 'running' as const, queued: 2 }, 'Running · 2 queued'],
    [{ status: 'stopping' as const, queued: 0 }, 'Stopping…'],
  ])('a member that is %j: "%s"', (changes, words) => {
    expect(statusWords(changes)).toBe(words);
  });

  test.each([
    [{}, false],
    [{ busy: true }, true],
    [{ stopping: true }, true],
    [{ members: [member('a', { status: 'running' })] }, true],
    [{ members: [member('a', { status: 'failed' })] }, false],
  ])('SP-6 Stop stands there for %j: %s', (changes, expected) => {
    expect(canStop(conversation(changes))).toBe(expected);
  });

  test.each([
    [{}, 'No turns yet'],
    [{ turns: 1, inputTokens: 1200, outputTokens: 30, cost: 0.5 }, '1 turn · 1,200 tokens in, 30 out · $0.50'],
    [{ turns: 2, unknownCost: 2 }, '2 turns · tokens unknown · cost unknown'],
    [
      { turns: 3, unknownCost: 1, inputTokens: 9, outputTokens: 1, cost: 0.5 },
      '3 turns · 9 tokens in, 1 out · at least $0.50, 1 turn of unknown cost',
    ],
  ])('C11 usage %j: "%s"', (changes, words) => {
    expect(usageWords({ ...NO_USAGE, ...changes })).toBe(words);
  });
});
