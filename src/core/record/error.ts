// What a record refuses: an event that this version cannot read, or a history that cannot be.

export type RecordErrorCode = 'INVALID_EVENT' | 'UNSUPPORTED_EVENT';

/** An event of a stored record could not be folded. `revision` says which; earlier events stay readable. */
export class RecordError extends Error {
  override readonly name = 'RecordError';
  readonly code: RecordErrorCode;
  readonly revision: number;
  constructor(code: RecordErrorCode, revision: number, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.revision = revision;
  }
}
