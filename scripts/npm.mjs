// Runs npm's command line under a Node of our choice (its own start script would take the one on the PATH).
import { existsSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { run } from './command.mjs';

/**
 * @param {readonly string[]} args npm's arguments
 * @param {{ node: string, cwd: string }} options the Node that runs npm, and the package folder
 * @returns {Promise<string>} what npm printed
 * @throws when npm is not found or fails; the message holds its output
 */
export async function npm(args, { node, cwd }) {
  const env = {};
  for (const [key, value] of Object.entries(process.env)) {
    // An outer `npm start` describes *its* package in these; the settings of the user (npm_config_…) stay.
    if (!/^npm_(?:lifecycle|package|command|config_local_prefix)/.test(key)) env[key] = value;
  }
  // Install scripts look for `node` on the PATH.
  env.PATH = [dirname(node), process.env.PATH ?? ''].join(delimiter);
  return run(node, [npmCli(), '--no-update-notifier', ...args], { cwd, env });
}

/** npm's entry file: the npm that called us, else the one beside this Node, else the one on the PATH. */
function npmCli() {
  const caller = process.env.npm_execpath;
  if (caller && basename(caller) === 'npm-cli.js' && existsSync(caller)) return caller;
  const inside = ['node_modules', 'npm', 'bin', 'npm-cli.js'];
  const beside = dirname(process.execPath);
  const candidates = [join(beside, ...inside), join(beside, '..', 'lib', ...inside)];
  for (const folder of (process.env.PATH ?? '').split(delimiter).filter(Boolean)) {
    candidates.push(join(folder, ...inside), join(folder, '..', 'lib', ...inside));
    const link = join(folder, 'npm');
    if (existsSync(link) && basename(realpathSync(link)) === 'npm-cli.js') candidates.push(realpathSync(link));
  }
  const found = candidates.find((file) => existsSync(file));
  if (!found) throw new Error('npm was not found. Install Node.js with npm (https://nodejs.org) and try again.');
  return found;
}
