// Finds a conversation in the storage of another workspace of this VS Code.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type * as vscode from 'vscode';
import { summarize } from '../../runtime/conversation-summary.js';
import { messageOf } from '../errors.js';
import { bindStorage } from '../workspace-storage.js';

export interface Elsewhere {
  /** Folder that holds a folder for each workspace. */
  readonly workspaces: string;
  /** The extension's folder in that of a workspace. */
  readonly extensionId: string;
}

/**
 * Looks for a conversation in every workspace. A storage that cannot be read is passed over.
 * @returns URIs of the folders that it was begun in; null when no workspace has it.
 */
export async function foldersOf(
  runId: string,
  { workspaces, extensionId }: Elsewhere,
  log: vscode.LogOutputChannel,
): Promise<readonly string[] | null> {
  for (const workspace of await readdir(workspaces).catch(() => [])) {
    const directory = join(workspaces, workspace, extensionId, 'conversations');
    try {
      const found = await summarize(bindStorage(directory), runId);
      if (found !== null) return found.folders;
    } catch (error) {
      log.warn(`${directory}: ${messageOf(error)}`);
    }
  }
  return null;
}
