// Tells the person what went wrong where no click waits for an answer: always in the log, and once on the screen, since
// a full disk that is tried every two seconds must not become a wall of messages.
import * as vscode from 'vscode';
import { isStorageError } from '../storage/error.js';
import { findLockHolder } from '../storage/sqlite/lock-holder.js';
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
    const stopped = stoppedHolder(error);
    const end = stopped === null ? [] : [vscode.l10n.t('End Process {pid}', { pid: stopped.pid })];
    void vscode.window.showErrorMessage(message, ...end, showLog).then(async (picked) => {
      if (picked === showLog) await vscode.commands.executeCommand(COMMANDS.showLog);
      else if (picked !== undefined && stopped !== null) endStopped(stopped);
    });
  };
}

interface StoppedHolder {
  readonly path: string;
  readonly pid: number;
}

/** The process that was stopped in the middle of a write, when that is why the store cannot be used. */
function stoppedHolder(error: unknown): StoppedHolder | null {
  if (!isStorageError(error, 'STORAGE_UNAVAILABLE')) return null;
  const { path, pid, isStopped } = error.details;
  return isStopped === true && typeof path === 'string' && typeof pid === 'number' ? { path, pid } : null;
}

/** Ends it only if it is still the one that was named: ids are used again. */
function endStopped({ path, pid }: StoppedHolder): void {
  const holder = findLockHolder(path);
  if (holder?.pid === pid && holder.isStopped) process.kill(pid, 'SIGKILL');
}
