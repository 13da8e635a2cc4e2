// What drives a member's turn. Types only; every engine passes the same contract suite.
import type { JsonValue } from '../../core/json.js';

/** A post as a member is given it. */
export interface GivenPost {
  readonly id: string;
  /** Member id, or `you` for the person. */
  readonly sender: string;
  readonly text: string;
  /** Ids of the members that it mentions. */
  readonly mentions: readonly string[];
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
  readonly roomId: string;
  /** The posts that woke this turn, in the order recorded. */
  readonly triggers: readonly GivenPost[];
  /** The room's newest posts and the triggers, each once, in the order recorded. */
  readonly messages: readonly GivenPost[];
  /** This member's result of its previous turn in this room, null on its first. */
  readonly previous: TurnResult | null;
}

/** What a turn hands back: one answer for the room, and data for the member's next turn. */
export interface TurnResult {
  readonly text: string;
  readonly data?: JsonValue;
}

/** One step of a member's private reasoning. */
export type EngineStep =
  { readonly kind: 'thought'; readonly text: string } | { readonly kind: 'text'; readonly text: string };

export interface EngineTurn {
  /** Reports one step; it is durable before the turn's outcome. */
  step(step: EngineStep): void;
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
