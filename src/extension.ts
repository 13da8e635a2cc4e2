// The composition root: what the extension is made of, in the order in which the parts need each other.
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { registerCommands } from './editor/commands.js';
import { PANEL_VIEW_TYPE, ROOM_SCHEME, SETTINGS } from './editor/contributions.js';
import { createEngines } from './editor/engines.js';
import { createErrorReporter } from './editor/error-reporter.js';
import { messageOf } from './editor/errors.js';
import { TeamPanel } from './editor/panel.js';
import { once } from './editor/once.js';
import { offerRecovery } from './editor/recovery.js';
import { RoomDocuments } from './editor/room-documents.js';
import { Sidebar } from './editor/sidebar.js';
import { watchTeamFiles } from './editor/team-file-watch.js';
import { TeamSession } from './editor/team-session.js';
import { openWorkspaceStorage } from './editor/workspace-storage.js';

let session: TeamSession | null = null;

export function activate(context: vscode.ExtensionContext): void {
  const { extensionUri, workspaceState: memento, subscriptions } = context;
  const log = vscode.window.createOutputChannel('Teamroom', { log: true });
  const engines = createEngines();
  const opened = once(() => openWorkspaceStorage(context));
  const storage = () => opened.get();

  const host = { engines, runnerId: randomUUID(), onError: createErrorReporter(log) };
  session = new TeamSession({ context, storage, host, log });
  const panel = new TeamPanel({ extensionUri, session, storage, engines, memento, hostEpoch: randomUUID(), log });
  const rooms = new RoomDocuments(session);

  subscriptions.push(
    log,
    session,
    panel,
    rooms,
    new Sidebar(session, engines),
    watchTeamFiles(session),
    vscode.workspace.onDidChangeWorkspaceFolders(() => opened.forget()),
    registerCommands({ session, panel, storage, memento, log }),
    vscode.window.registerWebviewPanelSerializer(PANEL_VIEW_TYPE, panel),
    vscode.workspace.registerFileSystemProvider(ROOM_SCHEME, rooms, {
      isCaseSensitive: true,
      isReadonly: new vscode.MarkdownString(vscode.l10n.t('A room file shows what was said. Post in the team panel.')),
    }),
  );

  panel.mendOrphans();
  if (vscode.workspace.getConfiguration(SETTINGS.section).get(SETTINGS.openPanelOnStartup) === true)
    panel.showAtStart();
  offerRecovery({ session, storage, memento, log }).catch((error: unknown) => log.warn(messageOf(error)));
  log.info(`Teamroom is active. Storage: ${context.storageUri?.fsPath ?? 'none (no folder is open)'}`);
}

/** Ends what runs; settles nothing, since every event that counts is durable already. */
export async function deactivate(): Promise<void> {
  await session?.close();
  session = null;
}
