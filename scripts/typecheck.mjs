// Type-checks the three projects: the pure core, the host with its tests, the webview. All their errors are shown.
import { join } from 'node:path';
import { capture } from './command.mjs';
import { root } from './paths.mjs';
import { step } from './progress.mjs';

for (const project of ['tsconfig.core.json', 'tsconfig.json', 'tsconfig.webview.json']) {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { code, output } = await step(`Type-checking ${project}`, () =>
    capture(process.execPath, [tsc, '-p', project, '--pretty', String(Boolean(process.stdout.isTTY))], { cwd: root }),
  );
  if (code !== 0) {
    console.error(output.trimEnd());
    process.exitCode = 1;
  }
}
