// How an answer is cut when it is written bit by bit: words with the space before them, long ones in parts.

/** @returns the text in order, whole characters, the same pieces for the same text; together they are the text. */
export function tokensOf(text: string): readonly string[] {
  return text.match(/\s*\S{1,8}|\s+/gu) ?? [];
}
