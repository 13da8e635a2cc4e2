// A format that does not exist yet: two steps beyond the newest, the last of which writes every event anew.
import { MIGRATIONS } from '../../src/storage/sqlite/migrations.js';

export const NEXT: readonly string[] = [
  ...MIGRATIONS,
  'ALTER TABLE run ADD COLUMN colour TEXT; UPDATE run SET colour = run_id',
  `ALTER TABLE event ADD COLUMN filling BLOB; UPDATE event SET filling = zeroblob(20000);
   CREATE INDEX event_filling ON event(filling)`,
];
