// An artifact before it touches a store: checked, redacted where it may be, measured and hashed.
import { JsonValueError, cloneJson, digestBytes, utf8Length, type JsonValue, type Sha256Digest } from '../core/json.js';
import type { WriteRules } from './batch.js';
import { StorageError } from './error.js';
import { exactObject, invalidValue } from './invalid.js';
import type { ArtifactContentMode, ArtifactReference, ArtifactScope } from './port.js';
import type { KnownSecrets } from './secrets.js';
import { validateStorageId } from './streams.js';

const MEDIA_TYPE = /^[A-Za-z0-9!#$&^_.+-]+\/[A-Za-z0-9!#$&^_.+-]+(?:;\s?[\x20-\x7e]+)?$/;
const JSON_MEDIA_TYPE = /^[^;]*[/+]json(?:;|$)/i;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
const MAX_MEDIA_TYPE_BYTES = 255;
const MAX_PURPOSE_BYTES = 512;
const MODES: readonly ArtifactContentMode[] = ['exact', 'state', 'free-text'];
const INPUT_KEYS = ['bytes', 'mediaType', 'purpose', 'contentMode', 'sensitive'];

export interface PreparedArtifact {
  readonly reference: ArtifactReference;
  /** A copy of its own: what the reference's digest covers. */
  readonly bytes: Uint8Array;
}

/** Validates a scope and that it is of the namespace which the storage is bound to. */
export function boundScope(namespace: string, value: unknown): ArtifactScope {
  const object = exactObject(value, ['namespace', 'runId'], '');
  const scope = {
    namespace: validateStorageId(object['namespace'], '/namespace'),
    runId: validateStorageId(object['runId'], '/runId'),
  };
  if (scope.namespace === namespace) return scope;
  throw invalidValue('/namespace', `this storage is bound to the namespace ${namespace}`);
}

/**
 * Runs every check of a write that needs no store.
 * @throws StorageError `SENSITIVE_CONTENT`, `KNOWN_SECRET`, `INVALID_STORED_VALUE` or `STORAGE_LIMIT_EXCEEDED`.
 */
export function prepareArtifact(rules: WriteRules, value: unknown): PreparedArtifact {
  const input = readInput(value);
  if (input.sensitive) {
    throw new StorageError('SENSITIVE_CONTENT', 'An artifact that is marked as sensitive is not stored.');
  }
  if (rules.secrets.inText(input.mediaType) || rules.secrets.inText(input.purpose)) throw secretInArtifact();
  const bytes = input.contentMode === 'free-text' ? redacted(input.bytes, rules.secrets) : input.bytes;
  refuseSecrets(bytes, input.contentMode, input.mediaType, rules.secrets);
  const maximumBytes = rules.limits.maxArtifactBytes;
  if (bytes.byteLength > maximumBytes) throw artifactTooLarge(bytes.byteLength, maximumBytes);
  return { reference: makeReference(digestBytes(bytes), bytes.byteLength, input.mediaType, input.purpose), bytes };
}

/** @returns a frozen copy of a reference. @throws StorageError `INVALID_STORED_VALUE` */
export function validateArtifactReference(value: unknown): ArtifactReference {
  const keys = ['schemaVersion', 'digest', 'byteLength', 'mediaType', 'purpose'];
  const object = exactObject(value, keys, '/reference');
  const { digest, byteLength } = object;
  if (object['schemaVersion'] !== 1) throw invalidValue('/reference/schemaVersion', 'it must be 1');
  if (!isDigest(digest)) throw invalidValue('/reference/digest', 'it must be sha256: and 64 hex digits');
  if (typeof byteLength !== 'number' || !Number.isSafeInteger(byteLength) || byteLength < 0) {
    throw invalidValue('/reference/byteLength', 'it must be an integer from 0');
  }
  return makeReference(
    digest,
    byteLength,
    validMediaType(object['mediaType'], '/reference/mediaType'),
    validPurpose(object['purpose'], '/reference/purpose'),
  );
}

export function artifactTooLarge(byteLength: number, maximumBytes: number): StorageError {
  const message = `The artifacts would have ${byteLength} bytes; at most ${maximumBytes} are allowed.`;
  return new StorageError('STORAGE_LIMIT_EXCEEDED', message, { byteLength, maximumBytes });
}

export function artifactNotAdmitted(digest: string): StorageError {
  const message = 'No artifact was stored in this run under this reference.';
  return new StorageError('ARTIFACT_NOT_ADMITTED', message, { digest });
}

export function artifactNotFound(digest: string): StorageError {
  const message = 'The artifact was stored in this run, but its content is missing.';
  return new StorageError('ARTIFACT_NOT_FOUND', message, { digest });
}

export function artifactDamaged(digest: string): StorageError {
  const message = 'The stored artifact is not what its reference says: it was altered or damaged.';
  return new StorageError('ARTIFACT_INTEGRITY', message, { digest });
}

/** True when the bytes are those that the reference names. */
export function isIntact(reference: ArtifactReference, bytes: Uint8Array): boolean {
  return bytes.byteLength === reference.byteLength && digestBytes(bytes) === reference.digest;
}

function readInput(value: unknown) {
  if (typeof value !== 'object' || value === null) throw invalidValue('', 'an artifact is an object');
  const fields = new Map<string, unknown>(Object.entries(value));
  for (const key of fields.keys())
    if (!INPUT_KEYS.includes(key)) throw invalidValue(`/${key}`, 'this field is unknown');
  const bytes = fields.get('bytes');
  if (!(bytes instanceof Uint8Array)) throw invalidValue('/bytes', 'it must be bytes');
  const contentMode = MODES.find((mode) => mode === fields.get('contentMode'));
  if (contentMode === undefined) throw invalidValue('/contentMode', `it must be one of ${MODES.join(', ')}`);
  const sensitive = fields.get('sensitive') ?? false;
  if (typeof sensitive !== 'boolean') throw invalidValue('/sensitive', 'it must be true or false');
  return {
    bytes: new Uint8Array(bytes),
    mediaType: validMediaType(fields.get('mediaType'), '/mediaType'),
    purpose: validPurpose(fields.get('purpose'), '/purpose'),
    contentMode,
    sensitive,
  };
}

function makeReference(digest: Sha256Digest, byteLength: number, mediaType: string, purpose: string) {
  const reference: ArtifactReference = { schemaVersion: 1, digest, byteLength, mediaType, purpose };
  return Object.freeze(reference);
}

function redacted(bytes: Uint8Array, secrets: KnownSecrets): Uint8Array {
  const text = decode(bytes, 'free text must be UTF-8');
  return secrets.none ? bytes : Buffer.from(secrets.redact(text), 'utf8');
}

function refuseSecrets(bytes: Uint8Array, mode: ArtifactContentMode, mediaType: string, secrets: KnownSecrets): void {
  const json = mode === 'state' ? parse(bytes) : undefined;
  if (secrets.none) return;
  if (secrets.inBytes(bytes)) throw secretInArtifact();
  const decoded = json ?? (JSON_MEDIA_TYPE.test(mediaType) ? parseIfJson(bytes) : undefined);
  if (decoded !== undefined && secrets.inJson(decoded)) throw secretInArtifact();
}

function parse(bytes: Uint8Array): JsonValue {
  const text = decode(bytes, 'state must be UTF-8');
  try {
    return cloneJson(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof JsonValueError) {
      // No cause: a parser's message quotes the text, which may be secret.
      throw invalidValue('/bytes', 'state must be JSON');
    }
    throw error;
  }
}

function parseIfJson(bytes: Uint8Array): JsonValue | undefined {
  try {
    return parse(bytes);
  } catch {
    return undefined; // Exact bytes may be anything, whatever their media type says.
  }
}

function decode(bytes: Uint8Array, reason: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw invalidValue('/bytes', reason, error);
  }
}

function secretInArtifact(): StorageError {
  return new StorageError('KNOWN_SECRET', 'The artifact contains a known secret. Nothing was stored.');
}

function validMediaType(value: unknown, path: string): string {
  if (typeof value === 'string' && MEDIA_TYPE.test(value) && value.length <= MAX_MEDIA_TYPE_BYTES) return value;
  throw invalidValue(path, `it must be a media type of at most ${MAX_MEDIA_TYPE_BYTES} bytes`);
}

function validPurpose(value: unknown, path: string): string {
  if (typeof value === 'string' && value.trim() !== '' && value.isWellFormed() && !/\p{Cc}/u.test(value)) {
    if (utf8Length(value) <= MAX_PURPOSE_BYTES) return value;
  }
  throw invalidValue(path, `it must be one line of text of at most ${MAX_PURPOSE_BYTES} bytes`);
}

function isDigest(value: unknown): value is Sha256Digest {
  return typeof value === 'string' && DIGEST.test(value);
}
