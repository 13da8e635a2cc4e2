// New Team: a team file made from one of the templates that ship with the extension.
import * as vscode from 'vscode';
import { isSlug, SLUG_RULE } from '../core/team/slug.js';
import { parseTeamFile } from '../core/team/team-file.js';
import { readJsonText } from '../core/team/team-json.js';
import { teamFromTemplate } from './configure-team/edit.js';
import { NoFolderError } from './errors.js';
import { type FoundTeam, teamFileUri, teamFolder, teamsIn } from './team-files.js';

export interface NewTeamOptions {
  readonly extensionUri: vscode.Uri;
  /** Begins a conversation with the team that was made, and shows it. */
  readonly startConversation: (team: FoundTeam) => Promise<void>;
}

interface Template extends vscode.QuickPickItem {
  readonly id: string;
  readonly text: string;
}

/**
 * Asks for folder, template and id, writes the file, opens it and offers to start a conversation. A step that the person
 * leaves ends it, and nothing is written before the last.
 * @throws NoFolderError without a folder; an Error when the file is there by now or cannot be written.
 */
export async function newTeam({ extensionUri, startConversation }: NewTeamOptions): Promise<void> {
  const folder = await chooseFolder();
  if (folder === undefined) return;
  const template = await chooseTemplate(extensionUri);
  if (template === undefined) return;
  const id = await chooseId(folder, template.id);
  if (id === undefined) return;
  const found = { id, uri: teamFileUri(folder, id) };
  await create(found.uri, teamFromTemplate(template.text, template.id, id).text);
  await vscode.window.showTextDocument(found.uri, { preview: false });
  await offerConversation(() => startConversation(found));
}

async function chooseFolder(): Promise<vscode.Uri | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.length === 0) throw new NoFolderError();
  if (folders.length === 1) return folders[0]?.uri;
  const placeHolder = vscode.l10n.t('In which folder?');
  return (await vscode.window.showWorkspaceFolderPick({ placeHolder }))?.uri;
}

async function chooseTemplate(extensionUri: vscode.Uri): Promise<Template | undefined> {
  const templates = await Promise.all(
    (await teamsIn(vscode.Uri.joinPath(extensionUri, 'templates'))).map(readTemplate),
  );
  return vscode.window.showQuickPick(templates, {
    title: vscode.l10n.t('New Team'),
    placeHolder: vscode.l10n.t('Which team? Everything in it can be changed.'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
}

async function readTemplate({ id, uri }: FoundTeam): Promise<Template> {
  const text = new TextDecoder('utf-8').decode(await vscode.workspace.fs.readFile(uri));
  const { name, members } = parseTeamFile(text, id);
  const { value } = readJsonText(text);
  const about =
    value !== null && typeof value === 'object' && 'description' in value ? value['description'] : undefined;
  return {
    id,
    text,
    label: name,
    description: members.map((member) => member.name).join(', '),
    detail: typeof about === 'string' ? about : '',
  };
}

/** Asked in the editor's own box, so that Enter which ends a composition does not send it (WX-7). */
async function chooseId(folder: vscode.Uri, proposed: string): Promise<string | undefined> {
  const taken = new Set((await teamsIn(teamFolder(folder))).map(({ id }) => id));
  let value = proposed;
  for (let next = 2; taken.has(value); next += 1) value = `${proposed}-${next}`;
  return vscode.window.showInputBox({
    title: vscode.l10n.t('New Team'),
    prompt: vscode.l10n.t('The id of the team: the file will be called by it.'),
    value,
    validateInput: (id) => {
      if (!isSlug(id)) return SLUG_RULE;
      return taken.has(id) ? vscode.l10n.t('There is a team file with this id already.') : null;
    },
  });
}

/** Never overwrites. */
async function create(uri: vscode.Uri, text: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  edit.createFile(uri, { overwrite: false, ignoreIfExists: false, contents: new TextEncoder().encode(text) });
  if (await vscode.workspace.applyEdit(edit)) return;
  const path = vscode.workspace.asRelativePath(uri);
  throw new Error(vscode.l10n.t('The file {path} could not be made. Is it there already?', { path }));
}

/** Not in Restricted Mode: no conversation begins there. */
async function offerConversation(start: () => Promise<void>): Promise<void> {
  if (!vscode.workspace.isTrusted) return;
  const button = vscode.l10n.t('Start a Conversation');
  const text = vscode.l10n.t('The team is ready. Change what you like, and start.');
  if ((await vscode.window.showInformationMessage(text, button)) === button) await start();
}
