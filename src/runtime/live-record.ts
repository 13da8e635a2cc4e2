// One conversation's record as its writers see it: the folded state, decisions that are made again when they lose a
// race, and facts that are written again until they are in.
import { randomUUID } from 'node:crypto';
import type { JsonValue } from '../core/json.js';
import { eventVersion, parseRecordEvent, type NewRecordEvent, type RecordEvent } from '../core/record/catalogue.js';
import { RecordError } from '../core/record/error.js';
import { TeamError } from '../core/team/error.js';
import { foldLive, startLive } from '../core/team/live-fold.js';
import { readLiveSnapshot, writeLiveSnapshot } from '../core/team/live-snapshot.js';
import type { LiveState, LiveTeam } from '../core/team/live-state.js';
import { isStorageError, StorageError } from '../storage/error.js';
import type { NewDomainEvent, RunStorage } from '../storage/port.js';
import type { Clock } from './ports/clock.js';

/** Events that became durable and were folded: those after `from` up to and including `to`. */
export interface RecordChange {
  readonly from: number;
  readonly to: number;
  readonly events: readonly RecordEvent[];
  readonly state: LiveState;
}

/** An event to append, with what its envelope says about it. */
export interface Draft {
  readonly event: NewRecordEvent;
  /** Chain that the event belongs to; the conversation itself by default. */
  readonly correlationId?: string;
  /** What caused it. */
  readonly causationId?: string | null;
  /** Chosen by the writer where a repeated request must not be written twice. */
  readonly eventId?: string;
}

/** Where a conversation's events go, and when. */
export interface RecordContext {
  readonly storage: RunStorage;
  readonly runId: string;
  readonly clock: Clock;
}

/** Where a snapshot of the folded state is kept between two openings. A cache: it may be gone or wrong at any time. */
export interface SnapshotStore {
  read(): Promise<string | null>;
  write(text: string): Promise<void>;
}

export interface LiveRecordOptions extends RecordContext {
  /** Without one, every opening folds the record from its beginning. */
  readonly snapshots?: SnapshotStore;
  /** Reads the team file that `conversation:started` holds. */
  readonly readTeam: (text: string, teamId: string) => LiveTeam;
  /** Test hook: forget the state between any two events and rebuild it from the store. */
  readonly dropState: boolean;
  /** Called with what a listener threw: a screen that fails must not make an append look failed. */
  readonly onError: (error: unknown) => void;
}

const MAX_RACES = 50;
/** How many events may lie after the newest snapshot. */
const SNAPSHOT_EVERY = 500;

export class LiveRecord {
  readonly #options: LiveRecordOptions;
  readonly #listeners = new Set<(change: RecordChange) => void>();
  #state: LiveState | null = null;
  /** Revision up to which listeners were told; null before the first fold, which tells nobody. */
  #told: number | null = null;
  /** Id of the event that the state ends with. */
  #lastEventId = '';
  /** Revision of the newest snapshot that is kept. */
  #snapshotAt = 0;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: LiveRecordOptions) {
    this.#options = options;
  }

  /**
   * Calls `listener` after each change, in order and without gaps. What stood in the record when it was first folded is
   * no change: whoever shows the conversation asks for its pages.
   */
  onDidChange(listener: (change: RecordChange) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** The state as of the last event in the store. */
  refresh(): Promise<LiveState> {
    return this.#exclusive(() => this.#fold());
  }

  /**
   * Appends what `decide` wants, deciding again on the newer state when another writer was first.
   * @param decide - reads the state; an empty list writes nothing; what it throws is passed on.
   * @returns the state after the append.
   */
  decide(decide: (state: LiveState) => readonly Draft[]): Promise<LiveState> {
    return this.#exclusive(async () => {
      for (let race = 0; race < MAX_RACES; race += 1) {
        const next = await this.#try(decide);
        if (next !== null) return next;
      }
      throw new StorageError('STORAGE_UNAVAILABLE', 'Other windows keep writing to this conversation. Try again.');
    });
  }

  /** `decide`, once. @returns null when another writer was first. */
  attempt(decide: (state: LiveState) => readonly Draft[]): Promise<LiveState | null> {
    return this.#exclusive(() => this.#try(decide));
  }

  /**
   * Appends facts unchanged at whatever revision the record has reached.
   * @param facts - what is to be written; the same, with the same event ids, at every call.
   * @param isDue - false on the newest state means that another runner took over, and the facts are given up.
   * @returns true when they are in the record.
   */
  async record(facts: (state: LiveState) => readonly Draft[], isDue: (state: LiveState) => boolean): Promise<boolean> {
    let written = false;
    await this.decide((state) => {
      written = isDue(state);
      return written ? facts(state) : [];
    });
    return written;
  }

  async #try(decide: (state: LiveState) => readonly Draft[]): Promise<LiveState | null> {
    const state = await this.#fold();
    const drafts = decide(state);
    return drafts.length === 0 ? state : this.#append(state, drafts);
  }

  async #fold(): Promise<LiveState> {
    const { storage, runId, dropState } = this.#options;
    if (dropState) this.#state = null;
    else if (this.#state === null) await this.#restore();
    let state = this.#state;
    const events: RecordEvent[] = [];
    const from = this.#told;
    for await (const envelope of storage.eventStore.read(this.#stream(), state?.revision ?? 0)) {
      const event = parseRecordEvent(envelope);
      state = state === null ? this.#start(event) : foldLive(state, event);
      this.#lastEventId = envelope.eventId;
      if (from !== null && event.revision > from) events.push(event);
    }
    if (state === null && from !== null) throw conversationDeleted();
    if (state === null) {
      throw new RecordError('INVALID_EVENT', 0, `The conversation ${runId} has no events in this storage.`);
    }
    await this.#adopt(state, events);
    return state;
  }

  /** Begins from the kept snapshot, when it is whole and belongs to this very history. */
  async #restore(): Promise<void> {
    const text = await this.#options.snapshots?.read().catch(() => null);
    const snapshot = text === null || text === undefined ? null : readLiveSnapshot(text);
    if (snapshot === null) return;
    const { revision } = snapshot.state;
    for await (const envelope of this.#options.storage.eventStore.read(this.#stream(), revision - 1)) {
      if (envelope.eventId !== snapshot.eventId) return;
      this.#state = snapshot.state;
      this.#lastEventId = snapshot.eventId;
      this.#snapshotAt = revision;
      return;
    }
  }

  async #save(state: LiveState): Promise<void> {
    const { snapshots, dropState } = this.#options;
    if (snapshots === undefined || dropState) return;
    this.#snapshotAt = state.revision;
    try {
      await snapshots.write(writeLiveSnapshot({ state, eventId: this.#lastEventId }));
    } catch {
      // A cache that cannot be written costs time at the next opening, nothing else.
    }
  }

  #tell(listener: (change: RecordChange) => void, change: RecordChange): void {
    try {
      listener(change);
    } catch (error) {
      this.#options.onError(error);
    }
  }

  #start(event: RecordEvent): LiveState {
    if (event.type !== 'conversation:started') {
      throw new RecordError(
        'INVALID_EVENT',
        event.revision,
        `A conversation begins with conversation:started, not with ${event.type}.`,
      );
    }
    return startLive(event, this.#options.runId, this.#options.readTeam(event.payload.team, event.payload.teamId));
  }

  /**
   * Appends after the state's revision. An event that could not be folded is refused before it is written.
   * @returns the next state, folded from what was written; null when another writer was first.
   */
  async #append(state: LiveState, drafts: readonly Draft[]): Promise<LiveState | null> {
    const events = drafts.map((draft) => newDomainEvent(this.#options, draft));
    const parsed = events.map((event, index) => parseRecordEvent({ ...event, revision: state.revision + index + 1 }));
    const next = parsed.reduce(foldLive, state);
    try {
      await this.#options.storage.eventStore.append(this.#stream(), state.revision, events);
    } catch (error) {
      if (!isStorageError(error, 'REVISION_CONFLICT')) throw error;
      if (error.details['actualRevision'] !== 0) return null;
      throw conversationDeleted();
    }
    if (this.#options.dropState) return this.#fold();
    this.#lastEventId = events.at(-1)?.eventId ?? this.#lastEventId;
    await this.#adopt(next, parsed);
    return next;
  }

  /** Takes a newer state in and tells what led to it. */
  async #adopt(state: LiveState, events: readonly RecordEvent[]): Promise<void> {
    const from = this.#told;
    this.#state = state;
    this.#told = state.revision;
    if (from !== null && events.length > 0) {
      const change = { from, to: state.revision, events, state };
      for (const listener of this.#listeners) this.#tell(listener, change);
    }
    if (state.revision - this.#snapshotAt >= SNAPSHOT_EVERY) await this.#save(state);
  }

  #stream() {
    return { namespace: this.#options.storage.record.namespace, streamId: this.#options.runId };
  }

  #exclusive<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#queue.then(work, work);
    this.#queue = done.catch(() => undefined);
    return done;
  }
}

/** What was folded once has no events any more. */
function conversationDeleted(): TeamError {
  const message = 'This conversation was deleted, by this window or another. Nothing more can be said in it.';
  return new TeamError('CONVERSATION_CLOSED', message);
}

/** The envelope fields of one draft. */
export function newDomainEvent(context: Pick<RecordContext, 'runId' | 'clock'>, draft: Draft): NewDomainEvent {
  return {
    eventId: draft.eventId ?? randomUUID(),
    type: draft.event.type,
    version: eventVersion(draft.event.type),
    timestamp: new Date(context.clock.now()).toISOString(),
    correlationId: draft.correlationId ?? context.runId,
    causationId: draft.causationId ?? null,
    payload: draft.event.payload as JsonValue,
  };
}
