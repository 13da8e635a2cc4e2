// A live conversation with members that answer when the test says so.
import type { LiveState } from '../../src/core/team/live-state.js';
import type { Limits } from '../../src/core/team/limits.js';
import { parseTeamFile, type TeamFile } from '../../src/core/team/team-file.js';
import type { Conversation, ConversationHost } from '../../src/runtime/conversation.js';
import type { TurnUsage } from '../../src/core/record/catalogue.js';
import type { Engine, EngineStep, EngineTurn, TurnInput, TurnResult } from '../../src/runtime/ports/engine.js';
import type { TeamTools } from '../../src/runtime/ports/tools.js';
import { readTranscript } from '../../src/runtime/transcript-pages.js';
import type { DomainEventEnvelope, LocalRunStorage, RunStoragePolicy } from '../../src/storage/port.js';
import { createMemoryRunStorage } from '../../src/storage/memory/storage.js';
import { MemoryDisk } from '../../src/storage/memory/disk.js';

export const LIVE_POLICY: RunStoragePolicy = {
  schemaVersion: 1,
  maxEventPayloadBytes: 65_536,
  maxAppendBatchBytes: 131_072,
  maxArtifactBytes: 1_000_000,
  maxTotalArtifactBytesPerRun: 4_000_000,
  retention: 'until-run-delete',
  sensitiveContent: { marked: 'reject', exact: 'reject', freeText: 'redact-before-hash' },
};

export function memoryStorage(disk = new MemoryDisk()): LocalRunStorage {
  return createMemoryRunStorage({ namespace: 'live', policy: LIVE_POLICY, disk });
}

/** A team led by the first member; `rooms` default to one for all, called `room`. */
export function team(
  members: readonly string[],
  options: {
    readonly rooms?: readonly { id: string; members: readonly string[] }[];
    readonly limits?: Readonly<Partial<Limits>>;
  } = {},
): TeamFile {
  const file = {
    id: 'field',
    lead: members[0],
    data: { communication: { rooms: options.rooms ?? [{ id: 'room', members }], tailMessages: 5 } },
    nodes: members.map((id) => ({ id, data: { role: `the ${id}`, brief: 'Answer.', engine: 'hand' } })),
    edges: [],
    ...(options.limits === undefined ? {} : { limits: options.limits }),
  };
  return parseTeamFile(JSON.stringify(file), 'field');
}

/** A turn that has begun and that the test ends. */
export interface BegunTurn {
  readonly member: string;
  readonly input: TurnInput;
  readonly signal: AbortSignal;
  step(text: string): void;
  /** Reports a step of any kind. */
  report(step: EngineStep): void;
  readonly tools: TeamTools;
  takeMail(): ReturnType<EngineTurn['takeMail']>;
  answer(text: string, usage?: Partial<TurnUsage>): void;
  fail(message: string): void;
}

/** An engine played by hand: each turn that begins is handed to the test. */
export class HandEngine implements Engine {
  readonly id = 'hand';
  readonly label = 'By hand';
  /** Members in the order in which their turns began. */
  readonly calls: string[] = [];
  /** True for an engine that does not hear its signal. */
  isDeaf = false;
  readonly #begun: BegunTurn[] = [];
  readonly #waiting: ((turn: BegunTurn) => void)[] = [];

  runTurn(input: TurnInput, run: EngineTurn): Promise<TurnResult> {
    const { signal } = run;
    this.calls.push(input.member.id);
    const { promise, resolve, reject } = Promise.withResolvers<TurnResult>();
    if (!this.isDeaf) {
      signal.addEventListener('abort', () => reject(new DOMException('stopped', 'AbortError')), { once: true });
    }
    const turn: BegunTurn = {
      member: input.member.id,
      input,
      signal,
      step: (text) => run.step({ kind: 'thought', text }),
      report: (step) => run.step(step),
      tools: run.tools,
      takeMail: () => run.takeMail(),
      answer: (text, usage) => resolve({ text, ...(usage === undefined ? {} : { usage }) }),
      fail: (message) => reject(new Error(message)),
    };
    const next = this.#waiting.shift();
    if (next === undefined) this.#begun.push(turn);
    else next(turn);
    return promise;
  }

  /** The next turn that begins, or that began and was not handed out yet. */
  begun(): Promise<BegunTurn> {
    const turn = this.#begun.shift();
    if (turn !== undefined) return Promise.resolve(turn);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Turns that began and were not handed out. */
  get pending(): number {
    return this.#begun.length;
  }
}

/** An engine that answers at once by a rule. */
export function ruleEngine(rule: (input: TurnInput) => string): Engine & { readonly calls: string[] } {
  const calls: string[] = [];
  return {
    id: 'hand',
    label: 'By rule',
    calls,
    runTurn(input) {
      calls.push(input.member.id);
      return Promise.resolve({ text: rule(input) });
    },
  };
}

let windows = 0;

/** One window's view of a storage: its own runner id. */
export function host(storage: LocalRunStorage, engine: Engine): ConversationHost & { readonly errors: unknown[] } {
  const errors: unknown[] = [];
  windows += 1;
  return {
    storage,
    engines: { find: (id) => (id === engine.id ? engine : null) },
    runnerId: `window-${process.pid}-${windows}`,
    onError: (error) => errors.push(error),
    errors,
  };
}

/** Resolves when nothing runs and nothing waits to run. */
export function settled(conversation: Conversation): Promise<void> {
  return until(conversation, ({ members }) =>
    [...members.values()].every(({ open, queue }) => open === null && queue.length === 0),
  );
}

/** Resolves when the recorded state is as wanted. */
export async function until(conversation: Conversation, isSo: (state: LiveState) => boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const look = async (): Promise<void> => {
    if (isSo((await conversation.status()).state)) resolve(undefined);
  };
  using _subscription = conversation.onDidChange(() => void look());
  await look();
  await promise;
}

/** The transcript of a room as `sender: text`, notices as `* kind`. */
export async function said(storage: LocalRunStorage, runId: string, roomId = 'room'): Promise<string[]> {
  const lines: string[] = [];
  for await (const entry of readTranscript(storage, runId, roomId)) {
    lines.push(entry.kind === 'post' ? `${entry.sender}: ${entry.text}` : `* ${entry.notice.kind}`);
  }
  return lines;
}

/** All events of a stream. */
export async function events(storage: LocalRunStorage, streamId: string): Promise<DomainEventEnvelope[]> {
  const found: DomainEventEnvelope[] = [];
  const stream = { namespace: storage.record.namespace, streamId };
  for await (const event of storage.eventStore.read(stream)) found.push(event);
  return found;
}

let requests = 0;

/** Posts as the person. */
export function post(conversation: Conversation, text: string, roomId = 'room'): Promise<string> {
  requests += 1;
  return conversation.post({ requestId: `request-${process.pid}-${requests}`, roomId, text });
}
