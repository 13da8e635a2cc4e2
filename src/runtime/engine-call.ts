// One call of an engine: within its time, and how it ended. An engine is not stopped at the soft limit; at the hard one
// it is told to stop and has some time left to say who it was. Never rejects. Rules: docs/rules.md § Engine lanes.
import { canonicalJson, cloneJson, utf8Length, type JsonValue } from '../core/json.js';
import { readIdentity } from './engine-identity.js';
import type { Clock } from './ports/clock.js';
import { GraphEngineError, type EngineFailureKind, type EngineIdentity } from './ports/graph-engine.js';
import type { GraphEngine, GraphEngineRequest } from './ports/graph-engine.js';
import { ABORT_GRACE_MS, runWithinTime } from './time-limit.js';

const MAX_TIMER_MS = 2_147_483_647;

/** What an engine said, read. */
export interface EngineAnswer {
  readonly parts: readonly JsonValue[];
  /** Bytes of the canonical text of all parts. */
  readonly outputBytes: number;
  readonly tokens: number | null;
}

/** How a call ended; `effective` is who answered, as far as it said. */
export type CallEnd = { readonly effective: EngineIdentity | null } & (
  | { readonly kind: 'answered'; readonly answer: EngineAnswer }
  | { readonly kind: 'failed'; readonly failure: EngineFailureKind; readonly cause: unknown }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'aborted' }
);

export interface CallLimits {
  /** Until the engine is told to stop, in milliseconds. */
  readonly hardMs: number;
  /** The caller's wish to stop. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

export async function callEngine(
  engine: GraphEngine,
  request: Omit<GraphEngineRequest, 'signal'>,
  { hardMs, signal, clock }: CallLimits,
): Promise<CallEnd> {
  let effective: EngineIdentity | null = null;
  const startedAt = clock.elapsed();
  const work = async (stop: AbortSignal): Promise<EngineAnswer> => {
    try {
      const reply = await engine.run({ ...request, signal: stop });
      effective = readIdentity(reply.effective);
      return readAnswer(reply);
    } catch (error) {
      if (error instanceof GraphEngineError) effective = readIdentity(error.effective);
      throw error;
    }
  };
  const teardownGraceMs = Math.min(ABORT_GRACE_MS, MAX_TIMER_MS - hardMs);
  const end = await runWithinTime(work, { timeoutMs: hardMs, teardownGraceMs, signal, clock });
  // What was said after the hard limit counts as evidence only: it tells who was asked, not what the turn gave.
  const late = clock.elapsed() - startedAt >= hardMs;
  switch (end.kind) {
    case 'value':
      return late ? { kind: 'timeout', effective } : { kind: 'answered', answer: end.value, effective };
    case 'error':
      return { kind: 'failed', failure: failureOf(end.error), cause: end.error, effective };
    case 'timeout':
    case 'aborted':
      return { kind: end.kind, effective };
  }
}

export function failureOf(error: unknown): EngineFailureKind {
  return error instanceof GraphEngineError ? error.kind : 'unknown';
}

/** @throws when it is no answer: no parts, or parts that are not JSON. */
function readAnswer(reply: { readonly parts: readonly unknown[]; readonly tokens: unknown }): EngineAnswer {
  const parts = reply.parts.map((part) => cloneJson(part));
  if (parts.length === 0) throw new TypeError('The engine answered with nothing.');
  const { tokens } = reply;
  const known = typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0;
  const outputBytes = parts.reduce<number>((sum, part) => sum + utf8Length(canonicalJson(part)), 0);
  return { parts, outputBytes, tokens: known ? tokens : null };
}
