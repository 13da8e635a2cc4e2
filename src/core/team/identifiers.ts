// The names of what happens in a run: a turn's position, a message's id, an attempt's id. Callers treat them as opaque:
// a member's id may contain "/", so a position cannot be taken apart again.
import { digestJson, type Sha256Digest } from '../json.js';

/**
 * The position of a member's turn.
 * @param turn - 1 for the first dispatch of that member.
 */
export function turnPosition(memberId: string, turn: number): string {
  return `team/${memberId}/${turn}`;
}

/** The number of a turn among those of its member, from 1; null for what is no position. */
export function turnNumber(position: string): number | null {
  const number = Number(/\/([1-9]\d*)$/.exec(position)?.[1]);
  return Number.isSafeInteger(number) ? number : null;
}

/** What stands before the positions of a conversation that another one was forked from: both count from 1. */
const INHERITED = 'inherited/';

/** The name that a position of an ancestor has in the conversation that was forked from it. */
export function inheritedPosition(position: string): string {
  return INHERITED + position;
}

/** What an inherited position is called in the ancestor; null for one of the conversation itself. */
export function ancestorPosition(position: string): string | null {
  return position.startsWith(INHERITED) ? position.slice(INHERITED.length) : null;
}

/**
 * The id of a message.
 * @param position - of the turn that posted it.
 * @param index - 0 for the first post of the turn.
 */
export function messageId(position: string, index: number): string {
  return `${position}/${index}`;
}

/** Where an attempt belongs: a stream, a node in it, a position of that node. */
export interface AttemptPlace {
  readonly namespace: string;
  readonly streamId: string;
  readonly nodeId: string;
  readonly position: string;
}

/** An attempt as it is recorded. */
export type AttemptIdentity = {
  readonly schemaVersion: 1;
  readonly namespace: string;
  readonly streamId: string;
  readonly nodeId: string;
  readonly position: string;
  readonly attemptId: Sha256Digest;
};

/** The id of the attempt at a place. Trying the same position again gives the same id. */
export function attemptId(place: AttemptPlace): Sha256Digest {
  return attemptIdentity(place).attemptId;
}

/** The identity that is recorded when an attempt starts. */
export function attemptIdentity({ namespace, streamId, nodeId, position }: AttemptPlace): AttemptIdentity {
  const subject = { schemaVersion: 1 as const, namespace, streamId, nodeId, position };
  return Object.freeze({ ...subject, attemptId: digestJson(subject) });
}
