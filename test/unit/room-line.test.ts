// One line of a room file, whatever the text.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeRoomText, roomLine } from '../../src/core/team/room-line.js';

describe('a room line', () => {
  const message = { sender: 'ida', id: 'team/ida/1/0', text: 'Hello.' };

  test.each([
    ['nobody', [], 'ida [team/ida/1/0]: Hello.\n'],
    ['one', ['bo'], 'ida [team/ida/1/0] @bo: Hello.\n'],
    ['several, repeats as given', ['bo', 'ida', 'bo'], 'ida [team/ida/1/0] @bo @ida @bo: Hello.\n'],
  ])('mentions %s', (_title, mentions, line) => {
    expect(roomLine({ ...message, mentions })).toBe(line);
  });

  test('A-122 line ends and controls in any of its values are printed as escapes', () => {
    const text = 'a\nb\rc\td\u001be\u007ff\u0085g\u2028h\u2029i\\n\u0000';
    expect(escapeRoomText(text)).toBe('a\\nb\\rc\\td\\u001be\\u007ff\\u0085g\\u2028h\\u2029i\\\\n\\u0000');
    expect(roomLine({ sender: 'a\n', id: 'b\t', mentions: ['c\r'], text: 'd' })).toBe('a\\n [b\\t] @c\\r: d\n');
  });

  test('everything else stays', () => {
    const text = 'spaces [brackets]: @signs 🌱 é \u202e \u200b \u00a0';
    expect(escapeRoomText(text)).toBe(text);
  });

  test('any text is one line, and no two texts give the same one', () => {
    const text = fc.string({ unit: fc.constantFrom('\\', 'n', '\n', '\r', 'u', '0', '\u0000', '\u2028', 'a') });
    fc.assert(
      fc.property(text, text, (left, right) => {
        expect(escapeRoomText(left)).not.toMatch(/[\n\r\u0000\u2028]/); // eslint-disable-line no-control-regex
        expect(escapeRoomText(left) === escapeRoomText(right)).toBe(left === right);
      }),
    );
  });
});
