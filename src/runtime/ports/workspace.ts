// How an attempt learns what its node did to a workspace. Types only.

/** What changed between two looks at a workspace. */
export interface WorkspaceChanges {
  /** Paths relative to the workspace, `/` between parts. */
  readonly paths: readonly string[];
  readonly linesChanged: number;
}

export interface WorkspaceInspection {
  /** What changed since the inspection began. */
  changes(): Promise<WorkspaceChanges>;
}

export interface WorkspaceInspector {
  /**
   * Looks at a workspace before an attempt.
   * @param directory - the root of a git worktree.
   * @throws when it is not one, or cannot be read.
   */
  begin(directory: string): Promise<WorkspaceInspection>;
}
