// The words of a bounded team: what its author writes, what a turn gives, what is remembered. Types only.
// These are aliases, not interfaces, because each of them is also a JsonValue and is stored as one.
import type { JsonValue } from '../json.js';
import type { ExecutionLaneDeclaration } from '../graph/model.js';

/** A room: who may post in it and who is given its messages. */
export type TeamRoom = { readonly id: string; readonly members: readonly string[] };

/** The rooms, and how many recent messages of each a member is given. */
export type TeamCommunication = { readonly rooms: readonly TeamRoom[]; readonly tailMessages: number };

/** What holds for the whole team. All limits are positive safe integers. */
export type TeamGraphData = {
  readonly task: string;
  /** Most turns in one batch; a batch settles whole before the next begins. */
  readonly globalConcurrency: number;
  readonly maxTurnsPerMember: number;
  /** Without it no turn may post. */
  readonly communication?: TeamCommunication;
};

/** One member. `initialTurn` defaults to true; `lane` asks for an engine. */
export type TeamNodeData = {
  readonly role: string;
  readonly brief: string;
  readonly initialTurn?: boolean;
  readonly lane?: ExecutionLaneDeclaration;
};

/** A team as its author writes it. `edges` is empty: messages ask for turns. */
export type TeamDefinition = {
  readonly id: string;
  readonly definitionVersion: number;
  readonly data: TeamGraphData;
  readonly nodes: readonly { readonly id: string; readonly data: TeamNodeData }[];
  readonly edges: readonly [];
};

/** A message to send: `mentions` are ids of members of that room. */
export type TeamPost = { readonly roomId: string; readonly text: string; readonly mentions: readonly string[] };

/** What a member's turn gives. Its posts are sent all together when the turn is saved, or not at all. */
export type TeamTurnResult = {
  readonly summary: string;
  readonly data?: JsonValue;
  readonly posts?: readonly TeamPost[];
};

/** A post that was saved. */
export type TeamMessage = {
  readonly roomId: string;
  readonly text: string;
  readonly mentions: readonly string[];
  readonly id: string;
  readonly sender: string;
  readonly position: string;
};

/** What a member is given for a turn. `result` is its own preceding one. */
export type TeamTurnInput = {
  readonly task: string;
  readonly role: string;
  readonly brief: string;
  readonly result: TeamTurnResult | null;
  readonly messages: readonly TeamMessage[];
};

/** The outcome of a complete run: agents in the order of declaration; `result` is null for one that never had a turn. */
export type TeamGraphResult = {
  readonly task: string;
  readonly agents: readonly { readonly name: string; readonly role: string; readonly result: TeamTurnResult | null }[];
};

export type TeamMemberState = {
  readonly status: 'idle' | 'in-flight' | 'paused' | 'failed';
  /** Turns dispatched so far. */
  readonly turns: number;
  /** The position of the open turn. */
  readonly inFlight: string | null;
  readonly pauseReason: string | null;
  readonly failureCode: string | null;
  /** The last valid result. */
  readonly result: TeamTurnResult | null;
  readonly queued: boolean;
  /** Ids of the messages that asked for the next turn. */
  readonly triggers: readonly string[];
};

export type TeamState = {
  readonly nodes: { readonly [memberId: string]: TeamMemberState };
  readonly messages: readonly TeamMessage[];
};
