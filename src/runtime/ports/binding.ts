// What a host binds to a node of a stored graph: how its turn is run, under which limits, and what its result must be.
// Types, and the one helper that makes a result contract.
import { cloneJson, digestJson, type JsonObject, type JsonValue, type Sha256Digest } from '../../core/json.js';

/** Names a result contract. The digest is over the canonical text of its schema. */
export interface ResultContractRecord {
  readonly name: string;
  readonly version: number;
  readonly schemaDigest: Sha256Digest;
}

export interface ResultContract {
  readonly record: ResultContractRecord;
  /** JSON Schema of the result; handed to engines that can keep to one. */
  readonly schema: JsonValue;
  /**
   * @param value - the raw result of the turn.
   * @returns what is saved as the result.
   * @throws when the result is not acceptable; the turn then fails with `RESULT_INVALID`.
   */
  validate(value: unknown): JsonValue;
}

/** `none`: no folder. `read`: a git worktree's root. `write`: the same, and `allowedPaths` (globs) may change. */
export interface WorkspaceRequest {
  readonly mode: 'none' | 'read' | 'write';
  readonly directory: string | null;
  readonly allowedPaths: readonly string[];
}

/** Limits of one attempt. Sizes in bytes, times in milliseconds; a value equal to its limit passes. */
export interface AttemptPolicy {
  readonly inputBytes: number;
  readonly outputBytes: number;
  readonly timeoutMs: number;
  readonly teardownGraceMs: number;
  /** Handed to engines; not enforced for data effects. */
  readonly memoryBytes: number;
  readonly filesChanged: number;
  readonly linesChanged: number;
  readonly callTokens: null | { readonly mode: 'hard' | 'observed'; readonly tokens: number };
}

/** What a data effect is given. */
export interface NodeRunContext {
  readonly input: JsonValue;
  /** The executor's memory binding, null when the graph uses none. */
  readonly memory: unknown;
  readonly scratchDirectory: string;
  readonly workspaceDirectory: string | null;
  readonly trustedCaller: JsonObject;
  readonly permissions: readonly string[];
  /** Aborted at the soft time limit and when the caller stops the run. */
  readonly signal: AbortSignal;
}

/** The host's last word before an attempt runs. Asked once per attempt, and again after a resume. */
export type ActionDecision =
  | { readonly kind: 'allow' }
  | { readonly kind: 'wait'; readonly reason: string; readonly request: JsonValue }
  | { readonly kind: 'deny'; readonly reason: string };

/** A reservation of model tokens. */
export interface TokenReservation {
  /** Books what was used and gives back the rest; `null` = the engine did not say. */
  commit(tokens: number | null): void;
  /** Gives everything back. */
  release(): void;
}

/** Tokens that several turns share. */
export interface TokenBudget {
  /** @throws when `tokens` are not left, or an unknown use was booked before. */
  reserve(tokens: number): TokenReservation;
}

/** One node's binding. Exactly one of an engine lane (in the plan) and `runData` exists. */
export interface GraphNodeBinding {
  /** The prompt for the node's engine; null for a data effect. */
  readonly prompt: ((input: JsonValue) => string) | null;
  /** Absolute, existing, its own real path. */
  readonly scratchDirectory: string;
  readonly workspace: WorkspaceRequest;
  readonly trustedCaller: JsonObject;
  /** Names of the tools that the turn may use, each once. */
  readonly permissions: readonly string[];
  readonly policy: AttemptPolicy;
  readonly resultContract: ResultContract | null;
  readonly runData: ((context: NodeRunContext) => Promise<JsonValue>) | null;
  /** Turns an engine's last part (and all its parts) into the result. */
  readonly parseResult: ((finalPart: JsonValue, parts: readonly JsonValue[]) => JsonValue) | null;
  readonly tokenBudget: TokenBudget | null;
  /** True when running the turn a second time does no harm; saved with the start of the attempt. Default false. */
  readonly retrySafe?: boolean;
  decideAction(): Promise<ActionDecision>;
}

/**
 * Makes a result contract and checks its digest.
 * @returns the frozen contract.
 * @throws TypeError when `record.schemaDigest` is not the digest of `schema`, JsonValueError when `schema` is not JSON.
 */
export function defineResultContract(contract: ResultContract): ResultContract {
  const schema = cloneJson(contract.schema);
  const { name, version, schemaDigest } = contract.record;
  if (name.trim() === '') throw new TypeError('A result contract needs a name.');
  if (!Number.isSafeInteger(version) || version < 1) {
    throw new TypeError(`The version of result contract "${name}" must be a positive integer.`);
  }
  if (schemaDigest !== digestJson(schema)) {
    throw new TypeError(`Result contract "${name}": schemaDigest is not the digest of its schema.`);
  }
  const record = Object.freeze({ name, version, schemaDigest });
  return Object.freeze({ record, schema, validate: (value: unknown) => contract.validate(value) });
}
