// Files that a post names. The path was written by anybody: what counts is where it really leads, and what the bytes are.
import { constants } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { isWorkspacePath } from '../protocol/safe-node.js';

/** Largest picture that a post may show, in bytes. */
export const MAX_PICTURE_BYTES = 5 * 1024 * 1024;

export type FileRefusal = 'not-a-path' | 'missing' | 'outside' | 'not-a-file' | 'unreadable';
export type PictureRefusal = FileRefusal | 'too-large' | 'not-a-picture';
export type PictureMime = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

/** A folder of the workspace. */
export interface WorkspaceRoot {
  readonly name: string;
  /** Absolute path of a folder on this machine. */
  readonly path: string;
}

export type FoundFile =
  { readonly kind: 'found'; readonly path: string } | { readonly kind: 'refused'; readonly reason: FileRefusal };

export type ReadPicture =
  | { readonly kind: 'picture'; readonly mime: PictureMime; readonly bytes: Uint8Array }
  | { readonly kind: 'refused'; readonly reason: PictureRefusal };

/**
 * Looks a file up in the folders of the workspace, in their order; a path may begin with a folder's name.
 * @param path relative, with `/`; anything else is refused
 * @returns an absolute path below that folder, all links followed, of a regular file that is there now
 */
export async function findWorkspaceFile(path: string, roots: readonly WorkspaceRoot[]): Promise<FoundFile> {
  // `a/../b` is refused as well: whoever means `b` can say so.
  if (!isWorkspacePath(path)) return { kind: 'refused', reason: 'not-a-path' };
  let reason: FileRefusal = 'missing';
  for (const root of roots) {
    for (const below of waysInto(root, path)) {
      const found = await look(root, below);
      if (found.kind === 'found') return found;
      if (reason === 'missing') reason = found.reason;
    }
  }
  return { kind: 'refused', reason };
}

/**
 * Reads a picture of the workspace. What it is, its first bytes say and not its name; SVG is none, being a document.
 * @param path as in `findWorkspaceFile`
 */
export async function readPicture(path: string, roots: readonly WorkspaceRoot[]): Promise<ReadPicture> {
  const found = await findWorkspaceFile(path, roots);
  if (found.kind === 'refused') return found;
  let file;
  try {
    // The path has no link in it any more: one that is there now was put there since. And a pipe must not hold us up.
    file = await open(found.path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return { kind: 'refused', reason: 'unreadable' };
  }
  try {
    const opened = await file.stat();
    if (!opened.isFile()) return { kind: 'refused', reason: 'not-a-file' };
    if (opened.size > MAX_PICTURE_BYTES) return { kind: 'refused', reason: 'too-large' };
    // A folder on the way may have become a link since: what is open must still be what stands at this path.
    const [now, again] = await Promise.all([stat(found.path), findWorkspaceFile(path, roots)]);
    if (now.ino !== opened.ino || now.dev !== opened.dev || again.kind === 'refused' || again.path !== found.path) {
      return { kind: 'refused', reason: 'unreadable' };
    }
    // One more than it said it has, so that a file that grows meanwhile is seen to.
    const buffer = new Uint8Array(opened.size + 1);
    let length = 0;
    for (let more = 1; more > 0 && length < buffer.length; length += more) {
      more = (await file.read(buffer, length, buffer.length - length, length)).bytesRead;
    }
    if (length > opened.size) return { kind: 'refused', reason: 'unreadable' };
    const bytes = buffer.subarray(0, length);
    const mime = pictureMime(bytes);
    return mime === null ? { kind: 'refused', reason: 'not-a-picture' } : { kind: 'picture', mime, bytes };
  } catch {
    return { kind: 'refused', reason: 'unreadable' };
  } finally {
    await file.close();
  }
}

/** @returns what kind of picture begins with these bytes, null for any other file */
export function pictureMime(bytes: Uint8Array): PictureMime | null {
  const begins = (signature: readonly number[], at = 0): boolean =>
    signature.every((byte, index) => bytes[at + index] === byte);
  if (begins([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return 'image/png';
  if (begins([0xff, 0xd8, 0xff])) return 'image/jpeg';
  if (begins(letters('GIF87a')) || begins(letters('GIF89a'))) return 'image/gif';
  if (begins(letters('RIFF')) && begins(letters('WEBP'), 8)) return 'image/webp';
  return null;
}

function letters(text: string): number[] {
  return Array.from(text, (letter) => letter.charCodeAt(0));
}

function waysInto(root: WorkspaceRoot, path: string): string[] {
  return path.startsWith(`${root.name}/`) ? [path, path.slice(root.name.length + 1)] : [path];
}

async function look(root: WorkspaceRoot, below: string): Promise<FoundFile> {
  try {
    const base = await realpath(root.path);
    const real = await realpath(join(base, below));
    const inside = real.startsWith(base.endsWith(sep) ? base : base + sep);
    if (!inside) return { kind: 'refused', reason: 'outside' };
    if (!(await stat(real)).isFile()) return { kind: 'refused', reason: 'not-a-file' };
    return { kind: 'found', path: join(root.path, relative(base, real)) };
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && ['ENOENT', 'ENOTDIR'].includes(String(error.code));
    return { kind: 'refused', reason: missing ? 'missing' : 'unreadable' };
  }
}
