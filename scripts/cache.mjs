// Puts things into the cache whole or not at all: they are made beside their place and renamed into it, so that an
// install that was cut off can never be mistaken for a whole one.
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheRoot } from './paths.mjs';

const PARTIAL = /^\.partial-(\d+)-/;

/**
 * @param {string} name folder in the cache, with the version in it: `node-24.22.3-linux-x64`
 * @param {(directory: string) => Promise<void>} make fills an empty folder; when it throws, nothing is kept
 * @param {string} [cache] the cache folder (tests have their own)
 * @returns {Promise<string>} the folder, whole
 * @throws what `make` throws
 */
export async function cached(name, make, cache = cacheRoot) {
  const place = join(cache, name);
  if (existsSync(place)) return place;
  await mkdir(cache, { recursive: true });
  await removeLeftovers(cache);
  const partial = join(cache, `.partial-${process.pid}-${name}`);
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial);
  try {
    await make(partial);
    await rename(partial, place);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    // Somebody else was faster with the same thing: theirs is as good.
    if (!existsSync(place)) throw error;
  }
  return place;
}

/** What a killed installer left behind is known by the process id in its name. */
async function removeLeftovers(cache) {
  for (const entry of await readdir(cache)) {
    const pid = Number(PARTIAL.exec(entry)?.[1]);
    if (pid > 0 && pid !== process.pid && !alive(pid)) await rm(join(cache, entry), { recursive: true, force: true });
  }
}

function alive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
