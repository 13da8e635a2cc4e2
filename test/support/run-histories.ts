// Histories of bounded runs, made by a walk through what the graph itself would decide: each choice says how a turn ends.
import { compileGraph } from '../../src/core/graph/compile.js';
import { resolveGraphPlan } from '../../src/core/graph/plan.js';
import type { JsonObject, JsonValue } from '../../src/core/json.js';
import { attemptIdentity } from '../../src/core/team/identifiers.js';
import { teamGraphType } from '../../src/core/team/team-graph.js';
import { EngineLanes } from '../../src/runtime/engine-lanes.js';
import { PreflightRecord } from '../../src/runtime/preflight-record.js';
import { RunFold } from '../../src/runtime/run-fold.js';
import type { DomainEventEnvelope, EventStore } from '../../src/storage/port.js';

const STREAM = { namespace: 'histories', streamId: 'run' };
const MEMBERS = ['ana', 'ben', 'cem'] as const;
const target = (name: string) => ({ adapter: name, provider: 'acme', modelFamily: 'm', model: `m-${name}`, tools: [] });
const LANE = { id: 'fast', requested: target('one'), substitutions: [target('two')] };
const engine = { run: () => Promise.reject(new Error('Nobody calls it.')) };

/** Three members, one of them with data effects only; two at a time, four turns each. */
export const GRAPH = compileGraph(teamGraphType, {
  id: 'walked-team',
  definitionVersion: 1,
  data: {
    task: 'Walk.',
    globalConcurrency: 2,
    maxTurnsPerMember: 4,
    communication: { rooms: [{ id: 'room', members: [...MEMBERS] }], tailMessages: 2 },
  },
  nodes: MEMBERS.map((id) => ({ id, data: { role: id, brief: '', ...(id === 'cem' ? {} : { lane: LANE }) } })),
  edges: [],
});

const PLAN = (() => {
  const identity = { source: 'test', version: '1', digest: `sha256:${'0'.repeat(64)}` } as const;
  return resolveGraphPlan(GRAPH.describe(), {
    package: identity,
    admission: { package: identity, permissions: [] },
    executionLanes: [{ id: 'fast', effective: target('one'), fallbacks: [target('two')] }],
  });
})();

function envelope(revision: number, type: string, payload: JsonValue): DomainEventEnvelope {
  const eventId = `event-${revision}`;
  const timestamp = '2026-01-01T00:00:00.000Z';
  const { streamId } = STREAM;
  const fields = { eventId, type, version: 1, timestamp, correlationId: streamId, causationId: null, payload };
  return { envelopeVersion: 1, streamId, revision, ...fields };
}

/** Numbers events from 1, as a store would have them. */
export function numbered(events: readonly DomainEventEnvelope[]): DomainEventEnvelope[] {
  return events.map((event, index) => ({ ...event, revision: index + 1, eventId: `event-${index + 1}` }));
}

/** A history whose turns end as `choices` say, for as long as there are choices and turns. */
export function historyOf(choices: readonly number[]): DomainEventEnvelope[] {
  const events: DomainEventEnvelope[] = [];
  let state = GRAPH.initialState();
  const emit = (type: string, payload: JsonObject): void => {
    events.push(envelope(events.length + 1, type, payload));
    if (!type.startsWith('graph:') || type === 'graph:run-started') return;
    state = GRAPH.reduce(state, { type: type.slice('graph:'.length), version: 1, payload });
  };
  emit('graph:run-started', {});
  const left = [...choices];
  while (left.length > 0) {
    const dispatches = GRAPH.decide(state).filter((command) => command.kind === 'dispatch');
    if (dispatches.length === 0) break;
    const places = dispatches.map(({ nodeId, position }) => ({ nodeId, position }));
    for (const place of places) emit('graph:node-dispatched', place);
    for (const place of places) endTurn(place, left.shift(), emit);
  }
  return events;
}

type Place = { readonly nodeId: string; readonly position: string };

function endTurn(place: Place, choice: number | undefined, emit: (type: string, payload: JsonObject) => void): void {
  if (choice === undefined) return;
  const identity = attemptIdentity({ ...STREAM, ...place });
  emit('graph:node-attempt-started', { identity, retrySafe: choice % 2 === 0 });
  if (choice % 5 === 0) emit('host:looked', { at: choice });
  if (place.nodeId !== 'cem') {
    const { tools: _, ...requested } = target('one');
    emit('graph:engine-attempt-recorded', { ...place, sequence: 1, requested, effective: null });
    if (choice % 3 === 0) {
      const dead = { identity, selection: requested, effective: null, failure: 'auth', target: target('one') };
      emit('graph:model-unavailable', { schemaVersion: 1, ...dead });
    }
  }
  // Half of the answers ask nobody, so that some walks come to an end.
  const mentions = choice < 100 ? [] : MEMBERS.filter((_, index) => (choice >> index) % 2 === 1);
  const said = { summary: `${choice}`, posts: [{ roomId: 'room', text: `Said ${choice}.`, mentions }] };
  const pause = { ...place, reason: 'Wait.', request: { choice } };
  const kind = choice % 7;
  if (kind === 1 || kind === 2) emit('graph:node-paused', pause);
  if (kind === 1) return;
  if (kind === 2) emit('graph:node-resumed', place);
  if (kind === 0) emit('graph:node-failed', { ...place, code: 'EFFECT_FAILED' });
  else emit('graph:node-completed', { ...place, result: kind === 3 ? { summary: 3 } : said });
}

/** A fold over what `stored` holds; more may be put there between two readings. */
export function foldOver(stored: readonly DomainEventEnvelope[]) {
  const lanes = new EngineLanes(PLAN, [
    { target: target('one'), engine },
    { target: target('two'), engine },
  ]);
  const eventStore = {
    async *read(_: unknown, after = 0) {
      for (const event of [...stored]) if (event.revision > after) yield event;
    },
  } as Pick<EventStore, 'read'> as EventStore;
  const preflight = new PreflightRecord(PLAN, (laneId) => lanes.engines(laneId));
  return new RunFold({ graph: GRAPH, stream: STREAM, eventStore, engineRules: lanes, preflight, dropState: false });
}
