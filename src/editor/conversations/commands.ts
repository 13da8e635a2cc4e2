// The palette's commands about conversations. Each works on the open one, unless it is told another.
import * as vscode from 'vscode';
import type { ConversationItem } from '../../protocol/view.js';
import { COMMANDS, type CommandId } from '../contributions.js';
import type { ConversationAction, ConversationsHost } from '../conversations-host.js';
import { messageOf } from '../errors.js';
import type { TeamSession } from '../team-session.js';

export interface ConversationCommandsOptions {
  readonly session: TeamSession;
  readonly conversations: ConversationsHost;
  readonly log: vscode.LogOutputChannel;
}

type Command = (argument: unknown) => Promise<void>;

/** How many conversations the box shows of each kind. */
const SHOWN = 200;

export function conversationCommands({ session, conversations, log }: ConversationCommandsOptions) {
  const meant = async (argument: unknown): Promise<string> =>
    typeof argument === 'string' ? argument : (await session.open()).conversation.runId;
  const acting =
    (action: ConversationAction): Command =>
    async (argument) =>
      conversations.act(action, await meant(argument));
  return {
    [COMMANDS.newConversation]: async () => {
      if (await session.startNew()) await vscode.commands.executeCommand(COMMANDS.openPanel);
    },
    [COMMANDS.openConversation]: async (argument) => {
      const runId = typeof argument === 'string' ? argument : await chooseConversation(conversations, log);
      if (runId === null) return;
      await conversations.open(runId);
      await vscode.commands.executeCommand(COMMANDS.openPanel);
    },
    [COMMANDS.renameConversation]: acting('rename'),
    [COMMANDS.archiveConversation]: acting('archive'),
    [COMMANDS.unarchiveConversation]: acting('unarchive'),
    [COMMANDS.deleteConversation]: acting('delete'),
    [COMMANDS.exportMarkdown]: acting('exportMarkdown'),
    [COMMANDS.exportRecord]: acting('exportRecord'),
    [COMMANDS.copyConversationLink]: acting('copyLink'),
  } satisfies Partial<Record<CommandId, Command>>;
}

interface Choice extends vscode.QuickPickItem {
  readonly runId?: string;
}

/** Lets the person look for a conversation: newest activity first, the archived ones last. */
function chooseConversation(conversations: ConversationsHost, log: vscode.LogOutputChannel): Promise<string | null> {
  const box = vscode.window.createQuickPick<Choice>();
  box.placeholder = vscode.l10n.t('Which conversation? Words of its name, its first post or its team find it.');
  let asked = 0;
  const look = async (query: string): Promise<void> => {
    const mine = (asked += 1);
    box.busy = true;
    const choices = await choicesFor(conversations, query.slice(0, 200));
    if (mine !== asked) return;
    box.items = choices;
    box.busy = false;
  };
  const lookSafely = (query: string): void =>
    void look(query).catch((error: unknown) => {
      log.error(messageOf(error));
      box.hide();
      void vscode.window.showErrorMessage(messageOf(error));
    });
  return new Promise((resolve) => {
    box.onDidChangeValue(lookSafely);
    box.onDidAccept(() => {
      resolve(box.selectedItems[0]?.runId ?? null);
      box.hide();
    });
    box.onDidHide(() => {
      asked += 1;
      resolve(null);
      box.dispose();
    });
    box.show();
    lookSafely('');
  });
}

async function choicesFor(conversations: ConversationsHost, query: string): Promise<Choice[]> {
  const [present, archived] = await Promise.all(
    [false, true].map(async (kind) => (await conversations.list({ query, archived: kind, limit: SHOWN })).items),
  );
  const rest = (archived ?? []).map(choice);
  const line: Choice = { label: vscode.l10n.t('Archived'), kind: vscode.QuickPickItemKind.Separator };
  return [...(present ?? []).map(choice), ...(rest.length === 0 ? [] : [line, ...rest])];
}

function choice(item: ConversationItem): Choice {
  const { l10n } = vscode;
  const { runId, title, teamName, activeAt, waits, isRunning, isOpen, problem } = item;
  const notes = [
    ...(problem === null ? [] : [problem]),
    ...(isOpen ? [l10n.t('open')] : []),
    ...(isRunning ? [l10n.t('running')] : []),
    ...(waits === 0
      ? []
      : [waits === 1 ? l10n.t('1 thing waits for you') : l10n.t('{count} things wait for you', { count: waits })]),
  ];
  const icon = problem === null ? '$(comment-discussion)' : '$(warning)';
  return {
    runId,
    label: `${icon} ${plain(title ?? l10n.t('New conversation'))}`,
    description: plain(`${teamName} · ${new Date(activeAt).toLocaleString(vscode.env.language)}`),
    ...(notes.length === 0 ? {} : { detail: plain(notes.join(' · ')) }),
    // What was found was found by other words than those that are shown. (The box puts labels with them first.)
    alwaysShow: true,
  };
}

/** A text in which nothing is taken for an icon. */
function plain(text: string): string {
  return text.replaceAll('$(', '\\$(');
}
