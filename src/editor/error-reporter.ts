// Tells the person what went wrong where no click waits for an answer: always in the log, and once on the screen, since
// a full disk that is tried every two seconds must not become a wall of messages.
import * as vscode from 'vscode';
import { COMMANDS } from './contributions.js';
import { messageOf } from './errors.js';

/** How long the same message stays unsaid after it was shown, in milliseconds. */
const QUIET_MS = 60_000;

export function createErrorReporter(log: vscode.LogOutputChannel): (error: unknown) => void {
  const shownAt = new Map<string, number>();
  return (error) => {
    const message = messageOf(error);
    log.error(error instanceof Error && error.stack !== undefined ? error.stack : message);
    const last = shownAt.get(message);
    if (last !== undefined && performance.now() - last < QUIET_MS) return;
    shownAt.set(message, performance.now());
    const showLog = vscode.l10n.t('Show Log');
    void vscode.window.showErrorMessage(message, showLog).then(async (picked) => {
      if (picked === showLog) await vscode.commands.executeCommand(COMMANDS.showLog);
    });
  };
}
