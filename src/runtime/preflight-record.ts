// The check of engines before the first turn, as the record has it: which lanes were looked at, what was found, and
// whether the run waits for somebody to mend one. Rules: docs/rules.md § Engine checks.
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.js';
import type { ResolvedGraphPlan } from '../core/graph/model.js';
import type { DomainEventEnvelope } from '../storage/port.js';
import { isLaneDead } from './engine-events.js';
import { readIdentity, sameIdentity } from './engine-identity.js';
import type { LaneEngine } from './engine-route.js';
import { invalidEvent } from './graph-events.js';

export const PREFLIGHT_PREFIX = 'preflight:';

/** How a lane is checked. `unsupportedStatic`: what an engine counts as that cannot say whether it could answer. */
export interface LaneCheck {
  readonly laneId: string;
  readonly live: boolean;
  readonly unsupportedStatic: 'block' | 'allow';
  /** The engine in use and its fallbacks. */
  readonly engines: readonly LaneEngine[];
}

export interface PreflightPlan {
  readonly timeoutMs: number;
  readonly lanes: readonly LaneCheck[];
}

/** Where the check of one lane stands: at which of its engines, and what was found in the end. */
export interface LaneState {
  readonly tried: number;
  readonly end: 'open' | 'passed' | { readonly failure: string };
}

export type PreflightEvent =
  | { readonly kind: 'probe-started' | 'probe-finished'; readonly laneId: string; readonly failure: string | null }
  | { readonly kind: 'paused'; readonly reason: string }
  | { readonly kind: 'resumed'; readonly preflightEventId: string }
  | { readonly kind: 'failed'; readonly message: string };

const UNTOUCHED: LaneState = { tried: 0, end: 'open' };

export class PreflightRecord {
  readonly plan: PreflightPlan | null;
  #lanes = new Map<string, LaneState>();
  #probing: string | null = null;
  #paused: { readonly eventId: string; readonly reason: string } | null = null;
  #failed: string | null = null;

  /** @param enginesOf - the engines of a lane. */
  constructor({ plan }: ResolvedGraphPlan, enginesOf: (laneId: string) => readonly LaneEngine[]) {
    this.plan = readPlan(plan['preflight'], enginesOf);
  }

  /** The pause that nobody has ended yet. */
  get paused(): { readonly eventId: string; readonly reason: string } | null {
    return this.#paused;
  }

  /** Why the check failed for good. */
  get failed(): string | null {
    return this.#failed;
  }

  lane(laneId: string): LaneState {
    return this.#lanes.get(laneId) ?? UNTOUCHED;
  }

  reset(): void {
    this.#lanes = new Map();
    this.#probing = null;
    this.#paused = null;
    this.#failed = null;
  }

  /** @throws GraphExecutionError `INVALID_EVENT` for an event that no check writes like this, or not here. */
  apply(event: DomainEventEnvelope): void {
    // Without a check in the plan such events are somebody else's.
    if (this.plan === null) return;
    const read = readPreflightEvent(event, (laneId, identity) => this.#names(laneId, identity));
    if (this.#failed !== null) throw invalidEvent(event, 'the check had failed');
    if (this.#paused !== null && read.kind !== 'resumed') throw invalidEvent(event, 'the check is paused');
    switch (read.kind) {
      case 'probe-started':
        if (this.lane(read.laneId).end !== 'open') throw invalidEvent(event, 'that lane was checked before');
        this.#probing = read.laneId;
        break;
      case 'probe-finished':
        if (this.#probing !== read.laneId) throw invalidEvent(event, 'no check of that lane has begun');
        this.#probing = null;
        this.#lanes.set(read.laneId, this.#found(read.laneId, read.failure));
        break;
      case 'paused':
        this.#paused = { eventId: event.eventId, reason: read.reason };
        break;
      case 'resumed':
        if (this.#paused?.eventId !== read.preflightEventId)
          throw invalidEvent(event, 'that pause is not the open one');
        this.#paused = null;
        // What had passed need not be looked at again.
        for (const [laneId, { end }] of this.#lanes) if (end !== 'passed') this.#lanes.delete(laneId);
        break;
      case 'failed':
        this.#failed = read.message;
    }
  }

  /** A dead engine leaves the lane to its next one. */
  #found(laneId: string, failure: string | null): LaneState {
    const tried = this.lane(laneId).tried + 1;
    if (failure === null) return { tried, end: 'passed' };
    const engines = this.#check(laneId)?.engines ?? [];
    return { tried, end: isLaneDead(failure) && tried < engines.length ? 'open' : { failure } };
  }

  /** True when the engine is the one whose turn it is in that lane. */
  #names(laneId: string, identity: JsonValue | undefined): boolean {
    const engine = this.#check(laneId)?.engines[this.lane(laneId).tried];
    const named = readIdentity(identity);
    return engine !== undefined && named !== null && sameIdentity(engine.identity, named);
  }

  #check(laneId: string): LaneCheck | undefined {
    return this.plan?.lanes.find((lane) => lane.laneId === laneId);
  }
}

const FIELDS: Readonly<Record<PreflightEvent['kind'], readonly string[]>> = {
  'probe-started': ['laneId', 'identity'],
  'probe-finished': ['laneId', 'identity', 'effective', 'failure'],
  paused: ['reason', 'lanes'],
  resumed: ['preflightEventId'],
  failed: ['message', 'lanes'],
};

function readPreflightEvent(
  event: DomainEventEnvelope,
  names: (laneId: string, identity: JsonValue | undefined) => boolean,
): PreflightEvent {
  const kind = event.type.slice(PREFLIGHT_PREFIX.length);
  if (!isKind(kind) || event.version !== 1) throw invalidEvent(event, 'no such check is known here');
  const { payload } = event;
  const fields = FIELDS[kind];
  if (
    !isJsonObject(payload) ||
    Object.keys(payload).length !== fields.length ||
    !fields.every((field) => Object.hasOwn(payload, field))
  ) {
    throw invalidEvent(event, `its fields are not exactly ${fields.join(', ')}`);
  }
  switch (kind) {
    case 'probe-started':
    case 'probe-finished': {
      const laneId = text(event, payload, 'laneId');
      if (!names(laneId, payload['identity'])) throw invalidEvent(event, 'the plan has no such engine to be checked');
      const failure = payload['failure'] ?? null;
      if (failure !== null && typeof failure !== 'string')
        throw invalidEvent(event, 'failure is neither null nor text');
      const { effective } = payload;
      if (effective !== undefined && effective !== null && readIdentity(effective) === null) {
        throw invalidEvent(event, 'effective names no engine');
      }
      return { kind, laneId, failure };
    }
    case 'paused':
      return { kind, reason: text(event, payload, 'reason') };
    case 'resumed':
      return { kind, preflightEventId: text(event, payload, 'preflightEventId') };
    case 'failed':
      return { kind, message: text(event, payload, 'message') };
  }
}

function text(event: DomainEventEnvelope, payload: JsonObject, key: string): string {
  const value = payload[key];
  if (typeof value !== 'string' || value === '') throw invalidEvent(event, `${key} is not text`);
  return value;
}

function isKind(kind: string): kind is PreflightEvent['kind'] {
  return Object.hasOwn(FIELDS, kind);
}

/** The plan was proved when it was loaded; what is not there is not checked. */
function readPlan(
  value: JsonValue | undefined,
  enginesOf: (laneId: string) => readonly LaneEngine[],
): PreflightPlan | null {
  if (!isJsonObject(value)) return null;
  const lanes = Array.isArray(value['lanes']) ? (value['lanes'] as readonly JsonValue[]) : [];
  return {
    timeoutMs: Number(value['timeoutMs']),
    lanes: lanes.filter(isJsonObject).map((lane): LaneCheck => {
      const laneId = typeof lane['laneId'] === 'string' ? lane['laneId'] : '';
      return {
        laneId,
        live: lane['live'] === 'required',
        unsupportedStatic: lane['unsupportedStatic'] === 'allow' ? 'allow' : 'block',
        engines: enginesOf(laneId),
      };
    }),
  };
}
