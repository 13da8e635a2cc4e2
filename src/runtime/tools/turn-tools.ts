// The team's tools in the hands of one turn: each call and its result are steps, and a member that keeps making the same
// refused call is stopped.
import { canonicalJson, type JsonValue } from '../../core/json.js';
import { jsonOf } from '../engine-report.js';
import type { EngineStep } from '../ports/engine.js';
import type { TeamTools, ToolOutcome, ToolSpec } from '../ports/tools.js';
import { refusal, type TeamTool, type ToolCaller } from './team-tool.js';

/** SP-3: how often one call may be refused in a row. */
const SAME_REFUSED_CALLS = 3;

export interface TurnToolsOptions {
  readonly tools: readonly TeamTool[];
  readonly policy: string;
  readonly caller: ToolCaller;
  readonly step: (step: EngineStep) => void;
  readonly signal: AbortSignal;
  /** Called when the turn must end because of a loop of refused calls. */
  readonly onLoop: (message: string) => void;
}

export class TurnTools implements TeamTools {
  readonly specs: readonly ToolSpec[];
  readonly policy: string;
  readonly #options: TurnToolsOptions;
  #calls = 0;
  #refused = { call: '', times: 0 };

  constructor(options: TurnToolsOptions) {
    this.#options = options;
    this.specs = options.tools.map(({ spec }) => spec);
    this.policy = options.policy;
  }

  async call(name: string, input: JsonValue, parent: string | null = null): Promise<ToolOutcome> {
    const { signal, step } = this.#options;
    signal.throwIfAborted();
    this.#calls += 1;
    const callId = `call/${this.#calls}`;
    step({ kind: 'tool-call', id: callId, parent, name, input });
    const outcome = await this.#run(name, input);
    signal.throwIfAborted();
    step({ kind: 'tool-result', callId, parent, ...outcome });
    this.#watch(name, input, outcome);
    return outcome;
  }

  async #run(name: string, input: JsonValue): Promise<ToolOutcome> {
    const { tools, caller } = this.#options;
    const tool = tools.find(({ spec }) => spec.name === name);
    if (tool === undefined) {
      const known = tools.map(({ spec }) => spec.name).join(', ');
      return refusal('TOOL_NOT_FOUND', `There is no tool "${name}". The tools are: ${known}.`);
    }
    try {
      return await tool.run(input, caller);
    } catch (error) {
      return refusal('TOOL_FAILED', error instanceof Error ? error.message : String(error));
    }
  }

  #watch(name: string, input: JsonValue, { isError }: ToolOutcome): void {
    const call = isError ? canonicalJson([name.toWellFormed(), jsonOf(input)]) : '';
    this.#refused = { call, times: isError && call === this.#refused.call ? this.#refused.times + 1 : 1 };
    if (!isError || this.#refused.times < SAME_REFUSED_CALLS) return;
    this.#options.onLoop(`The member made the same refused call of "${name}" ${SAME_REFUSED_CALLS} times in a row.`);
  }
}
