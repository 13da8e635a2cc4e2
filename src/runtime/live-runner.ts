// Runs the turns of a live conversation while this window is its runner: free slots are refilled at once, each turn
// ends in one outcome, a stopped one is ended, and a runner that lost the conversation stops.
import { randomUUID } from 'node:crypto';
import type { TurnUsage } from '../core/record/catalogue.js';
import { attemptIdentity } from '../core/team/identifiers.js';
import type { MailLimits } from '../core/team/board/mailbox.js';
import { decideNext } from '../core/team/live-decide.js';
import { postOf, triggerKey, type InboxItem, type LiveState, type OpenTurn } from '../core/team/live-state.js';
import type { TeamFile } from '../core/team/team-file.js';
import { UNKNOWN_USAGE } from '../core/team/usage.js';
import { keepTrying, RETRY_MS } from './keep-trying.js';
import type { Draft, LiveRecord, RecordContext } from './live-record.js';
import type { LiveTexts } from './live-texts.js';
import { runLiveTurn, type TurnEnd } from './live-turn.js';
import { MemberStream } from './member-stream.js';
import { deliverable, deliverMail, givenMail, settlementDrafts } from './mail-delivery.js';
import type { GivenMail } from './ports/engine.js';
import type { EngineDirectory } from './ports/engines.js';
import { readPrompt, type GivenPrompt } from './spawning.js';
import type { TeamTool } from './tools/team-tool.js';
import {
  answerDraft,
  cancelledDrafts,
  describeFailure,
  failureDrafts,
  isStillOpen,
  isStillWanted,
  refusedOutcome,
  stoppedPositions,
  usageDraft,
} from './turn-outcome.js';

export interface LiveRunnerOptions extends RecordContext {
  readonly runnerId: string;
  readonly record: LiveRecord;
  /** The team file in force. */
  readonly team: (state: LiveState) => TeamFile;
  readonly engines: EngineDirectory;
  readonly tools: readonly TeamTool[];
  /** US dollars by the price table in force; null when the model is not in it. */
  readonly price: (usage: TurnUsage) => number | null;
  readonly texts: LiveTexts;
  readonly limits: MailLimits;
  /** Aborted when the team closes: nothing new begins then. */
  readonly closing: AbortSignal;
  /** Called with what went wrong where no caller waits for it. */
  readonly onError: (error: unknown) => void;
}

export class LiveRunner {
  readonly #options: LiveRunnerOptions;
  readonly #streams = new Map<string, MemberStream>();
  /** Ends with this window's time as the runner; another one begins with the next. */
  #tenure = new AbortController();
  #isClosed = false;
  /** By position: what ends that turn alone. */
  readonly #stops = new Map<string, AbortController>();
  /** Positions of turns that are to end, as the record last said. */
  #stopped: ReadonlySet<string> = new Set();
  readonly #turns = new Set<Promise<void>>();
  /** Positions of turns that wait for something and need no slot meanwhile. */
  readonly #resting = new Set<string>();
  #driving: Promise<void> | null = null;
  #again = false;
  #retryTimer: Disposable | null = null;

  constructor(options: LiveRunnerOptions) {
    this.#options = options;
    options.record.onDidChange(({ state }) => this.#heed(state));
  }

  /** Starts whatever can start now. Calls during a step make one more step after it. */
  drive(): void {
    this.#again = true;
    this.#driving ??= this.#drive().finally(() => (this.#driving = null));
  }

  /** Runs an open turn again, at its own position. */
  resume(memberId: string, state: LiveState): void {
    this.#begin(memberId, state, this.#tenure.signal);
  }

  /** Ends all that runs and writes nothing more of it; resolves when it has ended. Turns can be started again. */
  async abandon(): Promise<void> {
    this.#tenure.abort(new DOMException('The conversation is not run by this window any more.', 'AbortError'));
    this.#tenure = new AbortController();
    await Promise.allSettled(this.#turns);
  }

  /** Ends all that runs, for good. */
  async stop(): Promise<void> {
    this.#isClosed = true;
    this.#retryTimer?.[Symbol.dispose]();
    await this.abandon();
    await this.#driving;
  }

  /** Resolves when the mail that can be delivered now is, in the window that runs the conversation. */
  async deliver(): Promise<void> {
    this.drive();
    await this.#driving;
  }

  /** Gives a turn's slot back while it waits. @returns what takes one again. */
  rest(position: string): Disposable {
    this.#resting.add(position);
    this.drive();
    return { [Symbol.dispose]: () => void this.#resting.delete(position) };
  }

  /** The stop is the record's: whoever wrote it, the turns that it names are ended here. */
  #heed(state: LiveState): void {
    this.#stopped = new Set(stoppedPositions(state));
    for (const position of this.#stopped) {
      this.#stops.get(position)?.abort(new DOMException('The turn was stopped.', 'AbortError'));
    }
  }

  async #drive(): Promise<void> {
    try {
      while (this.#again && !this.#isClosed && !this.#options.closing.aborted) {
        this.#again = false;
        await this.#step();
      }
    } catch (error) {
      this.#options.onError(error);
      // The store may be full or busy: what waits must not wait for the next post.
      this.#retryTimer ??= this.#options.clock.after(RETRY_MS, () => {
        this.#retryTimer = null;
        this.drive();
      });
    }
  }

  async #step(): Promise<void> {
    const { record, storage, runId } = this.#options;
    const { namespace } = storage.record;
    const tenure = this.#tenure.signal;
    let started: readonly string[] = [];
    const step = { hasMail: false };
    const state = await record.decide((before) => {
      started = [];
      step.hasMail = this.#isOurs(before) && !this.#isClosed && deliverable(before).length > 0;
      if (step.hasMail) return [];
      if (!this.#isOurs(before) || this.#isClosed) return [];
      const { limited, starts } = decideNext(before, this.#resting);
      started = starts.map(({ memberId }) => memberId);
      const dispatches = starts.flatMap(({ memberId, position }): readonly Draft[] => {
        const identity = attemptIdentity({ namespace, streamId: runId, nodeId: memberId, position });
        const cause = causeOf(before, memberId);
        return [
          { event: { type: 'graph:node-dispatched', payload: { nodeId: memberId, position } }, ...cause },
          { event: { type: 'graph:node-attempt-started', payload: { identity, retrySafe: false } }, ...cause },
        ];
      });
      return [...limited.map((event) => ({ event, correlationId: event.payload.chain })), ...dispatches];
    });
    if (step.hasMail) {
      await deliverMail(this.#options, state);
      this.#again = true;
    }
    for (const memberId of started) this.#begin(memberId, state, tenure);
  }

  #begin(memberId: string, state: LiveState, tenure: AbortSignal): void {
    const turn = state.members.get(memberId)?.open;
    if (turn !== undefined && turn !== null) this.#launch(memberId, turn, state, tenure);
  }

  #isOurs(state: LiveState): boolean {
    return state.runner?.id === this.#options.runnerId;
  }

  /** @param tenure - given when this window stopped running the conversation meanwhile: the turn stays interrupted. */
  #launch(memberId: string, turn: OpenTurn, state: LiveState, tenure: AbortSignal): void {
    if (this.#isClosed || tenure.aborted) return;
    const { position } = turn;
    const stop = new AbortController();
    this.#stops.set(position, stop);
    // SP-4: a stop that came between the start and this moment is heeded too.
    if (turn.stopping !== null || this.#stopped.has(position)) stop.abort();
    const running = this.#run(memberId, turn, state, { tenure, stop: stop.signal })
      .catch((error: unknown) => this.#options.onError(error))
      .finally(() => {
        this.#turns.delete(running);
        // The same position may run again already, resumed.
        if (this.#stops.get(position) === stop) this.#stops.delete(position);
        this.#options.texts.end(position);
        this.drive();
      });
    this.#turns.add(running);
  }

  async #run(
    memberId: string,
    turn: OpenTurn,
    state: LiveState,
    signals: { readonly tenure: AbortSignal; readonly stop: AbortSignal },
  ): Promise<void> {
    const { engines, clock, tools, price, texts } = this.#options;
    const { position, roomId } = turn;
    const signal = AbortSignal.any([signals.tenure, signals.stop]);
    const work = async (): Promise<TurnEnd> => {
      const stream = this.#stream(memberId, state);
      const prompt = await this.#promptOf(memberId, turn, state, signal);
      const takeMail = (): Promise<readonly GivenMail[]> => this.#takeMail(memberId, turn);
      const onText = (text: string): void => {
        if (roomId !== null) texts.add({ position, memberId, roomId }, text);
      };
      const place = { memberId, turn, state, team: this.#options.team(state) };
      return runLiveTurn({ ...place, engines, clock, stream, tools, price, prompt, takeMail, onText }, signal);
    };
    // A turn that could not even begin has ended: left open, its member would never get another.
    const end = await work().catch((error: unknown): TurnEnd => ({
      outcome: { kind: 'error', error },
      usage: UNKNOWN_USAGE,
    }));
    if (signals.tenure.aborted) return;
    await this.#recordEnd(memberId, turn, end, signals);
  }

  /** Writes how the turn ended. The record has the last word: what was stopped by then is closed as cancelled. */
  async #recordEnd(
    memberId: string,
    turn: OpenTurn,
    { outcome, usage }: TurnEnd,
    { tenure, stop }: { readonly tenure: AbortSignal; readonly stop: AbortSignal },
  ): Promise<void> {
    const used = usageDraft(memberId, turn, usage);
    const isWritten = stop.aborted
      ? false
      : await this.#settle(turn, tenure, isStillWanted, (state) => {
          if (outcome.kind === 'value') {
            const team = this.#options.team(state);
            const { text } = outcome.value;
            return [
              used,
              ...this.#settlement(state, memberId, turn, 'finished', text),
              answerDraft(memberId, turn, outcome.value, { team, state }),
            ];
          }
          const failure = describeFailure(outcome, state.limits.turnTimeoutMinutes);
          return [
            used,
            ...this.#settlement(state, memberId, turn, 'failed', failure.message),
            ...failureDrafts(memberId, turn, failure, state),
          ];
        }).catch((error: unknown) => {
          const failure = refusedOutcome(error);
          if (failure === null) throw error;
          return this.#settle(turn, tenure, isStillWanted, (state) => [
            used,
            ...this.#settlement(state, memberId, turn, 'failed', failure.message),
            ...failureDrafts(memberId, turn, failure, state),
          ]);
        });
    if (!isWritten) await this.#settle(turn, tenure, isStillOpen, (state) => [used, ...cancelledDrafts(state, turn)]);
  }

  /** Told before the turn is closed, while its chain is known. */
  #settlement(
    state: LiveState,
    memberId: string,
    turn: OpenTurn,
    how: 'finished' | 'failed',
    summary: string,
  ): readonly Draft[] {
    return settlementDrafts(state, this.#options, memberId, turn, { how, summary });
  }

  /** What a new member was asked to do stands in its own stream; it is given it in its first turn. */
  async #promptOf(
    memberId: string,
    turn: OpenTurn,
    state: LiveState,
    signal: AbortSignal,
  ): Promise<GivenPrompt | null> {
    if (!turn.triggers.some(({ cause }) => cause.kind === 'prompt')) return null;
    const { storage, runId } = this.#options;
    return this.#keep(() => readPrompt(storage, runId, state.members.get(memberId)?.ordinal ?? 1), signal);
  }

  /** Gives a running turn the quiet mail that came since it began, once, and says so in the record first. */
  async #takeMail(memberId: string, turn: OpenTurn): Promise<readonly GivenMail[]> {
    let taken: readonly InboxItem[] = [];
    await this.#options.record.decide((state) => {
      const member = state.members.get(memberId);
      const isDue = this.#isOurs(state) && isStillWanted(state, turn.position);
      taken = isDue ? (member?.inbox ?? []).filter(({ message }) => message.delivery === 'quiet') : [];
      if (taken.length === 0) return [];
      const messageIds = taken.map(({ message }) => message.id);
      const payload = { member: memberId, position: turn.position, messageIds };
      return [{ event: { type: 'mail:read', payload }, correlationId: turn.chain, causationId: turn.position }];
    });
    return taken.map(({ message }) => givenMail(message));
  }

  /**
   * Appends the facts that end a turn, unchanged at whatever revision, until they are in.
   * @param isDue - false on the newest state: they are not written.
   * @returns true when they are in the record.
   */
  async #settle(
    turn: OpenTurn,
    signal: AbortSignal,
    isDue: (state: LiveState, position: string) => boolean,
    facts: (state: LiveState) => readonly Draft[],
  ): Promise<boolean> {
    let fixed: readonly Draft[] | null = null;
    const written = await this.#keep(
      () =>
        this.#options.record.record(
          // The facts and their ids are fixed at the first try: a retry of an append that did succeed is recognised.
          (state) => (fixed ??= facts(state).map((draft) => ({ ...draft, eventId: draft.eventId ?? randomUUID() }))),
          (state) => this.#isOurs(state) && isDue(state, turn.position),
        ),
      signal,
    );
    return written === true;
  }

  /** Writes a fact until it is in, or this window stops. */
  #keep<Result>(write: () => Promise<Result>, signal: AbortSignal): Promise<Result | null> {
    const { clock, onError } = this.#options;
    return keepTrying(write, { clock, onError, signal });
  }

  #stream(memberId: string, state: LiveState): MemberStream {
    const known = this.#streams.get(memberId);
    if (known !== undefined) return known;
    const stream = new MemberStream({
      ...this.#options,
      ordinal: state.members.get(memberId)?.ordinal ?? 1,
      keep: async (write, signal) => {
        await this.#keep(write, signal);
      },
    });
    this.#streams.set(memberId, stream);
    return stream;
  }
}

function causeOf(state: LiveState, memberId: string) {
  const turn = state.members.get(memberId)?.queue[0];
  const newest = turn?.triggers.at(-1);
  return newest === undefined
    ? {}
    : { correlationId: newest.chain, causationId: postOf(newest)?.id ?? triggerKey(newest) };
}
