// The extension comes up by itself in a window, whatever is on screen.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { COMMANDS, SETTINGS, VIEWS } from '../../../src/editor/contributions.js';
import { hostTest } from '../lab/in-host.js';

const EXTENSION = 'teamroom.teamroom';

hostTest('The extension is active once the window has started, with no view of ours open', async () => {
  const extension = vscode.extensions.getExtension(EXTENSION);
  assert.ok(extension, `${EXTENSION} is not in this window`);
  await extension.activate();
  assert.equal(extension.isActive, true);
});

hostTest('The commands of ours that are registered are those that package.json contributes', async () => {
  const manifest: unknown = vscode.extensions.getExtension(EXTENSION)?.packageJSON;
  const declared = commandIds(manifest);
  assert.ok(declared.length > 0, 'package.json contributes no commands');
  const registered = await vscode.commands.getCommands(true);
  const views = Object.values(VIEWS);
  // The editor makes some of its own for each view.
  const ours = registered.filter((id) => id.startsWith('teamroom.') && !views.some((view) => id.startsWith(view)));
  assert.deepEqual(ours.sort(), declared.sort());
  assert.deepEqual(ours.sort(), Object.values(COMMANDS).sort());
});

function commandIds(manifest: unknown): string[] {
  const contributed = (manifest as { contributes?: { commands?: { command: string }[] } }).contributes?.commands ?? [];
  return contributed.map(({ command }) => command);
}

hostTest('Every setting that the extension reads has the default that package.json gives it', () => {
  const { section, ...keys } = SETTINGS;
  for (const key of Object.values(keys)) {
    const found = vscode.workspace.getConfiguration(section).inspect(key);
    assert.notEqual(found?.defaultValue, undefined, `${section}.${key} is not declared`);
  }
});
