// A member's own stream: what it was given and the steps of its reasoning, in order. Nobody else's input reads it.
import { digestJson, isJsonObject } from '../core/json.js';
import type { TurnUsage } from '../core/record/catalogue.js';
import { isStorageError, StorageError } from '../storage/error.js';
import type { NewDomainEvent } from '../storage/port.js';
import { memberStreamId } from '../storage/streams.js';
import { newDomainEvent, type Draft, type RecordContext } from './live-record.js';
import type { EngineStep, TurnInput, TurnResult } from './ports/engine.js';
import { StepPieces, type StepPiece } from './step-pieces.js';

const MAX_RACES = 20;
/** How many events go into one append at most. */
const MAX_BATCH = 64;

interface MemberStreamOptions extends RecordContext {
  /** The member's place in the roster. */
  readonly ordinal: number;
  /** Does a write until the store takes it or the signal ends the tries. */
  readonly keep: (write: () => Promise<unknown>, signal: AbortSignal) => Promise<void>;
}

/** Appends to one member's stream in the order of the calls; what waits for the store goes together. */
export class MemberStream {
  readonly #options: MemberStreamOptions;
  readonly #stream: { readonly namespace: string; readonly streamId: string };
  #revision: number | null = null;
  #pieces: StepPieces | null = null;
  #signal = AbortSignal.abort();
  #waiting: NewDomainEvent[] = [];
  #written: Promise<void> = Promise.resolve();

  constructor(options: MemberStreamOptions) {
    this.#options = options;
    const { storage, runId, ordinal } = options;
    this.#stream = { namespace: storage.record.namespace, streamId: memberStreamId(runId, ordinal) };
  }

  /**
   * Begins a turn: records what it is given, by digest and message ids.
   * @param signal - the turn's: what is not written when it is given is given up.
   */
  begin(input: TurnInput, signal: AbortSignal): void {
    const { position, messages } = input;
    this.#signal = signal;
    this.#waiting = [];
    this.#written = this.#written.catch(() => undefined);
    this.#pieces = new StepPieces(this.#options.clock, (piece) => this.#record(position, piece));
    const payload = { position, digest: digestJson(input), messageIds: messages.map(({ id }) => id) };
    this.#write({ event: { type: 'input:given', payload }, correlationId: position });
  }

  /** Records one step of the turn that was begun, or a piece of one. */
  step(step: EngineStep): void {
    this.#pieces?.add(step);
  }

  /** Records the answer, so that a turn which is cut off before its outcome ends with it all the same. */
  final(result: Pick<TurnResult, 'text' | 'data'>, usage: TurnUsage | null): void {
    this.#pieces?.final(result, usage);
  }

  /** Ends the turn's steps. Resolves when everything since `begin` is durable; rejects with the first failure. */
  flush(): Promise<void> {
    this.#pieces?.end();
    this.#pieces = null;
    return this.#written;
  }

  #record(position: string, piece: StepPiece): void {
    this.#write({
      event: { type: 'step:recorded', payload: { position, ...piece } },
      correlationId: position,
    });
  }

  #write(draft: Draft): void {
    // The id is fixed here, so that a write that is tried again is recognised by the store.
    const fixed = newDomainEvent(this.#options, draft);
    const signal = this.#signal;
    this.#waiting.push(fixed);
    this.#written = this.#written.then(() => this.#writeWaiting(signal));
    // `flush` reports the failure; until it is called the failure must not count as unhandled.
    this.#written.catch(() => undefined);
  }

  async #writeWaiting(signal: AbortSignal): Promise<void> {
    const batch = this.#takeBatch();
    if (batch.length === 0) return;
    try {
      await this.#options.keep(() => this.#append(batch), signal);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // One step that may not be stored takes nothing else with it.
      for (const event of batch) await this.#appendOrSay(event, signal);
    }
  }

  async #appendOrSay(event: NewDomainEvent, signal: AbortSignal): Promise<void> {
    try {
      await this.#options.keep(() => this.#append([event]), signal);
    } catch (error) {
      const substitute = isRefusal(error) ? withoutContent(event, error) : null;
      if (substitute === null) throw error;
      await this.#options.keep(() => this.#append([substitute]), signal);
    }
  }

  #takeBatch(): readonly NewDomainEvent[] {
    const { maxAppendBatchBytes } = this.#options.storage.record.policy;
    let bytes = 0;
    let count = 0;
    for (const event of this.#waiting.slice(0, MAX_BATCH)) {
      bytes += Buffer.byteLength(JSON.stringify(event)) + 64;
      if (count > 0 && bytes > maxAppendBatchBytes / 2) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }

  async #append(events: readonly NewDomainEvent[]): Promise<void> {
    const { eventStore } = this.#options.storage;
    for (let race = 0; race < MAX_RACES; race += 1) {
      this.#revision ??= await eventStore.head(this.#stream);
      try {
        this.#revision = await eventStore.append(this.#stream, this.#revision, events);
        return;
      } catch (error) {
        if (!isStorageError(error, 'REVISION_CONFLICT')) throw error;
        this.#revision = null;
      }
    }
    throw new StorageError('STORAGE_UNAVAILABLE', `Another writer keeps the stream ${this.#stream.streamId} busy.`);
  }
}

/** True for what the store will never take. */
function isRefusal(error: unknown): error is StorageError {
  return (
    isStorageError(error, 'KNOWN_SECRET') ||
    isStorageError(error, 'SENSITIVE_CONTENT') ||
    isStorageError(error, 'STORAGE_LIMIT_EXCEEDED') ||
    isStorageError(error, 'INVALID_STORED_VALUE')
  );
}

/** What stands in the place of a step that may not be stored; null for an answer or an input: the turn fails by it. */
function withoutContent(event: NewDomainEvent, error: StorageError): NewDomainEvent | null {
  const { payload } = event;
  if (event.type !== 'step:recorded' || !isJsonObject(payload)) return null;
  const step = payload['step'];
  if (!isJsonObject(step) || step['kind'] === 'final') return null;
  const message = `This step was not saved: ${whyRefused(error)}.`;
  return { ...event, payload: { ...payload, step: { kind: 'error', message } } };
}

function whyRefused({ code, message }: StorageError): string {
  if (code === 'KNOWN_SECRET' || code === 'SENSITIVE_CONTENT') return 'it contained a secret';
  return code === 'STORAGE_LIMIT_EXCEEDED' ? 'it is too large' : message;
}
