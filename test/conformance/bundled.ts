// Programs for child processes: bundled from their TypeScript, with the public entries resolved to the sources.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Bundles `entry` (relative to the project) into `folder` and gives the path of the program. */
export async function bundled(entry: string, folder: string): Promise<string> {
  const outfile = join(folder, 'program.mjs');
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    logLevel: 'error',
    alias: {
      'teamroom/runtime': join(root, 'src/runtime/index.ts'),
      'teamroom/runtime/storage/local': join(root, 'src/runtime/storage/local.ts'),
    },
  });
  return outfile;
}

/** Runs a program to its end; it has ten seconds to exit by itself. */
export async function outputOf(program: string, env: Record<string, string> = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [program], {
    timeout: 10_000,
    env: { ...process.env, ...env },
  });
  return stdout;
}
