// Deleting a conversation: the person is told what goes and what stays, and then it goes for good.
import * as vscode from 'vscode';
import type { ListedConversation } from '../../runtime/conversation-list.js';
import { contentOf, deleteConversation, type ConversationContent } from '../../runtime/deletion.js';
import { RestrictedError } from '../errors.js';
import type { TeamSession } from '../team-session.js';
import type { WorkspaceStorage } from '../workspace-storage.js';

export interface Deletion {
  readonly session: TeamSession;
  readonly place: WorkspaceStorage;
  readonly item: ListedConversation;
  /** Run id of what is shown afterwards; null for a fresh conversation. */
  readonly next: () => Promise<string | null>;
}

export async function askAndDelete({ session, place, item, next }: Deletion): Promise<void> {
  if (!vscode.workspace.isTrusted) throw new RestrictedError();
  const { runId } = item;
  const isOpen = (): boolean => session.current?.conversation.runId === runId;
  const isElsewhere = isOpen() ? session.runnerPlace() === 'elsewhere' : place.storage.runs.isHeld(runId);
  if (isElsewhere) {
    throw new Error(
      vscode.l10n.t('Another window runs this conversation. Open another one there, or close it, and try again.'),
    );
  }
  const content = await contentOf(place.storage, runId);
  const remove = vscode.l10n.t('Delete');
  const question =
    item.title === null
      ? vscode.l10n.t('Delete this conversation?')
      : vscode.l10n.t('Delete "{title}"?', { title: shortened(item.title) });
  const detail = detailOf(content, item.isRunning);
  if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, remove)) !== remove) return;
  if (!isOpen()) {
    await deleteConversation(place.storage, runId, place.rooms);
    return;
  }
  await session.discard(async () => {
    await deleteConversation(place.storage, runId, place.rooms);
    return next();
  });
}

function detailOf({ posts, rooms, isWhole }: ConversationContent, isRunning: boolean): string {
  const { l10n } = vscode;
  const counts = { posts, rooms: rooms.length };
  const goes = !isWhole
    ? l10n.t('It cannot be read to its end; at least {posts} of its posts go.', counts)
    : posts === 1
      ? l10n.t('1 post goes.')
      : l10n.t('{posts} posts in {rooms} rooms go.', counts);
  return [
    goes,
    l10n.t('With it go the reasoning of its members and the files of its rooms. This cannot be undone.'),
    ...(isRunning ? [l10n.t('What runs in it is ended.')] : []),
    l10n.t('What stays: the files of the workspace, exports, forks, and copies that were made of damaged files.'),
  ].join('\n\n');
}

function shortened(title: string): string {
  return title.length > 60 ? `${title.slice(0, 59).toWellFormed()}…` : title;
}
