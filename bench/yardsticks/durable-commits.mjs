// What SQLite alone takes for the same commits: as many transactions of as many rows and bytes, WAL, synchronous FULL.
import { DatabaseSync } from 'node:sqlite';

/**
 * @param {string} file a new database
 * @param {readonly (readonly number[])[]} commits the length in bytes of each row of each commit
 * @returns {number} milliseconds
 */
export function durableCommits(file, commits) {
  const db = new DatabaseSync(file);
  db.exec(`PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;
    CREATE TABLE event(position INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT`);
  const insert = db.prepare('INSERT INTO event(body) VALUES (?)');
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const text = 'x'.repeat(Math.max(...commits.flat()));
  const began = performance.now();
  for (const rows of commits) {
    begin.run();
    for (const length of rows) insert.run(text.slice(0, length));
    commit.run();
  }
  const took = performance.now() - began;
  db.close();
  return took;
}
