// What a compiled graph says of itself, read field by field. Fields that are not listed here do not reach a plan.
import { canonicalJson, type JsonValue } from '../json.js';
import type {
  ExecutionLaneDeclaration,
  ExecutionTarget,
  GraphBound,
  GraphDescription,
  GraphPermission,
} from './model.js';
import { FieldReader, readId, readText, refuse, refuseRepeated } from './shape.js';

/** Reads a description, or refuses it with the first problem. Run it inside `guarded`. */
export function readDescription(value: JsonValue): GraphDescription {
  const reader = new FieldReader(value, '');
  if (reader.json('schemaVersion') !== 1) {
    refuse('INVALID_SCHEMA_VERSION', reader.at('schemaVersion'), 'Only schema version 1 is known');
  }
  const description: GraphDescription = {
    schemaVersion: 1,
    graph: readGraph(reader.object('graph')),
    inputContract: reader.json('inputContract'),
    outputContract: reader.json('outputContract'),
    phases: reader.list('phases', readPhase),
    nodes: reader.list('nodes', readNode),
    edges: reader.list('edges', readEdge),
    policies: readPolicies(reader.object('policies')),
    executionLanes: reader.list('executionLanes', readLane),
    requestedPermissions: reader.list('requestedPermissions', readPermission),
    bounds: readBounds(reader.object('bounds')),
    requirements: readRequirements(reader.object('requirements')),
  };
  checkReferences(description);
  return description;
}

/** An engine lane as it is declared: its id, the target asked for and what may stand in for it. */
export function readLane(value: JsonValue, path: string): ExecutionLaneDeclaration {
  const reader = new FieldReader(value, path);
  const lane = {
    id: reader.id('id'),
    requested: readTarget(reader.json('requested'), reader.at('requested')),
    substitutions: reader.list('substitutions', readTarget),
  };
  refuseRepeated(
    [lane.requested, ...lane.substitutions].map(canonicalJson),
    'DUPLICATE_SUBSTITUTION',
    (index) => `${reader.at('substitutions')}/${index - 1}`,
  );
  return lane;
}

export function readTarget(value: JsonValue, path: string): ExecutionTarget {
  const reader = new FieldReader(value, path);
  return {
    adapter: reader.text('adapter'),
    provider: reader.text('provider'),
    modelFamily: reader.text('modelFamily'),
    model: reader.text('model'),
    tools: reader.list('tools', readText),
  };
}

export function readPermission(value: JsonValue, path: string): GraphPermission {
  const reader = new FieldReader(value, path);
  return { name: reader.text('name'), scope: reader.json('scope') };
}

function readGraph(reader: FieldReader): GraphDescription['graph'] {
  return {
    id: reader.id('id'),
    definitionVersion: reader.version('definitionVersion'),
    kind: reader.text('kind'),
    typeVersion: reader.version('typeVersion'),
    definitionDigest: reader.digest('definitionDigest'),
  };
}

function readPhase(value: JsonValue, path: string): GraphDescription['phases'][number] {
  const reader = new FieldReader(value, path);
  return { id: reader.id('id'), name: reader.text('name'), nodeIds: reader.list('nodeIds', readId) };
}

function readNode(value: JsonValue, path: string): GraphDescription['nodes'][number] {
  const reader = new FieldReader(value, path);
  return {
    id: reader.id('id'),
    phaseId: reader.id('phaseId'),
    inputContract: reader.json('inputContract'),
    outputContract: reader.json('outputContract'),
    laneId: reader.json('laneId') === null ? null : reader.id('laneId'),
  };
}

function readEdge(value: JsonValue, path: string): GraphDescription['edges'][number] {
  const reader = new FieldReader(value, path);
  return { id: reader.id('id'), source: reader.id('source'), target: reader.id('target') };
}

function readPolicies(reader: FieldReader): GraphDescription['policies'] {
  return {
    retry: reader.json('retry'),
    stop: reader.json('stop'),
    concurrency: reader.json('concurrency'),
    write: reader.json('write'),
    budget: reader.json('budget'),
    action: reader.json('action'),
  };
}

function readBounds(reader: FieldReader): GraphDescription['bounds'] {
  const dispatches = reader.object('dispatches');
  const min = readBound(dispatches, 'min');
  const max = readBound(dispatches, 'max');
  if (min.kind === 'known' && max.kind === 'known' && min.value > max.value) {
    refuse('INVALID_BOUND', dispatches.path, 'The least number of dispatches is above the greatest');
  }
  return {
    dispatches: { min, max },
    maxConcurrency: readBound(reader, 'maxConcurrency'),
    maxFanOut: readBound(reader, 'maxFanOut'),
  };
}

function readBound(owner: FieldReader, key: string): GraphBound {
  const reader = owner.object(key);
  const kind = reader.json('kind');
  if (kind === 'unknown') return { kind };
  if (kind !== 'known') return refuse('INVALID_BOUND', reader.at('kind'), 'A bound is known or unknown');
  const value = reader.json('value');
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return { kind, value };
  return refuse('INVALID_BOUND', reader.at('value'), 'A known bound is a whole number, zero or more');
}

function readRequirements(reader: FieldReader): GraphDescription['requirements'] {
  const memory = reader.json('memory');
  if (memory === 'required' || memory === 'unused') return { memory };
  return refuse('INVALID_REQUIREMENT', reader.at('memory'), 'Memory is required or unused');
}

function checkReferences(description: GraphDescription): void {
  const { phases, nodes, edges, executionLanes } = description;
  for (const [name, items] of Object.entries({ phases, nodes, edges, executionLanes })) {
    const ids = items.map(({ id }) => id);
    refuseRepeated(ids, 'DUPLICATE_ID', (index) => `/${name}/${index}/id`);
  }
  const nodeIds = new Set(nodes.map(({ id }) => id));
  const laneIds = new Set(executionLanes.map(({ id }) => id));
  const phaseOf = phaseByNode(phases, nodeIds);
  const phaseIds = new Set(phases.map(({ id }) => id));
  nodes.forEach((node, index) => {
    const path = `/nodes/${index}`;
    if (!phaseIds.has(node.phaseId)) refuse('UNKNOWN_PHASE', `${path}/phaseId`, `There is no phase "${node.phaseId}"`);
    if (phaseOf.get(node.id) !== node.phaseId) {
      refuse('INVALID_PHASE_ASSIGNMENT', `${path}/phaseId`, `The phase "${node.phaseId}" does not list this node`);
    }
    if (node.laneId !== null && !laneIds.has(node.laneId)) {
      refuse('UNKNOWN_LANE', `${path}/laneId`, `There is no lane "${node.laneId}"`);
    }
  });
  edges.forEach((edge, index) => {
    for (const end of ['source', 'target'] as const) {
      if (!nodeIds.has(edge[end])) {
        refuse('UNKNOWN_NODE', `/edges/${index}/${end}`, `There is no node "${edge[end]}"`);
      }
    }
  });
}

function phaseByNode(phases: GraphDescription['phases'], nodeIds: ReadonlySet<string>): ReadonlyMap<string, string> {
  const phaseOf = new Map<string, string>();
  phases.forEach((phase, index) => {
    phase.nodeIds.forEach((nodeId, place) => {
      const path = `/phases/${index}/nodeIds/${place}`;
      if (!nodeIds.has(nodeId)) refuse('UNKNOWN_NODE', path, `There is no node "${nodeId}"`);
      if (phaseOf.has(nodeId)) refuse('INVALID_PHASE_ASSIGNMENT', path, `The node "${nodeId}" is in a phase already`);
      phaseOf.set(nodeId, phase.id);
    });
  });
  return phaseOf;
}
