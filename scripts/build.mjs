// Builds dist/: the extension, the webview, and the runtime that the npm package offers, with its types. Everything is
// made beside dist and put in its place at the end, so that nobody ever sees half of it.
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { run } from './command.mjs';
import { root } from './paths.mjs';
import { step } from './progress.mjs';
import { sourceDigest } from './sources.mjs';

const DIST = join(root, 'dist');
const STAMP = '.sources';

const HOST = ['src/extension.ts'];
/** Runs beside each of the two, in a thread of its own. */
const WORKER = { in: 'src/storage/sqlite/worker.ts', out: 'chunks/storage-worker' };
const WEBVIEW = ['webview/main.tsx'];
const RUNTIME = ['src/runtime/index.ts', 'src/runtime/storage/local.ts', 'src/runtime/testing.ts'];

/**
 * Builds when dist/ is not what the sources say.
 *
 * @returns {Promise<string>} the digest of the sources that dist/ was made from
 * @throws when something does not compile
 */
export async function ensureBuilt() {
  const digest = sourceDigest();
  const stamp = join(DIST, STAMP);
  if (existsSync(stamp) && (await readFile(stamp, 'utf8')) === digest) return digest;
  await step('Building', () => build(digest));
  return digest;
}

async function build(digest) {
  const place = join(root, 'out', `build-${process.pid}`);
  await rm(place, { recursive: true, force: true });
  await mkdir(place, { recursive: true });
  try {
    await Promise.all([bundles(place), types(place), codicons(place)]);
    await writeFile(join(place, STAMP), digest);
    await putInPlace(place);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/** Swaps dist/ for a new one. Two builds at once (two test files, two terminals) may get in each other's way. */
async function putInPlace(place) {
  const old = `${place}-old`;
  for (let left = 5; ; left -= 1) {
    try {
      if (existsSync(DIST)) await rename(DIST, old);
      await rename(place, DIST);
      return;
    } catch (error) {
      if (left === 0 || !['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error;
    } finally {
      await rm(old, { recursive: true, force: true });
    }
  }
}

async function bundles(place) {
  const { build: bundle } = await import('esbuild');
  const common = {
    absWorkingDir: root,
    bundle: true,
    format: 'esm',
    minify: true,
    logLevel: 'warning',
    charset: 'utf8',
  };
  const node = {
    ...common,
    platform: 'node',
    target: 'node24',
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    // Some packages (jsonc-parser) have a CommonJS entry that no bundler can follow.
    mainFields: ['module', 'main'],
  };
  await bundle({ ...node, entryPoints: HOST, outdir: place, external: ['vscode'] });
  await bundle({ ...node, entryPoints: RUNTIME, outbase: join(root, 'src/runtime'), outdir: join(place, 'runtime') });
  for (const outdir of [place, join(place, 'runtime')]) {
    await bundle({ ...node, splitting: false, entryPoints: [WORKER], outdir });
  }
  await bundle({
    ...common,
    entryPoints: WEBVIEW,
    outdir: join(place, 'webview'),
    platform: 'browser',
    target: 'es2024',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { 'process.env.NODE_ENV': '"production"' },
    loader: { '.ttf': 'file', '.svg': 'dataurl' },
  });
}

async function types(place) {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  await run(process.execPath, [tsc, '-p', 'tsconfig.types.json', '--outDir', join(place, 'types')], { cwd: root });
}

async function codicons(place) {
  for (const name of ['codicon.css', 'codicon.ttf']) {
    const target = join(place, 'webview', name);
    await mkdir(dirname(target), { recursive: true });
    await copyFile(join(root, 'node_modules', '@vscode', 'codicons', 'dist', name), target);
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await ensureBuilt();
