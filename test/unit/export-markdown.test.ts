// A conversation exported as Markdown: it shows what was said, and previewing it runs and loads nothing.
import MarkdownIt from 'markdown-it';
import { describe, expect, test } from 'vitest';
import { safeNodes } from '../../src/editor/markdown/safe-nodes.js';
import { markdownText, plainMarkdown } from '../../src/editor/conversations/markdown-text.js';
import { Conversation } from '../../src/runtime/conversation.js';
import { exportMarkdown, type MarkdownWords } from '../../src/runtime/export-markdown.js';
import { HOSTILE_TEXTS } from '../support/hostile-texts.js';
import { host, memoryStorage, post, ruleEngine, settled, team } from '../support/live-team.js';

const NOBODY = { mentions: [], roster: { lead: 'ana', members: [{ id: 'ana', name: 'Ana' }] } };

const written = (text: string): string => markdownText(safeNodes(text, NOBODY));

/** A preview as permissive as they come: HTML on, bare addresses are links. */
const preview = new MarkdownIt({ html: true, linkify: true });
preview.normalizeLinkText = (address) => address;

/** Everything that a preview makes of a text. */
function tokensOf(markdown: string) {
  return preview.parse(markdown, {}).flatMap((token) => [token, ...(token.children ?? [])]);
}

/** What is there to be read, without white space. */
function words(markdown: string): string {
  const shown = tokensOf(markdown).filter(({ type }) => ['text', 'code_inline', 'fence', 'code_block'].includes(type));
  return shown
    .map(({ content }) => content)
    .join('')
    .replaceAll(/\s/g, '');
}

/** The same of the nodes that the panel would draw. */
function wordsOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(wordsOf).join('');
  if (typeof value !== 'object' || value === null) return '';
  const node = value as Partial<Record<'kind' | 'text' | 'alt' | 'url' | 'path', string>> & {
    checked?: boolean | null;
  };
  const box = typeof node.checked === 'boolean' ? (node.checked ? '[x]' : '[ ]') : '';
  if (node.kind === 'remoteImage' || node.kind === 'image')
    return node.alt === '' ? (node.url ?? node.path ?? '') : (node.alt ?? '');
  const inside = ['head', 'rows', 'items', 'children'].map((key) => wordsOf((value as Record<string, unknown>)[key]));
  return box + (node.text ?? '') + inside.join('');
}

describe('A post in an exported file', () => {
  test.each(HOSTILE_TEXTS.map((text) => [text]))('WX-1 WX-3 runs and loads nothing: %j', (text) => {
    for (const one of [text, `- ${text}`, `> ${text}`, `before\n${text}\nafter`, `| a |\n|---|\n| ${text} |`]) {
      const tokens = tokensOf(written(one));
      expect(tokens.filter(({ type }) => ['html_block', 'html_inline', 'image'].includes(type))).toEqual([]);
      const addresses = tokens
        .flatMap(({ attrs }) => attrs ?? [])
        .filter(([name]) => name === 'href' || name === 'src');
      for (const [, address] of addresses) expect(address).not.toMatch(/^(?:javascript|data|vbscript|file|command):/i);
      expect(words(written(one))).toBe(wordsOf(safeNodes(one, NOBODY)).replaceAll(/\s/g, ''));
    }
  });

  test.each([
    ['a picture of the web is a link', '![a map](https://example.com/map.png)', '[a map](https://example.com/map.png)'],
    ['a picture of the workspace too', '![](media/map.png)', '[media/map.png](media/map.png)'],
    ['HTML is text', '<b>bold</b> & &amp; 1 < 2', '&lt;b>bold&lt;/b> & &amp;amp; 1 &lt; 2'],
    ['a newline is a newline', 'one\ntwo', 'one\\\ntwo'],
    [
      'marks that were text stay text',
      '1\\. no list\n\\# no heading\n2 * 3 * 4',
      '1\\. no list\\\n\\# no heading\\\n2 \\* 3 \\* 4',
    ],
    ['emphasis stays', '**bold**, *soft*, ~~gone~~, `code`', '**bold**, *soft*, ~~gone~~, `code`'],
    ['a heading stands under that of its post', '# One', '#### One'],
    ['a fence is longer than any inside', '````md\n```js\n1\n```\n````', '````md\n```js\n1\n```\n````'],
    ['a fence that was never closed ends with its post', '```js\nlet a;', '```js\nlet a;\n```'],
    ['a diagram is shown as it was written', '```mermaid\ngraph TD\n```', '```text\ngraph TD\n```'],
    ['lists keep their numbers, boxes and depth', '3. a\n   - [x] b\n4. c', '3. a\n   - [x] b\n4. c'],
    ['a quote stays a quote', '> a\n>\n> b', '> a\n>\n> b'],
    ['a table stays a table', '| a | b |\n|:--|--:|\n| `x\\|y` | 2 |', '| a | b |\n| :-- | --: |\n| `x\\|y` | 2 |'],
    ['what looks like mathematics is text', 'costs $5 and $6', 'costs \\$5 and \\$6'],
    [
      'a link keeps where it leads',
      '[a](https://example.com/a?b=1&c=(2))',
      '[a](https://example.com/a?b=1&amp;c=%282%29)',
    ],
    ['a link into the workspace keeps its line', '[a](src/a%20b.ts#L3)', '[a](src/a%20b.ts#L3)'],
  ])('%s', (_what, text, expected) => {
    expect(written(text)).toBe(expected);
  });

  test('a name is one line of text, whatever stands in it', () => {
    expect(plainMarkdown('# <b>*x*\n![y](z)')).toBe('\\# &lt;b>\\*x\\* !\\[y\\](z)');
  });
});

test('a conversation is exported room by room, as of the moment it was asked for', async () => {
  const storage = memoryStorage();
  const engine = ruleEngine(({ member }) =>
    member.id === 'ana' ? '@legal <img src=x onerror=alert(1)>\n\n```\nopen' : 'Fine.',
  );
  const rooms = [
    { id: 'room', members: ['ana', 'legal'] },
    { id: 'empty', members: ['ana', 'legal'] },
  ];
  const conversation = await Conversation.start(host(storage, engine), team(['ana', 'legal'], { rooms }), []);
  await post(conversation, '# Hello <script>alert(1)</script>');
  await settled(conversation);
  const { state } = await conversation.status();
  await post(conversation, 'Later.');
  await settled(conversation);
  const words: MarkdownWords = {
    title: 'A *title*',
    about: ['Team: Field'],
    membersHeading: 'Members',
    roomEmpty: 'Nothing was said here.',
    head: ({ sender, hop }) => `${sender}${hop === null ? '' : ` · hop ${hop.hop} of ${hop.cap}`}`,
    notice: ({ kind }) => kind,
    body: ({ text, mentions }) => markdownText(safeNodes(text, { ...NOBODY, mentions })),
    plain: plainMarkdown,
  };
  let text = '';
  for await (const piece of exportMarkdown({ storage, state, team: conversation.team, words })) text += piece;
  expect(text).toBe(`# A \\*title\\*

Team: Field

## Members

- **Ana**: the ana
- **Legal**: the legal

## Room

### you

#### Hello &lt;script>alert(1)&lt;/script>

### ana · hop 0 of 8

@legal &lt;img src=x onerror=alert(1)>

\`\`\`
open
\`\`\`

### legal · hop 1 of 8

Fine.

## Empty

Nothing was said here.

`);
  await conversation.close();
});
