// The commands. All are registered at once, before anything is opened, so that each can say why it cannot do its work.
import * as vscode from 'vscode';
import { roomOf, taskOf } from './command-arguments.js';
import { conversationCommands } from './conversations/commands.js';
import type { ConversationsHost } from './conversations-host.js';
import { COMMANDS, MEMENTO, type CommandId } from './contributions.js';
import { messageOf } from './errors.js';
import { newTeam } from './new-team.js';
import type { TeamPanel } from './panel.js';
import { recoverConversations } from './recovery.js';
import { roomCommands } from './room-commands.js';
import { roomUri } from './room-documents.js';
import type { OpenConversation, TeamSession } from './team-session.js';
import { turnCommands } from './turn-commands.js';
import type { WorkspaceStorage } from './workspace-storage.js';

export interface CommandsOptions {
  readonly extensionUri: vscode.Uri;
  readonly session: TeamSession;
  readonly panel: TeamPanel;
  readonly conversations: ConversationsHost;
  readonly storage: () => Promise<WorkspaceStorage>;
  readonly memento: vscode.Memento;
  readonly log: vscode.LogOutputChannel;
}

export function registerCommands(options: CommandsOptions): vscode.Disposable {
  const { extensionUri, session, panel, conversations, storage, memento, log } = options;
  const actions: Record<CommandId, (argument: unknown) => Promise<void> | void> = {
    [COMMANDS.openPanel]: (argument) => panel.show(roomOf(argument)),
    [COMMANDS.openRoomFile]: async (argument) => {
      const open = await session.open();
      const roomId = await chooseRoom(open, argument, memento);
      if (roomId === null) return;
      const document = await vscode.workspace.openTextDocument(roomUri(open.conversation.runId, roomId));
      await vscode.window.showTextDocument(document, { preview: false });
    },
    [COMMANDS.revealRoomFile]: async (argument) => {
      const open = await session.open();
      const roomId = await chooseRoom(open, argument, memento);
      if (roomId !== null) await reveal(await open.files.write(roomId));
    },
    ...turnCommands(session),
    ...roomCommands({ session, panel, memento }),
    ...conversationCommands({ session, conversations, log }),
    [COMMANDS.newTeam]: () =>
      newTeam({
        extensionUri,
        startConversation: async (team) => {
          await session.startNew(team);
          panel.show(null);
        },
      }),
    [COMMANDS.configureTeam]: () => panel.configureTeam(),
    [COMMANDS.openBoard]: (argument) => panel.showBoard(taskOf(argument)),
    [COMMANDS.recoverConversations]: () => recoverConversations({ session, storage, memento, log }),
    [COMMANDS.showLog]: () => log.show(),
  };
  const registered = Object.entries(actions).map(([id, action]) =>
    vscode.commands.registerCommand(id, async (argument: unknown) => {
      try {
        await action(argument);
      } catch (error) {
        log.error(`${id}: ${messageOf(error)}`);
        void vscode.window.showErrorMessage(messageOf(error));
      }
    }),
  );
  return vscode.Disposable.from(...registered);
}

/** The room meant: the one named, else the only one, else the one the person picks; null when they pick none. */
async function chooseRoom(open: OpenConversation, argument: unknown, memento: vscode.Memento): Promise<string | null> {
  const rooms = [...(await open.conversation.status()).state.rooms.values()];
  const named = roomOf(argument);
  if (named !== null) {
    if (rooms.some(({ id }) => id === named)) return named;
    throw new Error(
      vscode.l10n.t('There is no room "{room}" in this conversation. Its rooms are: {rooms}.', {
        room: named,
        rooms: rooms.map(({ id }) => id).join(', '),
      }),
    );
  }
  if (rooms.length === 1) return rooms[0]?.id ?? null;
  const last = memento.get<string>(MEMENTO.room);
  const items = rooms
    .map(({ id, name }) => ({ label: name, description: id, id }))
    .sort((a, b) => Number(b.id === last) - Number(a.id === last));
  const picked = await vscode.window.showQuickPick(items, { placeHolder: vscode.l10n.t('Which room?') });
  return picked?.id ?? null;
}

/** Shows a file on disk: in the system's file manager on a desktop, as an editor tab where there is none. */
async function reveal(path: string): Promise<void> {
  const uri = vscode.Uri.file(path);
  if (vscode.env.uiKind === vscode.UIKind.Desktop && vscode.env.remoteName === undefined) {
    await vscode.commands.executeCommand('revealFileInOS', uri);
    return;
  }
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document, { preview: false });
  const copy = vscode.l10n.t('Copy Path');
  void vscode.window.showInformationMessage(vscode.l10n.t('Room file: {path}', { path }), copy).then(async (picked) => {
    if (picked === copy) await vscode.env.clipboard.writeText(path);
  });
}
