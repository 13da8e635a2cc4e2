// A member's own stream: what it was given and the steps of its reasoning, in order. Nobody else's input reads it.
import { digestJson } from '../core/json.js';
import { isStorageError, StorageError } from '../storage/error.js';
import type { NewDomainEvent } from '../storage/port.js';
import { memberStreamId } from '../storage/streams.js';
import { newDomainEvent, type Draft, type RecordContext } from './live-record.js';
import type { EngineStep, TurnInput } from './ports/engine.js';

const MAX_RACES = 20;

/** Appends to one member's stream, one event after the other, in the order of the calls. */
export class MemberStream {
  readonly #context: RecordContext;
  readonly #stream: { readonly namespace: string; readonly streamId: string };
  readonly #keep: (write: () => Promise<unknown>, signal: AbortSignal) => Promise<void>;
  #revision: number | null = null;
  #sequence = 0;
  #signal = AbortSignal.abort();
  #written: Promise<void> = Promise.resolve();

  /** @param keep - does a write until the store takes it or the signal ends the tries. */
  constructor(
    context: RecordContext,
    ordinal: number,
    keep: (write: () => Promise<unknown>, signal: AbortSignal) => Promise<void>,
  ) {
    this.#context = context;
    this.#keep = keep;
    this.#stream = {
      namespace: context.storage.record.namespace,
      streamId: memberStreamId(context.runId, ordinal),
    };
  }

  /**
   * Begins a turn: records what it is given, by digest and message ids.
   * @param signal - the turn's: what is not written when it is given is given up.
   */
  begin(input: TurnInput, signal: AbortSignal): void {
    const { position, messages } = input;
    this.#sequence = 0;
    this.#signal = signal;
    this.#written = this.#written.catch(() => undefined);
    const payload = { position, digest: digestJson(input), messageIds: messages.map(({ id }) => id) };
    this.#write({ event: { type: 'input:given', payload }, correlationId: position });
  }

  /** Records one step of the turn at `position`. */
  step(position: string, step: EngineStep): void {
    const payload = { position, sequence: this.#sequence, step: { ...step, text: step.text.toWellFormed() } };
    this.#sequence += 1;
    this.#write({ event: { type: 'step:recorded', payload }, correlationId: position });
  }

  /** Resolves when everything written since `begin` is durable; rejects with the first failure. */
  flush(): Promise<void> {
    return this.#written;
  }

  #write(draft: Draft): void {
    // The id is fixed here, so that a write that is tried again is recognised by the store.
    const fixed = newDomainEvent(this.#context, draft);
    const signal = this.#signal;
    this.#written = this.#written.then(() => this.#keep(() => this.#append(fixed), signal));
    // `flush` reports the failure; until it is called the failure must not count as unhandled.
    this.#written.catch(() => undefined);
  }

  async #append(event: NewDomainEvent): Promise<void> {
    const { eventStore } = this.#context.storage;
    for (let race = 0; race < MAX_RACES; race += 1) {
      this.#revision ??= await eventStore.head(this.#stream);
      try {
        this.#revision = await eventStore.append(this.#stream, this.#revision, [event]);
        return;
      } catch (error) {
        if (!isStorageError(error, 'REVISION_CONFLICT')) throw error;
        this.#revision = null;
      }
    }
    throw new StorageError('STORAGE_UNAVAILABLE', `Another writer keeps the stream ${this.#stream.streamId} busy.`);
  }
}
