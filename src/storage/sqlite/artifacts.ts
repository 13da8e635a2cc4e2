// The artifact store: contents by digest, and for each run which references were admitted.
import { canonicalJson } from '../../core/json.js';
import {
  artifactDamaged,
  artifactNotAdmitted,
  artifactNotFound,
  artifactTooLarge,
  boundScope,
  isIntact,
  prepareArtifact,
  validateArtifactReference,
  type PreparedArtifact,
} from '../artifact.js';
import { checkLimits } from '../policy.js';
import type { ArtifactReference, ArtifactScope, ArtifactStore } from '../port.js';
import { runOfStream } from '../streams.js';
import type { Appender } from './append.js';
import { seal } from './chain.js';
import { transaction, type OpenRun } from './open-run.js';
import { ensureState, loadState, raiseLimits, useLog, type RunState } from './schema.js';

export function sqliteArtifactStore(to: Appender): ArtifactStore {
  return Object.freeze({
    async write(scope, artifact) {
      const target = boundScope(to.rules.namespace, scope);
      const prepared = prepareArtifact(to.rules, artifact);
      await to.connections.create(fileOf(to, target), (run) => {
        useLog(run, nameOf(target));
        transaction(run, 'IMMEDIATE', () => {
          const state = ensureState(run, nameOf(target), to.rules.limits);
          if (checkLimits(state.row.limits, to.rules.limits, 'artifacts')) raiseLimits(run, state, to.rules.limits);
          checkTotal(to, run, target.runId, [prepared]);
          admit(run, target.runId, prepared);
        });
      });
      return prepared.reference;
    },
    async preflightWrite(scope, artifacts) {
      const target = boundScope(to.rules.namespace, scope);
      const prepared = Array.from(artifacts, (artifact) => prepareArtifact(to.rules, artifact));
      await look(to, target, (run) => {
        checkTotal(to, run, target.runId, prepared);
      });
      return Object.freeze(prepared.map(({ reference }) => reference));
    },
    async read(scope, reference) {
      const target = boundScope(to.rules.namespace, scope);
      const wanted = validateArtifactReference(reference);
      return await look(to, target, (run) => {
        if (run === null) throw artifactNotAdmitted(wanted.digest);
        return readArtifact(run, target.runId, wanted);
      });
    },
    async deleteRun(scope) {
      const target = boundScope(to.rules.namespace, scope);
      await to.connections.use(fileOf(to, target), (run) => {
        if (run === null) return;
        transaction(run, 'IMMEDIATE', () => {
          if (stateOf(to, run, target) === null) return;
          run.statement('DELETE FROM admission WHERE run_id=?').run(target.runId);
          run.statement('DELETE FROM blob WHERE run_id=?').run(target.runId);
        });
      });
    },
  } satisfies ArtifactStore);
}

function readArtifact(run: OpenRun, runId: string, wanted: ArtifactReference): Uint8Array {
  const text = canonicalJson(wanted);
  const row = run.statement('SELECT seal FROM admission WHERE run_id=? AND reference=?').get(runId, text);
  if (row === undefined) {
    // An admission that was altered no longer has this text: then "never admitted" would be the wrong answer.
    throw hasAlteredAdmission(run) ? artifactDamaged(wanted.digest) : artifactNotAdmitted(wanted.digest);
  }
  if (row['seal'] !== seal(runId, text)) throw artifactDamaged(wanted.digest);
  const bytes = findBlob(run, runId, wanted.digest);
  if (bytes === undefined) throw artifactNotFound(wanted.digest);
  if (!isIntact(wanted, bytes)) throw artifactDamaged(wanted.digest);
  return bytes;
}

function admit(run: OpenRun, runId: string, { reference, bytes }: PreparedArtifact): void {
  const { digest, byteLength } = reference;
  const stored = findBlob(run, runId, digest);
  if (stored === undefined) {
    run.statement('INSERT INTO blob(run_id, digest, bytes) VALUES (?, ?, ?)').run(runId, digest, bytes);
  } else if (!isIntact(reference, stored)) {
    throw artifactDamaged(digest);
  }
  const text = canonicalJson(reference);
  run
    .statement(`INSERT OR IGNORE INTO admission(run_id, reference, digest, byte_length, seal) VALUES (?, ?, ?, ?, ?)`)
    .run(runId, text, digest, byteLength, seal(runId, text));
}

function checkTotal(to: Appender, run: OpenRun | null, runId: string, added: readonly PreparedArtifact[]): void {
  const sizes = new Map<string, number>();
  const rows = run?.statement('SELECT DISTINCT digest, byte_length FROM admission WHERE run_id=?').all(runId) ?? [];
  for (const { digest, byte_length: size } of rows) {
    if (typeof digest === 'string' && typeof size === 'number') sizes.set(digest, size);
  }
  const before = sizes.size;
  for (const { reference } of added) sizes.set(reference.digest, reference.byteLength);
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  // A digest that the run has already costs nothing.
  if (sizes.size > before && total > to.rules.limits.maxTotalArtifactBytesPerRun) {
    throw artifactTooLarge(total, to.rules.limits.maxTotalArtifactBytesPerRun);
  }
}

function findBlob(run: OpenRun, runId: string, digest: string): Uint8Array | undefined {
  const bytes = run.statement('SELECT bytes FROM blob WHERE run_id=? AND digest=?').get(runId, digest)?.['bytes'];
  return bytes instanceof Uint8Array ? bytes : undefined;
}

function hasAlteredAdmission(run: OpenRun): boolean {
  return run
    .statement('SELECT run_id, reference, seal FROM admission')
    .all()
    .some(({ run_id: id, reference, seal: sealed }) => {
      if (typeof id !== 'string' || typeof reference !== 'string') return true;
      return sealed !== seal(id, reference);
    });
}

/** Reads in one transaction. `work` gets null when nothing was ever stored there. */
function look<T>(to: Appender, scope: ArtifactScope, work: (run: OpenRun | null) => T): Promise<T> {
  return to.connections.use(fileOf(to, scope), (run) => {
    if (run === null) return work(null);
    return transaction(run, 'DEFERRED', () => work(stateOf(to, run, scope) === null ? null : run));
  });
}

function stateOf(to: Appender, run: OpenRun, scope: ArtifactScope): RunState | null {
  const state = loadState(run, nameOf(scope));
  if (state !== null) checkLimits(state.row.limits, to.rules.limits, 'artifacts');
  return state;
}

function fileOf(to: Appender, scope: ArtifactScope): string {
  return to.fileOf(runOfStream(scope.runId));
}

function nameOf(scope: ArtifactScope) {
  return { namespace: scope.namespace, runId: runOfStream(scope.runId) };
}
