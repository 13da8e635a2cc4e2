// The store of this workspace's conversations.
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { LocalRunStorage, RunStoragePolicy } from '../storage/port.js';
import { createLocalRunStorage } from '../storage/sqlite/storage.js';
import { NoFolderError } from './errors.js';
import { canonicalStorageFolder, rootAround } from './storage-folder.js';

/** Storage policy of live conversations: 1 MiB an event, 2 MiB an append, artifacts of 16 MiB and 1 GiB in all. */
const POLICY: RunStoragePolicy = {
  schemaVersion: 1,
  maxEventPayloadBytes: 1_048_576,
  maxAppendBatchBytes: 2_097_152,
  maxArtifactBytes: 16_777_216,
  maxTotalArtifactBytesPerRun: 1_073_741_824,
  retention: 'until-run-delete',
  sensitiveContent: { marked: 'reject', exact: 'reject', freeText: 'redact-before-hash' },
};

export const NAMESPACE = 'teamroom';

export interface WorkspaceStorage {
  /** Folder of the conversations' files. */
  readonly directory: string;
  readonly storage: LocalRunStorage;
  /** Folder of the room files. */
  readonly rooms: string;
}

/**
 * Opens the workspace's storage; touches no database yet.
 * @throws NoFolderError when this window has no folder; an Error when the folder lies inside a workspace folder.
 */
export async function openWorkspaceStorage(context: vscode.ExtensionContext): Promise<WorkspaceStorage> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (context.storageUri === undefined || folders.length === 0) throw new NoFolderError();
  const folder = await canonicalStorageFolder(context.storageUri.fsPath);
  const roots = folders.filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath);
  const around = await rootAround(folder, roots);
  if (around !== null) {
    throw new Error(
      vscode.l10n.t(
        'The storage folder {folder} lies inside the workspace folder {root}, where members could change the record. Open another folder.',
        { folder, root: around },
      ),
    );
  }
  const directory = join(folder, 'conversations');
  return { directory, storage: bindStorage(directory), rooms: join(folder, 'rooms') };
}

/** Binds a folder of conversations, this workspace's or another's. */
export function bindStorage(directory: string): LocalRunStorage {
  return createLocalRunStorage({ directory, namespace: NAMESPACE, policy: POLICY });
}
