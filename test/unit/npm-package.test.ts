// The npm package as a stranger gets it: packed, installed into an empty project elsewhere, type-checked and run.
import { copyFile, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ensureBuilt } from '../../scripts/build.mjs';
import { run } from '../../scripts/command.mjs';
import { npm } from '../../scripts/npm.mjs';
import { root } from '../../scripts/paths.mjs';

const MINUTE = 60_000;

test(
  'the packed runtime, installed into an empty project, type-checks and runs the example',
  { timeout: 2 * MINUTE },
  async () => {
    await ensureBuilt();
    const project = await realpath(await mkdtemp(join(tmpdir(), 'teamroom-package-')));
    onTestFinished(() => rm(project, { recursive: true, force: true }));
    const node = process.execPath;
    const packed = await npm(['pack', '--ignore-scripts', '--json', '--pack-destination', project], {
      node,
      cwd: root,
    });
    const [archive] = JSON.parse(packed) as { filename: string }[];

    const manifest = { name: 'stranger', version: '1.0.0', private: true, type: 'module' };
    await writeFile(join(project, 'package.json'), JSON.stringify(manifest));
    const flags = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund'];
    await npm(['install', ...flags, join(project, archive?.filename ?? '')], { node, cwd: project });
    await mkdir(join(project, 'src'));
    const program = join(project, 'src', 'team-conversation.ts');
    await copyFile(join(root, 'examples', 'team-conversation.ts'), program);

    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['src'] }));
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    expect(await run(node, [tsc, '-p', project], { cwd: project })).toBe('');
    const printed = await run(node, [join(project, 'out', 'team-conversation.js')], { cwd: project });
    expect(JSON.parse(printed)).toMatchObject({
      order: ['writer', 'reviewer', 'writer'],
      projectionRevision: 10,
      replayAddedEvents: false,
      temporaryDirectoryRemoved: true,
    });
  },
);

/** As a careful stranger would have them; the types of the library itself are checked too. */
const options = {
  target: 'es2024',
  lib: ['es2024'],
  module: 'nodenext',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  types: ['node'],
  typeRoots: [join(root, 'node_modules', '@types')],
  rootDir: 'src',
  outDir: 'out',
};
