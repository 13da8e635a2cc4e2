// Which addresses become links: https pages and files of the workspace. Everything else stays the text that it is.
import { isWebUrl, isWorkspacePath, MAX_ADDRESS_LENGTH, type LinkTarget } from '../../protocol/safe-node.js';

/** Kinds of pictures that are shown; the bytes decide again when they are read. No SVG: it is a document with scripts. */
const PICTURE = /\.(?:png|jpe?g|gif|webp)$/i;
/** `path:12`, `path:12:5`; a path without a dot or a slash could be a scheme (`tel:12`). */
const LINE_BY_COLON = /^(?<path>[^:]*[./][^:]*):(?<line>\d{1,7})(?::\d{1,7})?$/;
const LINE_BY_ANCHOR = /^L(\d{1,7})(?:$|[-:C])/;

/**
 * Reads the address of a link or an image.
 * @param address as it stands in the text, escapes resolved, not trusted
 * @returns where it leads, or null when it is no link here: another scheme (`http:` too), relative to a host (`//x`),
 *   absolute, out of the folder, a page that wants a name and password, or with characters that one cannot see
 */
export function linkTarget(address: string): LinkTarget | null {
  if (address.length > MAX_ADDRESS_LENGTH) return null;
  return /^https:/i.test(address) ? webTarget(address) : fileTarget(address);
}

/** @returns true for a file that can be shown as a picture in a post */
export function isPicture(path: string): boolean {
  return PICTURE.test(path);
}

function webTarget(address: string): LinkTarget | null {
  // `https:x` and `https:\\x` are addresses for a browser, and none for a reader. Nor is what has invisible characters.
  if (!/^https:\/\/[^/\\]/i.test(address) || /[\\\s\p{Cc}\p{Cf}]/u.test(address)) return null;
  const url = URL.parse(address);
  // `https://bank.example@evil.example` leads to the second.
  if (url === null || url.username !== '' || url.password !== '') return null;
  return isWebUrl(url.href) ? { kind: 'web', url: url.href } : null;
}

function fileTarget(address: string): LinkTarget | null {
  const hash = address.indexOf('#');
  const before = hash === -1 ? address : address.slice(0, hash);
  const anchor = hash === -1 ? '' : address.slice(hash + 1);
  const colon = LINE_BY_COLON.exec(before)?.groups;
  const path = decoded(colon?.['path'] ?? before)?.replace(/^(?:\.\/)+/, '');
  if (path === undefined || !isWorkspacePath(path)) return null;
  const line = Number(colon?.['line'] ?? LINE_BY_ANCHOR.exec(anchor)?.[1] ?? 0);
  return {
    kind: 'file',
    path,
    ...(line > 0 ? { line } : {}),
    ...(anchor === '' || anchor === `L${line}` ? {} : { anchor }),
  };
}

/** Percent escapes are read once: what still has some is taken by its letters. */
function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
