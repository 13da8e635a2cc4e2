// Posts as markdown: what becomes a node, what stays text, and what it costs.
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import type { MentionRoster } from '../../src/core/team/mentions.js';
import { MAX_MARKDOWN_LENGTH, safeNodes } from '../../src/editor/markdown/safe-nodes.js';
import { SafeTree, type SafeBlock, type SafeInline } from '../../src/protocol/safe-node.js';
import { HOSTILE_TEXTS } from '../support/hostile-texts.js';
import { nodesOf, targetsOf, wordsOf } from '../support/safe-tree.js';

const ROSTER: MentionRoster = {
  lead: 'ada',
  members: [
    { id: 'ada', name: 'Ada' },
    { id: 'bo', name: 'Bo Berg' },
  ],
};

function tree(text: string, mentions: readonly string[] = []): SafeBlock[] {
  return safeNodes(text, { mentions, roster: ROSTER });
}

function inlines(text: string, mentions: readonly string[] = []): readonly SafeInline[] {
  const [block] = tree(text, mentions);
  if (block?.kind !== 'paragraph') throw new Error('It is no paragraph.');
  return block.children;
}

const text = (words: string): SafeInline => ({ kind: 'text', text: words });
const paragraph = (...children: SafeInline[]): SafeBlock => ({ kind: 'paragraph', children });
const plain = (words: string): SafeBlock => paragraph(text(words));

describe('blocks', () => {
  test.each<[what: string, written: string, shown: SafeBlock[]]>([
    ['nothing', ' \n\n', []],
    [
      'paragraphs, with newlines as they are',
      'a\nb\n\nc',
      [paragraph(text('a'), { kind: 'break' }, text('b')), plain('c')],
    ],
    ['a heading', '## Plan ##', [{ kind: 'heading', level: 2, children: [text('Plan')] }]],
    [
      'no heading under seven marks or none',
      '####### a\n#b',
      [paragraph(text('####### a'), { kind: 'break' }, text('#b'))],
    ],
    ['a line, not a heading, from hyphens below a text', 'a\n---', [plain('a'), { kind: 'rule' }]],
    [
      'a quotation',
      '> a\n> > b',
      [{ kind: 'quote', children: [plain('a'), { kind: 'quote', children: [plain('b')] }] }],
    ],
    [
      'code with its language',
      '```ts title=x\nlet a;\n\n```',
      [{ kind: 'codeBlock', language: 'ts title=x', text: 'let a;\n' }],
    ],
    ['code that is never closed', '~~~\na', [{ kind: 'codeBlock', language: '', text: 'a' }]],
    ['indented code', '    a\n      b', [{ kind: 'codeBlock', language: '', text: 'a\n  b' }]],
  ])('%s', (_what, written, shown) => {
    expect(tree(written)).toEqual(shown);
  });

  test('lists count from where they begin, and tasks have a box', () => {
    const item = (words: string, checked: boolean | null = null) => ({ checked, children: [plain(words)] });
    expect(tree('7. a\n8. b')).toEqual([
      { kind: 'list', ordered: true, start: 7, tight: true, items: [item('a'), item('b')] },
    ]);
    expect(tree('- [ ] a\n\n- [x] b\n\n- [c] d\n\n- [ ]')).toEqual([
      {
        kind: 'list',
        ordered: false,
        start: 1,
        tight: false,
        items: [item('a', false), item('b', true), item('[c] d'), item('[ ]')],
      },
    ]);
  });

  test('a table keeps the cells that its head has no column for', () => {
    expect(tree('| a | b |\n|:-:|--:|\n| 1 |\n| 1 | 2 | `3` | x\\|y |')).toEqual([
      {
        kind: 'table',
        align: ['center', 'right'],
        head: [[text('a')], [text('b')]],
        rows: [
          [[text('1')], []],
          [[text('1')], [text('2 | '), { kind: 'code', text: '3' }, text(' | x|y')]],
        ],
      },
    ]);
  });
});

describe('words', () => {
  test.each<[written: string, shown: SafeInline[]]>([
    [
      '**a** *b* ~~c~~',
      [
        { kind: 'strong', children: [text('a')] },
        text(' '),
        { kind: 'emphasis', children: [text('b')] },
        text(' '),
        { kind: 'strikethrough', children: [text('c')] },
      ],
    ],
    ['`a *b*`', [{ kind: 'code', text: 'a *b*' }]],
    ['snake_case_name and 2 * 3 * 4', [text('snake_case_name and 2 * 3 * 4')]],
    ['\\*a\\* C:\\Users\\x', [text('*a* C:\\Users\\x')]],
    ['&copy; &amp; <b>', [text('&copy; &amp; <b>')]],
    ['[a]: b', [text('[a]: b')]],
  ])('%s', (written, shown) => {
    expect(inlines(written)).toEqual(shown);
  });
});

describe('links', () => {
  const link = (target: object, words: string, title?: string): object => ({
    kind: 'link',
    target,
    ...(title === undefined ? {} : { title }),
    children: [text(words)],
  });
  const file = (path: string, more: object = {}): object => ({ kind: 'file', path, ...more });
  const web = (url: string): object => ({ kind: 'web', url });

  test.each<[written: string, shown: object[]]>([
    ['[a](https://x.example)', [link(web('https://x.example/'), 'a')]],
    ['[a](HTTPS://X.example/ü "t")', [link(web('https://x.example/%C3%BC'), 'a', 't')]],
    ['[](https://x.example/)', [link(web('https://x.example/'), 'https://x.example/')]],
    ['<https://x.example/>', [link(web('https://x.example/'), 'https://x.example/')]],
    [
      '(https://x.example/a_b_c).',
      [text('('), link(web('https://x.example/a_b_c'), 'https://x.example/a_b_c'), text(').')],
    ],
    ['**https://x.example**', [{ kind: 'strong', children: [link(web('https://x.example/'), 'https://x.example')] }]],
    ['请看https://x.example/a。', [text('请看'), link(web('https://x.example/a'), 'https://x.example/a'), text('。')]],
    ['[a](https://пример.example)', [link(web('https://xn--e1afmkfd.example/'), 'a')]],
    ['[a](src/b.ts)', [link(file('src/b.ts'), 'a')]],
    ['[a](./src/b.ts:12)', [link(file('src/b.ts', { line: 12 }), 'a')]],
    ['[a](src/b.ts:12:5)', [link(file('src/b.ts', { line: 12 }), 'a')]],
    ['[a](src/b.ts#L12)', [link(file('src/b.ts', { line: 12 }), 'a')]],
    ['[a](src/b.ts#L12-L20)', [link(file('src/b.ts', { line: 12, anchor: 'L12-L20' }), 'a')]],
    ['[a](texts/c.md#how-to)', [link(file('texts/c.md', { anchor: 'how-to' }), 'a')]],
    ['[a](<my file.md>)', [link(file('my file.md'), 'a')]],
    ['[a](my%20file.md)', [link(file('my file.md'), 'a')]],
    ['![a](shot.svg)', [link(file('shot.svg'), 'a')]],
  ])('%s', (written, shown) => {
    expect(inlines(written)).toEqual(shown);
  });

  test.each([
    'http://x.example/a',
    '[a](http://x.example/)',
    'www.x.example',
    'a@x.example',
    '<a@x.example>',
    'src/b.ts:12',
  ])('%s is text', (written) => {
    expect(inlines(written)).toEqual([text(written)]);
  });

  test('WX-3 a picture on the web is a link, one of the workspace a path', () => {
    expect(inlines('![a](https://x.example/p.png "t") ![b](img/p.PNG)')).toEqual([
      { kind: 'remoteImage', url: 'https://x.example/p.png', alt: 'a', title: 't' },
      text(' '),
      { kind: 'image', path: 'img/p.PNG', alt: 'b' },
    ]);
  });

  test('WX-3 a picture in a link stands behind it, so that both can be opened', () => {
    expect(inlines('[![a](https://x.example/p.png)](https://y.example/)')).toEqual([
      link(web('https://y.example/'), 'a'),
      { kind: 'remoteImage', url: 'https://x.example/p.png', alt: 'a' },
    ]);
  });
});

describe('mentions', () => {
  const ada: SafeInline = { kind: 'mention', ids: ['ada'], text: '@Ada' };
  const bo: SafeInline = { kind: 'mention', ids: ['bo'], text: '@Bo Berg' };

  test('WX-1 who was reached is marked, in every kind of text; code, quotations and others are not', () => {
    const written =
      '@Ada, **@Bo Berg**\r\n`@Ada` @Ada\n\n- x\n  @Bo Berg\n\n> @Ada\n\n# @Ada @Zoe\n\n@Bo Berg|b\n-|-\na | @Ada | @Ada';
    const marked = nodesOf(tree(written, ['ada', 'bo'])).filter(({ kind }) => kind === 'mention');
    expect(marked).toEqual([ada, bo, ada, bo, ada, bo, ada, ada]);
    expect(nodesOf(tree(written, ['bo'])).filter(({ kind }) => kind === 'mention')).toEqual([bo, bo, bo]);
    expect(nodesOf(tree(written)).filter(({ kind }) => kind === 'mention')).toEqual([]);
  });

  test('of @all only those that the post reached', () => {
    expect(inlines('@all: go', ['bo', 'gone'])).toEqual([{ kind: 'mention', ids: ['bo'], text: '@all' }, text(': go')]);
  });

  test('a mention in a link is marked there, in an address it is none', () => {
    expect(inlines('[@Ada](https://x.example/@Ada)', ['ada'])).toEqual([
      { kind: 'link', target: { kind: 'web', url: 'https://x.example/@Ada' }, children: [ada] },
    ]);
  });
});

describe('WX-1 hostile texts', () => {
  test('there are enough of them', () => {
    expect(new Set(HOSTILE_TEXTS).size).toBe(HOSTILE_TEXTS.length);
    expect(HOSTILE_TEXTS.length).toBeGreaterThan(100);
  });

  test.each(HOSTILE_TEXTS)(
    '%j becomes nodes of the closed tree, with links to https and the workspace only',
    (written) => {
      const nodes = tree(written);
      expect(v.parse(SafeTree, nodes)).toEqual(nodes);
      for (const target of targetsOf(nodes)) {
        if (target.kind === 'web')
          expect(new URL(target.url)).toMatchObject({ protocol: 'https:', username: '', password: '' });
        else expect(target.path).not.toMatch(/^[/~]?\/|^[a-z]+:|\\|(?:^|\/)\.\.(?:\/|$)|\0/i);
      }
    },
  );

  test.each(
    // Whatever has an https address in it may have a link to that.
    HOSTILE_TEXTS.filter(
      (one) => !/https:\/\//i.test(one) && /^!?\[x[^\]]*\]\((?!shot|~)|^<[a-z]+:|^<[a-z]+ |^javascript/i.test(one),
    ),
  )('%j is shown as text alone', (written) => {
    expect(
      nodesOf(tree(written)).filter(({ kind }) => !['paragraph', 'text', 'break', 'emphasis'].includes(kind)),
    ).toEqual([]);
  });
});

describe('too much', () => {
  const N = 100_000;
  test.each<[what: string, written: string]>([
    ['ten thousand quotations in each other', `${'>'.repeat(10_000)} x`],
    ['lists in lists', '- '.repeat(N / 2)],
    ['quotations and lists in turn', '> - '.repeat(N / 4)],
    ['a hundred thousand stars', '*'.repeat(N)],
    ['stars around everything', `${'**'.repeat(20_000)}a${'**'.repeat(20_000)}`],
    ['emphasis in emphasis', `${'*a `b` '.repeat(7000)}${'b*'.repeat(7000)}`],
    ['a million brackets', '['.repeat(1_000_000)],
    ['brackets as far as markdown goes', '['.repeat(MAX_MARKDOWN_LENGTH)],
    ['links never closed', '[a]('.repeat(N / 4)],
    ['pictures in pictures', `${'!['.repeat(900)}x${'](a.png)'.repeat(900)}`],
    ['a wide table', `${'|a'.repeat(20_000)}|\n${'|-'.repeat(20_000)}|\n${'a\n'.repeat(5000)}`],
    ['a long table', `|a|b|\n|-|-|\n${'|@Ada|b|c|\n'.repeat(8000)}`],
    ['backticks of every length', Array.from({ length: 430 }, (_, at) => '`'.repeat(at + 1)).join(' ')],
    ['addresses in addresses', 'https://a@'.repeat(N / 10)],
    ['brackets in each paragraph, just few enough', `${'['.repeat(1999)}\n\n`.repeat(49)],
    ['brackets and stars', `${'*['.repeat(1900)}\n\n`.repeat(26)],
    ['a deep quotation that goes on without marks', `${'>'.repeat(16)} a\n${'b\n'.repeat(49_000)}`],
    ['lines', 'a\n'.repeat(N / 2)],
    ['mentions', '@Ada '.repeat(N / 5)],
  ])('%s: nothing is lost, and the tree stays within its bounds', (_what, written) => {
    const nodes = tree(written, ['ada']);
    expect(v.safeParse(SafeTree, nodes).success).toBe(true);
    const letters = (words: string): number => words.replace(/[^a-z]/giu, '').length;
    expect(letters(wordsOf(nodes))).toBeGreaterThanOrEqual(letters(written));
  });

  test('a text past the bounds is shown as it was written', () => {
    const long = `**a**\n${'b'.repeat(MAX_MARKDOWN_LENGTH)}`;
    expect(tree(long)).toEqual([plain(long)]);
    const items = '- x\n'.repeat(20_000);
    expect(tree(items)).toEqual([plain(items)]);
  });

  test('a quotation in sixteen others is a paragraph with the marks that are left', () => {
    const [deepest] = nodesOf(tree(`${'>'.repeat(20)} x`)).filter(({ kind }) => kind === 'paragraph');
    expect(deepest).toEqual(plain('>>>> x'));
  });
});

describe('the schema', () => {
  const nested = (levels: number): unknown =>
    Array.from({ length: levels }).reduce<unknown[]>((children) => [{ kind: 'quote', children }], [{ kind: 'rule' }]);

  test.each<[what: string, value: unknown]>([
    ['another kind', [{ kind: 'html', text: '<b>' }]],
    ['another field', [{ kind: 'rule', onClick: 'x' }]],
    ['an inline among the blocks', [{ kind: 'text', text: 'x' }]],
    ['a seventh heading', [{ kind: 'heading', level: 7, children: [] }]],
    [
      'a script for a link',
      [paragraph({ kind: 'link', target: { kind: 'web', url: 'javascript:alert(1)' }, children: [] })],
    ],
    ['a picture without a cover', [paragraph({ kind: 'remoteImage', url: 'http://x.example/', alt: '' })]],
    ['a path that leads out', [paragraph({ kind: 'image', path: '../a.png', alt: '' })]],
    ['more depth than a post has', nested(40)],
    ['depth without end', nested(200_000)],
    ['more nodes than a post has', Array.from({ length: 60_000 }, () => ({ kind: 'rule' }))],
    ['what is no list', { kind: 'rule' }],
  ])('refuses %s', (_what, value) => {
    expect(v.safeParse(SafeTree, value).success).toBe(false);
  });

  test('takes the depth that a post may have', () => {
    expect(v.safeParse(SafeTree, nested(30)).success).toBe(true);
  });
});
