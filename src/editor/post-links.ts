// What the panel asks for when somebody clicks a link of a post or a picture stands in one. Nothing here trusts it.
import * as vscode from 'vscode';
import type { LinkTarget } from '../protocol/safe-node.js';
import {
  findWorkspaceFile,
  MAX_PICTURE_BYTES,
  readPicture,
  type PictureMime,
  type PictureRefusal,
  type WorkspaceRoot,
} from './workspace-file.js';

export type WorkspaceImage =
  | { readonly kind: 'image'; readonly mime: PictureMime; readonly bytes: Uint8Array }
  /** `reason` is in words for the person. */
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * Opens what a link leads to: a page in the browser, after VS Code has asked whether it may, or a file in an editor. A
 * file that cannot be opened is named in a message.
 * @param target read by its schema
 */
export async function openTarget(target: LinkTarget): Promise<void> {
  if (target.kind === 'web') {
    await vscode.env.openExternal(vscode.Uri.parse(target.url, true));
    return;
  }
  const found = await findWorkspaceFile(target.path, workspaceRoots());
  if (found.kind === 'refused') {
    const words = vscode.l10n.t('{path} was not opened: {reason}.', {
      path: target.path,
      reason: reasonWords(found.reason),
    });
    // Shown until it is dismissed: nobody waits for that.
    void vscode.window.showWarningMessage(words);
    return;
  }
  const options: vscode.TextDocumentShowOptions = { preview: true };
  if (target.line !== undefined) {
    const start = new vscode.Position(target.line - 1, 0);
    options.selection = new vscode.Range(start, start);
  }
  await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(found.path), options);
}

/**
 * Reads a picture that a post shows: PNG, JPEG, GIF or WebP by its bytes, at most 5 MB, inside the workspace.
 * @param path relative to a workspace folder, as the post has it
 */
export async function readWorkspaceImage(path: string): Promise<WorkspaceImage> {
  const read = await readPicture(path, workspaceRoots());
  if (read.kind === 'refused') return { kind: 'refused', reason: reasonWords(read.reason) };
  return { kind: 'image', mime: read.mime, bytes: read.bytes };
}

function workspaceRoots(): WorkspaceRoot[] {
  return (vscode.workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === 'file')
    .map(({ name, uri }) => ({ name, path: uri.fsPath }));
}

function reasonWords(reason: PictureRefusal): string {
  const { l10n } = vscode;
  switch (reason) {
    case 'not-a-path':
      return l10n.t('it is no path inside the workspace');
    case 'missing':
      return l10n.t('there is no such file in the workspace');
    case 'outside':
      return l10n.t('it leads out of the workspace');
    case 'not-a-file':
      return l10n.t('it is no file');
    case 'unreadable':
      return l10n.t('it could not be read');
    case 'too-large':
      return l10n.t('it is larger than {size} MB', { size: MAX_PICTURE_BYTES / 1024 / 1024 });
    case 'not-a-picture':
      return l10n.t('it is no PNG, JPEG, GIF or WebP picture');
  }
}
