// Files and pictures that posts name, on a real file system: where a path leads, and what its bytes are.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  findWorkspaceFile,
  MAX_PICTURE_BYTES,
  pictureMime,
  readPicture,
  type WorkspaceRoot,
} from '../../src/editor/workspace-file.js';

const place = realpathSync(mkdtempSync(join(tmpdir(), 'teamroom-files-')));
const app = join(place, 'app');
const lib = join(place, 'lib');
const roots: WorkspaceRoot[] = [
  { name: 'app', path: app },
  { name: 'lib', path: lib },
];

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

beforeAll(() => {
  for (const folder of [join(app, 'src'), join(lib, 'src'), join(place, 'outside'), join(place, 'app-secret')]) {
    mkdirSync(folder, { recursive: true });
  }
  writeFileSync(join(app, 'src', 'a.ts'), 'a');
  writeFileSync(join(lib, 'src', 'b.ts'), 'b');
  writeFileSync(join(app, 'my file.md'), 'm');
  writeFileSync(join(place, 'outside', 'secret.png'), PNG);
  writeFileSync(join(place, 'app-secret', 'secret.png'), PNG);
  writeFileSync(join(app, 'shot.png'), PNG);
  writeFileSync(join(app, 'text.png'), '<svg onload=alert(1)>');
  writeFileSync(join(app, 'empty.png'), '');
  writeFileSync(join(app, 'large.png'), PNG);
  truncateSync(join(app, 'large.png'), MAX_PICTURE_BYTES + 1);
  writeFileSync(join(app, 'largest.png'), PNG);
  truncateSync(join(app, 'largest.png'), MAX_PICTURE_BYTES);
  symlinkSync(join(place, 'outside'), join(app, 'out'));
  symlinkSync(join(place, 'outside', 'secret.png'), join(app, 'leak.png'));
  symlinkSync('../app-secret/secret.png', join(app, 'sibling.png'));
  symlinkSync('src/a.ts', join(app, 'inside.ts'));
  symlinkSync('loop.png', join(app, 'loop.png'));
  symlinkSync(app, join(place, 'linked-app'));
});

afterAll(() => rmSync(place, { recursive: true, force: true }));

describe('finding a file', () => {
  test.each([
    ['src/a.ts', join(app, 'src', 'a.ts')],
    ['./src/./a.ts', join(app, 'src', 'a.ts')],
    ['my file.md', join(app, 'my file.md')],
    ['src/b.ts', join(lib, 'src', 'b.ts')],
    ['lib/src/b.ts', join(lib, 'src', 'b.ts')],
    ['inside.ts', join(app, 'src', 'a.ts')],
  ])('%s is found', async (path, found) => {
    expect(await findWorkspaceFile(path, roots)).toEqual({ kind: 'found', path: found });
  });

  test.each([
    ['', 'not-a-path'],
    ['../outside/secret.png', 'not-a-path'],
    ['src/../src/a.ts', 'not-a-path'],
    ['..\\outside\\secret.png', 'not-a-path'],
    ['/etc/passwd', 'not-a-path'],
    ['C:/Windows/win.ini', 'not-a-path'],
    ['file:///etc/passwd', 'not-a-path'],
    ['vscode-userdata:/x', 'not-a-path'],
    ['shot.png\0.txt', 'not-a-path'],
    ['nowhere.ts', 'missing'],
    ['src/a.ts/b', 'missing'],
    ['src', 'not-a-file'],
    ['out/secret.png', 'outside'],
    ['leak.png', 'outside'],
    ['sibling.png', 'outside'],
    ['loop.png', 'unreadable'],
  ])('WX-4 %j is refused: %s', async (path, reason) => {
    expect(await findWorkspaceFile(path, roots)).toEqual({ kind: 'refused', reason });
  });

  test('a workspace folder that is a link itself keeps its own path', async () => {
    const linked = { name: 'linked', path: join(place, 'linked-app') };
    expect(await findWorkspaceFile('src/a.ts', [linked])).toEqual({
      kind: 'found',
      path: join(place, 'linked-app', 'src', 'a.ts'),
    });
  });

  test('a window without folders has no files', async () => {
    expect(await findWorkspaceFile('src/a.ts', [])).toEqual({ kind: 'refused', reason: 'missing' });
  });
});

describe('reading a picture', () => {
  test('WX-3 its bytes, and what they say they are', async () => {
    expect(await readPicture('shot.png', roots)).toEqual({
      kind: 'picture',
      mime: 'image/png',
      bytes: new Uint8Array(PNG),
    });
    expect(await readPicture('largest.png', roots)).toMatchObject({ kind: 'picture', mime: 'image/png' });
  });

  test.each([
    ['leak.png', 'outside'],
    ['out/secret.png', 'outside'],
    ['text.png', 'not-a-picture'],
    ['empty.png', 'not-a-picture'],
    ['large.png', 'too-large'],
    ['src', 'not-a-file'],
    ['https://x.example/p.png', 'not-a-path'],
  ])('WX-3 %s is refused: %s', async (path, reason) => {
    expect(await readPicture(path, roots)).toEqual({ kind: 'refused', reason });
  });

  test.skipIf(process.platform === 'win32')('a pipe holds nobody up', async () => {
    execFileSync('mkfifo', [join(app, 'pipe.png')]);
    expect(await readPicture('pipe.png', roots)).toEqual({ kind: 'refused', reason: 'not-a-file' });
  });

  test.each([
    ['89504e470d0a1a0a00', 'image/png'],
    ['ffd8ffe000104a464946', 'image/jpeg'],
    [Buffer.from('GIF87a..').toString('hex'), 'image/gif'],
    [Buffer.from('GIF89a..').toString('hex'), 'image/gif'],
    [Buffer.from('RIFF....WEBPVP8 ').toString('hex'), 'image/webp'],
    [Buffer.from('RIFF....WAVEfmt ').toString('hex'), null],
    [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg">').toString('hex'), null],
    [Buffer.from('<?xml version="1.0"?>').toString('hex'), null],
    [Buffer.from(' GIF89a').toString('hex'), null],
    [Buffer.from('%PDF-1.7').toString('hex'), null],
    ['89504e470d0a1a', null],
    ['', null],
  ])('the bytes %s are %s', (hex, mime) => {
    expect(pictureMime(Buffer.from(hex, 'hex'))).toBe(mime);
  });
});
