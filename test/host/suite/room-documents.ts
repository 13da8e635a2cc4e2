// Rooms as documents, seen from the extension host: their bytes, that nobody can write them, and what is said about a
// room that is not there.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { hostTest } from '../lab/in-host.js';

const { fs } = vscode.workspace;
const utf8 = new TextDecoder();

hostTest(
  'Open Room File opens the room of the conversation as a document of its own scheme, empty at first',
  async () => {
    const { uri, document } = await openRoom();
    assert.equal(uri.scheme, 'teamroom');
    assert.match(uri.path, /^\/[0-9a-f-]{36}\/release\.txt$/);
    assert.equal(document.getText(), '');
    assert.equal(utf8.decode(await fs.readFile(uri)), '');
  },
);

hostTest(
  'A room document has a size, says that it is read-only, and lies in a file system that says so too',
  async () => {
    const { uri } = await openRoom();
    const stat = await fs.stat(uri);
    assert.equal(stat.type, vscode.FileType.File);
    assert.equal(stat.size, 0);
    assert.equal(stat.permissions, vscode.FilePermission.Readonly);
    assert.equal(fs.isWritableFileSystem(uri.scheme), false);
  },
);

hostTest('Writing, deleting and renaming a room document is refused', async () => {
  const { uri } = await openRoom();
  await assert.rejects(Promise.resolve(fs.writeFile(uri, new Uint8Array([120]))));
  await assert.rejects(Promise.resolve(fs.delete(uri)));
  await assert.rejects(Promise.resolve(fs.rename(uri, uri.with({ path: `${uri.path}.old` }))));
  assert.equal(utf8.decode(await fs.readFile(uri)), '');
});

hostTest('A document of a room that is not there says which rooms there are', async () => {
  const { uri } = await openRoom();
  const other = uri.with({ path: uri.path.replace('release.txt', 'nowhere.txt') });
  await assert.rejects(
    Promise.resolve(fs.readFile(other)),
    (error: unknown) => error instanceof vscode.FileSystemError && /"nowhere".*release/.test(error.message),
  );
  await assert.rejects(Promise.resolve(fs.stat(other)));
});

hostTest('A document of a conversation that is not there, or with a strange address, is not found', async () => {
  const { uri } = await openRoom();
  for (const path of ['/00000000-0000-4000-8000-000000000000/release.txt', '/release.txt', '/', '/%zz/%zz.txt']) {
    await assert.rejects(Promise.resolve(fs.readFile(uri.with({ path }))), vscode.FileSystemError, path);
  }
});

hostTest('Open Room File with the id of a room that is not there opens nothing', async () => {
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  await vscode.commands.executeCommand('teamroom.openRoomFile', 'nowhere');
  assert.equal(vscode.window.activeTextEditor, undefined);
});

async function openRoom(): Promise<{ uri: vscode.Uri; document: vscode.TextDocument }> {
  await vscode.commands.executeCommand('teamroom.openRoomFile', 'release');
  const editor = vscode.window.activeTextEditor;
  assert.ok(editor, 'no editor is in front');
  return { uri: editor.document.uri, document: editor.document };
}
