// A turn on its engine lane: the first engine that can still be used, one fallback when that one turns out to be dead,
// a receipt for each call. Rules: docs/rules.md § Engine lanes.
import { canonicalJson, cloneJson, type JsonValue } from '../core/json.js';
import { attemptIdentity } from '../core/team/identifiers.js';
import type { ExecutionTarget } from '../core/graph/model.js';
import type { CheckedBinding } from './attempt-binding.js';
import type { EngineRoute, Product } from './attempt.js';
import { AttemptError } from './attempt-error.js';
import { callEngine, type CallEnd, type EngineAnswer } from './engine-call.js';
import { isLaneDead, unavailablePayload, type LaneDeadFailure } from './engine-events.js';
import { newGraphEvent, type EventWriter } from './graph-events.js';
import type { GraphNodeBinding, TokenReservation } from './ports/binding.js';
import type { EngineIdentity, GraphEngine } from './ports/graph-engine.js';
import type { RunLog } from './run-log.js';

/** A target of a lane with the engine that is bound to it. */
export interface LaneEngine {
  readonly target: ExecutionTarget;
  readonly identity: EngineIdentity;
  readonly engine: GraphEngine;
}

export interface RouteOptions {
  readonly nodeId: string;
  readonly position: string;
  /** Receipts that the turn has already. */
  readonly receipts: number;
  readonly log: RunLog;
  readonly writer: EventWriter;
  /** The engines of the lane that can be used now, in the order of the plan. */
  readonly usable: () => readonly LaneEngine[];
  /** Takes an engine out of use for the rest of the run. */
  readonly exclude: (engine: LaneEngine, failure: LaneDeadFailure) => void;
}

/** Calls per attempt: the engine in use and one fallback. */
const MAX_CALLS = 2;

export function engineRoute(options: RouteOptions): EngineRoute {
  return async ({ checked, prompt, signal }) => {
    const { clock } = options.writer;
    const { policy } = checked;
    const startedAt = clock.elapsed();
    let cause: unknown;
    for (let calls = 1; calls <= MAX_CALLS; calls += 1) {
      const [chosen] = options.usable();
      if (chosen === undefined) break;
      const spent = clock.elapsed() - startedAt;
      // Both calls share one clock: what the first one used up is not given to the second.
      if (spent >= policy.timeoutMs) throw timeout(policy.timeoutMs);
      if (signal.aborted) throw aborted();
      const reservation = reserve(checked, chosen.engine);
      const hardMs = policy.timeoutMs + policy.teardownGraceMs - spent;
      const request = { ...requestOf(checked, chosen.target, prompt), timeoutMs: policy.timeoutMs - spent };
      const end = await callEngine(chosen.engine, request, { hardMs, signal, clock });
      settle(reservation, end);
      await recordReceipt(options, calls, chosen.identity, end.effective);
      const isLate = clock.elapsed() - startedAt >= policy.timeoutMs;
      if (end.kind !== 'failed' || !isLaneDead(end.failure)) return productOf(checked, end, isLate);
      cause = end.cause;
      await recordUnavailable(options, chosen, end.effective, end.failure);
    }
    throw new AttemptError('ENGINE_UNAVAILABLE', 'No engine of the lane can be used.', cause);
  };
}

function requestOf(
  { binding, permissions, policy, scratchDirectory, workspace }: CheckedBinding,
  target: ExecutionTarget,
  prompt: string,
) {
  return {
    prompt,
    model: target.model,
    tools: target.tools,
    allowedTools: permissions,
    jsonSchema: binding.resultContract?.schema ?? null,
    cwd: workspace.directory ?? scratchDirectory,
    workspaceMode: workspace.mode,
    outputBytes: policy.outputBytes,
    memoryBytes: policy.memoryBytes,
    maxTokens: policy.callTokens?.mode === 'hard' ? policy.callTokens.tokens : null,
  };
}

function productOf(checked: CheckedBinding, end: CallEnd, isLate: boolean): Product {
  const { timeoutMs, callTokens } = checked.policy;
  switch (end.kind) {
    case 'aborted':
      throw aborted();
    case 'timeout':
      throw timeout(timeoutMs);
    case 'failed':
      if (end.failure === 'aborted') throw aborted(end.cause);
      if (end.failure === 'timeout' || isLate) throw timeout(timeoutMs, end.cause);
      throw new AttemptError('EFFECT_FAILED', `The engine failed (${end.failure}).`, end.cause);
    case 'answered': {
      const { answer, effective } = end;
      if (effective === null) throw new AttemptError('ENGINE_IDENTITY_UNRESOLVED', 'The engine did not say who it is.');
      if (callTokens !== null && (answer.tokens ?? 0) > callTokens.tokens) {
        throw new AttemptError(
          'TOKEN_BUDGET',
          `The call used ${answer.tokens} tokens; ${callTokens.tokens} are allowed.`,
        );
      }
      return { outputBytes: answer.outputBytes, result: () => resultOf(checked.binding, answer) };
    }
  }
}

/**
 * A structured last part is the result. Text is made into one by the binding's `parseResult`, or left to its contract;
 * a binding that has neither gets null.
 */
function resultOf({ parseResult, resultContract }: GraphNodeBinding, { parts }: EngineAnswer): JsonValue {
  const last = parts.at(-1) ?? null;
  if (typeof last !== 'string') return last;
  if (parseResult === null) return resultContract === null ? null : last;
  try {
    return cloneJson(parseResult(last, parts));
  } catch (cause) {
    throw new AttemptError('RESULT_INVALID', 'The answer of the engine cannot be read.', cause);
  }
}

function reserve({ policy, binding }: CheckedBinding, engine: GraphEngine): TokenReservation | null {
  const { callTokens } = policy;
  if (callTokens === null || binding.tokenBudget === null) return null;
  if (callTokens.mode === 'hard' && engine.enforcesTokens !== true) {
    throw new AttemptError('TOKEN_BUDGET', 'The engine cannot keep to a hard limit of tokens.');
  }
  try {
    return binding.tokenBudget.reserve(callTokens.tokens);
  } catch (cause) {
    throw new AttemptError('TOKEN_BUDGET', `The budget has no ${callTokens.tokens} tokens left.`, cause);
  }
}

/** A dead engine has used nothing; what another failure has used, nobody knows. */
function settle(reservation: TokenReservation | null, end: CallEnd): void {
  if (end.kind === 'failed' && isLaneDead(end.failure)) reservation?.release();
  else reservation?.commit(end.kind === 'answered' ? end.answer.tokens : null);
}

async function recordReceipt(
  { log, writer, nodeId, position, receipts }: RouteOptions,
  call: number,
  requested: EngineIdentity,
  effective: EngineIdentity | null,
): Promise<void> {
  const payload = { nodeId, position, sequence: receipts + call, requested, effective };
  await log.appendFact(position, [newGraphEvent(writer, 'engine-attempt-recorded', payload)]);
}

/** an engine that is dead but cannot be recorded as such would be called again by the next turn. */
async function recordUnavailable(
  { log, writer, nodeId, position, exclude }: RouteOptions,
  chosen: LaneEngine,
  effective: EngineIdentity | null,
  failure: LaneDeadFailure,
): Promise<void> {
  const { identity: selection, target } = chosen;
  const identity = attemptIdentity({ ...writer.stream, nodeId, position });
  const payload = unavailablePayload(identity, { selection, effective, failure, target });
  try {
    await log.appendFact(position, [newGraphEvent(writer, 'model-unavailable', payload)]);
  } catch (cause) {
    throw new AttemptError(
      'MODEL_UNAVAILABLE_RECORD',
      `That ${canonicalJson(selection)} is dead was not stored.`,
      cause,
    );
  }
  exclude(chosen, failure);
}

function timeout(timeoutMs: number, cause?: unknown): AttemptError {
  return new AttemptError('TIMEOUT', `The engine did not end within ${timeoutMs} ms.`, cause);
}

function aborted(cause?: unknown): AttemptError {
  return new AttemptError('ABORTED', 'The engine was stopped.', cause);
}
