// The artifact store in memory.
/* eslint-disable @typescript-eslint/require-await -- async turns a throw into a rejection, as the port promises */
import { canonicalJson } from '../../core/json.js';
import {
  artifactNotAdmitted,
  artifactNotFound,
  artifactTooLarge,
  boundScope,
  prepareArtifact,
  validateArtifactReference,
  type PreparedArtifact,
} from '../artifact.js';
import type { WriteRules } from '../batch.js';
import { checkLimits, raisedLimits } from '../policy.js';
import type { ArtifactScope, ArtifactStore } from '../port.js';
import { runOfStream } from '../streams.js';
import type { MemoryArtifacts, MemoryDisk, MemoryRun } from './disk.js';

export function memoryArtifactStore(disk: MemoryDisk, rules: WriteRules): ArtifactStore {
  return Object.freeze({
    async write(scope, artifact) {
      const { runId } = boundScope(rules.namespace, scope);
      const prepared = prepareArtifact(rules, artifact);
      checkTotal(find(disk, rules, runId)?.artifacts.get(runId), [prepared], rules);
      const run = disk.open(rules.namespace, runOfStream(runId), rules.limits);
      run.limits = raisedLimits(run.limits, rules.limits);
      const artifacts = run.artifacts.get(runId) ?? { blobs: new Map(), admitted: new Map() };
      run.artifacts.set(runId, artifacts);
      artifacts.blobs.set(prepared.reference.digest, prepared.bytes);
      artifacts.admitted.set(canonicalJson(prepared.reference), prepared.reference);
      return prepared.reference;
    },
    async preflightWrite(scope, batch) {
      const { runId } = boundScope(rules.namespace, scope);
      const prepared = Array.from(batch, (artifact) => prepareArtifact(rules, artifact));
      checkTotal(find(disk, rules, runId)?.artifacts.get(runId), prepared, rules);
      return Object.freeze(prepared.map(({ reference }) => reference));
    },
    async read(scope, reference) {
      const { runId } = boundScope(rules.namespace, scope);
      const wanted = validateArtifactReference(reference);
      const artifacts = find(disk, rules, runId)?.artifacts.get(runId);
      if (artifacts?.admitted.has(canonicalJson(wanted)) !== true) throw artifactNotAdmitted(wanted.digest);
      const bytes = artifacts.blobs.get(wanted.digest);
      if (bytes === undefined) throw artifactNotFound(wanted.digest);
      return new Uint8Array(bytes);
    },
    async deleteRun(scope: ArtifactScope) {
      const { runId } = boundScope(rules.namespace, scope);
      find(disk, rules, runId)?.artifacts.delete(runId);
    },
  } satisfies ArtifactStore);
}

function find(disk: MemoryDisk, rules: WriteRules, runId: string): MemoryRun | undefined {
  const run = disk.find(rules.namespace, runOfStream(runId));
  if (run !== undefined) checkLimits(run.limits, rules.limits, 'artifacts');
  return run;
}

function checkTotal(stored: MemoryArtifacts | undefined, added: readonly PreparedArtifact[], rules: WriteRules): void {
  const sizes = new Map<string, number>();
  for (const { digest, byteLength } of stored?.admitted.values() ?? []) sizes.set(digest, byteLength);
  const before = sizes.size;
  for (const { reference } of added) sizes.set(reference.digest, reference.byteLength);
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  // A digest that the run has already costs nothing.
  if (sizes.size > before && total > rules.limits.maxTotalArtifactBytesPerRun) {
    throw artifactTooLarge(total, rules.limits.maxTotalArtifactBytesPerRun);
  }
}
