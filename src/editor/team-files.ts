// The team files of a workspace, and the demo team that ships with the extension for a workspace that has none.
import * as vscode from 'vscode';
import { parseTeamFile, TeamFileError, type TeamFile } from '../core/team/team-file.js';
import { TeamFileProblem } from './errors.js';

const TEAM_FOLDER = '.vscode/teams';
const SUFFIX = '.team.json';
export const TEAM_FILE_GLOB = `${TEAM_FOLDER}/*${SUFFIX}`;

/** Where in a folder the file of a team is. */
export function teamFilePath(teamId: string): string {
  return `${TEAM_FOLDER}/${teamId}${SUFFIX}`;
}

/** @param teamId - a slug, so that it cannot lead out of the folder. */
export function teamFileUri(folder: vscode.Uri, teamId: string): vscode.Uri {
  return vscode.Uri.joinPath(folder, teamFilePath(teamId));
}

/** A team file that was found; it is read when it is needed. */
export interface FoundTeam {
  readonly id: string;
  readonly uri: vscode.Uri;
}

/** The team files of all workspace folders, in the order of folders and names; the demo team when there are none. */
export async function findTeams(extensionUri: vscode.Uri): Promise<readonly FoundTeam[]> {
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => teamFolder(uri));
  const found = (await Promise.all(folders.map(teamsIn))).flat();
  return found.length > 0 ? found : teamsIn(vscode.Uri.joinPath(extensionUri, 'examples'));
}

/**
 * Reads a team file.
 * @throws TeamFileProblem with path and lines when it cannot be used; the error of the file system when it cannot be read.
 */
export async function readTeam({ id, uri }: FoundTeam): Promise<TeamFile> {
  const text = new TextDecoder('utf-8').decode(await vscode.workspace.fs.readFile(uri));
  try {
    return parseTeamFile(text, id);
  } catch (error) {
    throw error instanceof TeamFileError ? new TeamFileProblem(uri, error) : error;
  }
}

/** Where the team files of a workspace folder are. */
export function teamFolder(folder: vscode.Uri): vscode.Uri {
  return vscode.Uri.joinPath(folder, TEAM_FOLDER);
}

/**
 * The team files in a folder, by name; none when there is no such folder. It reads the folder itself: a search would
 * leave out what the person's settings exclude from searches.
 */
export async function teamsIn(folder: vscode.Uri): Promise<FoundTeam[]> {
  const names = await namesIn(folder);
  return names
    .filter((name) => name.endsWith(SUFFIX))
    .sort()
    .map((name) => ({ id: name.slice(0, -SUFFIX.length), uri: vscode.Uri.joinPath(folder, name) }));
}

async function namesIn(folder: vscode.Uri): Promise<readonly string[]> {
  try {
    return (await vscode.workspace.fs.readDirectory(folder)).map(([name]) => name);
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound') return [];
    throw error;
  }
}
