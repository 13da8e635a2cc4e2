// The bounded team as a graph type: closed membership, batches, a turn cap, one ending.
import type { ExecutionLaneDeclaration, GraphBound, GraphDescription, GraphType } from '../graph/model.js';
import { decideTeam } from './team-decision.js';
import { readTeam, type Team } from './team-definition.js';
import type { TeamDefinition, TeamState } from './team-model.js';
import { readTurnResult } from './team-result.js';
import { initialTeamState, reduceTeam } from './team-state.js';

const KIND = 'team';
const VERSION = 1;

/**
 * The graph type `team`, version 1: `compileGraph(teamGraphType, definition)`.
 * Refuses a definition with one GraphValidationError issue INVALID_TEAM, and a turn's result with an INVALID_TEAM issue.
 */
export const teamGraphType: GraphType<TeamDefinition, TeamState> = Object.freeze({
  kind: KIND,
  version: VERSION,
  compile({ id, definitionVersion }, { definition }) {
    const team = readTeam(definition.value);
    return {
      requirements: { memory: 'unused' },
      initialState: () => initialTeamState(team),
      reduce: (state, event) => reduceTeam(team, state, event),
      decide: (state) => decideTeam(team, state),
      describe: () =>
        describeTeam(team, {
          id,
          definitionVersion,
          kind: KIND,
          typeVersion: VERSION,
          definitionDigest: definition.digest,
        }),
      validateNodeResult: (nodeId, result) => readTurnResult(team, nodeId, result).issue,
    };
  },
} satisfies GraphType<TeamDefinition, TeamState>);

function describeTeam(team: Team, graph: GraphDescription['graph']): GraphDescription {
  const lanes = new Map<string, ExecutionLaneDeclaration>();
  for (const { lane } of team.members) if (lane !== null) lanes.set(lane.id, lane);
  return {
    schemaVersion: 1,
    graph,
    inputContract: { task: 'string' },
    outputContract: { task: 'string', agents: 'array' },
    phases: [{ id: 'team', name: 'Team', nodeIds: team.members.map(({ id }) => id) }],
    nodes: team.members.map(({ id, lane }) => ({
      id,
      phaseId: 'team',
      inputContract: { task: 'string', role: 'string', brief: 'string', result: 'json', messages: 'array' },
      outputContract: { summary: 'string', data: 'json?', posts: 'array?' },
      laneId: lane?.id ?? null,
    })),
    edges: [],
    policies: {
      retry: null,
      stop: { maxTurnsPerMember: team.maxTurns },
      concurrency: { global: team.concurrency },
      write: null,
      budget: null,
      action: null,
    },
    executionLanes: [...lanes.values()],
    requestedPermissions: [],
    bounds: {
      dispatches: {
        min: known(team.members.filter(({ initialTurn }) => initialTurn).length),
        max: known(team.members.length * team.maxTurns),
      },
      maxConcurrency: known(team.concurrency),
      maxFanOut: known(team.concurrency),
    },
    requirements: { memory: 'unused' },
  };
}

function known(value: number): GraphBound {
  return { kind: 'known', value };
}
