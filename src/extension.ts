// The composition root: what the extension is made of, in the order in which the parts need each other.
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { registerCommands } from './editor/commands.js';
import { TeamFormHost } from './editor/configure-team/host.js';
import { PANEL_VIEW_TYPE, ROOM_SCHEME, SETTINGS } from './editor/contributions.js';
import { Conversations } from './editor/conversations/host.js';
import { ConversationLinks } from './editor/conversations/links.js';
import { createEngines } from './editor/engines.js';
import { createErrorReporter } from './editor/error-reporter.js';
import { messageOf } from './editor/errors.js';
import { TeamPanel } from './editor/panel.js';
import { LimitSettings } from './editor/limit-settings.js';
import { once } from './editor/once.js';
import { ReadOnlyDocuments } from './editor/read-only-documents.js';
import { ReasoningDocuments } from './editor/reasoning-documents.js';
import { offerRecovery } from './editor/recovery.js';
import { RoomDocuments } from './editor/room-documents.js';
import { Sidebar } from './editor/sidebar.js';
import { watchTeamFiles } from './editor/team-file-watch.js';
import { TeamSession } from './editor/team-session.js';
import { TeamStatus } from './editor/team-status.js';
import { openWorkspaceStorage } from './editor/workspace-storage.js';

let session: TeamSession | null = null;

export function activate(context: vscode.ExtensionContext): void {
  const { extensionUri, workspaceState: memento, subscriptions } = context;
  const log = vscode.window.createOutputChannel('Teamroom', { log: true });
  const engines = createEngines();
  const opened = once(() => openWorkspaceStorage(context));
  const storage = () => opened.get();

  const settings = new LimitSettings();
  const host = { settings: () => settings.read(), engines, runnerId: randomUUID(), onError: createErrorReporter(log) };
  session = new TeamSession({ context, storage, host, log });
  const conversations = new Conversations({ session, storage, log });
  const links = new ConversationLinks({ context, storage, conversations, log });
  const rooms = new RoomDocuments(session);
  const reasoningDocuments = new ReasoningDocuments({ session, storage: async () => (await storage()).storage });
  const documents = new ReadOnlyDocuments([rooms, reasoningDocuments]);
  const panel = new TeamPanel({
    ...{ extensionUri, session, storage, engines, memento, log, conversations, reasoningDocuments },
    teamForm: new TeamFormHost({ session, engines, extensionUri }),
    hostEpoch: randomUUID(),
  });

  subscriptions.push(
    log,
    session,
    conversations,
    panel,
    documents,
    rooms,
    reasoningDocuments,
    new Sidebar(session, engines),
    new TeamStatus({ session, engines, log }),
    watchTeamFiles(session),
    settings,
    settings.onDidChange(() => {
      session?.current?.conversation.applySettings().catch((error: unknown) => log.warn(messageOf(error)));
    }),
    vscode.workspace.onDidChangeWorkspaceFolders(() => opened.forget()),
    registerCommands({ extensionUri, session, panel, conversations, storage, memento, log }),
    vscode.window.registerUriHandler(links),
    vscode.window.registerWebviewPanelSerializer(PANEL_VIEW_TYPE, panel),
    vscode.workspace.registerFileSystemProvider(ROOM_SCHEME, documents, {
      isCaseSensitive: true,
      isReadonly: new vscode.MarkdownString(vscode.l10n.t('This shows what was recorded. Post in the team panel.')),
    }),
  );

  panel.mendOrphans();
  if (vscode.workspace.getConfiguration(SETTINGS.section).get(SETTINGS.openPanelOnStartup) === true)
    panel.showAtStart();
  links.followPending().catch((error: unknown) => log.warn(messageOf(error)));
  offerRecovery({ session, storage, memento, log }).catch((error: unknown) => log.warn(messageOf(error)));
  log.info(`Teamroom is active. Storage: ${context.storageUri?.fsPath ?? 'none (no folder is open)'}`);
}

/** Ends what runs; settles nothing, since every event that counts is durable already. */
export async function deactivate(): Promise<void> {
  await session?.close();
  session = null;
}
