// The one error of every store: a code to act on, and the facts behind it.
import { cloneJson, type JsonValue } from '../core/json.js';

export type StorageErrorCode =
  | 'INVALID_STORED_VALUE'
  | 'UNSUPPORTED_ENVELOPE_VERSION'
  | 'REVISION_CONFLICT'
  | 'DUPLICATE_EVENT_ID'
  | 'CORRUPT_EVENT_STREAM'
  | 'ARTIFACT_NOT_FOUND'
  | 'ARTIFACT_NOT_ADMITTED'
  | 'ARTIFACT_INTEGRITY'
  | 'STORAGE_LIMIT_EXCEEDED'
  | 'SENSITIVE_CONTENT'
  | 'KNOWN_SECRET'
  | 'UNSAFE_STORAGE_PATH'
  | 'STORAGE_UNAVAILABLE'
  | 'RUN_HELD';

/** A store refused. `details` are JSON and frozen; they never contain a secret. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code: StorageErrorCode;
  readonly details: { readonly [key: string]: JsonValue };

  constructor(code: StorageErrorCode, message: string, details: Record<string, JsonValue> = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = cloneJson(details) as { readonly [key: string]: JsonValue };
  }
}

export function isStorageError(value: unknown, code?: StorageErrorCode): value is StorageError {
  return value instanceof StorageError && (code === undefined || value.code === code);
}
