// Bindings and limits that the cases share with the programs of child processes.
import type { JsonValue } from '../../src/core/json.js';
import type { GraphNodeBinding, NodeRunContext } from '../../src/runtime/ports/binding.js';
import type { RunStoragePolicy } from '../../src/storage/port.js';

export const NAMESPACE = 'team-conversation';
export const RUN = 'release-team-run';
export const STARTED_AT = '2026-01-01T00:00:00.000Z';

export const POLICY: RunStoragePolicy = {
  schemaVersion: 1,
  maxEventPayloadBytes: 64_000,
  maxAppendBatchBytes: 128_000,
  maxArtifactBytes: 1_000_000,
  maxTotalArtifactBytesPerRun: 4_000_000,
  retention: 'until-run-delete',
  sensitiveContent: { marked: 'reject', exact: 'reject', freeText: 'redact-before-hash' },
};

export type Effect = (context: NodeRunContext) => Promise<JsonValue>;

/** A data binding that is allowed everything. */
export function bindingOf(
  scratchDirectory: string,
  runData: Effect,
  more: Partial<Omit<GraphNodeBinding, 'policy'>> & { readonly policy?: Partial<GraphNodeBinding['policy']> } = {},
): GraphNodeBinding {
  const { policy, ...rest } = more;
  return {
    prompt: null,
    scratchDirectory,
    workspace: { mode: 'none', directory: null, allowedPaths: [] },
    trustedCaller: {},
    permissions: [],
    resultContract: null,
    runData,
    parseResult: null,
    tokenBudget: null,
    decideAction: async () => ({ kind: 'allow' }),
    ...rest,
    policy: {
      inputBytes: 10_000,
      outputBytes: 100_000,
      timeoutMs: 5_000,
      teardownGraceMs: 100,
      memoryBytes: 10_000_000,
      filesChanged: 0,
      linesChanged: 0,
      callTokens: null,
      ...policy,
    },
  };
}
