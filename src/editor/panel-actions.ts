// What a person does in the panel: each of its messages that asks for a deed, and the deed.
import * as vscode from 'vscode';
import { MAX_POST_LENGTH, type HostMessage, type PanelMessage } from '../protocol/messages.js';
import type { BoardMessage } from './board-host.js';
import { isTeamFormMessage, type TeamFormMessage } from './configure-team/host.js';
import { COMMANDS } from './contributions.js';
import type { ConversationsHost } from './conversations-host.js';
import type { Drafts } from './drafts.js';
import { openTarget, readWorkspaceImage } from './post-links.js';
import type { ReasoningDocuments } from './reasoning-documents.js';
import type { TeamSession } from './team-session.js';

const PICTURES = ['ready', 'openRoom', 'older', 'reasoning', 'reasoningClosed', 'problemAction'] as const;

/** Messages that ask for a picture, or end one, are the panel host's own; those about the board are its board's. */
export type PictureMessage = Extract<PanelMessage, { type: (typeof PICTURES)[number] }>;
export type ActionMessage = Exclude<PanelMessage, PictureMessage | BoardMessage>;

export function isPictureMessage(message: PanelMessage): message is PictureMessage {
  return PICTURES.some((type) => type === message.type);
}

export interface PanelActionsOptions {
  readonly session: TeamSession;
  readonly conversations: ConversationsHost;
  readonly teamForm: { handle(message: TeamFormMessage, send: (answer: HostMessage) => void): Promise<void> };
  readonly reasoningDocuments: ReasoningDocuments;
  readonly drafts: Drafts;
  readonly send: (message: HostMessage) => void;
}

/**
 * Does what the panel asks for.
 * @throws what the person is to be told: a TeamError, RestrictedError, StorageError.
 */
export async function act(message: ActionMessage, options: PanelActionsOptions): Promise<void> {
  if (isTeamFormMessage(message)) return options.teamForm.handle(message, options.send);
  const { session, conversations, reasoningDocuments, drafts, send } = options;
  const run = vscode.commands.executeCommand;
  switch (message.type) {
    case 'post': {
      const tooLong = message.text.length - MAX_POST_LENGTH;
      if (tooLong > 0) throw new Error(vscode.l10n.t('This post is {count} characters too long.', { count: tooLong }));
      const postId = await (await session.openToAct()).post(message);
      send({ type: 'posted', requestId: message.requestId, postId });
      return;
    }
    case 'draft': {
      const conversation = session.open().then((open) => open.conversation);
      return drafts.write(conversation, message.roomId, message.text);
    }
    case 'resumeTeam':
      return (await session.openToAct()).resumeTeam();
    case 'takeOver':
      return (await session.openToAct()).takeOver();
    case 'resumeTurn':
      return (await session.openToAct()).resumeTurn(message.position);
    case 'retryTurn':
      return (await session.openToAct()).retryTurn(message.position);
    case 'skipTurn':
      return (await session.openToAct()).skipTurn(message.position);
    case 'stop':
      return (await session.openToAct()).stop();
    case 'interruptTurn':
      return (await session.openToAct()).interruptTurn(message.position);
    case 'continueChain':
      return (await session.openToAct()).continueChain(message.chain, message.limit);
    case 'openReasoning':
      return reasoningDocuments.show(message.position);
    case 'openLink':
      return openTarget(message.target);
    case 'image': {
      const image = await readWorkspaceImage(message.path);
      const shown =
        image.kind === 'refused'
          ? image
          : { kind: 'shown' as const, mime: image.mime, base64: Buffer.from(image.bytes).toString('base64') };
      send({ type: 'image', path: message.path, image: shown });
      return;
    }
    case 'conversations': {
      const { query, archived } = message;
      const { items, hasMore } = await conversations.list(message);
      send({ type: 'conversations', query, archived, items: [...items], hasMore });
      return;
    }
    case 'openConversation':
      return conversations.open(message.runId);
    case 'newConversation':
      await session.startNew();
      return;
    case 'conversationAction':
      return conversations.act(message.action, message.runId);
    case 'fork':
      return conversations.fork(message.postId);
    case 'newRoom':
      await run(COMMANDS.newRoom);
      return;
    case 'messageDirectly':
      await run(COMMANDS.messageDirectly, message.memberId);
      return;
    case 'openAsText':
    case 'openRoomFile':
      await run(COMMANDS.openRoomFile, message.roomId);
      return;
    case 'revealRoomFile':
      await run(COMMANDS.revealRoomFile, message.roomId);
  }
}
