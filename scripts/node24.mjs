// The Node that everything runs on: node:sqlite and the VS Code server need 24.15 or newer. The running one when it is
// new enough, else one from npm in the cache.
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cached } from './cache.mjs';
import { npm } from './npm.mjs';
import { step } from './progress.mjs';

const VERSION = '24.22.3';
const PLATFORMS = { linux: 'linux', darwin: 'darwin', win32: 'win' };

/** @param {string} version a version such as `24.15.0` */
export function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 24 || (major === 24 && minor >= 15);
}

/**
 * @returns {Promise<string>} the path of a Node >= 24.15
 * @throws when this platform has no build
 */
export async function node24() {
  if (isNewEnough(process.versions.node)) return process.execPath;
  const platform = PLATFORMS[process.platform];
  if (!platform || !['x64', 'arm64'].includes(process.arch)) {
    throw new Error(
      `There is no ready Node 24 for ${process.platform}-${process.arch}. Install Node >= 24.15 and try again.`,
    );
  }
  const name = `node-${platform}-${process.arch}`;
  const folder = await cached(`${name}-${VERSION}`, (directory) =>
    step(`Getting Node ${VERSION}`, async () => {
      await writeFile(join(directory, 'package.json'), '{}\n');
      await npm(['install', '--ignore-scripts', '--no-audit', '--no-fund', `${name}@${VERSION}`], {
        node: process.execPath,
        cwd: directory,
      });
    }),
  );
  const file = join(folder, 'node_modules', name, 'bin', platform === 'win' ? 'node.exe' : 'node');
  if (!existsSync(file)) throw new Error(`${file} is missing. Delete ${folder} and try again.`);
  return file;
}
