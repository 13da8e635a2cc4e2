// The VSIX: what people install, and what `npm start` and the browser tests run.
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt } from './build.mjs';
import { run } from './command.mjs';
import { cacheRoot, root } from './paths.mjs';
import { step } from './progress.mjs';

const OUT = join(cacheRoot, 'out');
const KEPT = 5;

/**
 * Builds and packages when the sources have changed.
 *
 * @returns {Promise<{ file: string, digest: string }>} the VSIX, and the digest of the sources it was made from
 * @throws when something does not compile or `vsce` refuses it
 */
export async function ensurePackaged() {
  const digest = await ensureBuilt();
  const file = join(OUT, `teamroom-${digest.slice(0, 16)}.vsix`);
  if (!existsSync(file)) {
    await mkdir(OUT, { recursive: true });
    const partial = join(OUT, `partial-${process.pid}.vsix`);
    await step('Packaging', () => vsce(['package', '--no-dependencies', '--out', partial]));
    await rename(partial, file);
    await removeOld();
  }
  return { file, digest };
}

/** @returns {Promise<string[]>} the files that the VSIX has, as paths from the checkout */
export async function packagedFiles() {
  return (await vsce(['ls', '--no-dependencies'])).split('\n').filter(Boolean);
}

function vsce(args) {
  return run(process.execPath, [join(root, 'node_modules', '@vscode', 'vsce', 'vsce'), ...args], { cwd: root });
}

async function removeOld() {
  const names = (await readdir(OUT)).filter((name) => name.endsWith('.vsix'));
  const dated = await Promise.all(names.map(async (name) => ({ name, time: (await stat(join(OUT, name))).mtimeMs })));
  dated.sort((a, b) => b.time - a.time);
  for (const { name } of dated.slice(KEPT)) await rm(join(OUT, name), { force: true });
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log((await ensurePackaged()).file);
}
