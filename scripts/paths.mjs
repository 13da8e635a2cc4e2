// Where things live: the checkout, the cache (can be thrown away, is rebuilt) and the data (people's conversations).
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Heavy things that any start can make again: Node, the VS Code server, packages. Shared by all checkouts. */
export const cacheRoot = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'teamroom');

/**
 * What `npm start` must not lose: the editor's profile, the sample workspace and with them the conversations. It is
 * data, not cache, because nothing could make it again.
 */
export const dataRoot = join(process.env.XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'teamroom');
