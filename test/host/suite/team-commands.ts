// Commands about rooms and turns, where they need no answer of a person.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { hostTest } from '../lab/in-host.js';

const { fs } = vscode.workspace;

hostTest(
  'Message Directly with the id of a member makes their room once, and it is a document like any other',
  async () => {
    const run = await runId();
    await vscode.commands.executeCommand('teamroom.messageDirectly', 'reviewer');
    await vscode.commands.executeCommand('teamroom.messageDirectly', { memberId: 'reviewer' });
    const room = vscode.Uri.from({ scheme: 'teamroom', path: `/${run}/direct-reviewer.txt` });
    assert.equal((await fs.readFile(room)).length, 0);
    await assert.rejects(Promise.resolve(fs.readFile(room.with({ path: `/${run}/direct-reviewer-2.txt` }))));
  },
);

hostTest('Stop and Resume Team with nothing to stop or resume change nothing and say nothing', async () => {
  await vscode.commands.executeCommand('teamroom.stop');
  await vscode.commands.executeCommand('teamroom.stop');
  await vscode.commands.executeCommand('teamroom.openRoomFile', 'release');
  assert.equal(vscode.window.activeTextEditor?.document.getText(), '');
});

hostTest('A document of reasoning that nobody recorded is not found', async () => {
  const run = await runId();
  for (const position of ['team/writer/7', 'team/nobody/1', 'inherited/team/writer/1', 'x']) {
    const key = Buffer.from(position).toString('base64url');
    const uri = vscode.Uri.from({ scheme: 'teamroom', path: `/${run}/reasoning/${key}/Writer, turn 7.md` });
    await assert.rejects(Promise.resolve(fs.readFile(uri)), vscode.FileSystemError, position);
  }
});

/** The open conversation's, from the address of its room. */
async function runId(): Promise<string> {
  await vscode.commands.executeCommand('teamroom.openRoomFile', 'release');
  const path = vscode.window.activeTextEditor?.document.uri.path;
  const run = /^\/([0-9a-f-]{36})\//.exec(path ?? '')?.[1];
  assert.ok(run, `${path ?? 'nothing'} is in front`);
  return run;
}
