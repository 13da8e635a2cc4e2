// A real VS Code without a desktop: the server that comes with the code-server package, in the cache. Its install
// scripts are not run (they compile native modules for minutes); what is missing then is put in place here.
import { existsSync } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cached } from './cache.mjs';
import { node24 } from './node24.mjs';
import { npm } from './npm.mjs';
import { root } from './paths.mjs';
import { step } from './progress.mjs';

const VERSION = '4.139.1';
// Raised when what we put over the package changes, so that old caches are made again.
const REVISION = 1;

/**
 * @returns {Promise<string>} the server's entry file (`server-main.js`), to be run with Node 24
 */
export async function vscodeServer() {
  const folder = await cached(`code-server-${VERSION}-${REVISION}`, (directory) =>
    step(`Getting the VS Code server (code-server ${VERSION}, about 600 MB)`, () => install(directory)),
  );
  const entry = join(vscodeFolder(folder), 'out', 'server-main.js');
  if (!existsSync(entry)) throw new Error(`${entry} is missing. Delete ${folder} and try again.`);
  return entry;
}

function vscodeFolder(folder) {
  return join(folder, 'node_modules', 'code-server', 'lib', 'vscode');
}

async function install(directory) {
  const node = await node24();
  const quiet = ['--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund'];
  await writeFile(join(directory, 'package.json'), '{}\n');
  await npm(['install', ...quiet, `code-server@${VERSION}`], { node, cwd: directory });
  const vscode = vscodeFolder(directory);
  await npm(['install', ...quiet], { node, cwd: vscode });
  await npm(['install', ...quiet], { node, cwd: join(vscode, 'extensions') });
  const spdlog = join(vscode, 'node_modules', '@vscode', 'spdlog');
  await mkdir(spdlog, { recursive: true });
  await copyFile(join(root, 'scripts', 'spdlog-stand-in.cjs'), join(spdlog, 'index.js'));
}
