// The one mention parser: the composer, the sender of a post and members' replies all read a text with it, so that the
// chips a person sees are exactly the members that wake.
import { foldedCharacter, foldName } from './name-fold.js';
import { literalRanges, type TextRange } from './prose.js';

/** Who can be mentioned in a room. */
export interface MentionRoster {
  /** Id of the lead. */
  readonly lead: string;
  /** The members of the room, the lead among them, in the order of the team. */
  readonly members: readonly { readonly id: string; readonly name: string }[];
}

/** One mention in the text, `@` included; offsets are UTF-16 units of the text as given, `end` is exclusive. */
export interface MentionSpan {
  readonly start: number;
  readonly end: number;
  /** Whom it names: one id; for `@all` every member but the sender, which may be nobody. */
  readonly ids: readonly string[];
}

export interface ParsedMentions {
  /** Ids of the mentioned members, each once, in the order of the text. */
  readonly mentions: readonly string[];
  /** What looked like a mention and named nobody, as written without the `@`, each once. */
  readonly unresolved: readonly string[];
  readonly spans: readonly MentionSpan[];
}

/** What may not be a member's name; the team's lead alone may be called `lead`. */
export const RESERVED_NAMES: readonly string[] = ['lead', 'all', 'you', 'guest', 'user', 'system', 'everyone'];
/** Longest name of a member, in UTF-16 units. */
export const MAX_NAME_LENGTH = 64;

const CJK =
  '[\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Hang}\\p{sc=Bopo}\\u3001-\\u303f\\u30fb\\u30fc\\uff01-\\uff0f\\uff1a-\\uff20\\uff3b-\\uff40\\uff5b-\\uff65]';
/** What may stand before `@`. Marks of emphasis and invisible characters are looked through. */
const BEFORE = new RegExp(`^(?:[\\s\\p{Ps}\\p{Pi}"'<»”]|${CJK})$`, 'u');
const LOOKED_THROUGH = /[*_~\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/;
const CJK_CHARACTER = new RegExp(`^${CJK}$`, 'u');
const WORD = /^[\p{L}\p{N}\p{M}_]$/u;
/** What makes a name go on: `@ann-lee`, `@ann.dev`, `@ann/pkg`, `@ann@host`, `@d'arc` are not `ann` and `d`. */
const GOES_ON = /[-.'’/@\u2010\u2011\u200c\u200d][\p{L}\p{N}]/uy;
const POSSESSIVE = /['’](?:s|d|m|ll|re|ve)(?![\p{L}\p{N}\p{M}_])/iuy;
const EMPHASIS_END = /[*_~]+(?![\p{L}\p{N}\p{M}_*~])/uy;
/** What looks like a name: for the notice about somebody who is not there. */
const NAME_LIKE = /[\p{L}\p{N}][\p{L}\p{N}\p{M}_]*(?:[-.'’\u2010\u2011\u200c\u200d][\p{L}\p{N}][\p{L}\p{N}\p{M}_]*)*/uy;

/**
 * Reads the mentions of a text. `@` and a member's name or id, `@lead`, or `@all`; the longest name wins; case, normal
 * form and width do not matter. Code, URLs, link targets and quotations hold no mentions.
 * @param sender - id of who wrote the text (`you` for the person); `@all` leaves it out.
 * @returns never throws; members that the roster does not have are `unresolved`.
 */
export function parseMentions(text: string, roster: MentionRoster, sender?: string): ParsedMentions {
  if (!text.includes('@')) return { mentions: [], unresolved: [], spans: [] };
  const names = namesOf(roster, sender);
  const mentions = new Set<string>();
  const unresolved = new Map<string, string>();
  const spans: MentionSpan[] = [];
  for (const at of addresses(text, literalRanges(text))) {
    const found = longestName(text, at + 1, names);
    if (found !== null) {
      spans.push({ start: at, end: found.end, ids: found.ids });
      for (const id of found.ids) mentions.add(id);
      continue;
    }
    const written = nameLike(text, at + 1);
    // The person is no member, and is reached by any post: `@you` is no mistake.
    if (written !== null && foldName(written) !== 'you' && !unresolved.has(foldName(written))) {
      unresolved.set(foldName(written), written);
    }
  }
  return { mentions: [...mentions], unresolved: [...unresolved.values()], spans };
}

/**
 * The text without the `@` of whatever could be a mention, so that quoting it wakes nobody. Code and quotations lose
 * theirs too: a quote may come to stand where they are no longer code.
 */
export function stripMentions(text: string, roster: MentionRoster): string {
  const names = namesOf(roster, undefined);
  let stripped = text;
  // A second pass finds what the first has made (`@山@山` → `@山山`); text that needs more is not prose.
  for (let pass = 0; pass < 3; pass += 1) {
    let next = '';
    let from = 0;
    for (const at of addresses(stripped, [])) {
      if (longestName(stripped, at + 1, names) === null) continue;
      next += stripped.slice(from, at);
      from = at + 1;
    }
    if (from === 0) return stripped;
    stripped = next + stripped.slice(from);
  }
  return stripped.replaceAll('@', '');
}

/**
 * Checks a name before a member gets it.
 * @param name - any script, 1 to 64 UTF-16 units.
 * @param others - the names and ids of the other members of the team.
 * @param isLead - the name is that of the team's lead, which may be called `lead`.
 * @returns null when it is good, else what is wrong and what would be right, in words for a person.
 */
export function mentionNameProblem(name: string, others: readonly string[], isLead = false): string | null {
  if (name === '') return 'A member needs a name.';
  if (name.length > MAX_NAME_LENGTH) return `The name is longer than ${MAX_NAME_LENGTH} characters.`;
  if (!name.isWellFormed()) return 'The name is not valid Unicode text.';
  const folded = foldName(name);
  if (RESERVED_NAMES.includes(folded) && !(isLead && folded === 'lead')) {
    return `"${name}" is reserved. Choose another name.`;
  }
  if (!/^[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(name)) return 'The name must begin with a letter or a digit.';
  if (!/[\p{L}\p{N}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}]$/u.test(name)) {
    return 'The name must end with a letter or a digit.';
  }
  if (/[@`\\<>[\]*~\p{Cc}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}|(?![ \u00a0\u3000])\s/u.test(name)) {
    return 'The name may not contain @ ` \\ < > [ ] * ~ or invisible characters.';
  }
  if (/\s\s|:\/\/|www\.|['’](?:s|d|m|ll|re|ve)$/iu.test(name)) {
    return "The name may not contain two spaces in a row, look like a web address or end like “…'s”.";
  }
  const twin = others.find((other) => foldName(other) === folded);
  if (twin !== undefined) return `The name is the same as "${twin}" (case, accents' form and width do not count).`;
  // The last word is the parser's: what it cannot find again could never be addressed.
  const id = 'candidate';
  const roster = { lead: isLead ? id : '', members: [{ id, name }] };
  const findable = ['', '.', ', please', ')', "'s turn", '\u3000ok'].every((rest) => {
    const span = parseMentions(`@${name}${rest}`, roster).spans[0];
    return span?.start === 0 && span.end === name.length + 1 && span.ids[0] === id;
  });
  return findable ? null : 'A mention of this name could not be recognised. Choose a simpler one.';
}

interface Names {
  readonly ids: ReadonlyMap<string, readonly string[]>;
  /** Every beginning of a folded name: reading goes on only while one fits. */
  readonly beginnings: ReadonlySet<string>;
}

function namesOf(roster: MentionRoster, sender: string | undefined): Names {
  const ids = new Map<string, readonly string[]>();
  const add = (name: string, named: readonly string[]): void => {
    const folded = foldName(name);
    if (folded !== '' && !ids.has(folded)) ids.set(folded, named);
  };
  if (roster.members.some((member) => member.id === roster.lead)) add('lead', [roster.lead]);
  add(
    'all',
    roster.members.map((member) => member.id).filter((id) => id !== sender),
  );
  for (const member of roster.members) add(member.id, [member.id]);
  for (const member of roster.members) add(member.name, [member.id]);
  const beginnings = new Set<string>();
  for (const name of ids.keys()) {
    for (let length = 1; length <= name.length; length += 1) beginnings.add(name.slice(0, length));
  }
  return { ids, beginnings };
}

/** Offsets of every `@` outside `literal` that stands where a mention may begin. */
function* addresses(text: string, literal: readonly TextRange[]): Generator<number> {
  let range = 0;
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    while ((literal[range]?.end ?? Infinity) <= at) range += 1;
    if ((literal[range]?.start ?? Infinity) <= at) continue;
    if (mayFollow(text, at)) yield at;
  }
}

function mayFollow(text: string, at: number): boolean {
  let before = at - 1;
  // Bounded, so that a long run of marks costs what it is long, not its square.
  for (let looked = 0; looked < 16 && LOOKED_THROUGH.test(text[before] ?? ''); looked += 1) before -= 1;
  if (before < 0) return true;
  const unit = text.charCodeAt(before);
  const point = unit >= 0xdc00 && unit <= 0xdfff ? text.slice(before - 1, before + 1) : text.charAt(before);
  return BEFORE.test(point);
}

/** The longest name that begins at `at` and ends there as a word. */
function longestName(
  text: string,
  at: number,
  names: Names,
): { readonly end: number; readonly ids: readonly string[] } | null {
  let folded = '';
  let found: { end: number; ids: readonly string[] } | null = null;
  for (let next = foldedCharacter(text, at); next !== null; next = foldedCharacter(text, next.end)) {
    folded += next.folded;
    if (!names.beginnings.has(folded)) break;
    const ids = names.ids.get(folded);
    if (ids !== undefined && endsAt(text, next.end)) found = { end: next.end, ids };
  }
  return found;
}

/** True when a name that ends at `end` does not go on there. */
function endsAt(text: string, end: number): boolean {
  const after = String.fromCodePoint(text.codePointAt(end) ?? 0x20);
  if (after === '_') return matches(EMPHASIS_END, text, end);
  if (matches(POSSESSIVE, text, end)) return true;
  if (matches(GOES_ON, text, end)) return false;
  if (after === '\u200d' || /^\p{Emoji_Modifier}$/u.test(after)) return false;
  if (!WORD.test(after)) return true;
  // Scripts without spaces: `@ana请看` ends where the script changes, `@山田太郎` is not `山田`.
  const unit = text.charCodeAt(end - 1);
  const last = unit >= 0xdc00 && unit <= 0xdfff ? text.slice(end - 2, end) : text.charAt(end - 1);
  return CJK_CHARACTER.test(after) !== CJK_CHARACTER.test(last) || !/^[\p{L}\p{N}\p{M}\u200d]$/u.test(last);
}

function nameLike(text: string, at: number): string | null {
  NAME_LIKE.lastIndex = at;
  const written = NAME_LIKE.exec(text)?.[0];
  if (written === undefined) return null;
  const end = at + written.length;
  // `@scope/package` and `@name@host` are addresses of something else.
  if (/^[/@][\p{L}\p{N}]/u.test(text.slice(end, end + 3))) return null;
  return written.replace(/['’](?:s|d|m|ll|re|ve)$/iu, '').replace(/_+$/u, '');
}

function matches(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}
