// The host suites in a desktop VS Code: the one that TEAMROOM_VSCODE names, else one that is downloaded.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { runTests } from '@vscode/test-electron';
import { ensureBuilt } from './build.mjs';
import { cacheRoot, root } from './paths.mjs';

await ensureBuilt();
const suites = join(root, 'test', 'host', 'suite');
const module = join(root, 'out', 'host', 'desktop.mjs');
const imports = readdirSync(suites)
  .sort()
  .filter((name) => name.endsWith('.ts'))
  .map((name) => `import './${name}';`);
await build({
  stdin: {
    contents: [...imports, "export { run } from '../lab/in-host.js';"].join('\n'),
    resolveDir: suites,
    loader: 'ts',
  },
  outfile: module,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  external: ['vscode'],
});
try {
  await runTests({
    extensionDevelopmentPath: root,
    extensionTestsPath: module,
    cachePath: join(cacheRoot, 'vscode-desktop'),
    launchArgs: ['--disable-workspace-trust', '--disable-telemetry'],
    ...(process.env.TEAMROOM_VSCODE ? { vscodeExecutablePath: process.env.TEAMROOM_VSCODE } : {}),
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
