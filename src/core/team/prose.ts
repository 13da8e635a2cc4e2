// Which parts of a post are not the sender's own words: code, URLs, link targets and quotations. No mention counts there.
// A scanner over Markdown's block and inline structure, in one pass and without a parser, since the composer runs it
// at every key.

/** A range of the text, in UTF-16 offsets; `end` is exclusive. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

const LIST_MARKER = /(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$)/y;
const FENCE = /`{3,}(?=[^`]*$)|~{3,}/y;
const HEADING = /#{1,6}(?:[ \t]|$)/y;
const LINK_DEFINITION = /\[[^\]]+\]:[ \t]*\S+(?:[ \t]+["'(].*)?[ \t]*$/y;
const RULE = /^[ \t]*(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|=+[ \t]*)$/;
/** What a URL cannot run over: white space, angle brackets, a backtick, the punctuation of CJK text. */
const AFTER_URL = /[\s<>`\u3001-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]/g;
const WORD_BEFORE = /[\p{L}\p{N}_]/u;

/**
 * Finds the parts of `text` in which `@name` is not an address: code spans, fenced and indented code, URLs, link
 * targets and the lines of block quotes. A line right below a quotation that has no `>` of its own is the sender's.
 * @returns ranges in the order of the text that do not overlap.
 */
export function literalRanges(text: string): readonly TextRange[] {
  const found: TextRange[] = [];
  const blocks = new BlockScanner(found);
  let start = 0;
  while (start < text.length) {
    const end = lineEnd(text, start);
    blocks.line(text, start, end);
    start = end + (text.startsWith('\r\n', end) ? 2 : 1);
  }
  blocks.flush(text);
  return merged(found);
}

/** Sorts lines into code, quotations and prose; prose goes on to the inline scanner, one block at a time. */
class BlockScanner {
  readonly #found: TextRange[];
  #fence: string | null = null;
  /** Columns at which the text of the open list items begins, outermost first. */
  #items: number[] = [];
  #prose: { start: number; end: number } | null = null;

  constructor(found: TextRange[]) {
    this.#found = found;
  }

  line(text: string, start: number, end: number): void {
    const line = text.slice(start, end);
    if (this.#fence !== null) {
      this.#found.push({ start, end });
      const closing = line.trim();
      if (closing.startsWith(this.#fence) && closing === this.#fence[0]?.repeat(closing.length)) this.#fence = null;
      return;
    }
    if (line.trim() === '') {
      this.flush(text);
      return;
    }
    let { at, column } = skipBlanks(line, 0, 0);
    // Inside a paragraph an indented line goes on with it; anywhere else it leaves the list or is code.
    if (this.#prose === null) {
      while (column < (this.#items.at(-1) ?? 0)) this.#items.pop();
      if (column - (this.#items.at(-1) ?? 0) >= 4) {
        this.#found.push({ start, end });
        return;
      }
    }
    if (RULE.test(line)) {
      this.flush(text);
      return;
    }
    for (let marker = matchAt(LIST_MARKER, line, at); marker !== null; marker = matchAt(LIST_MARKER, line, at)) {
      this.flush(text);
      while (column < (this.#items.at(-1) ?? 0)) this.#items.pop();
      const after = skipBlanks(line, at + marker.length, column + marker.length);
      const gap = after.column - column - marker.length;
      this.#items.push(column + marker.length + (gap > 4 ? 1 : gap));
      if (gap > 4) {
        this.#found.push({ start: start + at, end });
        return;
      }
      ({ at, column } = after);
    }
    if (line[at] === '>') {
      this.flush(text);
      this.#found.push({ start: start + at, end });
      return;
    }
    const fence = matchAt(FENCE, line, at);
    if (fence !== null) {
      this.flush(text);
      this.#fence = fence;
      this.#found.push({ start: start + at, end });
      return;
    }
    if (this.#prose === null && matchAt(LINK_DEFINITION, line, at) !== null) {
      this.flush(text);
      this.#found.push({ start: start + at, end });
      return;
    }
    const heading = matchAt(HEADING, line, at) !== null;
    if (heading) this.flush(text);
    this.#prose = { start: this.#prose?.start ?? start + at, end };
    if (heading) this.flush(text);
  }

  /** Ends the open block of prose. */
  flush(text: string): void {
    if (this.#prose !== null) scanInline(text, this.#prose, this.#found);
    this.#prose = null;
  }
}

function scanInline(text: string, block: TextRange, found: TextRange[]): void {
  const ticks = new BacktickRuns(text, block);
  /** Open parentheses; `link` marks those that follow the `]` of a link's text. */
  let open: { readonly at: number; readonly link: boolean }[] = [];
  let brackets = 0;
  let at = block.start;
  while (at < block.end) {
    switch (text.charAt(at)) {
      case '\\':
        at += 1;
        break;
      case '`': {
        const end = ticks.closing(at);
        if (end.closed) found.push({ start: at, end: end.at });
        at = end.at;
        continue;
      }
      case '[':
        brackets += 1;
        break;
      case ']':
        if (brackets > 0 && text[at + 1] === '(') open.push({ at: (at += 1), link: true });
        brackets = Math.max(0, brackets - 1);
        break;
      case '(':
        open.push({ at, link: false });
        break;
      case ')': {
        const opened = open.pop();
        if (opened?.link === true) found.push({ start: opened.at, end: at + 1 });
        break;
      }
      case '\n':
      case '\r':
        open = [];
        break;
      case ':':
        if (text.startsWith('://', at) && WORD_BEFORE.test(text[at - 1] ?? '')) {
          found.push({ start: at, end: urlEnd(text, at, block.end) });
          at = urlEnd(text, at, block.end);
          continue;
        }
        break;
      case 'w':
      case 'W':
        if (/^www\.$/i.test(text.slice(at, at + 4)) && !WORD_BEFORE.test(text[at - 1] ?? '')) {
          found.push({ start: at, end: urlEnd(text, at, block.end) });
          at = urlEnd(text, at, block.end);
          continue;
        }
        break;
      default:
    }
    at += 1;
  }
}

/** The runs of backticks of one block, by length, so that each span finds its end without a second scan. */
class BacktickRuns {
  readonly #text: string;
  readonly #byLength = new Map<number, { readonly starts: number[]; next: number }>();

  constructor(text: string, block: TextRange) {
    this.#text = text;
    for (let at = text.indexOf('`', block.start); at !== -1 && at < block.end;) {
      const length = this.#runLength(at);
      const runs = this.#byLength.get(length) ?? { starts: [], next: 0 };
      runs.starts.push(at);
      this.#byLength.set(length, runs);
      at = text.indexOf('`', at + length);
    }
  }

  /** For the run that starts at `at`: the end of its span, or the end of the run when nothing closes it. */
  closing(at: number): { readonly at: number; readonly closed: boolean } {
    const length = this.#runLength(at);
    const runs = this.#byLength.get(length);
    while (runs !== undefined && (runs.starts[runs.next] ?? Infinity) < at + length) runs.next += 1;
    const start = runs?.starts[runs.next];
    return start === undefined ? { at: at + length, closed: false } : { at: start + length, closed: true };
  }

  #runLength(at: number): number {
    let end = at;
    while (this.#text[end] === '`') end += 1;
    return end - at;
  }
}

function urlEnd(text: string, at: number, limit: number): number {
  AFTER_URL.lastIndex = at;
  return Math.min(limit, AFTER_URL.exec(text)?.index ?? limit);
}

function lineEnd(text: string, start: number): number {
  let end = start;
  while (end < text.length && text[end] !== '\n' && text[end] !== '\r') end += 1;
  return end;
}

function skipBlanks(line: string, at: number, column: number): { at: number; column: number } {
  while (line[at] === ' ' || line[at] === '\t') {
    column += line[at] === '\t' ? 4 - (column % 4) : 1;
    at += 1;
  }
  return { at, column };
}

function matchAt(pattern: RegExp, line: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(line)?.[0] ?? null;
}

function merged(ranges: readonly TextRange[]): readonly TextRange[] {
  const result: { start: number; end: number }[] = [];
  for (const range of ranges.toSorted((left, right) => left.start - right.start)) {
    const last = result.at(-1);
    if (last !== undefined && range.start <= last.end) last.end = Math.max(last.end, range.end);
    else result.push({ ...range });
  }
  return result;
}
