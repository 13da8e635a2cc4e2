// Commands about rooms and whom one talks to: a new room, a member alone, a mention from the sidebar.
import * as vscode from 'vscode';
import { TeamError } from '../core/team/error.js';
import { decideRoom } from '../core/team/live-room.js';
import type { LiveState } from '../core/team/live-state.js';
import type { TeamFileMember } from '../core/team/team-file.js';
import type { Conversation } from '../runtime/conversation.js';
import { memberOf, pickOne, type Choice } from './command-arguments.js';
import { COMMANDS, MEMENTO, type CommandId } from './contributions.js';
import type { TeamPanel } from './panel.js';
import type { TeamSession } from './team-session.js';

export interface RoomCommandsOptions {
  readonly session: TeamSession;
  readonly panel: Pick<TeamPanel, 'show' | 'insert'>;
  readonly memento: vscode.Memento;
}

type RoomCommand = 'newRoom' | 'messageDirectly' | 'mentionMember';

/** @returns the commands and what they do; each throws what the person is to be told. */
export function roomCommands({
  session,
  panel,
  memento,
}: RoomCommandsOptions): Record<
  Extract<CommandId, (typeof COMMANDS)[RoomCommand]>,
  (argument: unknown) => Promise<void>
> {
  const { l10n } = vscode;
  return {
    [COMMANDS.newRoom]: async () => {
      const conversation = await session.openToAct();
      const { state } = await conversation.status();
      const name = await askName(state);
      if (name === null) return;
      const members = await askMembers(conversation.team.members);
      if (members === null) return;
      panel.show(await conversation.createRoom({ name, members }));
    },
    [COMMANDS.messageDirectly]: async (argument) => {
      const conversation = await session.openToAct();
      const member = await askMember(conversation, argument, l10n.t('Whom do you want to talk to alone?'));
      if (member !== null) panel.show(await conversation.directRoom(member.id));
    },
    [COMMANDS.mentionMember]: async (argument) => {
      const { conversation } = await session.open();
      const member = await askMember(conversation, argument, l10n.t('Whom do you want to mention?'));
      if (member === null) return;
      const { state } = await conversation.status();
      panel.insert(`@${member.name}`, roomWith(state, member.id, memento.get<string>(MEMENTO.room)));
    },
  };
}

async function askName(state: LiveState): Promise<string | null> {
  const { l10n } = vscode;
  let prompt = l10n.t('What is the room called?');
  for (;;) {
    const name = await vscode.window.showInputBox({
      title: l10n.t('New Room'),
      prompt,
      validateInput: (value) => nameProblem(state, value),
    });
    if (name === undefined) return null;
    if (name.trim() !== '') return name;
    prompt = l10n.t('A room needs a name: what is it called?');
  }
}

/** The rules decide, with every member in the room: only the name can be wrong. One that is not begun yet is not. */
function nameProblem(state: LiveState, name: string): string | null {
  if (name.trim() === '') return null;
  try {
    decideRoom(state, { name, members: [...state.members.keys()] });
    return null;
  } catch (error) {
    if (error instanceof TeamError) return error.message;
    throw error;
  }
}

/** @returns ids, at least one; null when the person thinks better of it */
async function askMembers(members: readonly TeamFileMember[]): Promise<readonly string[] | null> {
  const { l10n } = vscode;
  let placeHolder = l10n.t('Who is in it, besides you?');
  for (;;) {
    const picked = await vscode.window.showQuickPick(members.map(memberChoice), {
      title: l10n.t('New Room'),
      placeHolder,
      canPickMany: true,
    });
    if (picked === undefined) return null;
    if (picked.length > 0) return picked.map(({ value }) => value.id);
    placeHolder = l10n.t('A room needs a member: choose at least one');
  }
}

async function askMember(
  { team }: Conversation,
  argument: unknown,
  placeHolder: string,
): Promise<TeamFileMember | null> {
  const wanted = memberOf(argument);
  if (wanted === null) return pickOne(team.members.map(memberChoice), placeHolder);
  const member = team.members.find(({ id }) => id === wanted);
  if (member !== undefined) return member;
  throw new Error(
    vscode.l10n.t('There is no member "{member}" in this team. Its members are: {members}.', {
      member: wanted,
      members: team.members.map(({ id }) => id).join(', '),
    }),
  );
}

function memberChoice(member: TeamFileMember): Choice<TeamFileMember> {
  return { label: member.name, description: member.role, value: member };
}

/** A room in which the member can be mentioned: the one that is open, when it is in that one. */
function roomWith({ rooms }: LiveState, memberId: string, open: string | undefined): string | null {
  if (rooms.get(open ?? '')?.members.includes(memberId) === true) return open ?? null;
  return [...rooms.values()].find(({ members }) => members.includes(memberId))?.id ?? null;
}
