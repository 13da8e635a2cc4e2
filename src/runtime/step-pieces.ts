// From what an engine reports to what is recorded: every step gets an id and a place, a text that streams in becomes
// pieces that are written every two seconds and when it ends, and one that is too long for an event becomes several.
import type { JsonValue } from '../core/json.js';
import type { RecordPayload, TurnUsage } from '../core/record/catalogue.js';
import { knownUsage } from './engine-report.js';
import type { Clock } from './ports/clock.js';
import type { EngineStep } from './ports/engine.js';

/** A piece of a step in its recorded shape. */
export type StepPiece = Omit<RecordPayload<'step:recorded'>, 'position'>;

/** How long what streams in is kept in memory only, in milliseconds. */
export const OPEN_TEXT_MS = 2_000;

/** How much text one piece holds, in UTF-16 code units: six bytes each, at the worst, are below 64 KiB. */
const PIECE_LENGTH = 10_000;

/** How much of one turn's steps is kept, in UTF-16 code units. */
const TURN_LENGTH = 8 * 1024 * 1024;

/** What every piece counts for, however little it says: without it, empty steps would have no end. */
const PIECE_COST = 128;

type Recorded = StepPiece['step'];

const TOO_MANY_STEPS: Recorded = {
  kind: 'error',
  message: 'RESULT_TOO_LARGE: this turn has made more steps than are kept. What follows is not recorded.',
};

/** A thought or text of which more is coming. */
interface OpenText {
  readonly id: string;
  readonly parent: string | null;
  readonly kind: 'thought' | 'text';
  text: string;
}

export class StepPieces {
  readonly #clock: Clock;
  readonly #emit: (piece: StepPiece) => void;
  #sequence = 0;
  #length = 0;
  #open: OpenText | null = null;
  #timer: Disposable | null = null;
  #isFull = false;

  /** @param emit - gets each piece in order, when it is to be recorded. */
  constructor(clock: Clock, emit: (piece: StepPiece) => void) {
    this.#clock = clock;
    this.#emit = emit;
  }

  add(step: EngineStep): void {
    if (this.#isFull) return;
    const { id, parent = null, isOpen = false } = step;
    if (step.kind === 'thought' || step.kind === 'text') {
      const place = { id: id ?? this.#newId(), parent, kind: step.kind };
      if (this.#open !== null && this.#open.id !== place.id) this.#flush(true);
      this.#open ??= { ...place, text: '' };
      this.#open.text += step.text;
      if (!isOpen) this.#flush(false);
      else if (this.#open.text.length >= PIECE_LENGTH) this.#flush(true);
      else this.#timer ??= this.#clock.after(OPEN_TEXT_MS, () => this.#flush(true));
      return;
    }
    this.#flush(true);
    this.#put({ id: id ?? this.#newId(), parent, isOpen }, recorded(step));
  }

  /** Records the answer itself: with it, a turn that is cut off right after has its outcome. */
  final(answer: { readonly text: string; readonly data?: JsonValue }, usage: TurnUsage | null): void {
    this.end();
    const { text, data } = answer;
    const step = { kind: 'final', text: text.toWellFormed(), ...(data === undefined ? {} : { data }), usage } as const;
    this.#record({ id: this.#newId(), parent: null, isOpen: false }, step);
  }

  /** Writes what is still in memory; a text that was not ended stays open, which says that it is only a part. */
  end(): void {
    this.#flush(true);
  }

  #flush(isOpen: boolean): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = null;
    const open = this.#open;
    this.#open = null;
    if (open === null || (open.text === '' && isOpen)) return;
    const { id, parent, kind, text } = open;
    this.#put({ id, parent, isOpen }, { kind, text });
  }

  #put(place: Pick<StepPiece, 'id' | 'parent' | 'isOpen'>, step: Recorded): void {
    const parts = partsOf(step);
    parts.forEach((part, index) => {
      if (this.#isFull) return;
      this.#length += PIECE_COST + lengthOf(part);
      this.#isFull = this.#length > TURN_LENGTH;
      if (this.#isFull) this.#record({ id: this.#newId(), parent: null, isOpen: false }, TOO_MANY_STEPS);
      else this.#record({ ...place, isOpen: place.isOpen || index < parts.length - 1 }, part);
    });
  }

  #record(place: Pick<StepPiece, 'id' | 'parent' | 'isOpen'>, step: Recorded): void {
    this.#emit({ sequence: this.#sequence, ...place, step });
    this.#sequence += 1;
  }

  #newId(): string {
    return `step/${this.#sequence}`;
  }
}

function recorded(step: Exclude<EngineStep, { kind: 'thought' | 'text' }>): Recorded {
  switch (step.kind) {
    case 'tool-call':
      return { kind: 'tool-call', name: step.name === '' ? '(no name)' : step.name.toWellFormed(), input: step.input };
    case 'tool-result':
      return { kind: 'tool-result', callId: step.callId, text: step.text, isError: step.isError };
    case 'plan':
      return { kind: 'plan', entries: step.entries.map(({ text, status }) => ({ text: text.toWellFormed(), status })) };
    case 'usage':
      return { kind: 'usage', usage: knownUsage(step.usage) };
    case 'error':
      return { kind: 'error', message: step.message.slice(0, PIECE_LENGTH).toWellFormed() };
  }
}

function partsOf(step: Recorded): readonly Recorded[] {
  if (step.kind === 'thought' || step.kind === 'text' || step.kind === 'tool-result') {
    return chunks(step.text.toWellFormed()).map((text) => ({ ...step, text }));
  }
  if (step.kind !== 'tool-call') return [step];
  const input = JSON.stringify(step.input);
  // The whole input is in the call itself; of a huge one the record keeps the beginning.
  return [input.length <= PIECE_LENGTH ? step : { ...step, input: `${input.slice(0, PIECE_LENGTH).toWellFormed()}…` }];
}

function chunks(text: string): readonly string[] {
  if (text.length <= PIECE_LENGTH) return [text];
  const parts: string[] = [];
  for (let at = 0; at < text.length;) {
    let end = Math.min(at + PIECE_LENGTH, text.length);
    // Never between the two halves of one character.
    if (end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end -= 1;
    parts.push(text.slice(at, end));
    at = end;
  }
  return parts;
}

function lengthOf(step: Recorded): number {
  return 'text' in step ? step.text.length : JSON.stringify(step).length;
}
