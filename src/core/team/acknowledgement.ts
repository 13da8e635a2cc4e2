// C30, MR-13: a reply that only says thanks wakes nobody, or two polite members thank each other up to the cap.
// Rules: docs/rules.md § Mentions.

/** How many words an acknowledgement has at most, beside the mentions. */
const FEW_WORDS = 3;

/**
 * Words that acknowledge and ask for nothing. "@tech please" and "@dev review this" are short and yet hand work on, so
 * that being short is not enough.
 */
const ACKNOWLEDGING = new Set(
  `ok okay k kk ack acked acknowledged thanks thank you thx ty cheers noted got it done great good nice perfect cool super
  awesome excellent sure yes yep yeah agreed understood roger right fine will do sounds welcome so much very well all lgtm
  danke ok alles klar gut super verstanden erledigt merci d’accord bien reçu parfait gracias vale perfecto entendido hecho
  obrigado obrigada certo grazie bene perfetto
  谢谢 好的 收到 明白 了解 ありがとう 了解です 承知しました 感谢 고마워 고맙습니다 네 спасибо хорошо понял ок`
    .split(/\s+/u)
    .map((word) => word.replaceAll('’', "'")),
);

/**
 * True for a reply that, beside at least one mention, has one to three words that only acknowledge.
 * @param mentions - where the mentions stand in the text, in order.
 */
export function isAcknowledgement(
  text: string,
  mentions: readonly { readonly start: number; readonly end: number }[],
): boolean {
  let rest = '';
  let from = 0;
  for (const { start, end } of mentions) {
    rest += `${text.slice(from, start)} `;
    from = end;
  }
  rest += text.slice(from);
  // A question asks for something, and so do a link, a number or a piece of code.
  if (/[?？؟`\p{N}]/u.test(rest)) return false;
  const words =
    rest
      .normalize('NFC')
      .toLowerCase()
      .replaceAll('’', "'")
      .match(/[\p{L}\p{M}']*\p{L}\p{M}*/gu) ?? [];
  if (words.length === 0) return mentions.length > 0 && /\p{Extended_Pictographic}/u.test(rest);
  return words.length <= FEW_WORDS && words.every((word) => ACKNOWLEDGING.has(word));
}
