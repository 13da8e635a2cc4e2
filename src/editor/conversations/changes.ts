// What a person changes about a conversation: its name, and whether it is put away.
import * as vscode from 'vscode';
import type { ListedConversation } from '../../runtime/conversation-list.js';
import { RestrictedError } from '../errors.js';
import type { TeamSession } from '../team-session.js';

/** How long a name may be, in UTF-16 code units. */
const MAX_NAME = 200;

/** Asks for a name; an empty one takes the name away. */
export async function renameConversation(session: TeamSession, item: ListedConversation): Promise<void> {
  if (!vscode.workspace.isTrusted) throw new RestrictedError();
  const { l10n } = vscode;
  const name = await vscode.window.showInputBox({
    title: l10n.t('Rename Conversation'),
    value: item.title ?? '',
    prompt: l10n.t('Leave it empty to call the conversation by its first post again.'),
    validateInput: (value) =>
      value.trim().length > MAX_NAME ? l10n.t('At most {count} characters.', { count: MAX_NAME }) : undefined,
  });
  if (name === undefined) return;
  await session.use(item.runId, (conversation) => conversation.rename(name.replaceAll(/\s+/gu, ' ')));
}

export async function setArchived(session: TeamSession, runId: string, archived: boolean): Promise<void> {
  if (!vscode.workspace.isTrusted) throw new RestrictedError();
  await session.use(runId, (conversation) => conversation.setArchived(archived));
}
