// node with-node24.mjs <script> [args…]: runs a script on Node >= 24.15, whichever Node began.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter, dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { onAskedToEnd } from './asked-to-end.mjs';
import { isNewEnough, node24 } from './node24.mjs';

/**
 * Hands a script over to Node 24 and waits for it. Signals are passed on, so that ending this process ends that one.
 *
 * @param {readonly string[]} args the script and its arguments
 * @returns {Promise<number>} its exit code
 */
export async function withNode24(args) {
  const node = await node24();
  const PATH = [dirname(node), process.env.PATH ?? ''].join(delimiter);
  const child = spawn(node, args, { stdio: 'inherit', env: { ...process.env, PATH } });
  // Ctrl+C reaches the child from the terminal itself; this process only has to outlive it.
  onAskedToEnd((signal) => {
    if (signal !== 'SIGINT') child.kill(signal);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? 128 + (constants.signals[signal] ?? 0)));
  });
}

/**
 * The first line of a script that any Node may begin: returns at once on a new Node, otherwise runs the script again
 * on one and ends this process with its exit code.
 */
export async function continueOnNode24() {
  if (isNewEnough(process.versions.node)) return;
  process.exit(await withNode24(process.argv.slice(1)));
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const args = process.argv.slice(2);
  if (args.length === 0) {
    console.error('usage: node scripts/with-node24.mjs <script> [args…]');
    process.exit(2);
  }
  process.exitCode = await withNode24(args);
}
