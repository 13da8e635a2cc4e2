// Why an attempt failed. The code is recorded; the message is for the host's log and is never stored.

export type AttemptFailureCode =
  | 'INVALID_ATTEMPT'
  | 'ABORTED'
  | 'INPUT_LIMIT'
  | 'ACTION_POLICY'
  | 'TOKEN_BUDGET'
  | 'TIMEOUT'
  | 'EFFECT_FAILED'
  | 'ENGINE_UNAVAILABLE'
  | 'MODEL_UNAVAILABLE_RECORD'
  | 'ENGINE_IDENTITY_UNRESOLVED'
  | 'RESULT_INVALID'
  | 'OUTPUT_LIMIT'
  | 'WORKSPACE_INSPECTION'
  | 'WORKSPACE_VIOLATION'
  | 'WORKSPACE_LIMIT'
  | 'DENIED'
  | 'RESULT_TOO_LARGE';

export class AttemptError extends Error {
  override readonly name = 'AttemptError';
  readonly code: AttemptFailureCode;

  constructor(code: AttemptFailureCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
