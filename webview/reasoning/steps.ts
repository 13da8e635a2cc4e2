// From the pieces of a turn's reasoning to its steps: pieces of one id joined, results with their calls, calls that were
// made inside a call below it. Pure.
import type { StepView } from '../../src/protocol/view.js';

type Kinds = StepView['step'];
type Content<Kind extends Kinds['kind']> = Extract<Kinds, { kind: Kind }>;

/** What came back from a tool call. */
export interface CallResult {
  readonly text: string;
  readonly isError: boolean;
  readonly isOpen: boolean;
}

export interface Step {
  readonly id: string;
  /** All its pieces as one. */
  readonly content: Kinds;
  readonly isOpen: boolean;
  /** Of a tool call, null while there is none. */
  readonly result: CallResult | null;
  /** From its first piece to its result or last piece, in milliseconds; null while it goes on. */
  readonly took: number | null;
  readonly children: readonly Step[];
  /** Of how many pieces it is made so far. */
  readonly parts: number;
}

export interface StepTree {
  readonly steps: readonly Step[];
  /** How many steps there are at all depths; a call and its result are one. */
  readonly count: number;
  /** What the turn has used by its newest word; null before one. */
  readonly usage: Content<'usage'> | null;
  /** From the first piece to the last, in milliseconds. */
  readonly took: number;
  /** All steps by id. */
  readonly known: ReadonlyMap<string, Step>;
}

/** Deeper calls stand beside each other: a screen has no room for more. */
const MAX_DEPTH = 8;

interface Gathered {
  readonly id: string;
  readonly pieces: StepView[];
  readonly results: StepView[];
  readonly children: Gathered[];
}

/**
 * @param pieces in the order of their sequence, each once
 * @param isRunning while the turn runs, a call without a result is one that goes on
 * @param before the tree of fewer pieces of the same turn: a step that is as it was is the same object
 */
export function treeOf(pieces: readonly StepView[], isRunning: boolean, before: StepTree | null = null): StepTree {
  const all = gather(pieces);
  const placed = new Map<string, { readonly step: Gathered; readonly depth: number; readonly above: string | null }>();
  const roots: Gathered[] = [];
  for (const step of all.values()) {
    const usage = step.pieces[0]?.step.kind === 'usage';
    if (usage) continue;
    const parent = step.pieces[0]?.parent ?? null;
    // What it was made inside of came before it, so that nothing can stand in itself.
    let inside = parent === null ? undefined : placed.get(parent);
    while (inside !== undefined && inside.depth >= MAX_DEPTH) inside = placed.get(inside.above ?? '');
    placed.set(step.id, { step, depth: (inside?.depth ?? 0) + 1, above: inside?.step.id ?? null });
    (inside?.step.children ?? roots).push(step);
  }
  const newest = pieces.findLast(({ step }) => step.kind === 'usage')?.step;
  const known = new Map<string, Step>();
  const finish = (gathered: Gathered): Step => {
    const children = gathered.children.map(finish);
    const step = finished(gathered, children, isRunning, before?.known.get(gathered.id));
    known.set(step.id, step);
    return step;
  };
  return {
    steps: roots.map(finish),
    count: placed.size,
    usage: newest?.kind === 'usage' ? newest : null,
    took: between(pieces[0]?.at, pieces.at(-1)?.at),
    known,
  };
}

/** Pieces by step, results by the call that they answer; a result of an unknown call is a step of its own. */
function gather(pieces: readonly StepView[]): ReadonlyMap<string, Gathered> {
  const steps = new Map<string, Gathered>();
  for (const piece of pieces) {
    const call = piece.step.kind === 'tool-result' ? steps.get(piece.step.callId) : undefined;
    if (call?.pieces[0]?.step.kind === 'tool-call') {
      call.results.push(piece);
      continue;
    }
    const known = steps.get(piece.id);
    if (known === undefined) steps.set(piece.id, { id: piece.id, pieces: [piece], results: [], children: [] });
    else known.pieces.push(piece);
  }
  return steps;
}

function finished(
  { id, pieces, results }: Gathered,
  children: readonly Step[],
  isRunning: boolean,
  before: Step | undefined,
): Step {
  const last = pieces.at(-1);
  const awaitsResult = last?.step.kind === 'tool-call' && results.length === 0;
  const isOpen = isRunning && (last?.isOpen === true || awaitsResult);
  const parts = pieces.length + results.length;
  if (before?.parts === parts && before.isOpen === isOpen && isSameList(before.children, children)) return before;
  return {
    id,
    content: joined(pieces),
    isOpen,
    result: resultOf(results),
    took: isOpen || awaitsResult ? null : between(pieces[0]?.at, (results.at(-1) ?? last)?.at),
    children,
    parts,
  };
}

function isSameList(one: readonly Step[], other: readonly Step[]): boolean {
  return one.length === other.length && one.every((step, index) => step === other[index]);
}

function resultOf(results: readonly StepView[]): CallResult | null {
  const last = results.at(-1);
  const content = last === undefined ? null : joined(results);
  if (last === undefined || content?.kind !== 'tool-result') return null;
  return { text: content.text, isError: content.isError, isOpen: last.isOpen };
}

const NOTHING: Kinds = { kind: 'text', text: '' };

/** What streams is joined; what is told whole each time is as it was told last. */
function joined(pieces: readonly StepView[]): Kinds {
  const contents = pieces.map(({ step }) => step);
  const newest = contents.at(-1) ?? NOTHING;
  if (newest.kind !== 'text' && newest.kind !== 'thought' && newest.kind !== 'tool-result') return newest;
  return { ...newest, text: contents.map((content) => ('text' in content ? content.text : '')).join('') };
}

function between(from: string | undefined, to: string | undefined): number {
  const took = Date.parse(to ?? '') - Date.parse(from ?? '');
  return Number.isNaN(took) ? 0 : Math.max(0, took);
}
