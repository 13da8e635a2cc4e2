// What it takes to read the same rows, parse them and hash them, and to do nothing with that.
import { hash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';

/** @returns {number} milliseconds */
export function readParseChecksum(file) {
  const db = new DatabaseSync(file, { readOnly: true });
  const began = performance.now();
  let sum = '';
  for (const { body } of db.prepare('SELECT body FROM event ORDER BY position').iterate()) {
    JSON.parse(body);
    sum = hash('sha256', `${sum}\n${body}`, 'hex');
  }
  const took = performance.now() - began;
  db.close();
  return took;
}
