// The format of a run file: one entry per version, and how an older file becomes a newer one.
import type { DatabaseSync } from 'node:sqlite';

/** "Tmrm": lets `file` and SQLite's tools tell what a database belongs to. */
const APPLICATION_ID = 0x546d726d;

/**
 * The first makes version 1 out of an empty file. Entries are never changed once released, only added; each release
 * leaves a database in test/fixtures/storage that every later one must open.
 * `event.position` is `stream * 2^40 + revision`: one tree in reading order, no second index.
 */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE migration(version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL) STRICT;
   CREATE TABLE run(only INTEGER PRIMARY KEY CHECK (only = 1), namespace TEXT NOT NULL, run_id TEXT NOT NULL,
     created_at TEXT NOT NULL, limits TEXT NOT NULL, streams INTEGER NOT NULL, seal TEXT NOT NULL) STRICT;
   CREATE TABLE stream(ordinal INTEGER PRIMARY KEY, stream_id TEXT NOT NULL UNIQUE, revision INTEGER NOT NULL,
     sum TEXT NOT NULL, seal TEXT NOT NULL) STRICT;
   CREATE TABLE event(position INTEGER PRIMARY KEY, stream INTEGER NOT NULL, event_id TEXT NOT NULL,
     batch INTEGER NOT NULL, body TEXT NOT NULL, sum TEXT NOT NULL) STRICT;
   CREATE UNIQUE INDEX event_identity ON event(stream, event_id);
   CREATE TABLE blob(run_id TEXT NOT NULL, digest TEXT NOT NULL, bytes BLOB NOT NULL,
     PRIMARY KEY (run_id, digest)) STRICT;
   CREATE TABLE admission(run_id TEXT NOT NULL, reference TEXT NOT NULL, digest TEXT NOT NULL,
     byte_length INTEGER NOT NULL, seal TEXT NOT NULL, PRIMARY KEY (run_id, reference)) STRICT;`,
];

export const SCHEMA_VERSION = MIGRATIONS.length;

/**
 * Applies what a database lacks; inside a writing transaction. One that is newer, damaged or not ours is left alone:
 * its reader says so.
 * @param migrations - the whole list, also for a file that has some of it.
 */
export function migrate(db: DatabaseSync, migrations: readonly string[] = MIGRATIONS): void {
  const from = formatOf(db);
  if (from >= migrations.length) return;
  const note = from === 0 ? null : db.prepare('SELECT max(version) AS version FROM migration').get()?.['version'];
  if (note !== null && note !== from) return;
  const now = new Date().toISOString();
  for (const [index, statements] of migrations.entries()) {
    const version = index + 1;
    if (version <= from) continue;
    db.exec(statements);
    db.prepare('INSERT INTO migration(version, applied_at) VALUES (?, ?)').run(version, now);
  }
  db.exec(`PRAGMA user_version=${migrations.length}; PRAGMA application_id=${APPLICATION_ID}`);
}

/** @returns the format that the header of a database names; 0 for an empty file. */
export function formatOf(db: DatabaseSync): number {
  const version = db.prepare('PRAGMA user_version').get()?.['user_version'];
  return typeof version === 'number' ? version : 0;
}
