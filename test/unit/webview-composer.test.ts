// What keys mean in the composer, and how a mention is completed.
import { describe, expect, test } from 'vitest';
import { parseMentions } from '../../src/core/team/mentions.js';
import { keyAction, type Key, type KeyAction } from '../../webview/composer/keys.js';
import { insertMention, mentionChoices, mentionQuery, mentionRoster } from '../../webview/composer/mention-search.js';
import { member } from './webview-pictures.js';

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
