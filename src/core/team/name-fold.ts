// When two spellings are one name: normal form, case and width aside. Everything that compares names folds them here.

/** One character as a person sees it: conjoined Hangul, or a character with the marks that belong to it. */
const CLUSTER =
  /[\u1100-\u115f\ua960-\ua97c\uac00-\ud7a3][\u1160-\u11ff\ud7b0-\ud7fb]*\p{M}*|[^\n\r][\p{M}\uff9e\uff9f\p{Emoji_Modifier}]*/uy;
const WIDTH_FORM = /[\u3000\uff01-\uffee]/;

/** The next character of `text` at `at`, folded, and where it ends; null at the end of the line. */
export function foldedCharacter(text: string, at: number): { readonly folded: string; readonly end: number } | null {
  CLUSTER.lastIndex = at;
  const cluster = CLUSTER.exec(text)?.[0];
  if (cluster === undefined) return null;
  return { folded: foldCluster(cluster), end: at + cluster.length };
}

/** The form of a name that is compared: two names are the same name when this is equal. */
export function foldName(name: string): string {
  let folded = '';
  for (let next = foldedCharacter(name, 0); next !== null; next = foldedCharacter(name, next.end))
    folded += next.folded;
  return folded;
}

function foldCluster(cluster: string): string {
  if (/^[\p{ASCII}]$/v.test(cluster)) return cluster.toLowerCase();
  if (/^\s$/.test(cluster)) return ' ';
  const narrow = WIDTH_FORM.test(cluster) ? cluster.normalize('NFKC') : cluster;
  // Upper case first: it joins what lower case keeps apart (final sigma, sharp s).
  return narrow.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}
