// Reads a binding before its attempt begins: whatever a host bound wrongly is `INVALID_ATTEMPT`, and nothing ran.
// Rules: docs/rules.md § Attempts.
import { lstat, realpath } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { cloneJson, isJsonObject, type JsonObject, type JsonValue } from '../core/json.js';
import { AttemptError } from './attempt-error.js';
import type { AttemptPolicy, GraphNodeBinding, WorkspaceRequest } from './ports/binding.js';

const MAX_TIME_MS = 2_147_483_647;

/** A binding's values as the attempt uses them: copies, frozen. Its functions stay the host's. */
export interface CheckedBinding {
  readonly binding: GraphNodeBinding;
  readonly input: JsonValue;
  readonly trustedCaller: JsonObject;
  readonly permissions: readonly string[];
  readonly policy: AttemptPolicy;
  readonly scratchDirectory: string;
  readonly workspace: WorkspaceRequest;
}

/**
 * @param hasEngine - true when the node has an engine lane; exactly one of that and `runData` may be.
 * @throws AttemptError `INVALID_ATTEMPT`
 */
export function checkBinding(binding: GraphNodeBinding, input: JsonValue, hasEngine: boolean): CheckedBinding {
  try {
    const trustedCaller = cloneJson(binding.trustedCaller);
    if (!isJsonObject(trustedCaller)) throw invalid('trustedCaller is not an object');
    if (hasEngine === (binding.runData !== null)) throw invalid('a node has either an engine lane or runData');
    if (binding.runData !== null && binding.prompt !== null) throw invalid('a data effect has no prompt');
    if (hasEngine && binding.prompt === null) throw invalid('a node with an engine needs a prompt');
    const policy = checkPolicy(binding.policy);
    if (policy.callTokens !== null && binding.tokenBudget === null) throw invalid('callTokens needs a tokenBudget');
    return Object.freeze({
      binding,
      input: cloneJson(input),
      trustedCaller,
      permissions: uniqueTexts(binding.permissions, 'permissions'),
      policy,
      scratchDirectory: binding.scratchDirectory,
      workspace: checkWorkspace(binding.workspace),
    });
  } catch (error) {
    if (error instanceof AttemptError) throw error;
    throw new AttemptError('INVALID_ATTEMPT', 'The binding of the node cannot be read.', error);
  }
}

/**
 * the scratch directory is absolute, exists, is no link and is spelled as its real path.
 * @throws AttemptError `INVALID_ATTEMPT`
 */
export async function checkScratch(directory: unknown): Promise<void> {
  if (typeof directory !== 'string' || !isAbsolute(directory)) throw invalid('scratchDirectory is not absolute');
  try {
    const entry = await lstat(directory);
    if (!entry.isDirectory()) throw invalid(`scratchDirectory is not a directory: ${directory}`);
    if ((await realpath(directory)) !== directory) {
      throw invalid(`scratchDirectory is not its own real path: ${directory}`);
    }
  } catch (error) {
    if (error instanceof AttemptError) throw error;
    throw new AttemptError('INVALID_ATTEMPT', `scratchDirectory cannot be read: ${directory}`, error);
  }
}

function checkPolicy(policy: AttemptPolicy): AttemptPolicy {
  const atLeast = (key: Exclude<keyof AttemptPolicy, 'callTokens'>, minimum: number): number => {
    const value = policy[key];
    if (Number.isSafeInteger(value) && value >= minimum) return value;
    throw invalid(`policy.${key} is not a whole number from ${minimum}`);
  };
  const timeoutMs = atLeast('timeoutMs', 1);
  const teardownGraceMs = atLeast('teardownGraceMs', 0);
  if (timeoutMs + teardownGraceMs > MAX_TIME_MS) {
    throw invalid(`policy.timeoutMs and teardownGraceMs are together at most ${MAX_TIME_MS}`);
  }
  return Object.freeze({
    inputBytes: atLeast('inputBytes', 0),
    outputBytes: atLeast('outputBytes', 0),
    timeoutMs,
    teardownGraceMs,
    memoryBytes: atLeast('memoryBytes', 1),
    filesChanged: atLeast('filesChanged', 0),
    linesChanged: atLeast('linesChanged', 0),
    callTokens: checkCallTokens(policy.callTokens),
  });
}

function checkCallTokens(callTokens: AttemptPolicy['callTokens']): AttemptPolicy['callTokens'] {
  if (callTokens === null) return null;
  const { mode, tokens } = callTokens;
  if (!['hard', 'observed'].includes(mode)) throw invalid('policy.callTokens.mode is hard or observed');
  if (!Number.isSafeInteger(tokens) || tokens < 1) throw invalid('policy.callTokens.tokens is a positive whole number');
  return Object.freeze({ mode, tokens });
}

function checkWorkspace({ mode, directory, allowedPaths }: WorkspaceRequest): WorkspaceRequest {
  const paths = uniqueTexts(allowedPaths, 'workspace.allowedPaths');
  if (mode === 'none') {
    if (directory !== null || paths.length > 0) throw invalid('a node without a workspace has no directory or paths');
    return Object.freeze({ mode, directory, allowedPaths: paths });
  }
  if (!['read', 'write'].includes(mode)) throw invalid('workspace.mode is none, read or write');
  if (typeof directory !== 'string' || !isAbsolute(directory)) throw invalid('workspace.directory is not absolute');
  if (mode === 'read' && paths.length > 0) throw invalid('a workspace for reading has no allowed paths');
  const unsafe = paths.find((path) => isAbsolute(path) || path.includes('\\') || path.split('/').some(isDots));
  if (unsafe !== undefined) throw invalid(`workspace.allowedPaths leaves the workspace: ${unsafe}`);
  return Object.freeze({ mode, directory, allowedPaths: paths });
}

function isDots(part: string): boolean {
  return part === '' || part === '.' || part === '..';
}

function uniqueTexts(values: readonly string[], what: string): readonly string[] {
  const texts = Array.from(values, (value: unknown) => {
    if (typeof value !== 'string' || value === '' || value !== value.trim()) throw invalid(`${what} has a bad entry`);
    return value;
  });
  if (new Set(texts).size !== texts.length) throw invalid(`${what} names something twice`);
  return Object.freeze(texts);
}

function invalid(reason: string): AttemptError {
  return new AttemptError('INVALID_ATTEMPT', `The binding of the node is not valid: ${reason}.`);
}
