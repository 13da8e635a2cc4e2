// Bundles suite files into the one module that the editor loads as its tests.
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import { root } from '../../../scripts/paths.mjs';

/**
 * @param name of the bundle
 * @param suites suite files, absolute or from the checkout
 * @returns the module's path, in a folder that git ignores
 */
export async function bundleSuites(name: string, suites: readonly string[]): Promise<string> {
  const outfile = join(root, 'out', 'host', `${name}.mjs`);
  const from = join(root, 'test', 'host', 'lab');
  const imports = suites.map((suite) => `import ${JSON.stringify(specifier(from, suite))};`);
  await build({
    stdin: {
      contents: [...imports, "export { run } from './in-host.js';"].join('\n'),
      resolveDir: from,
      loader: 'ts',
    },
    outfile,
    absWorkingDir: root,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    // As in the extension's own bundle: jsonc-parser has a CommonJS entry that no bundler can follow.
    mainFields: ['module', 'main'],
    external: ['vscode'],
    sourcemap: 'inline',
    logLevel: 'warning',
  });
  return outfile;
}

function specifier(from: string, suite: string): string {
  const path = relative(from, join(root, relative(root, suite))).replaceAll('\\', '/');
  return path.startsWith('.') ? path : `./${path}`;
}
