// node_modules as package-lock.json wants them: made when missing, made again when the lock file has changed.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { node24 } from './node24.mjs';
import { npm } from './npm.mjs';
import { root } from './paths.mjs';
import { step } from './progress.mjs';

// Written last, so that an install that was cut off is done again.
const STAMP = join(root, 'node_modules', '.teamroom-lock');
// npm writes this one when it has finished by itself (somebody ran `npm ci` by hand).
const NPM_STAMP = join(root, 'node_modules', '.package-lock.json');

/** @returns {Promise<void>} when all packages are there */
export async function installPackages() {
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(STAMP) && existsSync(NPM_STAMP) && readFileSync(STAMP, 'utf8') === wanted) return;
  await step('Installing packages', async () =>
    npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { node: await node24(), cwd: root }),
  );
  writeFileSync(STAMP, wanted);
}
