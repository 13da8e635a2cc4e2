// Starts processes that use storage, as real programs: bundled once, run by the same Node.
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** A running child: what it says, line by line, and its end. */
export class StorageProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: AsyncIterator<string>;
  readonly #exit: Promise<unknown[]>;

  constructor(command: readonly string[]) {
    const [program = '', ...args] = command;
    this.#child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#exit = once(this.#child, 'exit');
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** The next thing that the child says; undefined when it has gone. */
  async hear(): Promise<unknown> {
    const line = await this.#lines.next();
    return line.done === true ? undefined : (JSON.parse(line.value) as unknown);
  }

  async hearAll(): Promise<unknown[]> {
    const said: unknown[] = [];
    for (let next = await this.hear(); next !== undefined; next = await this.hear()) said.push(next);
    return said;
  }

  tell(): void {
    this.#child.stdin.write('go\n');
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** @returns the exit code, or the signal that ended it. */
  async end(): Promise<unknown> {
    const [code, signal] = await this.#exit;
    return code ?? signal;
  }
}

/** Bundles the child program. @returns how to start a task with it. */
export async function bundleStorageChild() {
  const folder = mkdtempSync(join(tmpdir(), 'teamroom-faults-'));
  const program = join(folder, 'child.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('storage-child.ts', import.meta.url))],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  const command = (task: string, directory: string, name = 'child') => [
    process.execPath,
    program,
    JSON.stringify({ task, directory, name }),
  ];
  return {
    folder,
    command,
    start: (task: string, directory: string, name?: string) => new StorageProcess(command(task, directory, name)),
  };
}
