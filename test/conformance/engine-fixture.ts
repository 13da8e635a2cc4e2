// A team whose members run on an engine lane, and engines that play what a test says.
import type { CompiledGraph, ExecutionTarget, PlanResolution } from '../../src/core/graph/model.js';
import type { JsonObject, JsonValue } from '../../src/core/json.js';
import type { TeamState } from '../../src/core/team/team-model.js';
import type { GraphExecutorOptions } from '../../src/runtime/executor.js';
import type { GraphNodeBinding } from '../../src/runtime/ports/binding.js';
import {
  GraphEngineError,
  type EngineFailureKind,
  type EngineIdentity,
  type GraphEngine,
  type GraphEngineReply,
  type GraphEngineRequest,
} from '../../src/runtime/ports/graph-engine.js';
import { persistRunDefinition } from '../../src/runtime/run-definition.js';
import type { RunStorage } from '../../src/storage/port.js';
import { expect } from 'vitest';
import { bindingOf } from './run-binding.js';
import { graphEvent, never, runOn, startOf, type OpenOptions, type RunLab, type StartedRun } from './run-fixture.js';
import { bentTeam, FINAL, QUESTION, REPLY } from './team-fixture.js';

export const target = (name: string, more: Partial<ExecutionTarget> = {}): ExecutionTarget => ({
  adapter: `cli-${name}`,
  provider: 'acme',
  modelFamily: 'm',
  model: `m-${name}`,
  tools: ['read'],
  ...more,
});

export function identity({ adapter, provider, modelFamily, model }: ExecutionTarget): EngineIdentity {
  return { adapter, provider, modelFamily, model };
}

export const PRIMARY = target('one');
export const SECOND = target('two');
export const THIRD = target('three');

/** How a played engine answers one call. */
export type Play = (request: GraphEngineRequest) => Promise<GraphEngineReply>;

export class PlayedEngine implements GraphEngine {
  enforcesTokens = false;
  readonly target: ExecutionTarget;
  readonly requests: GraphEngineRequest[] = [];
  readonly #plays: Play[];

  constructor(of: ExecutionTarget, ...plays: Play[]) {
    this.target = of;
    this.#plays = plays;
  }

  run(request: GraphEngineRequest): Promise<GraphEngineReply> {
    this.requests.push(request);
    const play = this.#plays.shift();
    return play === undefined ? Promise.reject(new Error('Nothing is left to play.')) : play(request);
  }
}

/** Answers with these parts, by the engine that was asked. */
export const answers =
  (of: ExecutionTarget, ...parts: JsonValue[]): Play =>
  async () => ({ parts, effective: identity(of), tokens: 10 });

export const fails =
  (kind: EngineFailureKind, effective: EngineIdentity | null = null): Play =>
  async () => {
    throw new GraphEngineError(kind, `It is ${kind}.`, effective);
  };

/** What the members of the release team say, turn by turn. */
export const TURNS: readonly JsonValue[] = [QUESTION, REPLY, FINAL];

export interface LaneOptions extends OpenOptions {
  /** The engines of the lane: the one in use, then its fallbacks. Default: those that are bound. */
  readonly targets?: readonly ExecutionTarget[];
  readonly preflight?: PlanResolution['preflight'];
  readonly binding?: Parameters<typeof bindingOf>[2];
}

export type LaneRun = Omit<StartedRun, 'executor'> & {
  readonly graph: CompiledGraph<TeamState>;
  executor(options?: Partial<GraphExecutorOptions>): ReturnType<StartedRun['executor']>;
};

/** A run of the release team on the lane `fast`, with these engines. */
export async function laneRun(
  lab: RunLab,
  engines: readonly PlayedEngine[],
  { targets = engines.map((engine) => engine.target), preflight, binding, ...open }: LaneOptions = {},
): Promise<LaneRun> {
  const [requested = PRIMARY, ...substitutions] = targets;
  const graph = bentTeam((team) => {
    const lane = { id: 'fast', requested: mutable(requested), substitutions: substitutions.map(mutable) };
    for (const node of team.nodes) node.data.lane = lane;
  });
  const storage: RunStorage = lab.open(open);
  const executionLanes = [{ id: 'fast', effective: requested, fallbacks: substitutions }];
  const checks = preflight === undefined ? {} : { preflight };
  await persistRunDefinition(storage, startOf(graph, { executionLanes, ...checks }));
  const member = engineBinding(lab.scratch, binding);
  const run = runOn(storage, graph, { writer: member, reviewer: member });
  const bound = engines.map((engine) => ({ target: engine.target, engine }));
  return { ...run, graph, executor: (options = {}) => run.executor({ engines: bound, ...options }) };
}

export function engineBinding(scratch: string, more: LaneOptions['binding'] = {}): GraphNodeBinding {
  return bindingOf(scratch, async () => null, { runData: null, prompt: () => 'Your turn.', ...more });
}

export const receiptEvent = (short: string, sequence: JsonValue, more: JsonObject = {}) =>
  graphEvent('engine-attempt-recorded', {
    nodeId: short.slice(0, short.lastIndexOf('/')),
    position: `team/${short}`,
    sequence,
    requested: identity(PRIMARY),
    effective: identity(PRIMARY),
    ...more,
  });

function mutable(of: ExecutionTarget) {
  return { ...of, tools: [...of.tools] };
}

/** The payloads of one kind of event. */
export const payloads = async (run: LaneRun, kind: string) =>
  (await run.events()).filter(({ type }) => type === `graph:${kind}`).map(({ payload }) => payload as JsonObject);

/** The code of the one failure of a run. */
export async function failure(run: LaneRun): Promise<JsonValue | undefined> {
  const found = await payloads(run, 'node-failed');
  expect(found).toHaveLength(1);
  return found[0]?.['code'];
}

/** A team whose writer says one thing on one engine. */
export async function oneTurn(lab: RunLab, play: Play, binding: LaneOptions['binding'] = {}) {
  const engine = new PlayedEngine(PRIMARY, play);
  const run = await laneRun(lab, [engine], { binding });
  const outcome = await (await run.executor()).run(never());
  return { run, outcome, engine };
}
