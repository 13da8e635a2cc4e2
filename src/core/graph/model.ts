// The words of the graph kernel: what a definition, a graph type, a command and a plan are. Types only.
// Rules: docs/rules.md § Graphs.
import type { JsonObject, JsonValue, Sha256Digest } from '../json.js';

export interface GraphNodeDefinition {
  readonly id: string;
  readonly data: JsonValue;
}

export interface GraphEdgeDefinition {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly data: JsonValue;
}

/** A graph as its author wrote it. Unknown extra fields are kept and take part in the digest. */
export interface GraphDefinition {
  readonly id: string;
  readonly definitionVersion: number;
  readonly data: JsonValue;
  readonly nodes: readonly GraphNodeDefinition[];
  readonly edges: readonly GraphEdgeDefinition[];
}

export interface StoredGraphDefinition {
  readonly value: JsonValue;
  readonly canonicalJson: string;
  readonly digest: Sha256Digest;
}

/** An event as a graph type sees it: without the `graph:` prefix. */
export interface GraphEvent {
  readonly type: string;
  readonly version: number;
  readonly payload: JsonValue;
}

export interface DispatchCommand {
  readonly kind: 'dispatch';
  readonly nodeId: string;
  readonly input: JsonValue;
  readonly position: string;
}
export interface PauseCommand {
  readonly kind: 'pause';
  readonly reason: string;
}
export interface CompleteCommand {
  readonly kind: 'complete';
  readonly output: JsonValue;
}
export interface FailCommand {
  readonly kind: 'fail';
  readonly code: string;
  readonly message: string;
}
/** What a graph type wants done next. A terminal command (pause, complete, fail) stands alone. */
export type GraphCommand = DispatchCommand | PauseCommand | CompleteCommand | FailCommand;

/** One model behind one adapter. This and the lane are aliases because a stored definition, a JsonValue, contains them. */
export type ExecutionTarget = {
  readonly adapter: string;
  readonly provider: string;
  readonly modelFamily: string;
  readonly model: string;
  readonly tools: readonly string[];
};

/** An engine lane as a definition declares it. */
export type ExecutionLaneDeclaration = {
  readonly id: string;
  readonly requested: ExecutionTarget;
  readonly substitutions: readonly ExecutionTarget[];
};

export type GraphBound = { readonly kind: 'known'; readonly value: number } | { readonly kind: 'unknown' };

export interface GraphPermission {
  readonly name: string;
  readonly scope: JsonValue;
}

/** What a compiled graph says of itself; the plan is made from it. */
export interface GraphDescription {
  readonly schemaVersion: 1;
  readonly graph: {
    readonly id: string;
    readonly definitionVersion: number;
    readonly kind: string;
    readonly typeVersion: number;
    readonly definitionDigest: Sha256Digest;
  };
  readonly inputContract: JsonValue;
  readonly outputContract: JsonValue;
  readonly phases: readonly { readonly id: string; readonly name: string; readonly nodeIds: readonly string[] }[];
  readonly nodes: readonly {
    readonly id: string;
    readonly phaseId: string;
    readonly inputContract: JsonValue;
    readonly outputContract: JsonValue;
    readonly laneId: string | null;
  }[];
  readonly edges: readonly { readonly id: string; readonly source: string; readonly target: string }[];
  readonly policies: {
    readonly retry: JsonValue;
    readonly stop: JsonValue;
    readonly concurrency: JsonValue;
    readonly write: JsonValue;
    readonly budget: JsonValue;
    readonly action: JsonValue;
  };
  readonly executionLanes: readonly ExecutionLaneDeclaration[];
  readonly requestedPermissions: readonly GraphPermission[];
  readonly bounds: {
    readonly dispatches: { readonly min: GraphBound; readonly max: GraphBound };
    readonly maxConcurrency: GraphBound;
    readonly maxFanOut: GraphBound;
  };
  readonly requirements: GraphRequirements;
}

export interface GraphRequirements {
  readonly memory: 'required' | 'unused';
}

export interface GraphIssue {
  readonly code: string;
  /** JSON pointer. */
  readonly path: string;
  readonly message: string;
}

/** What a graph type's `compile` returns. */
export interface GraphProgram<State extends JsonValue = JsonValue> {
  readonly requirements: GraphRequirements;
  initialState(): State;
  reduce(state: State, event: GraphEvent): State;
  decide(state: State): readonly GraphCommand[];
  describe(): GraphDescription;
  validateNodeResult?(nodeId: string, result: JsonValue): GraphIssue | null;
}

/** What the kernel hands to a graph type. */
export interface GraphKernel {
  readonly definition: StoredGraphDefinition;
}

/** A form of graph: `compileGraph(type, definition)` turns a definition of that form into a compiled graph. */
export interface GraphType<Definition = GraphDefinition, State extends JsonValue = JsonValue> {
  readonly kind: string;
  readonly version: number;
  /** The definition has passed the generic checks and is frozen; `compile` throws GraphValidationError for its own. */
  compile(definition: Definition, kernel: GraphKernel): GraphProgram<State>;
}

/** A definition that was checked, with its guarded program. */
export interface CompiledGraph<State extends JsonValue = JsonValue> {
  readonly definition: StoredGraphDefinition;
  readonly requirements: GraphRequirements;
  initialState(): State;
  reduce(state: State, event: GraphEvent): State;
  decide(state: State): readonly GraphCommand[];
  describe(): GraphDescription;
  /** Null when `result` is a valid result of that node, else why not. Present when the graph type supplies it. */
  validateNodeResult?(nodeId: string, result: JsonValue): GraphIssue | null;
}

export interface PackageIdentity {
  readonly source: string;
  readonly version: string;
  readonly digest: Sha256Digest;
}

export interface PlanResolution {
  readonly package: PackageIdentity;
  readonly admission: { readonly package: PackageIdentity; readonly permissions: readonly GraphPermission[] };
  readonly executionLanes: readonly {
    readonly id: string;
    readonly effective: ExecutionTarget;
    readonly fallbacks?: readonly ExecutionTarget[];
  }[];
  readonly preflight?: {
    /** 1 … 2147483647 milliseconds. */
    readonly timeoutMs: number;
    readonly lanes: readonly {
      readonly laneId: string;
      readonly live: 'required' | 'skip';
      readonly unsupportedStatic: 'block' | 'allow';
    }[];
  };
}

/** A description bound to the package, lanes and permissions that a host admitted. */
export interface ResolvedGraphPlan {
  readonly plan: JsonObject;
  readonly canonicalJson: string;
  readonly digest: Sha256Digest;
}
