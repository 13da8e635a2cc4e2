// What drives a member's turn. Types only; every engine passes the same contract suite.
import type { JsonValue } from '../../core/json.js';
import type { TurnUsage } from '../../core/record/catalogue.js';
import type { TeamTools } from './tools.js';

/** A post as a member is given it. */
export interface GivenPost {
  readonly id: string;
  /** Member id, or `you` for the person. */
  readonly sender: string;
  readonly text: string;
  /** Ids of the members that it mentions. */
  readonly mentions: readonly string[];
}

/** A message as a member is given it. */
export interface GivenMail {
  readonly id: string;
  /** Name of the member that sent it, `lead` for the lead. */
  readonly sender: string;
  /** The message as it reads to its target: who it is from, then what was sent. */
  readonly text: string;
}

/** Everything that a member knows at the start of a turn of a live conversation. */
export interface TurnInput {
  readonly position: string;
  readonly member: {
    readonly id: string;
    readonly name: string;
    readonly role: string;
    readonly brief: string;
    /** What the team file says to an engine that plays scripts; null when it says nothing. */
    readonly script: JsonValue;
  };
  readonly team: {
    readonly id: string;
    readonly name: string;
    readonly lead: string;
    readonly members: readonly { readonly id: string; readonly name: string; readonly role: string }[];
  };
  /** Null for a turn that only mail, a prompt or tasks woke: its answer goes to whoever did. */
  readonly roomId: string | null;
  /** The posts that woke this turn, in the order recorded. */
  readonly triggers: readonly GivenPost[];
  /** The room's newest posts and the triggers, each once, in the order recorded. */
  readonly messages: readonly GivenPost[];
  /** Mail that the member has not been given before, in the order received. */
  readonly mail: readonly GivenMail[];
  /** What a new member was asked to do; null on every other turn. */
  readonly prompt: string | null;
  /** Ids of tasks that can be begun now; empty unless they woke this turn. */
  readonly readyTasks: readonly string[];
  /** This member's result of its previous turn in this room, null on its first. */
  readonly previous: Pick<TurnResult, 'text' | 'data'> | null;
  /** Set when this turn tries one again: the code of the failure before, null when that was cancelled. */
  readonly retried: { readonly code: string | null } | null;
}

/** What a turn hands back: one answer for the room, data for the member's next turn, and what it used. */
export interface TurnResult {
  readonly text: string;
  readonly data?: JsonValue;
  /** Figures that are missing are unknown. Without it the newest `usage` step counts, else all is unknown. */
  readonly usage?: Partial<TurnUsage>;
}

/** Where a step belongs. Without an `id` it is a step of its own. */
interface StepPlace {
  /** Unique within the turn. A long thought or text may come in pieces of one id, each with what is new. */
  readonly id?: string;
  /** Id of the tool call inside of which it was made; absent or null at the top. */
  readonly parent?: string | null;
  /** True while more pieces of the same id follow. */
  readonly isOpen?: boolean;
}

/** One step of a member's private reasoning, or a piece of one. */
export type EngineStep = StepPlace &
  (
    | { readonly kind: 'thought'; readonly text: string }
    /** What the member is about to answer, while it is written: shown as it comes. */
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'tool-call'; readonly name: string; readonly input: JsonValue }
    | { readonly kind: 'tool-result'; readonly callId: string; readonly text: string; readonly isError: boolean }
    | {
        readonly kind: 'plan';
        readonly entries: readonly {
          readonly text: string;
          readonly status: 'pending' | 'in_progress' | 'completed';
        }[];
      }
    /** All that the turn has used so far. */
    | { readonly kind: 'usage'; readonly usage: Partial<TurnUsage> }
    | { readonly kind: 'error'; readonly message: string }
  );

export interface EngineTurn {
  /** Quiet mail that came since the turn began, for engines with steps of their own; the rest waits for the next turn. */
  takeMail(): Promise<readonly GivenMail[]>;
  /** Reports a step; it is durable before the turn's outcome. */
  step(step: EngineStep): void;
  /** The team's tools. An engine's own tools are reported as steps. */
  readonly tools: TeamTools;
  /** Aborted when the turn must end: the engine stops its work and settles soon. */
  readonly signal: AbortSignal;
}

export interface Engine {
  readonly id: string;
  /** Words for the person, e.g. "Scripted (offline)". */
  readonly label: string;
  /**
   * Runs one turn.
   * @returns the member's answer.
   * @throws when the turn fails; the message is shown to the person.
   */
  runTurn(input: TurnInput, turn: EngineTurn): Promise<TurnResult>;
}
