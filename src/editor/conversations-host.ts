// What shows or asks for conversations (the panel, the sidebar) needs of the part that keeps them.
import type * as vscode from 'vscode';
import type { PanelMessage } from '../protocol/messages.js';
import type { ConversationItem } from '../protocol/view.js';

export type ConversationQuery = Pick<Extract<PanelMessage, { type: 'conversations' }>, 'query' | 'archived' | 'limit'>;

/** What can be done to a stored conversation, the open one or another. */
export type ConversationAction = Extract<PanelMessage, { type: 'conversationAction' }>['action'];

export interface ConversationPage {
  /** Newest activity first. */
  readonly items: readonly ConversationItem[];
  readonly hasMore: boolean;
}

export interface ConversationsHost {
  /** The list is not what it was: whoever shows it asks again. At most once a second. */
  readonly onDidChange: vscode.Event<void>;
  list(query: ConversationQuery): Promise<ConversationPage>;
  /** Shows a conversation in the place of the one that is open. @throws Error when there is no such conversation. */
  open(runId: string): Promise<void>;
  /** Asks what has to be asked, in VS Code's own boxes, and does it. Nothing happens when the person thinks better of it. */
  act(action: ConversationAction, runId: string): Promise<void>;
  /** Begins a conversation that goes on from a post of the open one, and shows it. */
  fork(postId: string): Promise<void>;
}
