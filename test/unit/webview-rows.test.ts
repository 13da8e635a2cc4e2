// Which rows are mounted, how long posts are cut, and what waits where.
import { describe, expect, test } from 'vitest';
import type { SafeBlock } from '../../src/protocol/safe-node.js';
import type { PostView, WaitView } from '../../src/protocol/view.js';
import { limitWords, sourceWords } from '../../webview/transcript/limit-words.js';
import {
  beginningOf,
  beginningOfTree,
  isLong,
  SHOWN_LINES,
  sizeWords,
  stretchesOf,
} from '../../webview/transcript/long-text.js';
import { MAX_ROWS, RowWindow } from '../../webview/transcript/row-window.js';
import { rowsOf, type Row } from '../../webview/transcript/rows.js';
import { standsAtEnd } from '../../webview/transcript/scroll.js';
import { moneyWords } from '../../webview/transcript/usage-words.js';
import { waitingWords, waitsAtEnd, waitsByNotice } from '../../webview/transcript/waits.js';
import { post } from './webview-pictures.js';

const UTC = { locale: 'en-GB', zone: 'UTC' };
const rows = (from: number, to: number): Row[] =>
  Array.from({ length: to - from + 1 }, (_, at) => ({
    kind: 'post',
    key: `post/${from + at}`,
    post: post(from + at),
    continued: false,
  }));

describe('the rows that are mounted', () => {
  const windowOf = (all: readonly Row[]): RowWindow => {
    const made = new RowWindow(() => undefined);
    made.setRows(all);
    return made;
  };

  test.each([[1], [100], [101], [400], [5000]])('WV-5 of %i rows never more than the most', (count) => {
    const window = windowOf(rows(1, count));
    for (const at of [0, 700, 5000, 1e9]) {
      window.stand(at);
      expect(window.mounted(rows(1, 60).map(({ key }) => key)).rows.length).toBeLessThanOrEqual(MAX_ROWS);
    }
  });

  test('WV-5 are those at the end for who stands there, and the space above is that of the others', () => {
    const window = windowOf(rows(1, 400));
    window.stand('end');
    const { rows: shown, after } = window.mounted([]);
    expect(shown.at(-1)?.row.key).toBe('post/400');
    expect(after).toBe(0);
    expect(shown[0]?.space).toBe(window.startOf(shown[0]?.row.key ?? ''));
    expect(shown[0]?.space).toBeGreaterThan(1000);
  });

  test('all stand there when there are few: Find sees them', () => {
    const window = windowOf(rows(1, 90));
    window.stand(0);
    expect(window.mounted([]).rows).toHaveLength(90);
  });

  test('WX-11 one that is kept stays, with the space between', () => {
    const window = windowOf(rows(1, 400));
    window.stand(0);
    const { rows: shown } = window.mounted(['post/400']);
    expect(shown.at(-1)?.row.key).toBe('post/400');
    expect(shown.at(-1)?.space).toBeGreaterThan(1000);
  });

  test('WV-3 posts that come in above leave the place of a post the same number of pixels below its neighbours', () => {
    const window = windowOf(rows(101, 300));
    const before = (window.startOf('post/200') ?? 0) - (window.startOf('post/150') ?? 0);
    window.setRows(rows(1, 300));
    expect((window.startOf('post/200') ?? 0) - (window.startOf('post/150') ?? 0)).toBe(before);
    expect(window.rowAt(window.startOf('post/200') ?? 0)?.key).toBe('post/200');
    expect(window.startOf('post/999')).toBeNull();
  });
});

test.each([
  [true, false, 500, true],
  [true, true, 500, false],
  [true, true, 20, false],
  [true, true, 0, true],
  [false, false, 20, true],
  [false, false, 200, false],
])('WV-1 a reader who followed: %s, went up: %s, %i px above the end: stands at the end: %s', (was, up, below, is) => {
  expect(standsAtEnd(was, up, below)).toBe(is);
});

describe('where a forked conversation begins', () => {
  const kinds = (posts: readonly PostView[]): string[] => rowsOf(posts, UTC).map(({ kind }) => kind);
  const old = (revision: number): PostView => post(revision, { isInherited: true });

  test('a line stands before the first post of its own', () => {
    expect(kinds([old(1), old(2), post(3)])).toEqual(['day', 'post', 'post', 'fork', 'post']);
  });
  test('and after the last inherited one while there is none', () => {
    expect(kinds([old(1)])).toEqual(['day', 'post', 'fork']);
  });
});

describe('WV-12 a long post', () => {
  const lines = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at}`).join('\n');

  test.each([
    [lines(40), false],
    [lines(41), true],
    ['x'.repeat(4000), false],
    ['x'.repeat(4001), true],
  ])('%#: is cut: %s', (text, long) => {
    expect(isLong(text)).toBe(long);
  });

  test('says how much there is, by what makes it long', () => {
    expect(sizeWords(lines(1200))).toBe('1,200 lines');
    expect(sizeWords('x'.repeat(5000))).toBe('5,000 characters');
  });

  test('shows its first lines, and no half character', () => {
    expect(beginningOf(lines(90))).toBe(lines(SHOWN_LINES));
    expect(beginningOf(`x${'😀'.repeat(3000)}`).isWellFormed()).toBe(true);
    expect(beginningOf('short')).toBe('short');
  });

  const paragraph = (text: string): SafeBlock => ({ kind: 'paragraph', children: [{ kind: 'text', text }] });
  const trees: readonly (readonly [string, readonly SafeBlock[]])[] = [
    ['paragraphs', Array.from({ length: 90 }, (_, at) => paragraph(`p${at}`))],
    ['one paragraph of many lines', [paragraph(lines(90))]],
    ['code', [{ kind: 'codeBlock', language: 'ts', text: lines(90) }]],
    ['a quotation', [{ kind: 'quote', children: Array.from({ length: 90 }, (_, at) => paragraph(`p${at}`)) }]],
    [
      'a list',
      [
        {
          kind: 'list',
          ordered: false,
          start: 1,
          tight: true,
          items: Array.from({ length: 90 }, (_, at) => ({ checked: null, children: [paragraph(`p${at}`)] })),
        },
      ],
    ],
    [
      'a table',
      [
        {
          kind: 'table',
          align: [null],
          head: [[{ kind: 'text', text: 'head' }]],
          rows: Array.from({ length: 90 }, (_, at) => [[{ kind: 'text', text: `p${at}` }]]),
        },
      ],
    ],
    [
      'words in bold',
      [{ kind: 'paragraph', children: [{ kind: 'strong', children: [{ kind: 'text', text: lines(90) }] }] }],
    ],
  ];
  test.each(trees)('that is %s shows about as many lines of it', (_name, tree) => {
    const cut = JSON.stringify(beginningOfTree(tree));
    const shown = (cut.match(/line \d|p\d/gu) ?? []).length;
    expect(shown).toBeGreaterThan(SHOWN_LINES / 2);
    expect(shown).toBeLessThanOrEqual(SHOWN_LINES);
    expect(JSON.stringify(tree).startsWith(cut.slice(0, 60))).toBe(true);
  });

  test('that is short as a tree is shown as it is', () => {
    const tree = [paragraph('one'), paragraph('two')];
    expect(beginningOfTree(tree)).toEqual(tree);
  });
});

test('a text that grows keeps the stretches that it had', () => {
  let text = '';
  let before: string[] = [];
  for (let at = 0; at < 900; at += 1) {
    text += `Some words ${at}.\n`;
    const now = stretchesOf(text);
    expect(now.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
    expect(now.join('\n')).toBe(text);
    before = now;
  }
  expect(before.length).toBeGreaterThan(5);
});

describe('what waits for the person', () => {
  const limited = { chain: 'c', limit: 'hopCap' } as const;
  const limit: WaitView = { kind: 'limit', ...limited, roomId: 'main', next: ['helper'], canContinue: true };
  const failed: WaitView = {
    kind: 'turn',
    how: 'failed',
    memberId: 'helper',
    position: 'helper/4',
    roomId: 'main',
    message: 'No key.',
  };
  const notice = (revision: number, changes: Partial<PostView>): PostView =>
    post(revision, { sender: { kind: 'notice' }, ...changes });

  test('C07 stands at its own notice, the last of several', () => {
    const posts = [notice(1, { limited }), notice(2, { limited: { ...limited, chain: 'd' } }), notice(3, { limited })];
    expect([...waitsByNotice(posts, [limit])]).toEqual([['post/3', limit]]);
  });

  test('C22 a failed turn is found by its position, and a post of that turn is no notice', () => {
    const posts = [post(1, { position: 'helper/4' }), notice(2, { position: 'helper/4' })];
    expect([...waitsByNotice(posts, [failed])]).toEqual([['post/2', failed]]);
    expect([...waitsByNotice([post(1, { position: 'helper/4' })], [failed])]).toEqual([]);
  });

  test('stands at the end, and no longer at its notice, once something was said after that; and only in its room', () => {
    const posts = [notice(1, { limited }), post(2), notice(3, { position: 'helper/4' })];
    expect([...waitsByNotice(posts, [limit, failed])]).toEqual([['post/3', failed]]);
    expect(waitsAtEnd(posts, [limit, failed], 'main')).toEqual([limit]);
    expect(waitsAtEnd([], [limit, failed], 'side')).toEqual([]);
  });

  const sentences: readonly (readonly [WaitView, string])[] = [
    [limit, 'The team stopped: its hops are used up. @HELPER would be next.'],
    [{ ...limit, limit: 'costCeiling', next: [] }, 'The team stopped: its cost ceiling is reached.'],
    [failed, 'HELPER failed: No key.'],
    [{ ...failed, message: null }, 'HELPER failed.'],
    [{ ...failed, how: 'interrupted' }, 'HELPER was interrupted.'],
    [{ ...failed, how: 'stopped' }, 'HELPER was stopped.'],
  ];
  test.each(sentences)('%#: %s', (wait, words) => {
    expect(waitingWords(wait, (id) => id.toUpperCase())).toBe(words);
  });
});

test.each([
  ['hopCap', 6, '6 hops a chain'],
  ['hopCap', 1, '1 hop a chain'],
  ['hopCap', 0, 'No hops a chain'],
  ['costCeiling', null, 'No cost ceiling'],
  ['costCeiling', 0, '$0 a chain'],
  ['concurrency', 4, '4 turns at a time'],
  ['turnTimeoutMinutes', 30, '30 minutes a turn'],
] as const)('C28 the limit %s of %s is "%s"', (key, value, words) => {
  expect(limitWords({ key, value })).toBe(words);
});

test('C28 a limit of the machine says so', () => {
  expect(sourceWords({ source: 'machine' })).toContain('machine');
});

const used = { turns: 3, unknownCost: 0, cost: 0.42, inputTokens: 1, outputTokens: 1, mismatches: 0 };
test.each([
  [used, '$0.42'],
  [{ ...used, unknownCost: 1 }, '$0.42+'],
  [{ ...used, unknownCost: 3, cost: 0 }, 'unknown'],
])('CO-7 what %j cost is "%s"', (usage, words) => {
  expect(moneyWords(usage)).toBe(words);
});
