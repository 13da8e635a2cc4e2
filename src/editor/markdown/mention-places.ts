// Where the mentions of a post stand, so that the markdown parser can mark them. It knows lines and no offsets; but no
// mark of markdown is an `@`, so the n-th `@` of a line is the n-th in what the parser makes of that line.
import { parseMentions, type MentionRoster } from '../../core/team/mentions.js';

export interface PlacedMention {
  /** As written, with the `@`. */
  readonly text: string;
  readonly ids: readonly string[];
}

/** The mentions of one text that reached somebody. */
export class MentionPlaces {
  readonly #byPlace: ReadonlyMap<string, PlacedMention>;
  /** The part that is being parsed, and its mentions by their offset in it. */
  #content = '';
  #here: ReadonlyMap<number, PlacedMention> = new Map();

  /**
   * @param text of the post
   * @param addressees ids of the members that it was addressed to when it was recorded: the record's word, not ours
   */
  constructor(text: string, addressees: readonly string[], roster: MentionRoster) {
    this.#byPlace = addressees.length > 0 && text.includes('@') ? placesOf(text, addressees, roster) : new Map();
  }

  get isEmpty(): boolean {
    return this.#byPlace.size === 0;
  }

  /**
   * Says what is parsed next.
   * @param line of the text in which `content` begins, from 0
   * @param before how many `@` stand before it in that line
   * @returns how many `@` stand in it and before it, in its last line
   */
  enter(content: string, line: number, before: number): number {
    if (this.isEmpty) return 0;
    const here = new Map<number, PlacedMention>();
    let ordinal = before;
    for (const { 0: found, index } of content.matchAll(/[@\n]/g)) {
      if (found === '\n') {
        line += 1;
        ordinal = 0;
        continue;
      }
      const mention = this.#byPlace.get(`${line}:${ordinal}`);
      if (mention !== undefined && content.startsWith(mention.text, index)) here.set(index, mention);
      ordinal += 1;
    }
    this.#content = content;
    this.#here = here;
    return ordinal;
  }

  /** The mention at an offset of `content`, when that is what was entered last. */
  at(content: string, offset: number): PlacedMention | undefined {
    return this.#here.size > 0 && content === this.#content ? this.#here.get(offset) : undefined;
  }
}

function placesOf(
  text: string,
  addressees: readonly string[],
  roster: MentionRoster,
): ReadonlyMap<string, PlacedMention> {
  const places = new Map<string, PlacedMention>();
  const spans = new Map(parseMentions(text, roster).spans.map((span) => [span.start, span]));
  const wanted = new Set(addressees);
  let line = 0;
  let ordinal = 0;
  for (const { 0: found, index } of text.matchAll(/\r\n?|[\n@]/g)) {
    if (found !== '@') {
      line += 1;
      ordinal = 0;
      continue;
    }
    const span = spans.get(index);
    const ids = span?.ids.filter((id) => wanted.has(id)) ?? [];
    if (span !== undefined && ids.length > 0) {
      places.set(`${line}:${ordinal}`, { text: text.slice(span.start, span.end), ids });
    }
    ordinal += 1;
  }
  return places;
}
