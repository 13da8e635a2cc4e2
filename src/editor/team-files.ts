// The team files of a workspace, and the demo team that ships with the extension for a workspace that has none.
import * as vscode from 'vscode';
import { parseTeamFile, TeamFileError, type TeamFile } from '../core/team/team-file.js';
import { TeamFileProblem } from './errors.js';

export const TEAM_FILE_GLOB = '.vscode/teams/*.team.json';
const SUFFIX = '.team.json';

/** A team file that was found; it is read when it is needed. */
export interface FoundTeam {
  readonly id: string;
  readonly uri: vscode.Uri;
}

/** The team files of all workspace folders, in the order of their paths; the demo team when there are none. */
export async function findTeams(extensionUri: vscode.Uri): Promise<readonly FoundTeam[]> {
  const found = await vscode.workspace.findFiles(TEAM_FILE_GLOB);
  if (found.length === 0) return demoTeams(extensionUri);
  return found.map(named).sort((a, b) => (a.uri.path < b.uri.path ? -1 : 1));
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

async function demoTeams(extensionUri: vscode.Uri): Promise<readonly FoundTeam[]> {
  const folder = vscode.Uri.joinPath(extensionUri, 'examples');
  const entries = await vscode.workspace.fs.readDirectory(folder);
  return entries
    .filter(([file]) => file.endsWith(SUFFIX))
    .map(([file]) => named(vscode.Uri.joinPath(folder, file)))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

function named(uri: vscode.Uri): FoundTeam {
  const file = uri.path.slice(uri.path.lastIndexOf('/') + 1);
  return { id: file.slice(0, -SUFFIX.length), uri };
}
