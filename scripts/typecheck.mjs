// Type-checks the projects: the pure core, the host with its tests, the webview. All their errors are shown.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { capture } from './command.mjs';
import { root } from './paths.mjs';
import { step } from './progress.mjs';

export const PROJECTS = ['tsconfig.core.json', 'tsconfig.json', 'tsconfig.webview.json'];

/**
 * @param {string} project
 * @returns {Promise<{ code: number, output: string }>} code 0 when all is well; `output` has the errors
 */
export function typecheck(project) {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  return capture(process.execPath, [tsc, '-p', project], { cwd: root });
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const project of PROJECTS) {
    const { code, output } = await step(`Type-checking ${project}`, () => typecheck(project));
    if (code === 0) continue;
    console.error(output.trimEnd());
    process.exitCode = 1;
  }
}
