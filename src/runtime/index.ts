// `teamroom/runtime`: everything a program needs to define, start, run, read back and show a stored conversation.
export {
  canonicalJson,
  cloneJson,
  digestJson,
  JsonValueError,
  type JsonObject,
  type JsonValue,
  type Sha256Digest,
} from '../core/json.js';
export { compileGraph } from '../core/graph/compile.js';
export { GraphValidationError } from '../core/graph/error.js';
export type {
  CompiledGraph,
  CompleteCommand,
  DispatchCommand,
  ExecutionLaneDeclaration,
  ExecutionTarget,
  FailCommand,
  GraphBound,
  GraphCommand,
  GraphDefinition,
  GraphDescription,
  GraphEdgeDefinition,
  GraphEvent,
  GraphIssue,
  GraphKernel,
  GraphNodeDefinition,
  GraphPermission,
  GraphProgram,
  GraphRequirements,
  GraphType,
  PackageIdentity,
  PauseCommand,
  PlanResolution,
  ResolvedGraphPlan,
  StoredGraphDefinition,
} from '../core/graph/model.js';
export { resolveGraphPlan } from '../core/graph/plan.js';
export { teamGraphType } from '../core/team/team-graph.js';
export type {
  TeamCommunication,
  TeamDefinition,
  TeamGraphData,
  TeamGraphResult,
  TeamMessage,
  TeamNodeData,
  TeamPost,
  TeamRoom,
  TeamTurnInput,
  TeamTurnResult,
} from '../core/team/team-model.js';
export { StorageError, type StorageErrorCode } from '../storage/error.js';
export type {
  ArtifactContentMode,
  ArtifactInput,
  ArtifactReference,
  ArtifactScope,
  ArtifactStore,
  DomainEventEnvelope,
  EventStore,
  NewDomainEvent,
  RunStorage,
  RunStoragePolicy,
  RunStorageRecord,
  StoreIdentity,
  StreamId,
} from '../storage/port.js';
export { validateDomainEventEnvelope, validateDomainEventId, validateNewDomainEvent } from '../storage/validate.js';
export type { AttemptFailureCode } from './attempt-error.js';
export {
  createGraphExecutor,
  type GraphExecutor,
  type GraphExecutorOptions,
  type GraphRunOutcome,
  type ResumeTarget,
} from './executor.js';
export { GraphExecutionError, type GraphExecutionErrorCode } from './executor-error.js';
export {
  defineResultContract,
  type ActionDecision,
  type AttemptPolicy,
  type GraphNodeBinding,
  type NodeRunContext,
  type ResultContract,
  type ResultContractRecord,
  type TokenBudget,
  type TokenReservation,
  type WorkspaceRequest,
} from './ports/binding.js';
export type { Clock } from './ports/clock.js';
export {
  GraphEngineError,
  type EngineFailureKind,
  type EngineIdentity,
  type GraphEngine,
  type GraphEngineBinding,
  type GraphEngineReply,
  type GraphEngineRequest,
} from './ports/graph-engine.js';
export type { WorkspaceChanges, WorkspaceInspection, WorkspaceInspector } from './ports/workspace.js';
export { projectTeamRooms, type ProjectTeamRoomsOptions, type TeamRoomProjection } from './room-files.js';
export {
  loadRunDefinition,
  persistRunDefinition,
  type LoadedRunDefinition,
  type RunDefinitionInput,
} from './run-definition.js';
export type { RunDefinition, RunStartRecord } from './run-definition-record.js';
export { createTokenBudget, type SharedTokenBudget } from './token-budget.js';
