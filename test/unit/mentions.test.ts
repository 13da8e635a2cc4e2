// The mention parser: who is meant, what names nobody, and which parts of a text are not an address.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mentionNameProblem, type MentionRoster, parseMentions, stripMentions } from '../../src/core/team/mentions.js';

const roster: MentionRoster = {
  lead: 'ana',
  members: [
    { id: 'ana', name: 'Ana' },
    { id: 'reviewer', name: 'Reviewer' },
    { id: 'chief', name: 'Chief' },
    { id: 'chief-khaliq', name: 'Khaliq' },
    { id: 'jose', name: 'José' },
    { id: 'yamada', name: '山田' },
    { id: 'hermes', name: 'Hermes｜居遊' },
    { id: 'rm', name: 'Release Manager' },
    { id: 'bot', name: '🤖 Bot' },
    { id: 'qa-2', name: 'Проверка' },
  ],
};
const everybody = roster.members.map((member) => member.id);

describe('who is mentioned', () => {
  const cases: readonly [title: string, text: string, mentions: readonly string[], unresolved?: readonly string[]][] = [
    ['C02 two members, in the order of the text', '@reviewer @chief look', ['reviewer', 'chief']],
    ['C03 each once', '@chief and @reviewer and @chief', ['chief', 'reviewer']],
    ['C04 a member that is not there', '@ghost hi', [], ['ghost']],
    ['C05 one that is and one that is not', '@ghost @reviewer hi, @Ghost!', ['reviewer'], ['ghost']],
    ['MR-1 an e-mail address is no mention', 'ask ops@reviewer.dev', []],
    ['MR-1 a handle on another host is no mention', 'ask @reviewer@example.org or @reviewer.dev', [], ['reviewer.dev']],
    ['MR-4 the longest name wins', '@chief-khaliq please', ['chief-khaliq']],
    ['MR-4 a longer word is never a shorter name', '@chief-khalid please', [], ['chief-khalid']],
    ['MR-4 nor is a word that only begins with it', '@reviewers', [], ['reviewers']],
    ['MR-7 a decomposed accent is the same name', '@Jose\u0301, please', ['jose']],
    ['MR-7 a composed accent too, in capitals', '@JOSÉ please', ['jose']],
    ['MR-8 width does not matter', '@hermes|居遊 please', ['hermes']],
    ['MR-9 an ideographic space ends the mention', '@山田\u3000確認', ['yamada']],
    ['MR-9 so does ideographic punctuation', '@山田、確認。', ['yamada']],
    ['a longer name in the same script is somebody else', '@山田太郎 確認', [], ['山田太郎']],
    ['a change of script ends the mention', '@reviewer请看', ['reviewer']],
    ['CJK text may stand before', '请@reviewer看', ['reviewer']],
    ['names in Cyrillic, any case', '@проверка!', ['qa-2']],
    ['names with a space', '@release manager: go', ['rm']],
    ['names with an emoji', '@🤖 bot go', ['bot']],
    [
      'trailing punctuation ends it',
      '@reviewer, @chief: @ana! (@jose)? "@rm".',
      ['reviewer', 'chief', 'ana', 'jose', 'rm'],
    ],
    ['a possessive ends it', "@reviewer's draft and @chief’s", ['reviewer', 'chief']],
    ['three dots end it', '@reviewer...', ['reviewer']],
    ['two hyphens end it', '@reviewer--please', ['reviewer']],
    ['brackets and quotes may stand before', '(@ana [@chief “@reviewer «@jose', ['ana', 'chief', 'reviewer', 'jose']],
    ['emphasis is looked through', '**@reviewer** and _@chief_ and ~~@ana~~', ['reviewer', 'chief', 'ana']],
    ['an underscore goes on', 'x_@reviewer @reviewer_2', [], ['reviewer_2']],
    ['letters, digits and punctuation may not stand before', 'a@ana 1@ana .@ana /@ana @@ana', []],
    ['@lead is the lead', '@lead and @LEAD', ['ana']],
    ['@all is everybody', '@all look', everybody],
    [
      '@all and a name: each once, in the order of the text',
      '@chief @all',
      ['chief', ...everybody.filter((id) => id !== 'chief')],
    ],
    ['@all-hands is not @all', '@all-hands', [], ['all-hands']],
    ['@everyone is nobody', '@everyone look', [], ['everyone']],
    ['@you is the person: no member, and no mistake', 'done, @you', []],
    ['a package is no member', 'install @scope/pkg', []],
    ['a lone sign is nothing', '@ @, @', []],
  ];
  test.each(cases)('%s: %s', (_title, text, mentions, unresolved = []) => {
    const parsed = parseMentions(text, roster);
    expect(parsed.mentions).toEqual(mentions);
    expect(parsed.unresolved).toEqual(unresolved);
  });

  test('@all leaves out who wrote it', () => {
    expect(parseMentions('@all', roster, 'ana').mentions).toEqual(everybody.filter((id) => id !== 'ana'));
    expect(parseMentions('@all', { lead: 'a', members: [{ id: 'a', name: 'A' }] }, 'a')).toEqual({
      mentions: [],
      unresolved: [],
      spans: [{ start: 0, end: 4, ids: [] }],
    });
  });

  test('spans point into the text as it was given', () => {
    const text = '🙂 @Jose\u0301! 「@ＲＥＶＩＥＷＥＲ」';
    const spans = parseMentions(text, roster).spans;
    expect(spans.map((span) => text.slice(span.start, span.end))).toEqual(['@Jose\u0301', '@ＲＥＶＩＥＷＥＲ']);
    expect(spans.map((span) => span.ids)).toEqual([['jose'], ['reviewer']]);
  });

  test('a lead that is not in the room is not reached by @lead', () => {
    const room = { lead: 'ana', members: [{ id: 'chief', name: 'Chief' }] };
    expect(parseMentions('@lead @ana', room)).toMatchObject({ mentions: [], unresolved: ['lead', 'ana'] });
  });
});

describe('MR-3 what is not an address', () => {
  const cases: readonly [title: string, text: string][] = [
    ['a code span', 'see `@reviewer/pkg` and `@reviewer`'],
    ['a code span of two backticks', '``x ` @reviewer`` done'],
    ['a code span over two lines', '`a\n@reviewer b`'],
    ['a fenced block', '```\n@reviewer\n```'],
    ['a fenced block with a language', '~~~~ts\n@reviewer\n~~~\n@reviewer\n~~~~'],
    ['a fenced block that nobody closed', 'look:\n```\n@reviewer\n\n@reviewer'],
    ['a fenced block in a list', '- one\n  ```\n  @reviewer\n  ```'],
    ['indented code', 'look:\n\n    @reviewer\n\t@reviewer\n\n    @reviewer'],
    ['indented code at the start', '    @reviewer'],
    ['indented code in a list', '- one\n\n      @reviewer'],
    ['a URL', 'https://example.com/?q=(@reviewer'],
    ['a URL without a scheme', 'www.example.com/"@reviewer'],
    ['a link target', '[docs](@reviewer) and [docs](a(b) "@reviewer")'],
    ['a link definition', '[docs]: /url "@reviewer"'],
    ['a backslash', '\\@reviewer'],
    ['a block quote', '> @reviewer\n>@reviewer'],
    ['a quote in a list', '- > @reviewer'],
    ['a fence in a quote', '> ```\n> @reviewer'],
  ];
  test.each(cases)('%s: %s', (_title, text) => {
    expect(parseMentions(text, roster)).toEqual({ mentions: [], unresolved: [], spans: [] });
  });

  const after: readonly [title: string, text: string][] = [
    ['a code span that is closed', '`x` @reviewer'],
    ['a backtick that nothing closes', '` @reviewer'],
    ['an escaped backtick', '\\` \\` @reviewer'],
    ['a code span does not reach over an empty line', '`a\n\n@reviewer b`'],
    ['a fence that is closed', '```\nx\n```\n@reviewer'],
    ['an indented line of a paragraph', 'look\n    @reviewer'],
    ['the text of a list item', '1. one\n\n   @reviewer'],
    ['a nested list item', '- one\n    - @reviewer'],
    ['a URL and a space', 'https://example.com/a @reviewer'],
    ['a URL and CJK punctuation', '见https://example.com/a。@reviewer'],
    ["a link's text", '[@reviewer](https://example.com)'],
    ['parentheses that are no link', 'look (@reviewer)'],
    ['a line below a quotation', '> they said\n@reviewer what do you think?'],
    ['a heading', '# @reviewer'],
    ['Windows line ends', '```\r\n@chief\r\n```\r\n@reviewer'],
  ];
  test.each(after)('but %s leaves the mention: %s', (_title, text) => {
    expect(parseMentions(text, roster).mentions).toEqual(['reviewer']);
  });
});

describe('names', () => {
  test.each(['lead', 'All', 'YOU', 'guest', 'user', 'system', 'everyone', 'ＡＬＬ'])('%s is reserved', (name) => {
    expect(mentionNameProblem(name, [])).toContain('reserved');
  });

  test('the lead itself may be called lead', () => {
    expect(mentionNameProblem('Lead', [], true)).toBeNull();
    expect(mentionNameProblem('all', [], true)).toContain('reserved');
  });

  test.each([
    'Ana',
    'chief-khaliq',
    '山田 太郎',
    'José',
    'Hermes｜居遊',
    'J. R. Smith',
    'نگار',
    '🤖 Bot',
    "D'Arcy",
    'R2',
  ])('MR-5 %s is good', (name) => expect(mentionNameProblem(name, ['other'])).toBeNull());

  test.each([
    '',
    ' Ana',
    'Ana ',
    'Ana [TF]',
    'Ana (x)',
    'Ana.',
    'a@b',
    'a\nb',
    '`a`',
    'a\u200bb',
    'a  b',
    "Ann's",
    'x'.repeat(65),
    '\ud800',
    '*a*',
    '\u0301a',
  ])('MR-5 %j is refused, with a reason', (name) => expect(mentionNameProblem(name, [])).toMatch(/\.$/));

  test.each([
    ['JOSE\u0301', 'José'],
    ['ＡＮＡ', 'ana'],
    ['ﾊﾞ', 'バ'],
    ['ΟΔΟΣ', 'οδος'],
  ])('MR-7 %s is the same name as %s', (name, other) => {
    expect(mentionNameProblem(name, [other])).toContain('same');
  });
});

describe('quoting', () => {
  test('a quoted text wakes nobody, and only signs go', () => {
    expect(stripMentions('@Reviewer and @ghost, mail ops@reviewer.dev', roster)).toBe(
      'Reviewer and @ghost, mail ops@reviewer.dev',
    );
    expect(stripMentions('> @reviewer `@chief`', roster)).toBe('> reviewer `@chief`');
  });
});

describe('properties', () => {
  const piece = fc.constantFrom(
    '@',
    '`',
    '```',
    '\n',
    ' ',
    '    ',
    '> ',
    '- ',
    '[',
    '](',
    ')',
    '\\',
    'https://',
    'reviewer',
    'all',
    'lead',
    '山田',
    '山',
    '*',
    '_',
    '\u0301',
    '\ud800',
    "'s",
    '~~~',
    '\u3000',
    'José',
  );
  const text = fc.oneof(
    fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')),
    fc.string({ unit: 'binary' }),
  );

  test('no text throws; spans lie in the text, in order, and agree with the mentions', () => {
    fc.assert(
      fc.property(text, (value) => {
        const parsed = parseMentions(value, roster, 'you');
        let last = 0;
        for (const span of parsed.spans) {
          expect(span.start).toBeGreaterThanOrEqual(last);
          expect(span.end).toBeGreaterThan(span.start);
          expect(value[span.start]).toBe('@');
          last = span.end;
        }
        expect(last).toBeLessThanOrEqual(value.length);
        expect(parsed.mentions).toEqual([...new Set(parsed.spans.flatMap((span) => span.ids))]);
      }),
      { numRuns: 500 },
    );
  });

  test('a stripped text mentions nobody, wherever it is put', () => {
    fc.assert(
      fc.property(text, fc.constantFrom('', '> ', '`', 'Reviewed: ', '    '), (value, before) => {
        expect(parseMentions(before + stripMentions(value, roster), roster).mentions).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  test('a good name is always found again, whatever may follow it', () => {
    const name = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
      fc
        .array(
          fc.constantFrom(
            'a',
            'É',
            'ß',
            '山',
            'ー',
            '가',
            'ﾊ',
            '｜',
            ' ',
            '-',
            '.',
            "'",
            '_',
            '(',
            '1',
            '🤖',
            '\u0301',
            ':',
            '/',
            '#',
            's',
          ),
          { minLength: 1, maxLength: 8 },
        )
        .map((parts) => parts.join('')),
    );
    const before = fc.constantFrom('', 'so ', '(', '“', '请', '\n', '**');
    const rest = fc.constantFrom(
      '',
      '.',
      ', look',
      '! a',
      "'s turn",
      '’s',
      '\u3000ok',
      '\n',
      ')',
      '**',
      ': `x`',
      '。',
      '; https://a.b/c',
      '? [a](b)',
    );
    fc.assert(
      fc.property(name, before, rest, (value, lead, tail) => {
        fc.pre(mentionNameProblem(value, ['other']) === null);
        const found = parseMentions(`${lead}@${value}${tail}`, {
          lead: 'other',
          members: [{ id: 'found', name: value }],
        });
        expect(found.spans).toEqual([{ start: lead.length, end: lead.length + value.length + 1, ids: ['found'] }]);
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    'a',
    '@',
    ' @',
    '`',
    '](',
    '[',
    'https://',
    '\u0301',
    ' @\u0301',
    '- ',
    '> ',
    '    @a\n',
    '_@',
    '\\',
    '@山',
    '~~~ ',
  ])('100 kB of %j take no longer than they are long', (unit) => {
    const started = performance.now();
    const value = `${unit.repeat(Math.ceil(100_000 / unit.length))} @ana`;
    parseMentions(value, roster);
    stripMentions(value, roster);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
