// Where the conversations of this workspace live. A second window on the same folder can be handed a storage folder
// with a number at its end; the conversations are in the one without it.
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';

/**
 * The folder that all windows of a workspace share.
 * @param given - the path that this window was handed: `…/workspaceStorage/<workspace id>[-<n>]/<extension id>`.
 * @param exists - true when a folder is there.
 */
export async function canonicalStorageFolder(
  given: string,
  exists: (path: string) => Promise<boolean> = isFolder,
): Promise<string> {
  const workspace = dirname(given);
  const numbered = /^(.+)-\d+$/.exec(basename(workspace));
  if (numbered?.[1] === undefined) return given;
  const sibling = join(dirname(workspace), numbered[1]);
  return (await exists(sibling)) ? join(sibling, basename(given)) : given;
}

/** The first of `roots` that contains `folder` by real path, or null. A record inside a member's root could be edited by it. */
export async function rootAround(folder: string, roots: readonly string[]): Promise<string | null> {
  const place = await realpathOfNearest(folder);
  for (const root of roots) {
    const real = await realpath(root).catch(() => root);
    if (place === real || place.startsWith(real.endsWith(sep) ? real : real + sep)) return root;
  }
  return null;
}

async function realpathOfNearest(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(await realpathOfNearest(parent), basename(path));
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
