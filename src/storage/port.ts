// What a store of run records must offer. Types only; every implementation passes test/contract/storage.
import type { JsonValue, Sha256Digest } from '../core/json.js';

/** Names one append-only stream. Both parts match `^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`. */
export interface StreamId {
  readonly namespace: string;
  readonly streamId: string;
}

/** One stored event: exactly these ten fields. */
export interface DomainEventEnvelope {
  readonly envelopeVersion: 1;
  readonly streamId: string;
  /** 1 for the first event of its stream, then without gaps. */
  readonly revision: number;
  /** Unique within its stream; non-empty, trimmed, at most 256 UTF-8 bytes, no control characters. */
  readonly eventId: string;
  readonly type: string;
  /** Version of the payload's shape, from 1. */
  readonly version: number;
  /** `YYYY-MM-DDTHH:mm:ss.sssZ`, as `Date#toISOString` writes it. */
  readonly timestamp: string;
  readonly correlationId: string;
  readonly causationId: string | null;
  readonly payload: JsonValue;
}

/** An event before it is stored: the seven fields that the writer chooses. */
export type NewDomainEvent = Omit<DomainEventEnvelope, 'envelopeVersion' | 'streamId' | 'revision'>;

export interface EventStore {
  /**
   * Reads a stream in order of revision.
   * @param stream - the stream; one that does not exist yields nothing.
   * @param afterRevision - exclusive; 0 reads from the start.
   * @returns a finite snapshot taken when iteration begins: later appends are not seen.
   * @throws StorageError `CORRUPT_EVENT_STREAM` where damage begins, after the good prefix was yielded.
   */
  read(stream: StreamId, afterRevision?: number): AsyncIterable<DomainEventEnvelope>;
  /**
   * The revision of the stream's last event, without reading the stream.
   * @returns 0 for a stream that does not exist.
   * @throws StorageError `CORRUPT_EVENT_STREAM` when the end of the stream is damaged.
   */
  head(stream: StreamId): Promise<number>;
  /**
   * Appends all events or none, durably, in one transaction.
   * @param expectedRevision - the revision of the stream's last event as the writer knows it, 0 for an empty stream.
   * @param events - at least one. An exact retry of an append that is already committed returns its old result.
   * @returns the revision of the last event appended.
   * @throws StorageError `REVISION_CONFLICT` with `{expectedRevision, actualRevision}`, `DUPLICATE_EVENT_ID`,
   * `STORAGE_LIMIT_EXCEEDED`, `KNOWN_SECRET`, `INVALID_STORED_VALUE`.
   */
  append(stream: StreamId, expectedRevision: number, events: readonly NewDomainEvent[]): Promise<number>;
  /** The checks of `append` without its effect, and without tolerance for a retry. */
  preflightAppend(stream: StreamId, expectedRevision: number, events: readonly NewDomainEvent[]): Promise<void>;
}

/** Where artifacts of a run live. */
export interface ArtifactScope {
  readonly namespace: string;
  readonly runId: string;
}

/** What a stored artifact is found by again. */
export interface ArtifactReference {
  readonly schemaVersion: 1;
  readonly digest: Sha256Digest;
  readonly byteLength: number;
  readonly mediaType: string;
  readonly purpose: string;
}

/** `exact`: bytes as given. `state`: JSON. `free-text`: UTF-8 in which known secrets are replaced before hashing. */
export type ArtifactContentMode = 'exact' | 'state' | 'free-text';

export interface ArtifactInput {
  readonly bytes: Uint8Array;
  /** `type/subtype`, at most 255 bytes. */
  readonly mediaType: string;
  /** At most 512 UTF-8 bytes. */
  readonly purpose: string;
  readonly contentMode: ArtifactContentMode;
  readonly sensitive?: boolean;
}

export interface ArtifactStore {
  write(scope: ArtifactScope, artifact: ArtifactInput): Promise<ArtifactReference>;
  /** The references that `write` would return for each, after all its checks, with no side effect. */
  preflightWrite(scope: ArtifactScope, artifacts: readonly ArtifactInput[]): Promise<readonly ArtifactReference[]>;
  /** @throws StorageError `ARTIFACT_NOT_ADMITTED`, `ARTIFACT_NOT_FOUND` or `ARTIFACT_INTEGRITY`. */
  read(scope: ArtifactScope, reference: ArtifactReference): Promise<Uint8Array>;
  deleteRun(scope: ArtifactScope): Promise<void>;
}

/** Limits and rules that a run's storage promises; part of the run's definition. Sizes in bytes. */
export interface RunStoragePolicy {
  readonly schemaVersion: 1;
  readonly maxEventPayloadBytes: number;
  readonly maxAppendBatchBytes: number;
  readonly maxArtifactBytes: number;
  readonly maxTotalArtifactBytesPerRun: number;
  readonly retention: 'until-run-delete';
  readonly sensitiveContent: {
    readonly marked: 'reject';
    readonly exact: 'reject';
    readonly freeText: 'redact-before-hash';
  };
}

/** Identity of one store implementation with its limits. The digest binds provider, version, namespace and limits. */
export interface StoreIdentity {
  readonly schemaVersion: 1;
  readonly name: string;
  readonly version: string;
  readonly configDigest: Sha256Digest;
}

/** What a run's definition remembers of the storage it was started on. */
export interface RunStorageRecord {
  readonly schemaVersion: 1;
  readonly namespace: string;
  readonly eventStore: StoreIdentity;
  readonly artifactStore: StoreIdentity;
  readonly policy: RunStoragePolicy;
}

/** A store bound to one namespace and policy. */
export interface RunStorage {
  readonly record: RunStorageRecord;
  /** Texts that may never be stored. */
  readonly knownSecrets: readonly string[];
  readonly eventStore: EventStore;
  readonly artifactStore: ArtifactStore;
}

/** One stored run, as a directory lists it. */
export interface StoredRun {
  readonly runId: string;
  /** Milliseconds since the epoch of the last change on disk. */
  readonly changedAt: number;
}

/** A file of this storage that could not be listed as a run. It stays where it is. */
export interface DamagedRun {
  /** Absolute path. */
  readonly file: string;
  /** What is wrong and what can be done, for a person. */
  readonly problem: string;
}

/** What a verification of a whole run found. */
export interface RunReport {
  readonly runId: string;
  readonly streams: readonly {
    readonly streamId: string;
    /** How many events are good, from the first on. */
    readonly goodEvents: number;
    /** What is wrong after them, for a person; null when the stream is whole. */
    readonly problem: string | null;
  }[];
  /** Artifacts whose content is missing or not what was written, by digest. */
  readonly damagedArtifacts: readonly string[];
  /** What concerns the run as such; null when nothing does. */
  readonly problem: string | null;
  /** True when nothing above is wrong. */
  readonly isWhole: boolean;
}

/**
 * One text kept beside a run. A cache: it may be gone, old or wrong at any time, and nothing that goes wrong with it is
 * reported.
 */
export interface RunCache {
  /** @returns null when there is none. */
  read(): Promise<string | null>;
  write(text: string): Promise<void>;
}

/** The runs that a storage holds, and the signals about them between processes. */
export interface RunDirectory {
  /** All runs of this storage's namespace, newest change first. */
  list(): Promise<readonly StoredRun[]>;
  /** The files that `list` had to leave out, with the reason. */
  listDamaged(): Promise<readonly DamagedRun[]>;
  /**
   * Calls `listener` after another binding or process committed to `runId` (and possibly after own commits).
   * Coalesced; the listener reads the stream to learn what happened.
   */
  watch(runId: string, listener: () => void): Disposable;
  /**
   * Takes the right to run `runId`, without waiting. Free at once when its holder's process dies.
   * @returns the held lease, or null when another binding or process holds it.
   */
  tryHold(runId: string): Disposable | null;
  /** True when some binding or process holds the right to run `runId` now. */
  isHeld(runId: string): boolean;
  /** Reads and checks everything of a run, off the calling thread. Reports damage; throws only when it cannot look. */
  verify(runId: string): Promise<RunReport>;
  /**
   * Copies a run's files as they are, once, for somebody to look into; nothing of the run is changed.
   * @returns the folder of the copy; null when there is nothing to copy.
   */
  quarantine(runId: string): Promise<string | null>;
  /** Where readers of `runId` keep what saves them reading it whole. */
  cache(runId: string): RunCache;
  /**
   * Makes a run that appears whole or not at all: nobody lists or reads it before `fill` has ended.
   * @param fill - appends to the streams of `runId`; what it throws is passed on, and nothing of the run is left.
   * @throws StorageError `REVISION_CONFLICT` when the run exists.
   */
  build(runId: string, fill: (events: EventStore) => Promise<void>): Promise<void>;
  /**
   * Deletes a run for good, with its member streams, artifacts and cache; copies in quarantine stay. Once it has begun
   * the run is gone, should the process die on the way. Who watches the run is told.
   * @returns false when there was no such run.
   * @throws StorageError `RUN_HELD` while anybody holds the right to run it, the caller included; nothing is changed then.
   */
  remove(runId: string): Promise<boolean>;
}

/** Storage of runs on this machine. */
export interface LocalRunStorage extends RunStorage {
  readonly runs: RunDirectory;
}
