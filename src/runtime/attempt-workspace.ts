// What an attempt may do to its workspace: nothing, or change what its globs allow, within its counts.
import { matchesGlob } from 'node:path';
import { AttemptError } from './attempt-error.js';
import type { AttemptPolicy, WorkspaceRequest } from './ports/binding.js';
import type { WorkspaceInspection, WorkspaceInspector } from './ports/workspace.js';

/**
 * Looks at the workspace before the attempt; null when the node has none.
 * @throws AttemptError `WORKSPACE_INSPECTION`
 */
export async function enterWorkspace(
  workspace: WorkspaceRequest,
  inspector: WorkspaceInspector | undefined,
): Promise<WorkspaceInspection | null> {
  if (workspace.directory === null) return null;
  if (inspector === undefined) {
    throw new AttemptError('WORKSPACE_INSPECTION', 'The executor was made without a way to inspect workspaces.');
  }
  try {
    return await inspector.begin(workspace.directory);
  } catch (cause) {
    throw new AttemptError('WORKSPACE_INSPECTION', `The workspace cannot be inspected: ${workspace.directory}`, cause);
  }
}

/**
 * Checks what the attempt left behind, however it ended.
 * @throws AttemptError `WORKSPACE_VIOLATION`, `WORKSPACE_LIMIT` or `WORKSPACE_INSPECTION`
 */
export async function leaveWorkspace(
  inspection: WorkspaceInspection | null,
  workspace: WorkspaceRequest,
  policy: AttemptPolicy,
): Promise<void> {
  if (inspection === null) return;
  const { paths, linesChanged } = await inspection.changes().catch((cause: unknown) => {
    throw new AttemptError('WORKSPACE_INSPECTION', 'The workspace cannot be inspected after the attempt.', cause);
  });
  const outside = paths.find((path) => !workspace.allowedPaths.some((glob) => matchesGlob(path, glob)));
  if (outside !== undefined) throw new AttemptError('WORKSPACE_VIOLATION', `The attempt may not change ${outside}.`);
  if (paths.length > policy.filesChanged) {
    throw new AttemptError('WORKSPACE_LIMIT', `${paths.length} files changed; ${policy.filesChanged} are allowed.`);
  }
  if (linesChanged > policy.linesChanged) {
    throw new AttemptError('WORKSPACE_LIMIT', `${linesChanged} lines changed; ${policy.linesChanged} are allowed.`);
  }
}
