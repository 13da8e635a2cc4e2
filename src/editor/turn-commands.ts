// Commands about turns and chains: what the panel's buttons do, for whoever works without it.
import * as vscode from 'vscode';
import type { WaitView } from '../protocol/view.js';
import type { Conversation } from '../runtime/conversation.js';
import { memberOf, pickOne, type Choice } from './command-arguments.js';
import { COMMANDS, type CommandId } from './contributions.js';
import type { TeamSession } from './team-session.js';
import { isTurnRunning } from './reasoning-desk.js';
import { waitsOf } from './waits.js';

type TurnWait = Extract<WaitView, { kind: 'turn' }>;
type LimitWait = Extract<WaitView, { kind: 'limit' }>;

type TurnCommand =
  'stop' | 'interruptMember' | 'resumeTurn' | 'retryTurn' | 'skipTurn' | 'continueChain' | 'resumeTeam';

/** @returns the commands and what they do; each throws what the person is to be told. */
export function turnCommands(
  session: TeamSession,
): Record<Extract<CommandId, (typeof COMMANDS)[TurnCommand]>, (argument: unknown) => Promise<void>> {
  const { l10n } = vscode;
  return {
    [COMMANDS.stop]: async () => (await session.openToAct()).stop(),
    [COMMANDS.resumeTeam]: async () => (await session.openToAct()).resumeTeam(),
    [COMMANDS.interruptMember]: async (argument) => {
      const conversation = await session.openToAct();
      const running = ofMember(await runningTurns(conversation), memberOf(argument));
      if (running.length === 0) say(l10n.t('Nobody is running.'));
      const position = await pickOne(running, l10n.t('Whose turn is to end? The others go on.'));
      if (position !== null) await conversation.interruptTurn(position);
    },
    [COMMANDS.resumeTurn]: async (argument) => {
      const turn = await pickTurn(await session.openToAct(), session, argument, ['interrupted', 'stopped']);
      if (turn?.wait.how === 'interrupted') await turn.conversation.resumeTurn(turn.wait.position);
      else if (turn !== null) await turn.conversation.retryTurn(turn.wait.position);
    },
    [COMMANDS.retryTurn]: async (argument) => {
      const turn = await pickTurn(await session.openToAct(), session, argument, ['failed']);
      if (turn !== null) await turn.conversation.retryTurn(turn.wait.position);
    },
    [COMMANDS.skipTurn]: async (argument) => {
      const turn = await pickTurn(await session.openToAct(), session, argument, ['interrupted', 'stopped', 'failed']);
      if (turn !== null) await turn.conversation.skipTurn(turn.wait.position);
    },
    [COMMANDS.continueChain]: async () => {
      const conversation = await session.openToAct();
      const { state, runner } = await conversation.status();
      const waits = waitsOf(state, runner).filter((wait) => wait.kind === 'limit' && wait.canContinue);
      const choices = waits.flatMap((wait) => (wait.kind === 'limit' ? [chainChoice(wait, conversation)] : []));
      if (choices.length === 0) say(l10n.t('No chain waits at a limit that could be extended.'));
      const wait = await pickOne(choices, l10n.t('Which chain may go on?'));
      if (wait !== null) await conversation.continueChain(wait.chain, wait.limit);
    },
  };
}

interface OfMember {
  readonly memberId: string;
}

async function runningTurns(conversation: Conversation): Promise<readonly (Choice<string> & OfMember)[]> {
  const { state, runner } = await conversation.status();
  return [...state.members.values()].flatMap(({ id, open }) =>
    open !== null && open.stopping === null && isTurnRunning(state, runner, open.position)
      ? [{ label: nameOf(conversation, id), value: open.position, memberId: id }]
      : [],
  );
}

async function pickTurn(
  conversation: Conversation,
  session: TeamSession,
  argument: unknown,
  kinds: readonly TurnWait['how'][],
): Promise<{ readonly wait: TurnWait; readonly conversation: Conversation } | null> {
  const { state } = await conversation.status();
  const turns = waitsOf(state, session.runnerPlace()).flatMap((wait) =>
    wait.kind === 'turn' && kinds.includes(wait.how) ? [wait] : [],
  );
  const choices = turns.map((wait): Choice<TurnWait> & OfMember => ({
    label: nameOf(conversation, wait.memberId),
    description: `${howWords(wait.how)} · ${state.rooms.get(wait.roomId)?.name ?? wait.roomId}`,
    ...(wait.message === null ? {} : { detail: wait.message }),
    value: wait,
    memberId: wait.memberId,
  }));
  const wanted = ofMember(choices, memberOf(argument));
  if (wanted.length === 0) {
    say(vscode.l10n.t('No turn waits for that.'));
    return null;
  }
  const wait = await pickOne(wanted, vscode.l10n.t('Which turn?'));
  return wait === null ? null : { wait, conversation };
}

function ofMember<Of extends OfMember>(all: readonly Of[], memberId: string | null): readonly Of[] {
  return memberId === null ? all : all.filter((one) => one.memberId === memberId);
}

function chainChoice(wait: LimitWait, conversation: Conversation): Choice<LimitWait> {
  const next = wait.next.map((id) => `@${nameOf(conversation, id)}`).join(', ');
  return { label: limitWords(wait.limit), description: next, value: wait };
}

function limitWords(limit: LimitWait['limit']): string {
  const { l10n } = vscode;
  switch (limit) {
    case 'hopCap':
      return l10n.t('Hop cap');
    case 'costCeiling':
      return l10n.t('Cost ceiling');
    case 'turnsPerMember':
      return l10n.t('Turns of one member');
  }
}

function howWords(how: TurnWait['how']): string {
  const { l10n } = vscode;
  switch (how) {
    case 'interrupted':
      return l10n.t('interrupted');
    case 'stopped':
      return l10n.t('stopped');
    case 'failed':
      return l10n.t('failed');
  }
}

function nameOf({ team }: Conversation, id: string): string {
  return team.members.find((member) => member.id === id)?.name ?? id;
}

function say(words: string): void {
  void vscode.window.showInformationMessage(words);
}
