// Which team a conversation begins with: the only one there is, else the one that the person picks.
import * as vscode from 'vscode';
import type { TeamFile } from '../core/team/team-file.js';
import { TeamFileProblem } from './errors.js';
import { findTeams, readTeam } from './team-files.js';

/**
 * The team that a workspace's first conversation begins with: the first usable one in the order of folders and names.
 * @throws TeamFileProblem when there are team files and none can be used.
 */
export async function firstTeam(extensionUri: vscode.Uri, log: vscode.LogOutputChannel): Promise<TeamFile> {
  const [first] = await usableTeams(extensionUri, log);
  if (first === undefined) throw new Error(vscode.l10n.t('No team file was found.'));
  return first;
}

/** The team that a person wants to begin with. @returns null when they pick none of several. */
export async function chooseTeam(extensionUri: vscode.Uri, log: vscode.LogOutputChannel): Promise<TeamFile | null> {
  const teams = await usableTeams(extensionUri, log);
  const [first] = teams;
  if (first === undefined) throw new Error(vscode.l10n.t('No team file was found.'));
  if (teams.length === 1) return first;
  const items = teams.map((team) => ({
    label: team.name,
    description: team.id,
    detail: team.members.map(({ name }) => name).join(', '),
    team,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('New Conversation'),
    placeHolder: vscode.l10n.t('With which team?'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return picked?.team ?? null;
}

async function usableTeams(extensionUri: vscode.Uri, log: vscode.LogOutputChannel): Promise<readonly TeamFile[]> {
  const problems: TeamFileProblem[] = [];
  const usable: TeamFile[] = [];
  for (const found of await findTeams(extensionUri)) {
    try {
      usable.push(await readTeam(found));
    } catch (error) {
      if (!(error instanceof TeamFileProblem)) throw error;
      problems.push(error);
    }
  }
  const [problem] = problems;
  if (problem !== undefined && usable.length === 0) throw problem;
  for (const other of problems) log.warn(other.message);
  return usable;
}
