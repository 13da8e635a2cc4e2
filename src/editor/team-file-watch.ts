// A team file that was mended is loaded again by itself, as long as no conversation is open for want of one.
import * as vscode from 'vscode';
import { TEAM_FILE_GLOB } from './team-files.js';
import type { TeamSession } from './team-session.js';

export function watchTeamFiles(session: TeamSession): vscode.Disposable {
  const watcher = vscode.workspace.createFileSystemWatcher(`**/${TEAM_FILE_GLOB}`);
  const look = (): void => {
    if (session.current === null) void session.reopen();
  };
  return vscode.Disposable.from(
    watcher,
    watcher.onDidChange(look),
    watcher.onDidCreate(look),
    watcher.onDidDelete(look),
  );
}
