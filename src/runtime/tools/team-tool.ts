// One tool that members may call. Who calls is known from the turn, never from the input.
import type { JsonValue } from '../../core/json.js';
import type { ToolOutcome, ToolSpec } from '../ports/tools.js';

/** Whose call it is. */
export interface ToolCaller {
  readonly memberId: string;
  readonly position: string;
  /** The room of the turn; null where it has none. */
  readonly roomId: string | null;
  /** Aborted when the turn must end. */
  readonly signal: AbortSignal;
}

export interface TeamTool {
  readonly spec: ToolSpec;
  /** @returns a refusal as an outcome; what it throws is shown to the member as the tool's failure. */
  run(input: JsonValue, caller: ToolCaller): Promise<ToolOutcome>;
}

/** A refusal: the code first, so that a model and a program both can read it. */
export function refusal(code: string, message: string): ToolOutcome {
  return { text: `${code}: ${message}`, isError: true };
}
