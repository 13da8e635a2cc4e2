// From a graph type and a definition to a graph whose every step is checked.
// What a step costs: its own event and commands are checked and copied; the whole state only when it comes from outside
// or when `checks` is 'whole' (the conformance run). Rules: docs/rules.md § Graphs.
import { cloneJson, isJsonObject, jsonEquals, JsonValueError, type JsonValue } from '../json.js';
import { checkCommands } from './command.js';
import { checkDefinition, type CheckedDefinition } from './definition.js';
import { readDescription } from './description.js';
import { GraphValidationError } from './error.js';
import type { CompiledGraph, GraphDescription, GraphEvent, GraphIssue, GraphProgram, GraphType } from './model.js';
import { guarded, hasControlCharacter, isPositiveInteger, own, readJson, refuse } from './shape.js';

/** How much of a state is checked: what a step adds, or everything at every step (for tests of a graph type). */
export interface CompileOptions {
  readonly checks?: 'step' | 'whole';
}

/**
 * Checks a definition and gives the graph that it describes.
 * @param graphType - the form of graph, for example `teamGraphType`.
 * @param definition - copied; changes made to it later have no effect.
 * @returns the frozen graph. Its `reduce` and `decide` refuse bad events, states and commands.
 * @throws GraphValidationError with every problem of the definition, or the graph type's own.
 */
export function compileGraph<Definition, State extends JsonValue>(
  graphType: GraphType<Definition, State>,
  definition: Definition,
  options: CompileOptions = {},
): CompiledGraph<State> {
  checkType(graphType);
  const checked = checkDefinition(definition);
  const kernel = Object.freeze({ definition: checked.stored });
  // A graph type reads its own rules out of this value; the kernel has proved only the generic ones.
  const program = graphType.compile(checked.stored.value as unknown as Definition, kernel);
  checkProgram(program);
  const description = checkDescription(program, graphType, checked);
  const guard = stateGuard<State>(options.checks === 'whole');
  const nodeIds = new Set(checked.nodeIds);
  return Object.freeze({
    definition: checked.stored,
    requirements: description.requirements,
    initialState: () => guard.admit(program.initialState()),
    reduce: (state: State, event: GraphEvent) => {
      const before = guard.admit(state);
      return guard.keep(program.reduce(before, checkEvent(event)), before);
    },
    decide: (state: State) => checkCommands(program.decide(guard.admit(state)), nodeIds),
    describe: () => description,
    ...resultCheck(program, nodeIds),
  });
}

function checkType(graphType: unknown): void {
  const { kind, version } = fieldsOf(graphType);
  const problem = (path: string, message: string): never => refuse('INVALID_GRAPH_TYPE', path, message);
  guarded(typeTitle, () => {
    if (typeof kind !== 'string' || kind === '' || hasControlCharacter(kind)) {
      problem('/kind', 'The kind of a graph type is text without control characters');
    }
    if (!isPositiveInteger(version)) problem('/version', 'The version of a graph type is a positive whole number');
  });
}

function checkProgram(program: unknown): void {
  const fields = fieldsOf(program);
  guarded(typeTitle, () => {
    const { memory } = fieldsOf(fields['requirements']);
    if (memory !== 'required' && memory !== 'unused') {
      refuse('INVALID_GRAPH_TYPE', '/requirements/memory', 'Memory is required or unused');
    }
    for (const name of ['initialState', 'reduce', 'decide', 'describe', 'validateNodeResult']) {
      const optional = name === 'validateNodeResult' && fields[name] === undefined;
      if (!optional && typeof fields[name] !== 'function') {
        refuse('INVALID_GRAPH_TYPE', `/${name}`, `A compiled graph type has a function "${name}"`);
      }
    }
  });
}

/** The description is asked for once: it cannot change afterwards. */
function checkDescription(
  program: GraphProgram,
  graphType: { readonly kind: string; readonly version: number },
  definition: CheckedDefinition,
): GraphDescription {
  return guarded(
    (issue) => `Invalid graph description: ${issue.message} (${issue.path}).`,
    () => {
      const value = readJson(program.describe(), '');
      const description = readDescription(value);
      const expected = {
        graph: {
          id: definition.id,
          definitionVersion: definition.definitionVersion,
          kind: graphType.kind,
          typeVersion: graphType.version,
          definitionDigest: definition.stored.digest,
        },
        nodes: definition.nodeIds,
        edges: definition.edges,
        requirements: { memory: program.requirements.memory },
      };
      const { graph, nodes, edges, requirements } = description;
      const actual = { graph, nodes: nodes.map(({ id }) => id), edges, requirements };
      for (const part of ['graph', 'nodes', 'edges', 'requirements'] as const) {
        if (!jsonEquals(expected[part], actual[part])) {
          refuse('DESCRIPTION_MISMATCH', `/${part}`, 'The description does not fit the definition');
        }
      }
      return deepFreeze(description);
    },
  );
}

function checkEvent(event: unknown): GraphEvent {
  return guarded(
    () => 'Invalid graph event.',
    () => {
      const value = readJson(event, '/event');
      const keys = isJsonObject(value) ? Object.keys(value) : [];
      if (
        !isJsonObject(value) ||
        keys.length !== 3 ||
        !['type', 'version', 'payload'].every((key) => keys.includes(key))
      ) {
        return refuse('INVALID_GRAPH_EVENT', '/event', 'An event has exactly the fields type, version and payload');
      }
      const type = own(value, 'type');
      const version = own(value, 'version');
      if (typeof type !== 'string' || type === '') {
        return refuse('INVALID_GRAPH_EVENT', '/event/type', 'The type of an event is text');
      }
      if (!isPositiveInteger(version)) {
        return refuse('INVALID_GRAPH_EVENT', '/event/version', 'The version of an event is a positive whole number');
      }
      return Object.freeze({ type, version, payload: own(value, 'payload') ?? null });
    },
  );
}

/** Tells the states this graph made from those that come from outside, which are checked whole. */
function stateGuard<State extends JsonValue>(
  whole: boolean,
): {
  admit: (state: State) => State;
  keep: (next: State, before: State) => State;
} {
  const known = new WeakSet();
  const remember = (state: State): State => {
    if (typeof state === 'object' && state !== null) known.add(state);
    return state;
  };
  const admit = (state: State): State => {
    if (typeof state === 'object' && state !== null && known.has(state)) return state;
    // A copy of a State is a State: the copy differs in nothing but being frozen.
    return remember(guarded(stateTitle, () => readJson(state, '/state')) as State);
  };
  const keep = (next: State, before: State): State => {
    if (next === before) return before;
    if (whole || typeof next !== 'object' || next === null) return admit(next);
    return remember(Object.freeze(next));
  };
  return { admit, keep };
}

function resultCheck(
  program: GraphProgram,
  nodeIds: ReadonlySet<string>,
): { readonly validateNodeResult?: (nodeId: string, result: JsonValue) => GraphIssue | null } {
  if (program.validateNodeResult === undefined) return {};
  return {
    validateNodeResult: (nodeId, result) => {
      if (!nodeIds.has(nodeId)) {
        const issue = { code: 'INVALID_GRAPH_TYPE', path: '/nodeId', message: `There is no node "${nodeId}".` };
        throw new GraphValidationError('Invalid graph type.', [issue]);
      }
      let copy: JsonValue;
      try {
        copy = cloneJson(result);
      } catch (error) {
        if (!(error instanceof JsonValueError)) throw error;
        return { code: error.code, path: `/event/payload/result${error.path}`, message: error.message };
      }
      return checkIssue(program.validateNodeResult?.(nodeId, copy));
    },
  };
}

function checkIssue(answer: unknown): GraphIssue | null {
  if (answer === null) return null;
  const { code, path, message } = fieldsOf(answer);
  const exact = Object.keys(fieldsOf(answer)).length === 3;
  if (!exact || typeof code !== 'string' || typeof path !== 'string' || typeof message !== 'string') {
    const issue = {
      code: 'INVALID_GRAPH_TYPE',
      path: '/validateNodeResult',
      message: 'It answers null or exactly {code, path, message}.',
    };
    throw new GraphValidationError('Invalid graph type.', [issue]);
  }
  return Object.freeze({ code, path, message });
}

const typeTitle = (): string => 'Invalid graph type.';
const stateTitle = (issue: GraphIssue): string => `Invalid graph state: ${issue.message}`;

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
