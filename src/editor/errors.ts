// Errors in words for the person: what happened, where, and what to do.
import * as vscode from 'vscode';
import { RecordError } from '../core/record/error.js';
import type { TeamFileError } from '../core/team/team-file.js';
import type { ProblemView } from '../protocol/view.js';
import { isStorageError } from '../storage/error.js';
import type { DamagedRun } from '../storage/port.js';

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  if (error instanceof Error && error.message !== '') return error.message;
  return String(error);
}

/** A team file that cannot be used: path, and each problem with its line. */
export class TeamFileProblem extends Error {
  override readonly name = 'TeamFileProblem';
  readonly uri: vscode.Uri;
  readonly error: TeamFileError;
  constructor(uri: vscode.Uri, error: TeamFileError) {
    super(error.message, { cause: error });
    this.uri = uri;
    this.error = error;
  }

  get path(): string {
    return vscode.workspace.asRelativePath(this.uri);
  }
}

/** Shows a team file at its first problem, beside the panel. */
export async function openAtProblem({ uri, error }: TeamFileProblem): Promise<void> {
  const [issue] = error.issues;
  const at = new vscode.Position(Math.max(0, (issue?.line ?? 1) - 1), Math.max(0, (issue?.column ?? 1) - 1));
  await vscode.window.showTextDocument(uri, {
    selection: new vscode.Range(at, at),
    viewColumn: vscode.ViewColumn.Beside,
  });
}

/** What the panel shows instead of a conversation. */
export function describeProblem(error: unknown): ProblemView {
  const { l10n } = vscode;
  if (error instanceof TeamFileProblem) {
    const lines = error.error.issues.map((issue) =>
      l10n.t('{path}, line {line}, column {column}: {message}', {
        path: error.path,
        line: issue.line,
        column: issue.column,
        message: issue.message,
      }),
    );
    return {
      title: l10n.t('The team file {path} cannot be used', { path: error.path }),
      detail: `${lines.join('\n')}\n\n${l10n.t('Mend the file and save it: the team is loaded again by itself. No conversation was changed.')}`,
      actions: ['openTeamFile', 'retry', 'showLog'],
    };
  }
  if (error instanceof NoFolderError) {
    return {
      title: l10n.t('Open a folder to talk to a team'),
      detail: l10n.t('A conversation is kept with its workspace, and this window has none.'),
      actions: ['openFolder'],
    };
  }
  if (error instanceof RestrictedError) {
    return {
      title: l10n.t('This folder is not trusted'),
      detail: l10n.t(
        'In Restricted Mode conversations can be read, but none begins. Trust the folder to talk to a team.',
      ),
      actions: ['manageTrust'],
    };
  }
  if (isStorageError(error) || error instanceof RecordError || error instanceof DamagedError) {
    return {
      title: l10n.t('The conversation cannot be read'),
      detail: `${error.message}\n\n${l10n.t('Nothing was changed or deleted. Try again, or begin a new conversation: the old one stays where it is.')}`,
      actions: ['retry', 'newConversation', 'showLog'],
    };
  }
  return {
    title: l10n.t('The conversation could not be opened'),
    detail: messageOf(error),
    actions: ['retry', 'newConversation', 'showLog'],
  };
}

/** This window has no folder, so there is no workspace storage. */
export class NoFolderError extends Error {
  override readonly name = 'NoFolderError';
  constructor() {
    super(vscode.l10n.t('Open a folder to talk to a team.'));
  }
}

/** The workspace is not trusted: nothing may be started in it. */
export class RestrictedError extends Error {
  override readonly name = 'RestrictedError';
  constructor() {
    super(vscode.l10n.t('This folder is in Restricted Mode. Trust it to talk to a team.'));
  }
}

/** The conversation that was open last is not among those that can be read, and these files cannot be read. */
export class DamagedError extends Error {
  override readonly name = 'DamagedError';
  constructor(damaged: readonly DamagedRun[]) {
    super(damaged.map(({ problem }) => problem).join('\n'));
  }
}
