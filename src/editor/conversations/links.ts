// Links to conversations: written, and followed to this workspace or to the one that a conversation belongs to.
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { COMMANDS } from '../contributions.js';
import type { ConversationsHost } from '../conversations-host.js';
import { messageOf, NoFolderError } from '../errors.js';
import type { WorkspaceStorage } from '../workspace-storage.js';
import { foldersOf } from './elsewhere.js';

const EXTENSION = 'teamroom.teamroom';
const PATH = /^\/conversation\/([A-Za-z0-9][A-Za-z0-9._-]{0,127})$/;

/** Which link a window that is being opened shall follow, for all workspaces. */
const FOLLOWED = 'followedLink';
/** How long a window may take to open, in milliseconds. */
const PATIENCE_MS = 300_000;

/** The link to a conversation. @param scheme - of this VS Code. */
export function conversationLink(runId: string, scheme: string): string {
  return `${scheme}://${EXTENSION}/conversation/${runId}`;
}

/** The run id in the path of a link; null when the link leads to no conversation. */
export function linkedConversation(path: string): string | null {
  return PATH.exec(path)?.[1] ?? null;
}

export async function copyLink(runId: string): Promise<void> {
  const link = conversationLink(runId, vscode.env.uriScheme);
  // In a browser nothing answers our scheme: there it has to be an address of the page.
  const isWeb = vscode.env.uiKind === vscode.UIKind.Web;
  const text = isWeb ? (await vscode.env.asExternalUri(vscode.Uri.parse(link))).toString(true) : link;
  await vscode.env.clipboard.writeText(text);
  vscode.window.setStatusBarMessage(vscode.l10n.t('The link to the conversation was copied.'), 3_000);
}

export interface LinkOptions {
  readonly context: vscode.ExtensionContext;
  readonly storage: () => Promise<WorkspaceStorage>;
  readonly conversations: ConversationsHost;
  readonly log: vscode.LogOutputChannel;
}

export class ConversationLinks implements vscode.UriHandler {
  readonly #options: LinkOptions;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  async handleUri(uri: vscode.Uri): Promise<void> {
    try {
      const runId = linkedConversation(uri.path);
      if (runId === null)
        throw new Error(vscode.l10n.t('This link leads to no conversation: {path}', { path: uri.path }));
      if (!(await this.#openHere(runId))) await this.#offerElsewhere(runId);
    } catch (error) {
      this.#options.log.error(messageOf(error));
      void vscode.window.showErrorMessage(messageOf(error));
    }
  }

  /** Follows the link for which this window was opened, if there is one. */
  async followPending(): Promise<void> {
    const { globalState } = this.#options.context;
    const followed = globalState.get<{ readonly runId?: unknown; readonly at?: unknown }>(FOLLOWED);
    const { runId, at } = followed ?? {};
    if (typeof runId !== 'string' || typeof at !== 'number') return;
    if (Date.now() - at > PATIENCE_MS || (await this.#openHere(runId))) await globalState.update(FOLLOWED, undefined);
  }

  /** @returns false when the conversation is not of this workspace. */
  async #openHere(runId: string): Promise<boolean> {
    const { storage, conversations } = this.#options;
    try {
      const stored = await (await storage()).storage.runs.list();
      if (!stored.some((run) => run.runId === runId)) return false;
    } catch (error) {
      if (error instanceof NoFolderError) return false;
      throw error;
    }
    await conversations.open(runId);
    await vscode.commands.executeCommand(COMMANDS.openPanel);
    return true;
  }

  async #offerElsewhere(runId: string): Promise<void> {
    const { context, log } = this.#options;
    const looking = { location: vscode.ProgressLocation.Window, title: vscode.l10n.t('Looking for the conversation…') };
    const folders = await vscode.window.withProgress(looking, () => foldersOf(runId, this.#elsewhere(), log));
    const [first] = folders ?? [];
    if (first === undefined) {
      const message =
        folders === null
          ? vscode.l10n.t('The conversation of this link was not found on this machine. It may have been deleted.')
          : vscode.l10n.t('The conversation of this link belongs to a workspace whose folder is not known.');
      void vscode.window.showWarningMessage(message);
      return;
    }
    const uri = vscode.Uri.parse(first);
    const open = vscode.l10n.t('Open Folder');
    const message = vscode.l10n.t('The conversation of this link belongs to the folder {folder}.', {
      folder: uri.fsPath,
    });
    if ((await vscode.window.showInformationMessage(message, open)) !== open) return;
    await context.globalState.update(FOLLOWED, { runId, at: Date.now() });
    await vscode.commands.executeCommand('vscode.openFolder', uri, { forceNewWindow: true });
  }

  /** …/User/workspaceStorage stands beside …/User/globalStorage. A window without a folder knows the second only. */
  #elsewhere() {
    const { storageUri, globalStorageUri, extension } = this.#options.context;
    const workspaces =
      storageUri === undefined
        ? join(dirname(dirname(globalStorageUri.fsPath)), 'workspaceStorage')
        : dirname(dirname(storageUri.fsPath));
    return { workspaces, extensionId: extension.id };
  }
}
