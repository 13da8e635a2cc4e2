// Makes a run out of an exported file: it grows beside its place, and takes it only when all of it is there.
import { randomUUID } from 'node:crypto';
import { linkSync, rmSync } from 'node:fs';
import * as v from 'valibot';
import { canonicalJson } from '../../core/json.js';
import { artifactTooLarge, prepareArtifact, validateArtifactReference } from '../artifact.js';
import { prepareBatch, secretInEvents, type WriteRules } from '../batch.js';
import { StorageError } from '../error.js';
import { checkLimits, readLimits, type StorageLimits } from '../policy.js';
import { KnownSecrets } from '../secrets.js';
import { runOfStream, validateStorageId } from '../streams.js';
import { dropAnchor } from './anchor.js';
import { genesis, link, seal } from './chain.js';
import { storageFailure, systemCode } from './failure.js';
import { inspect, makeFile, makeFolder, runFile } from './files.js';
import { connect, transaction, type OpenRun } from './open-run.js';
import { finishRemoval } from './remove-run.js';
import { ensureState, position, writeHead, writeRunRow, type RunState } from './schema.js';
import { altered, readLines } from './transfer-file.js';
import { FORMAT } from './transfer-tasks.js';

/** `WriteRules` as they cross to the worker. */
export interface ImportRules {
  readonly namespace: string;
  readonly limits: StorageLimits;
  readonly knownSecrets: readonly string[];
}

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const Head = v.strictObject({ streamId: v.string(), revision: count, sum: v.string() });
const First = v.strictObject({
  format: v.literal(FORMAT),
  version: v.literal(1),
  namespace: v.string(),
  runId: v.string(),
  createdAt: v.string(),
  limits: v.record(v.string(), v.number()),
  streams: v.array(Head),
});
const Event = v.strictObject({
  stream: v.string(),
  batch: count,
  sum: v.string(),
  // As it stands: its text, with the keys in their order, is what the checksum covers.
  event: v.custom<Readonly<Record<string, unknown>>>(isObject),
});
const Artifact = v.strictObject({
  artifact: v.strictObject({ runId: v.string(), reference: v.looseObject({}), bytes: v.optional(v.string()) }),
});
type EventLine = v.InferOutput<typeof Event>;

/** See `importRun`. */
export function importRunHere(source: string, directory: string, given: ImportRules): string {
  const rules: WriteRules = { ...given, secrets: new KnownSecrets(given.knownSecrets) };
  const lines = readLines(source);
  const first = v.safeParse(First, lines.next().value);
  if (!first.success) throw altered(source, 'it does not begin as an exported run of a format known here');
  const head = first.output;
  const runId = validateStorageId(head.runId, '/runId');
  if (head.namespace !== rules.namespace) {
    const details = { path: '/namespace', stored: head.namespace, live: rules.namespace };
    throw new StorageError('INVALID_STORED_VALUE', 'The exported run belongs to another namespace.', details);
  }
  const file = runFile(directory, rules.namespace, runId);
  if (inspect(file) !== null) throw runExists(file, runId);
  const unfinished = `${file}.${randomUUID()}.tmp`;
  try {
    makeFolder(directory);
    makeFile(unfinished);
    build(unfinished, rules, head, lines, source);
    finishRemoval(file);
    dropAnchor(file);
    linkSync(unfinished, file);
    return runId;
  } catch (error) {
    throw systemCode(error) === 'EEXIST' ? runExists(file, runId) : storageFailure(error, source);
  } finally {
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(unfinished + suffix, { force: true });
  }
}

function build(
  file: string,
  rules: WriteRules,
  head: v.InferOutput<typeof First>,
  lines: Iterable<unknown>,
  source: string,
): void {
  const { namespace, runId, createdAt } = head;
  const limits = readLimits(head.limits, '/limits');
  checkLimits(limits, rules.limits, 'events');
  checkLimits(limits, rules.limits, 'artifacts');
  const run = connect(file, 'rw');
  try {
    transaction(run, 'IMMEDIATE', () => {
      const state = ensureState(run, { namespace, runId }, limits);
      writeRunRow(run, { ...state.row, createdAt });
      const intake = new Intake(run, state, rules, head.streams, source);
      for (const line of lines) intake.take(line);
      intake.end();
    });
    run.statement('PRAGMA journal_mode=WAL').get();
  } finally {
    run.db.close();
  }
}

/** Takes an export's lines in their order. */
class Intake {
  readonly #run: OpenRun;
  readonly #state: RunState;
  readonly #rules: WriteRules;
  readonly #streams: readonly v.InferOutput<typeof Head>[];
  readonly #source: string;
  /** The append that is being read; its events are checked together, as when they were written. */
  #batch: EventLine[] = [];
  #ordinal = 1;
  #revision = 0;
  #sum: string | null = null;
  #inArtifacts = false;
  readonly #artifactBytes = new Map<string, number>();

  constructor(
    run: OpenRun,
    state: RunState,
    rules: WriteRules,
    streams: readonly v.InferOutput<typeof Head>[],
    source: string,
  ) {
    this.#run = run;
    this.#state = state;
    this.#rules = rules;
    this.#streams = streams;
    this.#source = source;
  }

  take(line: unknown): void {
    const event = v.safeParse(Event, line);
    if (event.success && !this.#inArtifacts) {
      this.#takeEvent(event.output);
      return;
    }
    const artifact = v.safeParse(Artifact, line);
    if (!artifact.success) throw altered(this.#source, 'a line is neither an event nor an artifact in its place');
    this.#inArtifacts = true;
    this.#takeArtifact(artifact.output.artifact);
  }

  end(): void {
    this.#flush();
    this.#endStream();
    if (this.#ordinal <= this.#streams.length) throw altered(this.#source, 'a stream is missing');
  }

  #takeEvent(line: EventLine): void {
    const before = this.#batch[0];
    if (before !== undefined && (before.stream !== line.stream || before.batch !== line.batch)) this.#flush();
    if (this.#stream().streamId !== line.stream) this.#endStream();
    if (this.#stream().streamId !== line.stream || runOfStream(line.stream) !== this.#state.row.runId) {
      throw altered(this.#source, 'an event stands in the wrong place');
    }
    this.#batch.push(line);
  }

  #flush(): void {
    const { streamId } = this.#stream();
    const [first] = this.#batch;
    if (first === undefined) return;
    if (first.batch !== this.#revision + 1) throw altered(this.#source, 'an event is missing');
    const { namespace } = this.#rules;
    const events = this.#batch.map(({ event }) => newEvent(event));
    prepareBatch(this.#rules, { namespace, streamId }, this.#revision, events);
    const insert = this.#run.statement(
      'INSERT INTO event(position, stream, event_id, batch, body, sum) VALUES (?, ?, ?, ?, ?, ?)',
    );
    for (const { batch, event, sum } of this.#batch) {
      const body = JSON.stringify(event);
      this.#revision += 1;
      this.#sum = link(this.#sum ?? genesis(namespace, streamId), batch, body);
      if (this.#sum !== sum || event['revision'] !== this.#revision || event['streamId'] !== streamId) {
        throw altered(this.#source, `revision ${this.#revision} of ${streamId} is not what was written`);
      }
      if (this.#rules.secrets.inText(sum)) throw secretInEvents([String(event['eventId'])], this.#rules.secrets);
      insert.run(position(this.#ordinal, this.#revision), this.#ordinal, String(event['eventId']), batch, body, sum);
    }
    this.#batch = [];
  }

  #endStream(): void {
    const wanted = this.#streams[this.#ordinal - 1];
    if (wanted === undefined) return;
    if (wanted.revision !== this.#revision || wanted.sum !== this.#sum) {
      throw altered(this.#source, `the stream ${wanted.streamId} does not end as it should`);
    }
    const end = { ordinal: this.#ordinal, revision: this.#revision, sum: this.#sum, intact: true };
    writeHead(this.#run, this.#state, wanted.streamId, null, end);
    this.#ordinal += 1;
    this.#revision = 0;
    this.#sum = null;
  }

  #stream(): { readonly streamId: string } {
    return this.#streams[this.#ordinal - 1] ?? { streamId: '' };
  }

  #takeArtifact({ runId, reference, bytes: text }: v.InferOutput<typeof Artifact>['artifact']): void {
    const wanted = validateArtifactReference(reference);
    if (runOfStream(runId) !== this.#state.row.runId) throw altered(this.#source, 'an artifact is of another run');
    if (text !== undefined) {
      const bytes = Buffer.from(text, 'base64');
      const { mediaType, purpose } = wanted;
      const prepared = prepareArtifact(this.#rules, { bytes, mediaType, purpose, contentMode: 'exact' });
      if (canonicalJson(prepared.reference) !== canonicalJson(wanted)) {
        throw altered(this.#source, 'an artifact is not what its reference says');
      }
      this.#run.statement('INSERT INTO blob(run_id, digest, bytes) VALUES (?, ?, ?)').run(runId, wanted.digest, bytes);
      const total = (this.#artifactBytes.get(runId) ?? 0) + bytes.byteLength;
      this.#artifactBytes.set(runId, total);
      const maximum = this.#rules.limits.maxTotalArtifactBytesPerRun;
      if (total > maximum) throw artifactTooLarge(total, maximum);
    }
    const canonical = canonicalJson(wanted);
    this.#run
      .statement('INSERT INTO admission(run_id, reference, digest, byte_length, seal) VALUES (?, ?, ?, ?, ?)')
      .run(runId, canonical, wanted.digest, wanted.byteLength, seal(runId, canonical));
  }
}

/** The seven fields that a writer chose. What else is in the line is compared with its checksum. */
function newEvent(event: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { envelopeVersion: _version, streamId: _stream, revision: _revision, ...chosen } = event;
  return chosen;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function runExists(path: string, runId: string): StorageError {
  const message = `The conversation ${runId} is already in ${path}. An import never changes one that exists.`;
  return new StorageError('REVISION_CONFLICT', message, { path, runId });
}
