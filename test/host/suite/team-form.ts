// The host's side of the form of a team, on the files of a real workspace folder.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { parseTeamFile } from '../../../src/core/team/team-file.js';
import { TeamFormHost } from '../../../src/editor/configure-team/host.js';
import type { HostMessage } from '../../../src/protocol/messages.js';
import type { SaveTeam, TeamForm } from '../../../src/protocol/team-form.js';
import { hostTest } from '../lab/in-host.js';

const node = (id: string): string => `{ "id": "${id}", "data": { "role": "r", "brief": "b" } }`;
const TEAM = `\ufeff// Ours.\r\n{\r\n  "id": "form",\r\n  "lead": "ada",\r\n  "nodes": [${node('ada')}, ${node('bo')}] // two\r\n}\r\n`;

/** A form of one team, whose conversation takes every change or refuses it with the same words. */
function formOf(teamId: string, text: string, refusal: string | null = null) {
  const applied: string[] = [];
  const conversation = {
    team: parseTeamFile(text, teamId),
    changeTeam: (changed: string) => {
      if (refusal !== null) return Promise.reject(new Error(refusal));
      applied.push(changed);
      return Promise.resolve();
    },
  };
  const session = {
    current: { conversation },
    open: () => Promise.resolve({ conversation }),
    openToAct: () => Promise.resolve(conversation),
  };
  const extensionUri = vscode.extensions.getExtension('teamroom.teamroom')?.extensionUri;
  assert.ok(extensionUri);
  const host = new TeamFormHost({ session, engines: { all: [], find: () => null }, extensionUri });
  const ask = async (message: Parameters<TeamFormHost['handle']>[0]): Promise<HostMessage> => {
    const answers: HostMessage[] = [];
    await host.handle(message, (answer) => answers.push(answer));
    assert.equal(answers.length, 1);
    return answers[0] ?? assert.fail();
  };
  const open = async (): Promise<TeamForm> => {
    const answer = await ask({ type: 'configureTeam' });
    return answer.type === 'teamForm' ? answer.form : assert.fail(answer.type);
  };
  const save = (form: TeamForm, changes: Partial<SaveTeam>): Promise<HostMessage> => {
    const limits = form.limits.map(({ key, written }) => ({ key, value: written }));
    const { lead, members, stamp } = form;
    return ask({ type: 'saveTeam', teamId, stamp, lead, members, limits, apply: 'new', ...changes });
  };
  return { applied, open, save };
}

hostTest('A saved form changes what was changed: byte order mark, comments and CRLF stay', async () => {
  await write('form', TEAM);
  const { open, save, applied } = formOf('form', TEAM);
  const form = await open();
  assert.deepEqual([form.place.kind, form.isInForce, form.lead], ['file', true, 'ada']);
  const answer = await save(form, { lead: 'bo', apply: 'running' });
  assert.deepEqual(answer, { type: 'teamFormSaved', teamId: 'form' });
  const expected = TEAM.replace('"lead": "ada"', '"lead": "bo"');
  assert.equal(await read('form'), expected);
  assert.deepEqual(applied, [expected]);
});

hostTest('A file that changed since the form was made is not written; the answer has what it says now', async () => {
  await write('form', TEAM);
  const { open, save } = formOf('form', TEAM);
  const form = await open();
  const theirs = TEAM.replace('Ours', 'Theirs');
  await write('form', theirs);
  const answer = await save(form, { lead: 'bo' });
  assert.ok(answer.type === 'teamFormRefused' && answer.form !== null);
  assert.notEqual(answer.form.stamp, form.stamp);
  assert.equal(await read('form'), theirs);
});

hostTest('What would be no usable team is refused at its field, and nothing is written', async () => {
  await write('form', TEAM);
  const { open, save } = formOf('form', TEAM);
  const form = await open();
  const [ada, bo] = form.members;
  assert.ok(ada && bo);
  const answer = await save(form, { members: [ada, { ...bo, name: 'ADA' }] });
  assert.ok(answer.type === 'teamFormRefused');
  assert.deepEqual(answer.problems[0]?.place, { kind: 'member', key: 'bo', field: 'name' });
  assert.equal(await read('form'), TEAM);
});

hostTest('A change that the open conversation refuses is saved all the same, and the answer says both', async () => {
  await write('form', TEAM);
  const { open, save } = formOf('form', TEAM, 'bo has an open turn.');
  const form = await open();
  const answer = await save(form, { members: form.members.slice(0, 1), apply: 'running' });
  assert.ok(answer.type === 'teamFormRefused' && answer.form !== null);
  assert.match(answer.problems[0]?.message ?? '', /is saved.*bo has an open turn\./s);
  assert.equal(answer.form.isInForce, false);
  assert.equal((await open()).members.length, 1);
});

hostTest('The demo team gets a file of its own when its form is saved', async () => {
  const uri = vscode.extensions.getExtension('teamroom.teamroom')?.extensionUri;
  assert.ok(uri);
  const demo = await readUri(vscode.Uri.joinPath(uri, 'examples', 'release-note.team.json'));
  const { open, save } = formOf('release-note', demo);
  const form = await open();
  assert.deepEqual(form.place, { kind: 'new', path: '.vscode/teams/release-note.team.json', from: 'demo' });
  const limits = [{ key: 'hopCap' as const, value: 4 }];
  assert.equal((await save(form, { limits })).type, 'teamFormSaved');
  assert.deepEqual(parseTeamFile(await read('release-note'), 'release-note').limits, { hopCap: 4 });
  assert.equal((await open()).place.kind, 'file');
  await vscode.workspace.fs.delete(fileOf('release-note'));
});

hostTest('An id that would lead out of the folder names no team', async () => {
  const { open, save } = formOf('form', TEAM);
  await write('form', TEAM);
  const answer = await save(await open(), { teamId: '../../outside' });
  assert.ok(answer.type === 'teamFormRefused');
  assert.match(answer.problems[0]?.message ?? '', /There is no team/);
  await vscode.workspace.fs.delete(fileOf('form'));
});

function fileOf(teamId: string): vscode.Uri {
  const first = vscode.workspace.workspaceFolders?.[0];
  assert.ok(first, 'This window has no folder.');
  return vscode.Uri.joinPath(first.uri, '.vscode', 'teams', `${teamId}.team.json`);
}

async function write(teamId: string, text: string): Promise<void> {
  await vscode.workspace.fs.writeFile(fileOf(teamId), new TextEncoder().encode(text));
}

function read(teamId: string): Promise<string> {
  return readUri(fileOf(teamId));
}

async function readUri(uri: vscode.Uri): Promise<string> {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await vscode.workspace.fs.readFile(uri));
}
