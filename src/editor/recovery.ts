// Conversations of this project that VS Code keeps under another workspace's storage: after a rename or a move of the
// folder, an added folder, or Save Workspace As. They are found by what their records say and copied; nothing is moved.
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { summarize, type ConversationSummary } from '../runtime/conversation-summary.js';
import { copyRun } from '../storage/sqlite/copy-run.js';
import { COMMANDS, MEMENTO } from './contributions.js';
import { messageOf } from './errors.js';
import type { TeamSession } from './team-session.js';
import { bindStorage, NAMESPACE, type WorkspaceStorage } from './workspace-storage.js';

export interface RecoveryOptions {
  readonly session: TeamSession;
  readonly storage: () => Promise<WorkspaceStorage>;
  readonly memento: vscode.Memento;
  readonly log: vscode.LogOutputChannel;
}

/** A conversation in the storage of another workspace. */
interface Stray {
  readonly summary: ConversationSummary;
  readonly directory: string;
  readonly changedAt: number;
}

/** Lets the person choose among the conversations of other workspaces, and copies what is chosen into this one. */
export async function recoverConversations({ session, storage, memento, log }: RecoveryOptions): Promise<void> {
  const { directory } = await storage();
  const looking = { location: vscode.ProgressLocation.Window, title: vscode.l10n.t('Looking for conversations…') };
  const strays = await vscode.window.withProgress(looking, () => findStrays(directory, log));
  if (strays.length === 0) {
    const message = vscode.l10n.t('No other workspace of this VS Code has conversations that are not here already.');
    void vscode.window.showInformationMessage(message);
    return;
  }
  const picked = await vscode.window.showQuickPick(strays.map(choice), {
    canPickMany: true,
    placeHolder: vscode.l10n.t('Which conversations shall be copied into this workspace? The originals stay.'),
  });
  const [newest] = picked ?? [];
  if (picked === undefined || newest === undefined) return;
  for (const { stray } of picked) {
    await copyRun({ namespace: NAMESPACE, runId: stray.summary.runId, from: stray.directory, to: directory });
  }
  await session.show(newest.stray.summary.runId);
  await vscode.commands.executeCommand(COMMANDS.openPanel);
  const done =
    picked.length === 1
      ? vscode.l10n.t('1 conversation was recovered.')
      : vscode.l10n.t('{count} conversations were recovered.', { count: picked.length });
  void vscode.window.showInformationMessage(done);
  await memento.update(MEMENTO.recoveryOffered, true);
}

/** Says once that conversations of this very folder lie in another workspace's storage, while this one has none. */
export async function offerRecovery(options: RecoveryOptions): Promise<void> {
  const { storage, memento, log } = options;
  const first = vscode.workspace.workspaceFolders?.[0]?.uri.toString();
  if (first === undefined || memento.get(MEMENTO.recoveryOffered) === true) return;
  const own = await storage();
  if ((await own.storage.runs.list()).length > 0) return;
  const strays = await findStrays(own.directory, log);
  if (!strays.some(({ summary }) => summary.folders[0] === first)) return;
  await memento.update(MEMENTO.recoveryOffered, true);
  const recover = vscode.l10n.t('Recover Conversations…');
  const message = vscode.l10n.t('Earlier team conversations of this folder are kept with another workspace.');
  void vscode.window.showInformationMessage(message, recover).then(async (picked) => {
    if (picked === recover) await vscode.commands.executeCommand(COMMANDS.recoverConversations);
  });
}

/** Conversations in sibling storages that are not in `own`, newest first. A storage that cannot be read is passed over. */
async function findStrays(own: string, log: vscode.LogOutputChannel): Promise<readonly Stray[]> {
  // …/workspaceStorage/<workspace id>/<extension id>/conversations
  const extension = dirname(own);
  const all = dirname(dirname(extension));
  const here = new Set((await bindStorage(own).runs.list()).map(({ runId }) => runId));
  const strays: Stray[] = [];
  for (const workspace of await readdir(all)) {
    const directory = join(all, workspace, basename(extension), basename(own));
    if (directory === own) continue;
    try {
      const other = bindStorage(directory);
      for (const { runId, changedAt } of await other.runs.list()) {
        const summary = here.has(runId) ? null : await summarize(other, runId);
        if (summary?.firstPost !== null && summary !== null) strays.push({ summary, directory, changedAt });
      }
    } catch (error) {
      log.warn(`${directory}: ${messageOf(error)}`);
    }
  }
  return strays.sort((a, b) => b.changedAt - a.changedAt);
}

function choice(stray: Stray) {
  const { firstPost, folders, teamId } = stray.summary;
  const folder = folders[0] === undefined ? '' : vscode.Uri.parse(folders[0]).fsPath;
  const when = new Date(stray.changedAt).toLocaleString(vscode.env.language);
  return { label: firstLine(firstPost ?? ''), description: folder, detail: `${teamId} · ${when}`, stray };
}

function firstLine(text: string): string {
  const [line = ''] = text.split('\n');
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
