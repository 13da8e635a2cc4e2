// The executor's own error: the run cannot go on as asked, and nothing about it was recorded.

export type GraphExecutionErrorCode =
  | 'ABORTED'
  | 'DUPLICATE_POSITION'
  | 'EMPTY_DECISION'
  | 'ENGINE_IDENTITY_UNRESOLVED'
  | 'INVALID_EVENT'
  | 'INVALID_PREFLIGHT_CONFIG'
  | 'MISSING_ENGINE_BINDING'
  | 'MISSING_MEMORY'
  | 'MISSING_NODE_BINDING'
  | 'PROTOCOL'
  | 'RESUME_EVENT_MISMATCH'
  | 'STORED_GRAPH_MISMATCH';

/** `run`, `resume`, the executor's creation or a projection refused. `code` says why, `message` what to do about it. */
export class GraphExecutionError extends Error {
  override readonly name = 'GraphExecutionError';
  readonly code: GraphExecutionErrorCode;

  constructor(code: GraphExecutionErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
