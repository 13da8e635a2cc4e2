// What SQLite alone takes for the same rows: same table, same unique index, WAL, synchronous FULL, rows made before.
import { DatabaseSync } from 'node:sqlite';

/**
 * @param {string} file a new database
 * @param {readonly (readonly [id: string, body: string, sum: string])[]} rows
 * @param {number} batch rows in one transaction
 * @returns {number} rows per second
 */
export function bareInsert(file, rows, batch) {
  const db = new DatabaseSync(file);
  db.exec(`PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;
    CREATE TABLE event(position INTEGER PRIMARY KEY, event_id TEXT NOT NULL, body TEXT NOT NULL, sum TEXT NOT NULL) STRICT;
    CREATE UNIQUE INDEX event_identity ON event(event_id)`);
  const insert = db.prepare('INSERT INTO event(event_id, body, sum) VALUES (?, ?, ?)');
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const began = performance.now();
  for (let at = 0; at < rows.length; at += batch) {
    begin.run();
    for (const row of rows.slice(at, at + batch)) insert.run(...row);
    commit.run();
  }
  const seconds = (performance.now() - began) / 1000;
  db.close();
  return rows.length / seconds;
}
