// One running VS Code server: starts it on loopback with folders of its own, and ends all that it started.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { run } from './command.mjs';
import { node24 } from './node24.mjs';
import { root } from './paths.mjs';
import { groupRuns, signalGroup } from './process-tree.mjs';
import { vscodeServer } from './vscode-server.mjs';

const READY = /Extension host agent listening on (\d+)/;
const START_LIMIT = 60_000;

/**
 * The folders of one server below one base folder. `user` has the settings (`User/settings.json`,
 * `Machine/settings.json`) and the workspace storage, `extensions` the installed extensions.
 *
 * @param {string} base
 */
export function serverFolders(base) {
  return {
    temporary: join(base, 't'),
    server: join(base, 'server'),
    user: join(base, 'user'),
    extensions: join(base, 'extensions'),
  };
}

/**
 * Starts a server.
 *
 * @param {object} options
 * @param {string} options.base folder for all that it keeps
 * @param {string} options.token connection token; whoever has it has the editor
 * @param {number} options.port 0 takes a free one
 * @param {NodeJS.ProcessEnv} [options.env] added to the environment
 * @param {readonly string[]} [options.args] added to the arguments
 * @returns {Promise<{ pid: number, port: number, output: () => string, ended: Promise<number>, stop: () => Promise<void> }>}
 *   `output`: all that it printed so far; `ended`: its exit code; `stop`: ends it and its children, and may be repeated
 * @throws when it ends or is silent for a minute before it listens; the message holds its output
 */
export async function startServer({ base, token, port, env = {}, args = [] }) {
  const [node, entry] = await Promise.all([node24(), vscodeServer()]);
  const folders = serverFolders(base);
  for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true });
  const tokenFile = join(folders.server, 'token');
  writeFileSync(tokenFile, token, { mode: 0o600 });
  const child = spawn(
    node,
    [
      '--import',
      new URL('./mint-key.mjs', import.meta.url).href,
      entry,
      ...['--host', '127.0.0.1', '--port', String(port), '--connection-token-file', tokenFile],
      // A closed page gives its extension host, and with it the workspace storage, free after a second.
      ...['--accept-server-license-terms', '--telemetry-level', 'off', '--reconnection-grace-time', '1'],
      ...folderArguments(folders),
      ...args,
    ],
    { cwd: root, detached: true, windowsHide: true, env: environment(folders, env), stdio: ['pipe', 'pipe', 'pipe'] },
  );
  let output = '';
  const keep = (chunk) => {
    output = (output + chunk).slice(-200_000);
  };
  child.stdout.setEncoding('utf8').on('data', keep);
  child.stderr.setEncoding('utf8').on('data', keep);
  const ended = once(child, 'exit').then(([code]) => code ?? 128);
  const stop = () => endGroup(child.pid, ended);
  try {
    const actual = await listening(child, ended, () => output);
    return { pid: child.pid, port: actual, output: () => output, ended, stop };
  } catch (error) {
    if (child.pid) await stop();
    throw error;
  }
}

/**
 * Installs packaged extensions for a server that does not run yet.
 *
 * @param {string} base the server's folder
 * @param {readonly string[]} packages VSIX files
 * @returns {Promise<void>}
 * @throws when one is refused; the message holds what the server said
 */
export async function installExtensions(base, packages) {
  const [node, entry] = await Promise.all([node24(), vscodeServer()]);
  const folders = serverFolders(base);
  for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true });
  const list = packages.flatMap((file) => ['--install-extension', file]);
  const output = await run(node, [entry, ...list, '--force', ...folderArguments(folders)], {
    env: environment(folders, {}),
  });
  if (/Failed Installing|Error:/.test(output)) throw new Error(`The extension was not installed:\n${output}`);
}

function folderArguments(folders) {
  return [
    ...['--server-data-dir', folders.server, '--user-data-dir', folders.user],
    ...['--extensions-dir', folders.extensions],
  ];
}

function environment(folders, more) {
  // Sockets go into TMPDIR. VSCODE_… of a surrounding editor would make the server talk to that one.
  const own = Object.entries(process.env).filter(([key]) => !/^(?:VSCODE_|ELECTRON_|NODE_OPTIONS$|VITEST)/.test(key));
  return { ...Object.fromEntries(own), ...more, TMPDIR: folders.temporary };
}

async function listening(child, ended, output) {
  const early = ended.then((code) => {
    throw new Error(`The VS Code server ended with code ${code} before it listened:\n${output()}`);
  });
  early.catch(() => {});
  const ready = new Promise((resolve, reject) => {
    child.once('error', reject);
    const look = () => {
      const port = READY.exec(output())?.[1];
      if (port) resolve(Number(port));
    };
    child.stdout.on('data', look);
  });
  const late = new AbortController();
  const limit = delay(START_LIMIT, undefined, { signal: late.signal }).then(
    () => {
      throw new Error(`The VS Code server did not listen within ${START_LIMIT / 1000} s:\n${output()}`);
    },
    () => undefined,
  );
  try {
    return await Promise.race([ready, early, limit]);
  } finally {
    late.abort();
  }
}

/** SIGTERM to the server, time for its extension hosts to run `deactivate`, then SIGKILL for what is left. */
async function endGroup(pid, ended) {
  if (process.platform === 'win32') {
    await run('taskkill', ['/PID', String(pid), '/T', '/F']).catch(() => {});
    await ended;
    return;
  }
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
  const deadline = Date.now() + 6000;
  while (groupRuns(pid) && Date.now() < deadline) await delay(100);
  if (groupRuns(pid)) signalGroup(pid, 'SIGKILL');
  await ended;
}
