// The messages of a bounded team's rooms, folded from its stored run.
import { compileGraph } from '../core/graph/compile.js';
import type { CompiledGraph } from '../core/graph/model.js';
import { isJsonObject, jsonEquals } from '../core/json.js';
import { teamGraphType } from '../core/team/team-graph.js';
import type { TeamDefinition, TeamState } from '../core/team/team-model.js';
import type { RunStorage } from '../storage/port.js';
import { GraphExecutionError } from './executor-error.js';
import { GRAPH_PREFIX, readGraphEvent } from './graph-events.js';
import type { RoomTranscripts } from './room-files.js';
import { loadRunDefinition, type LoadedRunDefinition } from './run-definition.js';
import { RUN_STARTED } from './run-definition-record.js';

/**
 * Reads a run of the graph type `team`.
 * @throws as `projectTeamRooms`.
 */
export async function foldTeamRooms(storage: RunStorage, runId: string): Promise<RoomTranscripts> {
  const loaded = await loadRunDefinition(storage, runId);
  const { graph, definition } = compileTeam(loaded, runId);
  const { namespace } = storage.record;
  const scope = { namespace, nodeIds: new Set(definition.nodes.map(({ id }) => id)) };
  let revision = 0;
  let state = graph.initialState();
  for await (const event of storage.eventStore.read({ namespace, streamId: runId })) {
    revision = event.revision;
    if (event.type === RUN_STARTED || readGraphEvent(event, scope) === null) continue;
    const { type, version, payload } = event;
    state = graph.reduce(state, { type: type.slice(GRAPH_PREFIX.length), version, payload });
  }
  const rooms = definition.data.communication?.rooms ?? [];
  return {
    revision,
    rooms: rooms.map(({ id }) => ({ roomId: id, messages: state.messages.filter(({ roomId }) => roomId === id) })),
  };
}

/** only a plan that this version's own compile gives is a team's. */
function compileTeam(
  { record, resolvedPlan }: LoadedRunDefinition,
  runId: string,
): { readonly graph: CompiledGraph<TeamState>; readonly definition: TeamDefinition } {
  const planned = resolvedPlan.plan['graph'] ?? null;
  const mismatch = (cause?: unknown): GraphExecutionError =>
    new GraphExecutionError('STORED_GRAPH_MISMATCH', `The run ${runId} is not a team's conversation.`, cause);
  const kind = isJsonObject(planned) ? planned['kind'] : null;
  if (kind !== teamGraphType.kind) throw mismatch();
  // compileGraph proves that the stored value is a team's definition before anything reads it as one.
  const definition = record.payload.definition.graphDefinition.value as TeamDefinition;
  const graph = compile(definition, mismatch);
  if (!jsonEquals(planned, graph.describe().graph)) throw mismatch();
  return { graph, definition };
}

function compile(definition: TeamDefinition, mismatch: (cause: unknown) => Error): CompiledGraph<TeamState> {
  try {
    return compileGraph(teamGraphType, definition);
  } catch (error) {
    throw mismatch(error);
  }
}
