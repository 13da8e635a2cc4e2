// What it takes to read the same rows, parse them and hash them, and to do nothing with that.
import { hash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';

/**
 * @param {string} file a run's database
 * @param {number} [stream] only that stream of it, counted from 1
 * @returns {number} milliseconds
 */
export function readParseChecksum(file, stream) {
  // `position` is `stream * 2^40 + revision`.
  const [from, to] = stream === undefined ? [0, 2 ** 52] : [stream * 2 ** 40, (stream + 1) * 2 ** 40];
  const db = new DatabaseSync(file, { readOnly: true });
  const began = performance.now();
  let sum = '';
  for (const { body } of db
    .prepare('SELECT body FROM event WHERE position BETWEEN ? AND ? ORDER BY position')
    .iterate(from, to)) {
    JSON.parse(body);
    sum = hash('sha256', `${sum}\n${body}`, 'hex');
  }
  const took = performance.now() - began;
  db.close();
  return took;
}
