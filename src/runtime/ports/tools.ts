// What a member can call while it works, whatever its engine. Types only.
import type { JsonObject, JsonValue } from '../../core/json.js';

export interface ToolSpec {
  readonly name: string;
  /** Words for the model: what it does and when to use it. */
  readonly description: string;
  /** JSON schema of the input, an object. */
  readonly inputSchema: JsonObject;
}

/** What a call gave: text for the model. A refusal is an answer too, with the code at its beginning. */
export interface ToolOutcome {
  readonly text: string;
  readonly isError: boolean;
}

/** The team's tools as one turn may use them: who calls is known, never said in the input. */
export interface TeamTools {
  readonly specs: readonly ToolSpec[];
  /** Words for the model beside the tools: how a team works, and who it is in it. */
  readonly policy: string;
  /**
   * Calls a tool and records the call and its result as steps of the turn.
   * @param parent - id of the step inside of which it is called; null at the top.
   * @returns a refusal when there is no such tool or the input does not fit.
   * @throws when the turn has ended or is to end.
   */
  call(name: string, input: JsonValue, parent?: string | null): Promise<ToolOutcome>;
}
