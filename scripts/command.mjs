// Runs one program to its end: no shell, output kept, a failure says what was run and what it said.
import { spawn } from 'node:child_process';

// Nothing outlives us: what still runs when this process exits is ended with it.
const running = new Set();
process.on('exit', () => {
  for (const child of running) child.kill();
});

/**
 * @param {string} file the program
 * @param {readonly string[]} args its arguments, passed as they are
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, signal?: AbortSignal }} [options]
 * @returns {Promise<{ code: number, output: string }>} exit code (128 when a signal ended it) and both streams in order
 * @throws when the program cannot be started
 */
export async function capture(file, args, options = {}) {
  const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
  running.add(child);
  const chunks = [];
  child.stdout.on('data', (chunk) => chunks.push(chunk));
  child.stderr.on('data', (chunk) => chunks.push(chunk));
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exit) => resolve(exit ?? 128));
  }).finally(() => running.delete(child));
  return { code, output: Buffer.concat(chunks).toString('utf8') };
}

/**
 * As `capture`, for programs that must succeed.
 *
 * @param {string} file
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, signal?: AbortSignal }} [options]
 * @returns {Promise<string>} what it printed
 * @throws when it cannot be started or ends with another code than 0; the message holds its output
 */
export async function run(file, args, options = {}) {
  const { code, output } = await capture(file, args, options);
  if (code !== 0) throw new Error(`${[file, ...args].join(' ')} ended with code ${code}:\n${output.trimEnd()}`);
  return output;
}
