// Time, days, grouping and the digest of the transcript.
import { describe, expect, test } from 'vitest';
import { digest } from '../../webview/store/spoken.js';
import { rowsOf } from '../../webview/transcript/rows.js';
import { clock, dayKey, dayLabel, elapsed, type Reader } from '../../webview/transcript/time.js';
import { listOf } from '../../webview/words.js';
import { post } from './webview-pictures.js';

const UTC: Reader = { locale: 'en-GB', zone: 'UTC' };
const AUCKLAND: Reader = { locale: 'en-GB', zone: 'Pacific/Auckland' };
const NOW = Date.parse('2026-03-02T12:00:00Z');

describe('time', () => {
  test('the clock and the day are those of the reader', () => {
    expect(clock('2026-03-02T10:05:00Z', UTC)).toBe('10:05');
    expect(clock('2026-03-02T10:05:00Z', AUCKLAND)).toBe('23:05');
    expect(dayKey('2026-03-02T11:30:00Z', UTC)).toBe('2026-03-02');
    expect(dayKey('2026-03-02T11:30:00Z', AUCKLAND)).toBe('2026-03-03');
  });

  test.each([
    ['2026-03-02T00:00:00Z', 'Today'],
    ['2026-03-01T23:59:59Z', 'Yesterday'],
    ['2026-02-28T12:00:00Z', 'Saturday 28 February 2026'],
  ])('the day of %s is %s', (at, label) => {
    expect(dayLabel(at, NOW, UTC).replace(',', '')).toBe(label);
  });

  test('a day of 23 hours still has a yesterday', () => {
    const london: Reader = { locale: 'en-GB', zone: 'Europe/London' };
    expect(dayLabel('2026-03-29T00:30:00Z', Date.parse('2026-03-29T23:30:00Z'), london)).toBe('Yesterday');
  });

  test.each([
    [0, '0 s'],
    [59, '59 s'],
    [60, '1 min'],
    [3600, '1 h 0 min'],
    [-5, '0 s'],
  ])('after %i seconds: %s', (seconds, words) => {
    expect(elapsed(new Date(NOW - seconds * 1000).toISOString(), NOW)).toBe(words);
  });

  test('a time that is none is shown as it is', () => {
    expect(clock('soon', UTC)).toBe('soon');
    expect(elapsed('soon', NOW)).toBe('');
  });
});

describe('rows', () => {
  const kinds = (posts: Parameters<typeof rowsOf>[0]): string[] =>
    rowsOf(posts, UTC).map((row) => (row.kind === 'post' && row.continued ? 'continued' : row.kind));

  test('a day stands before its first post', () => {
    expect(kinds([post(1), post(2, { at: '2026-03-03T10:00:00.000Z' })])).toEqual(['day', 'post', 'day', 'post']);
  });

  test('what one sender says in one breath stands under one head', () => {
    expect(kinds([post(1), post(2)])).toEqual(['day', 'post', 'continued']);
  });

  test.each([
    ['another sender', { sender: { kind: 'person' } as const }],
    ['other people', { to: ['lead'] }],
    ['another hop', { hop: { hop: 2, cap: 8 } }],
    ['a later time', { at: '2026-03-02T10:05:00.000Z' }],
  ])('%s begins a new head', (_name, changes) => {
    expect(kinds([post(1), post(2, changes)])).toEqual(['day', 'post', 'post']);
  });

  test('a notice stands alone and ends the breath', () => {
    const notice = post(2, { sender: { kind: 'notice' } });
    expect(kinds([post(1), notice, post(3)])).toEqual(['day', 'post', 'notice', 'post']);
  });

  test('every row has a key of its own', () => {
    const rows = rowsOf([post(1), post(2, { at: '2026-03-03T10:00:00.000Z' }), post(3)], UTC);
    expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
  });
});

describe('the digest for screen readers', () => {
  test('WX-8 sender and first words, and nothing of the person’s own', () => {
    const long = Array.from({ length: 30 }, (_, at) => `w${at}`).join(' ');
    const news = [
      post(1, { sender: { kind: 'person' } }),
      post(2, { text: 'Short\nand  sweet.' }),
      post(3, { text: long }),
      post(4, { sender: { kind: 'notice' }, text: 'Stopped.' }),
    ];
    expect(digest(news, (id) => id.toUpperCase()).split('\n')).toEqual([
      'HELPER: Short and sweet.',
      'HELPER: w0 w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11…',
      'Stopped.',
    ]);
  });
});

test.each([
  [[], ''],
  [['Ada'], 'Ada'],
  [['Ada', 'Bo'], 'Ada and Bo'],
  [['Ada', 'Bo', 'Cy'], 'Ada, Bo and Cy'],
])('the list of %j is "%s"', (names, words) => {
  expect(listOf(names)).toBe(words);
});
