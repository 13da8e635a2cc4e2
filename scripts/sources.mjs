// One digest over all that the packaged extension is made of: what has it already need not be built again.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from './paths.mjs';

const FOLDERS = ['src', 'webview', 'media', 'examples', 'templates', 'l10n'];
const FILES = [
  ...['package.json', 'package.nls.json', 'package-lock.json', 'README.md', 'CHANGELOG.md', 'LICENSE'],
  ...['.vscodeignore', 'tsconfig.base.json', 'tsconfig.types.json', 'scripts/build.mjs', 'scripts/package.mjs'],
];

/** @returns {string} SHA-256 in hex over names and contents */
export function sourceDigest() {
  const files = FOLDERS.flatMap((folder) =>
    existsSync(join(root, folder))
      ? readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
      : [],
  );
  files.push(...FILES.map((name) => join(root, name)).filter((file) => existsSync(file)));
  const hash = createHash('sha256');
  for (const file of files.sort()) {
    const content = readFileSync(file);
    hash.update(`${relative(root, file)}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}
