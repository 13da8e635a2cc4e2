// The storage on this machine: one SQLite file per conversation in one folder.
import { resolve } from 'node:path';
import type { WriteRules } from '../batch.js';
import { invalidValue } from '../invalid.js';
import { limitsOf, storageRecord, validateRunStoragePolicy } from '../policy.js';
import type { EventStore, LocalRunStorage, RunDirectory, RunStoragePolicy } from '../port.js';
import { KnownSecrets } from '../secrets.js';
import { validateStorageId } from '../streams.js';
import { appendEvents, preflightEvents, type Appender } from './append.js';
import { sqliteArtifactStore } from './artifacts.js';
import { buildRun } from './build-run.js';
import { RunConnections } from './connections.js';
import { SqliteRunDirectory } from './directory.js';
import { runFiles } from './files.js';
import { Pokes, PokeWatch } from './poke.js';
import { readEvents, readHead } from './read.js';

export interface LocalRunStorageOptions {
  /** The folder, absolute or relative to the working directory; made at the first write, mode 0700. */
  readonly directory: string;
  readonly namespace: string;
  readonly policy: RunStoragePolicy;
  /** Texts that may never be stored. Default: none. */
  readonly knownSecrets?: readonly string[];
}

/**
 * Binds a folder. Touches no disk; files are opened at first use and closed when idle, and nothing here keeps the
 * process alive. Any number of bindings and processes may use one folder.
 * @returns a frozen storage.
 * @throws StorageError `INVALID_STORED_VALUE` for bad options, `KNOWN_SECRET` when one of them contains a secret.
 */
export function createLocalRunStorage(options: LocalRunStorageOptions): LocalRunStorage {
  const given: unknown = options.directory;
  if (typeof given !== 'string' || given.trim() === '' || given.includes('\0')) {
    throw invalidValue('/directory', 'it must be the path of a folder');
  }
  const directory = resolve(given);
  const namespace = validateStorageId(options.namespace, '/namespace');
  const policy = validateRunStoragePolicy(options.policy);
  const secrets = new KnownSecrets(options.knownSecrets);
  secrets.refuseIn([given, directory], 'path');
  secrets.refuseIn([namespace], 'namespace');
  secrets.refuseIn(Object.values(limitsOf(policy)).map(String), 'limits');

  const rules: WriteRules = { namespace, limits: limitsOf(policy), secrets };
  const connections = new RunConnections();
  const pokes = new PokeWatch(directory);
  const poked = new Pokes();
  const appender: Appender = {
    fileOf: runFiles(directory, namespace),
    rules,
    connections,
    committed(file, anchor) {
      poked.committed(file, anchor);
      pokes.attach();
    },
  };
  return Object.freeze({
    record: storageRecord('local-sqlite', '1', namespace, policy),
    knownSecrets: secrets.given,
    eventStore: sqliteEventStore(appender),
    artifactStore: sqliteArtifactStore(appender),
    runs: Object.freeze<RunDirectory>(
      new SqliteRunDirectory({
        ...{ directory, namespace, connections, pokes },
        build: (runId, fill) => buildRun({ directory, rules, runId, bind: sqliteEventStore }, fill),
      }),
    ),
  });
}

function sqliteEventStore(appender: Appender): EventStore {
  return Object.freeze({
    read: (stream, afterRevision = 0) => readEvents(appender, stream, afterRevision),
    head: (stream) => readHead(appender, stream),
    append: (stream, expectedRevision, events) => appendEvents(appender, stream, expectedRevision, events),
    preflightAppend: (stream, expectedRevision, events) => preflightEvents(appender, stream, expectedRevision, events),
  } satisfies EventStore);
}
