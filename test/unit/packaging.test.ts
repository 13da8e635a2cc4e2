// What leaves the house: the VSIX has what the editor needs and nothing else, and so has the npm package.
import { describe, expect, test } from 'vitest';
import { ensureBuilt } from '../../scripts/build.mjs';
import { node24 } from '../../scripts/node24.mjs';
import { npm } from '../../scripts/npm.mjs';
import { packagedFiles } from '../../scripts/package.mjs';
import { root } from '../../scripts/paths.mjs';

describe('packaging', () => {
  test('the VSIX has the manifest, the extension and the webview, and no sources, tests, types or library', async () => {
    await ensureBuilt();
    const files = await packagedFiles();
    for (const needed of ['package.json', 'README.md', 'LICENSE', 'dist/extension.js', 'dist/webview/main.js']) {
      expect(files).toContain(needed);
    }
    const allowed = [
      /^(?:package|package\.nls)\.json$/,
      /^(?:README|CHANGELOG)\.md$/,
      /^LICENSE$/,
      /^(?:media|l10n)\//,
      /^(?:examples|templates)\/[^/]+\.team\.json$/,
      /^dist\/extension\.js$/,
      /^dist\/(?:chunks|webview)\//,
    ];
    expect(files.filter((file) => !allowed.some((pattern) => pattern.test(file)))).toEqual([]);
  });

  test('the npm package has the runtime with its types and nothing of the editor', async () => {
    await ensureBuilt();
    const listing = await npm(['pack', '--dry-run', '--json', '--ignore-scripts'], { node: await node24(), cwd: root });
    const files = packedFiles(listing);
    for (const needed of [
      'package.json',
      'README.md',
      'LICENSE',
      'dist/runtime/index.js',
      'dist/types/runtime/index.d.ts',
    ]) {
      expect(files).toContain(needed);
    }
    const allowed = /^(?:package\.json|README\.md|LICENSE|dist\/(?:runtime|types)\/.+)$/;
    expect(files.filter((file) => !allowed.test(file))).toEqual([]);
  });
});

function packedFiles(listing: string): string[] {
  const [packed] = JSON.parse(listing) as { files: { path: string }[] }[];
  return (packed?.files ?? []).map(({ path }) => path);
}
