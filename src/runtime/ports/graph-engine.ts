// What runs a turn of a stored graph whose node asks for an engine. Types, and the error that an engine gives.
import type { ExecutionTarget } from '../../core/graph/model.js';
import type { JsonValue } from '../../core/json.js';

/** Who answers, as the engine itself says. */
export type EngineIdentity = {
  readonly adapter: string;
  readonly provider: string;
  readonly modelFamily: string;
  readonly model: string;
};

/** One call of an engine. Sizes in bytes, times in milliseconds. */
export interface GraphEngineRequest {
  readonly prompt: string;
  readonly model: string;
  /** Tools of the lane's target. */
  readonly tools: readonly string[];
  /** Those that this turn may use. */
  readonly allowedTools: readonly string[];
  /** JSON Schema that the last part should keep to, null for free text. */
  readonly jsonSchema: JsonValue;
  /** The workspace, or the scratch directory when there is none. */
  readonly cwd: string;
  readonly workspaceMode: 'none' | 'read' | 'write';
  readonly timeoutMs: number;
  readonly outputBytes: number;
  readonly memoryBytes: number;
  /** How many tokens the call may use, for an engine that enforces it; null: no limit. */
  readonly maxTokens: number | null;
  /** Aborted at the hard time limit and when the caller stops the run. */
  readonly signal: AbortSignal;
}

export interface GraphEngineReply {
  /** What it said, in order; the last part is the answer. At least one. Text is a string, anything else is structured. */
  readonly parts: readonly JsonValue[];
  /** Null when the engine cannot tell. */
  readonly effective: EngineIdentity | null;
  /** Null when the engine does not say. */
  readonly tokens: number | null;
}

export type EngineFailureKind =
  | 'auth'
  | 'billing'
  | 'missing-cli'
  | 'model-unavailable'
  | 'invalid-config'
  | 'rate-limit'
  | 'quota'
  | 'transient'
  | 'timeout'
  | 'aborted'
  | 'unknown';

/** An engine could not answer. `kind` decides whether another one is tried. */
export class GraphEngineError extends Error {
  override readonly name = 'GraphEngineError';
  readonly kind: EngineFailureKind;
  readonly effective: EngineIdentity | null;

  constructor(kind: EngineFailureKind, message: string, effective: EngineIdentity | null = null, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.effective = effective;
  }
}

export interface GraphEngine {
  /** True when `run` keeps to `maxTokens`. Turns with a hard token limit need that. */
  readonly enforcesTokens?: boolean;
  /** @throws GraphEngineError when it could not answer; anything else counts as the kind `unknown`. */
  run(request: GraphEngineRequest): Promise<GraphEngineReply>;
  /** Says without a call whether it could answer; absent when it cannot say. @throws GraphEngineError when it could not. */
  admit?(request: { readonly model: string; readonly tools: readonly string[] }): Promise<void>;
}

/** The engine that a host supplies for one target of the plan. */
export interface GraphEngineBinding {
  readonly target: ExecutionTarget;
  readonly engine: GraphEngine;
}
