// Any text whatever: the tree is one that the panel takes, and says every word of it.
import fc from 'fast-check';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import type { MentionRoster } from '../../src/core/team/mentions.js';
import { blockTree } from '../../src/editor/markdown/block-tree.js';
import { MentionPlaces } from '../../src/editor/markdown/mention-places.js';
import { parse } from '../../src/editor/markdown/parser.js';
import { safeNodes } from '../../src/editor/markdown/safe-nodes.js';
import { SafeTree } from '../../src/protocol/safe-node.js';
import { nodesOf, targetsOf, wordsOf } from '../support/safe-tree.js';

const ROSTER: MentionRoster = {
  lead: 'ada',
  members: [
    { id: 'ada', name: 'Ada' },
    { id: 'bo', name: 'Bo Berg' },
  ],
};
const MENTIONS = { mentions: ['ada', 'bo'], roster: ROSTER };

const MARKS = [
  ...[
    '*',
    '**',
    '_',
    '~~',
    '`',
    '``',
    '```',
    '~~~',
    '#',
    '##',
    '>',
    '- ',
    '1. ',
    '7) ',
    '+ ',
    '- [x] ',
    '---',
    '===',
    '|',
    '|-|-|',
  ],
  ...[
    '[',
    ']',
    '](',
    ')',
    '![',
    '<',
    '>',
    '"',
    "'",
    '\\',
    '\n',
    '\n\n',
    '\r\n',
    '    ',
    '\t',
    ' ',
    ' ',
    '  \n',
    ':',
    '#',
    '&amp;',
    '&#106;',
  ],
  ...[
    'https://',
    'http://',
    'javascript:',
    '://',
    '//',
    'x.example',
    'a.ts',
    'p.png',
    '/',
    '..',
    '%2e',
    '@',
    '@Ada',
    '@Bo Berg',
    '@all',
  ],
  ...[
    '[a]: ',
    '[b](c.md#d)',
    '![e](f.gif "g")',
    '<https://h.example>',
    '<b>',
    '</b>',
    '<!--',
    '\u202e',
    '\0',
    '\u00a0',
    '你好',
    '。',
    '🙂',
  ],
];
const marked = fc
  .array(fc.oneof(fc.constantFrom(...MARKS), fc.constantFrom('one', 'two', 'tres', 'café', '日本')), { maxLength: 60 })
  .map((pieces) => pieces.join(''));
const anything = fc.oneof({ weight: 4, arbitrary: marked }, fc.string({ unit: 'binary', maxLength: 200 }), fc.lorem());

/** What normal form does to an address changes its words; these are left out where words are counted. */
const CHANGES_ADDRESSES = /\.\.|%|&|[^\0-\x7f]/;
const asciiMarked = fc
  .array(fc.constantFrom(...MARKS.filter((mark) => !CHANGES_ADDRESSES.test(mark)), 'one', 'two', 'tres', 'B'), {
    maxLength: 60,
  })
  .map((pieces) => pieces.join(''));
const withoutAddresses = anything.filter((text) => !text.includes('://'));

test('WX-1 any text becomes a tree that the panel takes', () => {
  fc.assert(
    fc.property(anything, (text) => {
      const tree = safeNodes(text, MENTIONS);
      expect(v.parse(SafeTree, tree)).toEqual(tree);
      for (const target of targetsOf(tree)) {
        expect(target.kind === 'web' ? target.url : `file:${target.path}`).toMatch(/^(?:https:\/\/|file:[^/])/);
      }
    }),
    { numRuns: 2000 },
  );
});

test('no word of a text is missing in what is shown of it', () => {
  fc.assert(
    fc.property(fc.oneof(asciiMarked, withoutAddresses), (text) => {
      const shown = decoded(wordsOf(safeNodes(text, MENTIONS))).toUpperCase();
      const words = decoded(text).match(/\p{L}+/gu) ?? [];
      expect(words.filter((word) => !shown.includes(word.toUpperCase()))).toEqual([]);
    }),
    { numRuns: 3000 },
  );
});

test('the same text is the same tree, and what was said before does not matter', () => {
  fc.assert(
    fc.property(anything, anything, (text, other) => {
      const first = safeNodes(text, MENTIONS);
      safeNodes(other, MENTIONS);
      expect(safeNodes(text, MENTIONS)).toEqual(first);
    }),
    { numRuns: 300 },
  );
});

test('a plain text is the same with the parser and without it', () => {
  const lines = fc.constantFrom(
    'one',
    'two words',
    'a & b',
    'é!',
    '',
    '',
    '\n',
    'x = y',
    '100% #1',
    ':)',
    '"q"',
    '1.5 is',
    '日本。',
  );
  fc.assert(
    fc.property(fc.array(lines, { maxLength: 12 }), (some) => {
      const text = some.join('\n');
      const none = { mentions: [], roster: ROSTER };
      expect(safeNodes(text, none)).toEqual(blockTree(parse(text, new MentionPlaces(text, [], ROSTER))));
    }),
    { numRuns: 1000 },
  );
});

test('every mention node names an addressee and stands in the text as it is written', () => {
  fc.assert(
    fc.property(marked, (text) => {
      const written = text.replaceAll('\0', '\ufffd');
      for (const node of nodesOf(safeNodes(text, { mentions: ['bo'], roster: ROSTER }))) {
        if (node.kind !== 'mention') continue;
        expect(node.ids).toEqual(['bo']);
        expect(written).toContain(node.text);
      }
    }),
    { numRuns: 2000 },
  );
});

/** Paths are shown with their escapes resolved, of either kind: they stand for the same words. */
function decoded(text: string): string {
  return text
    .replace(/&#106;/g, 'j')
    .replace(/&amp;/g, '&')
    .replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
      try {
        return decodeURIComponent(escapes);
      } catch {
        return escapes;
      }
    });
}
