// Checksums of stored rows. Each event's covers the one before, so that a missing, swapped or altered row shows.
import { hash } from 'node:crypto';

/** Where the chain of a stream begins. */
export function genesis(namespace: string, streamId: string): string {
  return seal('stream', namespace, streamId);
}

/**
 * @param previous - checksum of the event before, or the genesis.
 * @param batch - revision of the first event of the append.
 * @param body - the stored line.
 */
export function link(previous: string, batch: number, body: string): string {
  return hash('sha256', `${previous}\n${batch}\n${body}`, 'hex');
}

/** Checksum of a row that is in no chain. */
export function seal(...fields: readonly (string | number)[]): string {
  return hash('sha256', JSON.stringify(fields), 'hex');
}
