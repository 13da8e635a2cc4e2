// A bench for a graph type: plays a story through it with every check on, and lists what is not as promised.
import { cloneJson, jsonEquals, type JsonValue } from '../json.js';
import { compileGraph } from './compile.js';
import { GraphValidationError } from './error.js';
import type { CompiledGraph, GraphCommand, GraphDescription, GraphEvent, GraphType, PlanResolution } from './model.js';
import { resolveGraphPlan } from './plan.js';
import { validateStoredPlan } from './stored-plan.js';

/** A story and what has to come of it. `states` and `commands` have one entry more than `events`: the beginning. */
export interface GraphTypeConformance<Definition, State extends JsonValue> {
  readonly graphType: GraphType<Definition, State>;
  readonly definition: Definition;
  readonly events: readonly GraphEvent[];
  /** Each of these has to be refused with a GraphValidationError. */
  readonly invalidDefinitions: readonly unknown[];
  readonly planResolution: PlanResolution;
  readonly expected: {
    readonly states: readonly State[];
    readonly commands: readonly (readonly GraphCommand[])[];
    readonly bounds: GraphDescription['bounds'];
  };
}

export interface ConformanceReport {
  readonly ok: boolean;
  /** One sentence for each promise that was not kept. */
  readonly failures: readonly string[];
}

/**
 * Checks a graph type: the expected states, commands and bounds; the same again from a state that went through text, as
 * after a restart; refused definitions; a plan that proves itself. Throws nothing: an error becomes a failure.
 */
export function runGraphTypeConformance<Definition, State extends JsonValue>(
  story: GraphTypeConformance<Definition, State>,
): ConformanceReport {
  const failures: string[] = [];
  const attempt = (what: string, work: () => void): void => {
    try {
      work();
    } catch (error) {
      failures.push(`${what} threw: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const expectEqual = (what: string, actual: unknown, expected: unknown): void => {
    if (!jsonEquals(actual, expected)) failures.push(`${what} is not as expected.`);
  };
  const { graphType, definition, expected } = story;

  attempt('The story', () => {
    const before = cloneJson(definition);
    const graph = compileGraph(graphType, definition, { checks: 'whole' });
    expectEqual('The definition after compiling', definition, before);
    expectEqual(
      'The digest of a second compile',
      compileGraph(graphType, definition).definition.digest,
      graph.definition.digest,
    );
    expectEqual('The list of bounds', graph.describe().bounds, expected.bounds);
    play(graph, story, expectEqual);
  });
  attempt('The plan', () => {
    const plan = resolveGraphPlan(compileGraph(graphType, definition).describe(), story.planResolution);
    expectEqual('The plan read back', validateStoredPlan(JSON.parse(plan.canonicalJson)).digest, plan.digest);
  });
  story.invalidDefinitions.forEach((invalid, index) => {
    attempt(`The invalid definition ${index}`, () => {
      if (!isRefused(graphType, invalid)) failures.push(`The invalid definition ${index} was accepted.`);
    });
  });
  return Object.freeze({ ok: failures.length === 0, failures: Object.freeze(failures) });
}

function play<Definition, State extends JsonValue>(
  graph: CompiledGraph<State>,
  { events, expected }: GraphTypeConformance<Definition, State>,
  expectEqual: (what: string, actual: unknown, expected: unknown) => void,
): void {
  const entries = events.length + 1;
  expectEqual('The number of expected states', expected.states.length, entries);
  expectEqual('The number of expected decisions', expected.commands.length, entries);
  let state = graph.initialState();
  for (let step = 0; step < entries; step += 1) {
    expectEqual(`The state after ${step} events`, state, expected.states[step] ?? null);
    expectEqual(`The decision after ${step} events`, graph.decide(state), expected.commands[step] ?? null);
    const event = events[step];
    if (event === undefined) return;
    // What went through text has lost every identity: a graph type may depend on values only.
    const restored = JSON.parse(JSON.stringify(state)) as State;
    const again = graph.reduce(restored, event);
    state = graph.reduce(state, event);
    expectEqual(`The state after ${step + 1} events, from a restored one`, again, state);
  }
}

function isRefused<Definition, State extends JsonValue>(
  graphType: GraphType<Definition, State>,
  invalid: unknown,
): boolean {
  try {
    compileGraph(graphType, invalid as Definition);
    return false;
  } catch (error) {
    if (error instanceof GraphValidationError) return true;
    throw error;
  }
}
