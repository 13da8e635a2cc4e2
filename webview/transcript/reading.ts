// Keeping the reading place: at the end while the reader follows, else at the post they read, whatever comes, grows or
// goes around it (WV-1, WV-3, WV-4).
import { signal, type ReadonlySignal } from '@preact/signals';
import type { Panel } from '../store/panel.js';
import { WINDOW } from '../store/state.js';
import { RowWindow, type Mounted } from './row-window.js';
import type { Row } from './rows.js';
import { belowView, placeIn, returnTo, standsAtEnd, type Place } from './scroll.js';

/** A post that was jumped to stands this far below the top. */
const JUMP_PX = 72;
/** What a page leaves of the one before, in pixels. */
const PAGE_OVERLAP_PX = 40;
/** What moves the view by hand, and how long that may go on afterwards. */
const BY_HAND = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;
const BY_HAND_MS = 600;
/** Boxes in a post that scroll by themselves take their own keys. */
const OWN_SCROLL = '.reasoning-scroll, .table-box, pre, textarea, input, [popover]';

export class Reading {
  readonly #panel: Panel;
  readonly #window: RowWindow;
  #list: HTMLElement | null = null;
  #place: Place | null;
  /** Looking for the place of an earlier panel: older posts are asked for until it is there. */
  #restoring: boolean;
  /** Where the view stood when that was looked at last. */
  #top = 0;
  /** True when something in the list has changed since. */
  #changed = false;
  /** When the reader moved the view by hand last, by the page's clock. */
  #moved = -Infinity;
  #drawn = '';
  readonly #drawing = signal(0);

  constructor(panel: Panel) {
    this.#panel = panel;
    this.#place = panel.anchor === null ? null : { ...panel.anchor, line: null };
    this.#restoring = this.#place !== null;
    this.#window = new RowWindow(() => this.#drawIfOther());
  }

  /** Another number when other rows are to be drawn. */
  get drawing(): ReadonlySignal<number> {
    return this.#drawing;
  }

  /** Measures a row; the same function always. */
  get measure(): (element: HTMLElement | null) => void {
    return this.#window.measure;
  }

  /** @returns the rows that are to stand on the page */
  rows(rows: readonly Row[]): Mounted {
    this.#window.setRows(rows);
    const mounted = this.#look();
    this.#drawn = mounted.signature;
    return mounted;
  }

  has(key: string): boolean {
    return this.#window.has(key);
  }

  /** Keeps the place from now on. @returns ends it */
  attach(list: HTMLElement): () => void {
    this.#list = list;
    const detach = this.#window.attach(list);
    const onScroll = (): void => this.#scrolled();
    const onKey = (event: KeyboardEvent): void => this.#key(event);
    list.addEventListener('scroll', onScroll, { passive: true });
    list.addEventListener('keydown', onKey);
    const onHand = (): void => {
      this.#moved = performance.now();
    };
    for (const type of BY_HAND) list.addEventListener(type, onHand, { passive: true });
    const changes = new MutationObserver(() => {
      this.#changed = true;
    });
    changes.observe(list, { childList: true, characterData: true, subtree: true });
    const sizes = new ResizeObserver(() => this.settle());
    sizes.observe(list);
    for (const child of list.children) sizes.observe(child);
    this.settle();
    return () => {
      list.removeEventListener('scroll', onScroll);
      list.removeEventListener('keydown', onKey);
      for (const type of BY_HAND) list.removeEventListener(type, onHand);
      changes.disconnect();
      sizes.disconnect();
      detach();
      this.#list = null;
    };
  }

  /** Puts the view to where it belongs. To be called when something was drawn. */
  settle(): void {
    const list = this.#list;
    const state = this.#panel.state.peek();
    if (list === null || state.posts.length === 0) return;
    if (state.following) {
      if (belowView(list) > 0) list.scrollTop = list.scrollHeight;
    } else if (this.#place !== null) {
      if (returnTo(list, this.#place)) this.#restoring = false;
      else if (!this.#window.has(this.#place.postId)) this.#missing();
    }
    this.#noteTop(list);
  }

  /** Shows a post that is loaded, and gives it the focus. */
  jumpTo(postId: string): void {
    if (!this.#window.has(postId)) return;
    this.#restoring = false;
    this.#place = { postId, offset: JUMP_PX, line: null };
    this.#panel.act({ kind: 'following', following: false });
    this.#panel.readAt(this.#place);
    this.#drawing.value += 1;
    requestAnimationFrame(() => {
      this.settle();
      const post = this.#list?.querySelector<HTMLElement>(`[data-post="${CSS.escape(postId)}"]`);
      post?.focus({ preventScroll: true });
      post?.classList.add('found');
      setTimeout(() => post?.classList.remove('found'), 1600);
    });
  }

  /** The post is not loaded: it may be an older one, else the end is the one place that is always true. */
  #missing(): void {
    const { hasOlder, posts } = this.#panel.state.peek();
    if (this.#restoring && hasOlder && posts.length < WINDOW) {
      this.#panel.act({ kind: 'older' });
      return;
    }
    this.#restoring = false;
    this.#place = null;
    this.#panel.act({ kind: 'following', following: true });
  }

  #scrolled(): void {
    const list = this.#list;
    const state = this.#panel.state.peek();
    if (list === null || state.posts.length === 0) return;
    this.#restoring = false;
    // A list that got shorter moves the view by itself, and may be long again by now: that is not the reader.
    const isReader = !this.#changed || performance.now() - this.#moved < BY_HAND_MS;
    const wentUp = isReader && list.scrollTop < this.#top - 0.5;
    this.#noteTop(list);
    this.#place = placeIn(list) ?? this.#placeInSpace(list);
    const following = standsAtEnd(state.following, wentUp, belowView(list));
    this.#panel.act({ kind: 'following', following });
    if (this.#place !== null) this.#panel.readAt({ postId: this.#place.postId, offset: this.#place.offset });
    // The list may be as long again as it was, so that nothing else calls for it.
    if (this.#panel.state.peek().following) this.settle();
    if (list.scrollTop < list.clientHeight) this.#panel.act({ kind: 'older' });
    this.#drawIfOther();
  }

  /** Somebody scrolled so far that nothing in view is on the page yet: what may stand there by its height. */
  #placeInSpace(list: HTMLElement): Place | null {
    const first = list.querySelector('.rows');
    if (first === null) return null;
    const offset = list.getBoundingClientRect().top - first.getBoundingClientRect().top;
    const row = this.#window.rowAt(offset);
    return row === null ? null : { postId: row.key, offset: row.start - offset, line: null };
  }

  #noteTop(list: HTMLElement): void {
    this.#top = list.scrollTop;
    this.#changed = false;
  }

  #look(): Mounted {
    const start = this.#place === null ? null : this.#window.startOf(this.#place.postId);
    if (this.#panel.state.peek().following || this.#place === null || start === null) this.#window.stand('end');
    else this.#window.stand(start - this.#place.offset);
    return this.#window.mounted(this.#kept());
  }

  #drawIfOther(): void {
    if (this.#list !== null && this.#look().signature !== this.#drawn) this.#drawing.value += 1;
  }

  /** Rows that somebody is in, with the focus or a selection: they stay on the page (WX-11). */
  #kept(): string[] {
    const selection = getSelection();
    const selected = selection?.isCollapsed === false ? [selection.anchorNode, selection.focusNode] : [];
    return [document.activeElement, ...selected].flatMap((node) => {
      const element = node instanceof Element ? node : (node?.parentElement ?? null);
      const key = element?.closest<HTMLElement>('.row')?.dataset['key'];
      return key === undefined || this.#list?.contains(element) !== true ? [] : [key];
    });
  }

  #key(event: KeyboardEvent): void {
    const list = this.#list;
    if (list === null || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.defaultPrevented || (event.target instanceof Element && event.target.closest(OWN_SCROLL) !== null))
      return;
    const page = Math.max(PAGE_OVERLAP_PX, list.clientHeight - PAGE_OVERLAP_PX);
    switch (event.key) {
      case 'Home':
        list.scrollTop = 0;
        break;
      case 'End':
        this.#panel.act({ kind: 'latest' });
        break;
      case 'PageUp':
        list.scrollTop -= page;
        break;
      case 'PageDown':
        list.scrollTop += page;
        break;
      default:
        return;
    }
    event.preventDefault();
  }
}
