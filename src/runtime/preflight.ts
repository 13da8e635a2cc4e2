// The check of engines before the first turn: each lane of the plan's `preflight` is asked whether it could answer, and
// where the plan wants it, made to answer once. A run whose engines do not pass dispatches nothing.
// Rules: docs/rules.md § Engine checks.
import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../core/json.js';
import type { NewDomainEvent } from '../storage/port.js';
import { checkScratch } from './attempt-binding.js';
import { callEngine, failureOf } from './engine-call.js';
import type { LaneEngine } from './engine-route.js';
import { GraphExecutionError } from './executor-error.js';
import type { EventWriter } from './graph-events.js';
import type { EngineIdentity } from './ports/graph-engine.js';
import { PREFLIGHT_PREFIX, type LaneCheck, type PreflightEvent, type PreflightRecord } from './preflight-record.js';
import type { RunLog } from './run-log.js';
import { runWithinTime } from './time-limit.js';

const PROMPT = 'This checks that you can be reached. Answer with the word OK.';
const OUTPUT_BYTES = 65_536;
const MEMORY_BYTES = 1_073_741_824;

/** Failures that nobody mends while the plan stays as it is. Any other one pauses the run. */
const FINAL: ReadonlySet<string> = new Set(['model-unavailable', 'invalid-config', 'unsupported']);

export interface PreflightOptions {
  readonly record: PreflightRecord;
  readonly log: RunLog;
  readonly writer: EventWriter;
  readonly scratchDirectory: string | undefined;
}

/** `passed`: turns may run. `moved`: something was recorded, look again. */
export type PreflightStep =
  | { readonly kind: 'passed' }
  | { readonly kind: 'moved' }
  | { readonly kind: 'pause'; readonly reason: string; readonly preflightEventId: string }
  | { readonly kind: 'fail'; readonly code: 'PREFLIGHT_FAILED'; readonly message: string };

export class Preflight {
  readonly #options: PreflightOptions;

  private constructor(options: PreflightOptions) {
    this.#options = options;
  }

  /** @throws GraphExecutionError `INVALID_PREFLIGHT_CONFIG` when engines are to answer and have no place to do it in. */
  static async create(options: PreflightOptions): Promise<Preflight> {
    const needsPlace = options.record.plan?.lanes.some(({ live }) => live) === true;
    if (needsPlace) {
      await checkScratch(options.scratchDirectory).catch((cause: unknown) => {
        const message =
          'The plan has engines answer before the first turn: pass preflightScratchDirectory, a real path.';
        throw new GraphExecutionError('INVALID_PREFLIGHT_CONFIG', message, cause);
      });
    }
    return new Preflight(options);
  }

  /**
   * The next step of the check, from what the record says.
   * @param revision - up to which the record was read.
   */
  async step(revision: number, signal: AbortSignal): Promise<PreflightStep> {
    const { record } = this.#options;
    if (record.plan === null) return { kind: 'passed' };
    if (record.failed !== null) return { kind: 'fail', code: 'PREFLIGHT_FAILED', message: record.failed };
    if (record.paused !== null) {
      return { kind: 'pause', reason: record.paused.reason, preflightEventId: record.paused.eventId };
    }
    const { lanes, timeoutMs } = record.plan;
    const next = lanes.find(({ laneId }) => record.lane(laneId).end === 'open');
    const engine = next?.engines[record.lane(next.laneId).tried];
    if (next === undefined || engine === undefined) return this.#end(lanes);
    const place = { laneId: next.laneId, identity: engine.identity };
    if (!(await this.#options.log.appendDecision(revision, [this.#event('probe-started', place)]))) {
      return { kind: 'moved' };
    }
    const found = await this.#probe(next, engine, timeoutMs, signal);
    await this.#record(this.#event('probe-finished', { ...place, ...found }));
    return { kind: 'moved' };
  }

  /**
   * Records that somebody wants another look.
   * @returns false when the stream had moved on, and nothing was written.
   * @throws GraphExecutionError `RESUME_EVENT_MISMATCH` when no check is paused at that event.
   */
  async resume(revision: number, preflightEventId: string): Promise<boolean> {
    if (this.#options.record.paused?.eventId !== preflightEventId) {
      const message = `No engine check is paused at ${preflightEventId}.`;
      throw new GraphExecutionError('RESUME_EVENT_MISMATCH', message);
    }
    return this.#options.log.appendDecision(revision, [this.#event('resumed', { preflightEventId })]);
  }

  async #end(checks: readonly LaneCheck[]): Promise<PreflightStep> {
    const failures = checks.flatMap(({ laneId }) => {
      const { end } = this.#options.record.lane(laneId);
      return typeof end === 'string' ? [] : [{ laneId, failure: end.failure }];
    });
    if (failures.length === 0) return { kind: 'passed' };
    const lanes = failures.map(({ laneId }) => laneId);
    const message = `Engines did not pass their check: ${failures.map(({ laneId, failure }) => `${laneId} (${failure})`).join(', ')}.`;
    const isFinal = failures.some(({ failure }) => FINAL.has(failure));
    await this.#record(
      isFinal ? this.#event('failed', { message, lanes }) : this.#event('paused', { reason: message, lanes }),
    );
    return { kind: 'moved' };
  }

  async #probe(
    { live, unsupportedStatic }: LaneCheck,
    { engine, target }: LaneEngine,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<{ readonly effective: EngineIdentity | null; readonly failure: string | null }> {
    const { clock } = this.#options.writer;
    const { model, tools } = target;
    const startedAt = clock.elapsed();
    const nobody = (failure: string | null) => ({ effective: null, failure });
    if (engine.admit === undefined) {
      if (unsupportedStatic === 'block') return nobody('unsupported');
    } else {
      const admit = async (): Promise<void> => engine.admit?.({ model, tools });
      const end = await runWithinTime(admit, { timeoutMs, teardownGraceMs: 0, signal, clock });
      if (end.kind === 'aborted') throw aborted(signal);
      if (end.kind === 'timeout') return nobody('timeout');
      if (end.kind === 'error') return nobody(failureOf(end.error));
    }
    if (!live) return nobody(null);
    const left = Math.max(1, timeoutMs - Math.floor(clock.elapsed() - startedAt));
    const request = {
      prompt: PROMPT,
      model,
      tools,
      allowedTools: [],
      jsonSchema: null,
      cwd: this.#options.scratchDirectory ?? '',
      workspaceMode: 'none',
      timeoutMs: left,
      outputBytes: OUTPUT_BYTES,
      memoryBytes: MEMORY_BYTES,
      maxTokens: null,
    } as const;
    const end = await callEngine(engine, request, { hardMs: left, signal, clock });
    switch (end.kind) {
      case 'aborted':
        throw aborted(signal);
      case 'timeout':
        return { effective: end.effective, failure: 'timeout' };
      case 'failed':
        return { effective: end.effective, failure: end.failure };
      case 'answered':
        // An engine that does not say who it is would fail every turn.
        return { effective: end.effective, failure: end.effective === null ? 'invalid-config' : null };
    }
  }

  async #record(event: NewDomainEvent): Promise<void> {
    await this.#options.log.appendFact(PREFLIGHT_PREFIX, [event]);
  }

  #event(kind: PreflightEvent['kind'], payload: JsonObject): NewDomainEvent {
    const { stream, clock } = this.#options.writer;
    return {
      eventId: randomUUID(),
      type: `${PREFLIGHT_PREFIX}${kind}`,
      version: 1,
      timestamp: new Date(clock.now()).toISOString(),
      correlationId: stream.streamId,
      causationId: null,
      payload,
    };
  }
}

function aborted(signal: AbortSignal): GraphExecutionError {
  return new GraphExecutionError('ABORTED', 'The caller stopped the run.', signal.reason);
}
