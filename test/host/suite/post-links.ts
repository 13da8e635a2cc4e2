// Links and pictures of posts, in a window with a real workspace folder.
import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { openTarget, readWorkspaceImage } from '../../../src/editor/post-links.js';
import { hostTest } from '../lab/in-host.js';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

hostTest('A link to a file opens it in an editor, at its line', async () => {
  await write('linked.txt', Buffer.from('one\ntwo\nthree\n'));
  await openTarget({ kind: 'file', path: 'linked.txt', line: 3 });
  const editor = vscode.window.activeTextEditor;
  assert.equal(editor?.document.uri.fsPath, vscode.Uri.joinPath(folder(), 'linked.txt').fsPath);
  assert.equal(editor.selection.active.line, 2);
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
});

hostTest('WX-4 A link that leaves the workspace opens nothing', async () => {
  symlinkSync('/etc', join(folder().fsPath, 'elsewhere'));
  for (const path of ['../outside.txt', '/etc/hostname', 'elsewhere/hostname', 'nowhere.txt']) {
    await openTarget({ kind: 'file', path });
    assert.equal(vscode.window.activeTextEditor, undefined, path);
  }
});

hostTest('WX-3 A picture of the workspace is read as what its bytes are; a refusal says why', async () => {
  await write('shot.png', PNG);
  await write('drawing.png', Buffer.from('<svg/>'));
  const shot = await readWorkspaceImage('shot.png');
  assert.deepEqual(shot, { kind: 'image', mime: 'image/png', bytes: new Uint8Array(PNG) });
  assert.deepEqual(await readWorkspaceImage('drawing.png'), {
    kind: 'refused',
    reason: 'it is no PNG, JPEG, GIF or WebP picture',
  });
});

function folder(): vscode.Uri {
  const first = vscode.workspace.workspaceFolders?.[0];
  assert.ok(first, 'This window has no folder.');
  return first.uri;
}

async function write(name: string, bytes: Uint8Array): Promise<void> {
  await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(folder(), name), bytes);
}
