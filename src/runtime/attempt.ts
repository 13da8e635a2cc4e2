// One attempt of a turn: checks, the host's word, the effect under its limits, and what came of it. The order of the
// steps is the rule. Rules: docs/rules.md § Attempts.
import { canonicalJson, cloneJson, utf8Length, type JsonValue } from '../core/json.js';
import { checkBinding, checkScratch, type CheckedBinding } from './attempt-binding.js';
import { AttemptError, type AttemptFailureCode } from './attempt-error.js';
import { enterWorkspace, leaveWorkspace } from './attempt-workspace.js';
import type { ActionDecision, GraphNodeBinding, NodeRunContext } from './ports/binding.js';
import type { Clock } from './ports/clock.js';
import type { WorkspaceInspector } from './ports/workspace.js';
import { runWithinTime } from './time-limit.js';

/** What came of an effect: how many bytes it said in all, and its result, which is read only when that was not too much. */
export interface Product {
  readonly outputBytes: number;
  /** @throws AttemptError `RESULT_INVALID` */
  result(): JsonValue;
}

/** Runs a turn on a node's engine lane. Keeps its own time; throws AttemptError. */
export type EngineRoute = (turn: {
  readonly checked: CheckedBinding;
  readonly prompt: string;
  readonly signal: AbortSignal;
}) => Promise<Product>;

export interface AttemptRequest {
  readonly binding: GraphNodeBinding;
  readonly input: JsonValue;
  /** What the binding's `prompt` gave, null for a data effect. */
  readonly prompt: string | null;
  /** Null for a data effect. */
  readonly engine: EngineRoute | null;
  readonly memory: unknown;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly workspaceInspector?: WorkspaceInspector | undefined;
}

/** How an attempt ended. Only codes, reasons and results are recorded; messages are not. */
export type AttemptOutcome =
  | { readonly kind: 'completed'; readonly result: JsonValue }
  | { readonly kind: 'paused'; readonly reason: string; readonly request: JsonValue }
  | { readonly kind: 'failed'; readonly code: AttemptFailureCode; readonly error: AttemptError };

/** Runs one attempt. Whatever a binding does wrong becomes an outcome; other errors (a store's) are passed on. */
export async function runAttempt(request: AttemptRequest): Promise<AttemptOutcome> {
  try {
    return await attempt(request);
  } catch (error) {
    if (error instanceof AttemptError) return { kind: 'failed', code: error.code, error };
    throw error;
  }
}

async function attempt(request: AttemptRequest): Promise<AttemptOutcome> {
  const { binding, prompt, engine, signal, workspaceInspector } = request;
  const checked = checkBinding(binding, request.input, engine !== null);
  const { policy, workspace } = checked;
  const inputBytes = utf8Length(canonicalJson(checked.input)) + utf8Length(prompt ?? '');
  refuseOver('INPUT_LIMIT', inputBytes, policy.inputBytes);
  refuseAborted(signal);
  await checkScratch(checked.scratchDirectory);
  const inspection = await enterWorkspace(workspace, workspaceInspector);
  const decision = await askHost(binding);
  if (decision.kind === 'wait') return { kind: 'paused', reason: decision.reason, request: decision.request };
  if (decision.kind === 'deny') throw new AttemptError('DENIED', decision.reason);
  try {
    const product = await run(request, checked);
    refuseOver('OUTPUT_LIMIT', product.outputBytes, policy.outputBytes);
    const result = checkResult(binding, product.result());
    await leaveWorkspace(inspection, workspace, policy);
    return { kind: 'completed', result };
  } catch (error) {
    // What happened to the workspace counts for more than how the effect ended.
    if (error instanceof AttemptError && !error.code.startsWith('WORKSPACE_')) {
      await leaveWorkspace(inspection, workspace, policy);
    }
    throw error;
  }
}

async function run(request: AttemptRequest, checked: CheckedBinding): Promise<Product> {
  const { engine, prompt, signal } = request;
  if (engine !== null) return engine({ checked, prompt: prompt ?? '', signal });
  const result = await runData(request, checked);
  return { outputBytes: utf8Length(canonicalJson(result)), result: () => result };
}

async function runData(request: AttemptRequest, checked: CheckedBinding): Promise<JsonValue> {
  const { binding, memory, signal, clock } = request;
  const { input, trustedCaller, permissions, policy, scratchDirectory, workspace } = checked;
  const effect = async (effectSignal: AbortSignal): Promise<unknown> => {
    const context: NodeRunContext = {
      input,
      memory,
      scratchDirectory,
      workspaceDirectory: workspace.directory,
      trustedCaller,
      permissions,
      signal: effectSignal,
    };
    return binding.runData?.(context);
  };
  const { timeoutMs, teardownGraceMs } = policy;
  const outcome = await runWithinTime(effect, { timeoutMs, teardownGraceMs, signal, clock });
  switch (outcome.kind) {
    case 'value':
      return jsonOf(outcome.value);
    case 'error':
      throw new AttemptError('EFFECT_FAILED', 'The node threw.', outcome.error);
    case 'timeout':
      throw new AttemptError('TIMEOUT', `The node did not end within ${timeoutMs} ms.`);
    case 'aborted':
      throw new AttemptError('ABORTED', 'The caller stopped the run.');
  }
}

function jsonOf(value: unknown): JsonValue {
  try {
    return cloneJson(value);
  } catch (cause) {
    throw new AttemptError('EFFECT_FAILED', 'What the node returned is not JSON.', cause);
  }
}

function checkResult({ resultContract }: GraphNodeBinding, result: JsonValue): JsonValue {
  if (resultContract === null) return result;
  try {
    return cloneJson(resultContract.validate(result));
  } catch (cause) {
    throw new AttemptError('RESULT_INVALID', 'The result does not keep to its contract.', cause);
  }
}

/** Asked with no time limit, and not stopped by an abort: the host answers for itself. */
async function askHost(binding: GraphNodeBinding): Promise<ActionDecision> {
  try {
    return readDecision(cloneJson(await binding.decideAction()));
  } catch (cause) {
    throw new AttemptError('ACTION_POLICY', 'The host did not decide about the action.', cause);
  }
}

function readDecision(value: JsonValue): ActionDecision {
  const fields = new Map<string, JsonValue>(Object.entries(value ?? {}));
  const exactly = (...keys: string[]): boolean => fields.size === keys.length && keys.every((key) => fields.has(key));
  const kind = fields.get('kind');
  if (kind === 'allow' && exactly('kind')) return { kind };
  const reason = fields.get('reason');
  if (typeof reason === 'string' && reason !== '' && reason === reason.trim()) {
    if (kind === 'deny' && exactly('kind', 'reason')) return { kind, reason };
    const request = fields.get('request');
    if (kind === 'wait' && exactly('kind', 'reason', 'request') && request !== undefined) {
      return { kind, reason, request };
    }
  }
  throw new TypeError('A decision is exactly {kind: allow}, {kind: wait, reason, request} or {kind: deny, reason}.');
}

function refuseOver(code: 'INPUT_LIMIT' | 'OUTPUT_LIMIT', bytes: number, limit: number): void {
  if (bytes > limit) throw new AttemptError(code, `It has ${bytes} bytes; ${limit} are allowed.`);
}

function refuseAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new AttemptError('ABORTED', 'The caller stopped the run.');
}
