// The reasoning that a panel has open: pages that it asks for, and what running turns add, pushed. Nothing is read
// before it asks (C18), and nothing is watched that is not open and running.
import * as vscode from 'vscode';
import { isRunning, memberAt, type LiveState } from '../core/team/live-state.js';
import type { HostMessage } from '../protocol/messages.js';
import type { Conversation } from '../runtime/conversation.js';
import type { Clock } from '../runtime/ports/clock.js';
import { findReasoning, readReasoning, type ReasoningPage, type ReasoningPlace } from '../runtime/reasoning.js';
import type { RunnerPlace } from '../runtime/tenure.js';
import type { LocalRunStorage } from '../storage/port.js';
import { Pace } from './pace.js';
import { stepView } from './step-view.js';

type ReasoningMessage = Extract<HostMessage, { type: 'reasoning' }>;

/** Milliseconds between two looks at what running turns have added. */
const EVERY_MS = 250;
/** How many pages one look reads of one turn: a flood is shown a little later, and never holds up the rest. */
const PAGES = 4;

export interface ReasoningDeskOptions {
  readonly storage: () => Promise<LocalRunStorage>;
  readonly conversation: () => Promise<Pick<Conversation, 'runId' | 'status'>>;
  readonly send: (message: ReasoningMessage) => void;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

interface OpenReasoning {
  readonly place: ReasoningPlace;
  /** Sequence of the last piece that was sent. */
  last: number | null;
  /** True while the panel has all pages that there are: only then is more pushed. */
  isAtEnd: boolean;
  isRunning: boolean;
}

export class ReasoningDesk implements Disposable {
  readonly #options: ReasoningDeskOptions;
  readonly #open = new Map<string, OpenReasoning>();
  readonly #pace: Pace;
  #watch: { readonly runId: string; readonly handle: Disposable } | null = null;
  #queue: Promise<void> = Promise.resolve();

  constructor(options: ReasoningDeskOptions) {
    this.#options = options;
    this.#pace = new Pace(
      options.clock,
      EVERY_MS,
      () => void this.#exclusive(() => this.#look()).catch(options.onError),
    );
  }

  /** Sends the page after `after`; what is added later to a running turn is pushed until it is closed. */
  ask(position: string, after: number | null): Promise<void> {
    return this.#exclusive(async () => {
      const { send } = this.#options;
      const answer = { type: 'reasoning', position, after, isPush: false } as const;
      try {
        const { found, running } = await this.#find(position);
        if (typeof found === 'string') {
          send({ ...answer, steps: [], hasMore: false, ...ENDED, problem: found });
          return;
        }
        const page = await readReasoning(await this.#options.storage(), found, after);
        const last = page.pieces.at(-1)?.sequence ?? after;
        this.#open.set(position, { place: found, last, isAtEnd: !page.hasMore, isRunning: running });
        send({ ...answer, ...pageView(page, running) });
        await this.#watchRunning();
      } catch (error) {
        this.#options.onError(error);
        const problem = vscode.l10n.t('It could not be read. The log says more.');
        send({ ...answer, steps: [], hasMore: false, ...ENDED, problem });
      }
    });
  }

  close(position: string): void {
    this.#open.delete(position);
    if (this.#open.size === 0) this.#unwatch();
  }

  /** The panel begins anew, or shows another conversation. */
  clear(): void {
    this.#open.clear();
    this.#unwatch();
  }

  /** The conversation's record went on: a turn may have ended. */
  changed(): void {
    if ([...this.#open.values()].some((one) => one.isRunning)) this.#pace.ask();
  }

  [Symbol.dispose](): void {
    this.clear();
    this.#pace[Symbol.dispose]();
  }

  /** @returns where it is and whether it goes on, or why it cannot be shown. */
  async #find(position: string): Promise<{ readonly found: ReasoningPlace | string; readonly running: boolean }> {
    const conversation = await this.#options.conversation();
    const { state, runner } = await conversation.status();
    const running = isTurnRunning(state, runner, position);
    const known = this.#open.get(position)?.place;
    if (known !== undefined) return { found: known, running };
    const storage = await this.#options.storage();
    const ordinals = [...state.members.values()].map(({ ordinal }) => ordinal);
    const found = await findReasoning(storage, conversation.runId, position, ordinals);
    if (found === 'deleted') {
      return { found: vscode.l10n.t('It is not there any more: its conversation was deleted.'), running };
    }
    return { found: found ?? vscode.l10n.t('Nothing was recorded of this turn.'), running };
  }

  /** Pushes what running turns have added since, and that they have ended. */
  async #look(): Promise<void> {
    const { conversation, storage } = this.#options;
    if (![...this.#open.values()].some((one) => one.isRunning)) return;
    const { state, runner } = await (await conversation()).status();
    for (const [position, one] of this.#open) {
      if (!one.isRunning) continue;
      // Steps are durable before the outcome: of a turn that has ended, all that there is can be read now.
      const running = isTurnRunning(state, runner, position);
      await this.#push(await storage(), position, one, running);
    }
    await this.#watchRunning();
  }

  async #push(storage: LocalRunStorage, position: string, one: OpenReasoning, running: boolean): Promise<void> {
    const push = { type: 'reasoning', position, after: null, isPush: true } as const;
    if (!one.isAtEnd) {
      // The panel still has pages to ask for; they bring what is new.
      if (!running) this.#options.send({ ...push, steps: [], ...ENDED, hasMore: true });
      one.isRunning = running;
      return;
    }
    for (let count = 0; count < PAGES; count += 1) {
      const page = await readReasoning(storage, one.place, one.last);
      if (this.#open.get(position) !== one) return;
      one.last = page.pieces.at(-1)?.sequence ?? one.last;
      const isEnd = !page.hasMore;
      one.isRunning = running || !isEnd;
      const isNews = page.pieces.length > 0 || !one.isRunning;
      if (isNews) this.#options.send({ ...push, ...pageView(page, one.isRunning), hasMore: false });
      if (isEnd) return;
    }
    this.#pace.ask();
  }

  async #watchRunning(): Promise<void> {
    if (![...this.#open.values()].some((one) => one.isRunning)) {
      this.#unwatch();
      return;
    }
    const { runId } = await this.#options.conversation();
    if (this.#watch?.runId === runId) return;
    this.#unwatch();
    const { runs } = await this.#options.storage();
    this.#watch = { runId, handle: runs.watch(runId, () => this.#pace.ask()) };
    // What came between the page and the watch.
    this.#pace.ask();
  }

  #unwatch(): void {
    this.#watch?.handle[Symbol.dispose]();
    this.#watch = null;
  }

  #exclusive(work: () => Promise<void>): Promise<void> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => undefined);
    return done;
  }
}

/** True while some window works on the turn. */
export function isTurnRunning(state: LiveState, runner: RunnerPlace, position: string): boolean {
  const member = memberAt(state, position);
  return runner !== 'nobody' && member !== null && isRunning(state, member);
}

const ENDED = { isRunning: false, isPartial: false, problem: null } as const;

function pageView(page: ReasoningPage, running: boolean) {
  return {
    steps: page.pieces.map(stepView),
    hasMore: page.hasMore,
    isRunning: running,
    isPartial: !running && !page.hasMore && !page.isWhole,
    problem: null,
  };
}
