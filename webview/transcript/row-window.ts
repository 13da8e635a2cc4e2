// Which rows stand on the page: those in view and some around them, whatever is loaded (WV-5). What is left out is space
// of the height that it had, or may have.
import { observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import { heightOf } from './row-height.js';
import type { Row } from './rows.js';

/** So few rows all stand on the page: VS Code's Find sees them. */
export const ALL_ROWS = 100;
/** Never more than this many stand there. */
export const MAX_ROWS = 190;
/** Rows on each side of the view. */
const AROUND = 30;
/** Room for rows that are kept though they are out of view. */
const MAX_IN_RANGE = MAX_ROWS - 10;
/** Heights of rows that are gone are forgotten beyond this many. */
const MAX_HEIGHTS = 4000;
/** Before the page has been measured. */
const FIRST_VIEW = { width: 800, height: 1000 };

export interface MountedRow {
  readonly row: Row;
  readonly index: number;
  /** Pixels of the rows that are left out before it. */
  readonly space: number;
}

export interface Mounted {
  readonly rows: readonly MountedRow[];
  /** Pixels of the rows that are left out after the last one. */
  readonly after: number;
  /** Another one when other rows are mounted. */
  readonly signature: string;
}

export class RowWindow {
  readonly #virtualizer: Virtualizer<HTMLElement, HTMLElement>;
  readonly #onChange: () => void;
  #list: HTMLElement | null = null;
  #rows: readonly Row[] = [];
  #indexes: ReadonlyMap<string, number> = new Map();

  /** @param onChange called when heights turned out to be others: other rows may be in view */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
    this.#virtualizer = new Virtualizer(this.#options());
    // Where the reader is, is kept by the posts themselves (reading.ts); two keepers would fight.
    this.#virtualizer.shouldAdjustScrollPositionOnItemSizeChange = () => false;
  }

  /** Measures the list and its rows from now on. @returns ends it */
  attach(list: HTMLElement): () => void {
    this.#list = list;
    this.#virtualizer._willUpdate();
    return this.#virtualizer._didMount();
  }

  /** To be called with each row when it is mounted, with null when one went. */
  readonly measure = (element: HTMLElement | null): void => this.#virtualizer.measureElement(element);

  setRows(rows: readonly Row[]): void {
    if (rows === this.#rows) return;
    this.#rows = rows;
    this.#indexes = new Map(rows.map(({ key }, index) => [key, index]));
    this.#virtualizer.setOptions(this.#options());
    const heights = this.#virtualizer.itemSizeCache;
    if (heights.size < MAX_HEIGHTS) return;
    for (const key of heights.keys()) if (!this.#indexes.has(String(key))) heights.delete(key);
  }

  has(key: string): boolean {
    return this.#indexes.has(key);
  }

  /** @returns how far below the first row a row begins, in pixels; null for one that is not there */
  startOf(key: string): number | null {
    const index = this.#indexes.get(key);
    this.#virtualizer.getTotalSize();
    return index === undefined ? null : (this.#virtualizer.measurementsCache[index]?.start ?? null);
  }

  /** @returns the first row that tells a place, at or after a distance from the first row; null when there is none */
  rowAt(offset: number): { readonly key: string; readonly start: number } | null {
    const first = this.#virtualizer.getVirtualItemForOffset(Math.max(0, offset))?.index ?? 0;
    const row = this.#rows.slice(first).find(isPlace) ?? this.#rows.slice(0, first).findLast(isPlace);
    const start = row === undefined ? null : this.startOf(row.key);
    return row === undefined || start === null ? null : { key: row.key, start };
  }

  /** @param offset how far below the first row the view begins, in pixels; 'end' for the end of the rows */
  stand(offset: number | 'end'): void {
    this.#virtualizer.scrollOffset = offset === 'end' ? this.#virtualizer.getTotalSize() : Math.max(0, offset);
  }

  /** @param kept keys of rows that stay though they are out of view: with the focus, with the selection */
  mounted(kept: readonly string[]): Mounted {
    const total = this.#virtualizer.getTotalSize();
    const sizes = this.#virtualizer.measurementsCache;
    const rows: MountedRow[] = [];
    let end = 0;
    for (const index of this.#indexesInView(kept)) {
      const row = this.#rows[index];
      const size = sizes[index];
      if (row === undefined || size === undefined) continue;
      rows.push({ row, index, space: Math.max(0, size.start - end) });
      end = size.end;
    }
    const signature = rows.map(({ index }) => index).join(' ');
    return { rows, after: Math.max(0, total - end), signature };
  }

  #indexesInView(kept: readonly string[]): number[] {
    const count = this.#rows.length;
    if (count <= ALL_ROWS) return [...this.#rows.keys()];
    const range = this.#virtualizer.calculateRange();
    const first = Math.max(0, (range?.startIndex ?? 0) - AROUND);
    const last = Math.min(count - 1, (range?.endIndex ?? 0) + AROUND, first + MAX_IN_RANGE - 1);
    const indexes = new Set<number>();
    for (let index = first; index <= last; index += 1) indexes.add(index);
    for (const key of kept.slice(0, MAX_ROWS - MAX_IN_RANGE)) {
      const index = this.#indexes.get(key);
      if (index !== undefined) indexes.add(index);
    }
    return [...indexes].sort((a, b) => a - b);
  }

  #options(): ConstructorParameters<typeof Virtualizer<HTMLElement, HTMLElement>>[0] {
    const rows = this.#rows;
    return {
      count: rows.length,
      getScrollElement: () => this.#list,
      getItemKey: (index) => rows[index]?.key ?? index,
      estimateSize: (index) => heightOf(rows[index], this.#list?.clientWidth ?? FIRST_VIEW.width),
      initialRect: FIRST_VIEW,
      observeElementRect,
      // The view is told where it stands, and nothing is scrolled from here.
      observeElementOffset: () => undefined,
      scrollToFn: () => undefined,
      measureElement: (element, entry) => entry?.borderBoxSize[0]?.blockSize ?? element.getBoundingClientRect().height,
      onChange: () => {
        this.#virtualizer.calculateRange();
        this.#onChange();
      },
    };
  }
}

/** Rows that are a post of the record: they have the same key after a reload. */
function isPlace({ kind }: Row): boolean {
  return kind === 'post' || kind === 'notice';
}
