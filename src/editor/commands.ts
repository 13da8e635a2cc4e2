// The commands. All are registered at once, before anything is opened, so that each can say why it cannot do its work.
import * as vscode from 'vscode';
import { COMMANDS, MEMENTO, type CommandId } from './contributions.js';
import { messageOf } from './errors.js';
import type { TeamPanel } from './panel.js';
import { recoverConversations } from './recovery.js';
import { roomUri } from './room-documents.js';
import type { OpenConversation, TeamSession } from './team-session.js';
import type { WorkspaceStorage } from './workspace-storage.js';

export interface CommandsOptions {
  readonly session: TeamSession;
  readonly panel: TeamPanel;
  readonly storage: () => Promise<WorkspaceStorage>;
  readonly memento: vscode.Memento;
  readonly log: vscode.LogOutputChannel;
}

export function registerCommands({ session, panel, storage, memento, log }: CommandsOptions): vscode.Disposable {
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
    [COMMANDS.resumeTeam]: async () => (await session.openToAct()).resumeTeam(),
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
  const { rooms } = open.conversation.team;
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

/** The id of a room from a command's argument: the id itself, a row of the sidebar, or `{roomId}`. */
function roomOf(argument: unknown): string | null {
  if (typeof argument === 'string') return argument;
  if (typeof argument !== 'object' || argument === null) return null;
  if ('roomId' in argument && typeof argument.roomId === 'string') return argument.roomId;
  if ('item' in argument && argument.item instanceof vscode.TreeItem) return argument.item.id ?? null;
  return null;
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
