// Where an executor writes. Appends of one process stand in a queue that knows the stream's last revision. Two kinds of
// writing: a decision is made again when it loses a race; a fact (an attempt that started, its outcome) is appended
// again at the new revision until it is in, unless another process wrote about the same turn.
import { isJsonObject } from '../core/json.js';
import { isStorageError } from '../storage/error.js';
import type { EventStore, NewDomainEvent, StreamId } from '../storage/port.js';
import { GRAPH_PREFIX } from './graph-events.js';

export class RunLog {
  readonly #eventStore: EventStore;
  readonly #stream: StreamId;
  #revision = 0;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(eventStore: EventStore, stream: StreamId) {
    this.#eventStore = eventStore;
    this.#stream = stream;
  }

  /** Tells the queue how far the stream was read. */
  seen(revision: number): void {
    this.#revision = Math.max(this.#revision, revision);
  }

  /**
   * Appends what was decided at `revision`.
   * @returns false when the stream had moved on: nothing was written, and the decision has to be made again.
   */
  appendDecision(revision: number, events: readonly NewDomainEvent[]): Promise<boolean> {
    return this.#exclusive(async () => {
      try {
        this.seen(await this.#eventStore.append(this.#stream, revision, events));
        return true;
      } catch (error) {
        if (isStorageError(error, 'REVISION_CONFLICT')) return false;
        throw error;
      }
    });
  }

  /**
   * Appends what has happened to a turn.
   * @throws StorageError `REVISION_CONFLICT` when another process wrote about this turn meanwhile; the store's others.
   */
  appendFact(position: string, events: readonly NewDomainEvent[]): Promise<void> {
    return this.#exclusive(async () => {
      for (;;) {
        try {
          this.#revision = await this.#eventStore.append(this.#stream, this.#revision, events);
          return;
        } catch (error) {
          if (!isStorageError(error, 'REVISION_CONFLICT')) throw error;
          if (!(await this.#catchUp(position))) throw error;
        }
      }
    });
  }

  /** Reads past what others appended. False when it concerns `position`, or when there is nothing to catch up with. */
  async #catchUp(position: string): Promise<boolean> {
    const before = this.#revision;
    for await (const event of this.#eventStore.read(this.#stream, before)) {
      if (event.type.startsWith(GRAPH_PREFIX) && mentions(event.payload, position)) return false;
      this.#revision = event.revision;
    }
    return this.#revision > before;
  }

  #exclusive<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => undefined);
    return done;
  }
}

function mentions(payload: NewDomainEvent['payload'], position: string): boolean {
  if (!isJsonObject(payload)) return false;
  const { identity } = payload;
  return payload['position'] === position || (isJsonObject(identity) && identity['position'] === position);
}
