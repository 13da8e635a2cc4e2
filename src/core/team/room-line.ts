// One line of a room file: `<sender> [<message id>] @<mention> …: <text>`. For reading, not for parsing back.
// Rules: docs/run-record.md § Room files.

/** What a line shows of a message. */
export interface RoomLineMessage {
  readonly sender: string;
  readonly id: string;
  readonly mentions: readonly string[];
  readonly text: string;
}

/** The line of one message, with its newline. Each value is escaped on its own; mentions stand as given, repeats too. */
export function roomLine({ sender, id, mentions, text }: RoomLineMessage): string {
  const head = `${escapeRoomText(sender)} [${escapeRoomText(id)}]`;
  const called = mentions.map((mention) => ` @${escapeRoomText(mention)}`).join('');
  return `${head}${called}: ${escapeRoomText(text)}\n`;
}

const NAMED: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

// Backslash, the C0 and C1 controls, and the two separators that many programs treat as line ends.
// eslint-disable-next-line no-control-regex -- control characters are what it looks for
const ESCAPED = /[\\\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

/** `text` on one line: newlines and control characters become escapes, everything else stays. */
export function escapeRoomText(text: string): string {
  return text.replace(
    ESCAPED,
    (character) => NAMED[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
