// The extension comes up by itself in a window, whatever is on screen.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { hostTest } from '../lab/in-host.js';

const EXTENSION = 'teamroom.teamroom';

hostTest('The extension is active once the window has started, with no view of ours open', async () => {
  const extension = vscode.extensions.getExtension(EXTENSION);
  assert.ok(extension, `${EXTENSION} is not in this window`);
  await extension.activate();
  assert.equal(extension.isActive, true);
});

hostTest('Every command that package.json contributes is registered', async () => {
  const manifest: unknown = vscode.extensions.getExtension(EXTENSION)?.packageJSON;
  const declared = commandIds(manifest);
  assert.ok(declared.length > 0, 'package.json contributes no commands');
  const registered = new Set(await vscode.commands.getCommands(true));
  assert.deepEqual(
    declared.filter((id) => !registered.has(id)),
    [],
  );
});

function commandIds(manifest: unknown): string[] {
  const contributed = (manifest as { contributes?: { commands?: { command: string }[] } }).contributes?.commands ?? [];
  return contributed.map(({ command }) => command);
}
