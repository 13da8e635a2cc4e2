// The team that the cases of a bounded team are told with: a writer asks, a reviewer answers, the writer finishes.
import { compileGraph } from '../../src/core/graph/compile.js';
import { GraphValidationError } from '../../src/core/graph/error.js';
import type {
  CompiledGraph,
  DispatchCommand,
  GraphEvent,
  GraphIssue,
  PackageIdentity,
} from '../../src/core/graph/model.js';
import { cloneJson, type JsonValue } from '../../src/core/json.js';
import { teamGraphType } from '../../src/core/team/team-graph.js';
import type { TeamDefinition, TeamState, TeamTurnInput, TeamTurnResult } from '../../src/core/team/team-model.js';

type Mutable<Value> = Value extends readonly (infer Item)[]
  ? Mutable<Item>[]
  : Value extends object
    ? { -readonly [Key in keyof Value]: Mutable<Value[Key]> }
    : Value;

/** A fresh copy of the definition, to be bent by a test. */
export function releaseTeam(): Mutable<Omit<TeamDefinition, 'edges'>> & { edges: JsonValue[] } {
  return {
    id: 'release-team',
    definitionVersion: 1,
    data: {
      task: 'Prepare a release note.',
      globalConcurrency: 1,
      maxTurnsPerMember: 2,
      communication: { rooms: [{ id: 'review', members: ['writer', 'reviewer'] }], tailMessages: 3 },
    },
    nodes: [
      { id: 'writer', data: { role: 'writer', brief: 'Draft the release note.' } },
      { id: 'reviewer', data: { role: 'reviewer', brief: 'Check the draft.', initialTurn: false } },
    ],
    edges: [],
  };
}

/** Compiles anything as a team: a test's definition need not have the right type. */
export function compileTeam(definition: unknown = releaseTeam()): CompiledGraph<TeamState> {
  return compileGraph(teamGraphType, definition as TeamDefinition, { checks: 'whole' });
}

/** The release team after `bend` changed a copy of it. */
export function bentTeam(bend: (team: ReturnType<typeof releaseTeam>) => void): CompiledGraph<TeamState> {
  const definition = releaseTeam();
  bend(definition);
  return compileTeam(definition);
}

export const QUESTION: TeamTurnResult = {
  summary: 'Review requested.',
  posts: [{ roomId: 'review', text: 'Please review: Prepare a release note.', mentions: ['reviewer'] }],
};
export const REPLY: TeamTurnResult = {
  summary: 'Draft checked.',
  posts: [
    {
      roomId: 'review',
      text: 'Reviewed team/writer/1/0: Please review: Prepare a release note.',
      mentions: ['writer'],
    },
  ],
};
export const FINAL: TeamTurnResult = {
  summary: 'Finished Prepare a release note.: Reviewed team/writer/1/0: Please review: Prepare a release note.',
  data: {
    replyId: 'team/reviewer/1/0',
    reply: 'Reviewed team/writer/1/0: Please review: Prepare a release note.',
  },
};

/** A position from its short form: `writer/1` → `team/writer/1`. */
const place = (short: string): { nodeId: string; position: string } => ({
  nodeId: short.slice(0, short.lastIndexOf('/')),
  position: `team/${short}`,
});
const event = (type: string, payload: JsonValue): GraphEvent => ({ type, version: 1, payload });

export const dispatched = (at: string): GraphEvent => event('node-dispatched', place(at));
export const completed = (at: string, result: JsonValue): GraphEvent =>
  event('node-completed', { ...place(at), result });
export const failed = (at: string, code: string): GraphEvent => event('node-failed', { ...place(at), code });
export const paused = (at: string, reason: string): GraphEvent => event('node-paused', { ...place(at), reason });
export const resumed = (at: string): GraphEvent => event('node-resumed', place(at));

/** A turn from dispatch to completion. */
export const turn = (at: string, result: JsonValue): readonly GraphEvent[] => [dispatched(at), completed(at, result)];

/** A result with these posts. */
export const said = (summary: string, ...posts: JsonValue[]): JsonValue => ({ summary, posts });
export const post = (roomId: string, text: string, ...mentions: string[]): JsonValue => ({ roomId, text, mentions });

/** The conversation as far as the question, as far as the reply. */
export const ASKED = turn('writer/1', cloneJson(QUESTION));
export const ANSWERED = [...ASKED, ...turn('reviewer/1', cloneJson(REPLY))];

/**
 * The state after `events`. With TEAMROOM_DROP_STATE=1 every state is thrown away and made again from all events so
 * far, by a graph compiled anew.
 */
export function fold(graph: CompiledGraph<TeamState>, events: readonly GraphEvent[]): TeamState {
  if (process.env['TEAMROOM_DROP_STATE'] === '1') {
    const again = compileTeam(graph.definition.value);
    return events.reduce((_, __, index) => plainFold(again, events.slice(0, index + 1)), again.initialState());
  }
  return plainFold(graph, events);
}

function plainFold(graph: CompiledGraph<TeamState>, events: readonly GraphEvent[]): TeamState {
  return events.reduce((state, next) => graph.reduce(state, next), graph.initialState());
}

/** What the graph decides after `events`. */
export const decideAfter = (graph: CompiledGraph<TeamState>, events: readonly GraphEvent[]) =>
  graph.decide(fold(graph, events));

/** The dispatches decided after `events`; fails the test when something else was decided. */
export function dispatchesAfter(graph: CompiledGraph<TeamState>, events: readonly GraphEvent[]): DispatchCommand[] {
  return decideAfter(graph, events).map((command) => {
    if (command.kind !== 'dispatch') throw new Error(`Expected dispatches, got ${command.kind}.`);
    return command;
  });
}

/** The positions of the dispatches decided after `events`. */
export const positionsAfter = (graph: CompiledGraph<TeamState>, events: readonly GraphEvent[]): string[] =>
  dispatchesAfter(graph, events).map(({ position }) => position);

/** What one member would be given after `events`. */
export function inputAfter(
  graph: CompiledGraph<TeamState>,
  events: readonly GraphEvent[],
  nodeId: string,
): TeamTurnInput {
  const command = dispatchesAfter(graph, events).find((dispatch) => dispatch.nodeId === nodeId);
  if (command === undefined) throw new Error(`"${nodeId}" is not dispatched.`);
  return command.input as TeamTurnInput;
}

/** The issues with which `work` is refused; fails the test when it is not. */
export function issuesOf(work: () => unknown): readonly GraphIssue[] {
  try {
    work();
  } catch (error) {
    if (error instanceof GraphValidationError) return error.issues;
    throw error;
  }
  throw new Error('Nothing was refused.');
}

/** The same as `<code> <path>` lines. */
export const problemsOf = (work: () => unknown): string[] => issuesOf(work).map(({ code, path }) => `${code} ${path}`);

export const PACKAGE: PackageIdentity = {
  source: 'npm:@example/team-conversation',
  version: '1.0.0',
  digest: `sha256:${'3'.repeat(64)}`,
};
