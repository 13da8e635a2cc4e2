// The pictures that a panel gets of the open conversation: the whole one, older pages, and changes.
import type * as vscode from 'vscode';
import type { LiveState } from '../core/team/live-state.js';
import { transcriptOf, type TranscriptEntry } from '../core/team/transcript.js';
import type { HostMessage } from '../protocol/messages.js';
import type { ConversationView } from '../protocol/view.js';
import type { EngineDirectory } from '../runtime/ports/engines.js';
import type { RecordChange } from '../runtime/live-record.js';
import { readTranscriptPage, type TranscriptPlace } from '../runtime/transcript-pages.js';
import { MEMENTO } from './contributions.js';
import { conversationView } from './conversation-view.js';
import type { Drafts } from './drafts.js';
import { postView } from './post-view.js';
import type { OpenConversation, TeamSession } from './team-session.js';
import type { WorkspaceStorage } from './workspace-storage.js';

type Message<Type extends HostMessage['type']> = Extract<HostMessage, { type: Type }>;

/** How many posts a page has. */
const PAGE = 50;

export interface PanelPicturesOptions {
  readonly session: TeamSession;
  readonly storage: () => Promise<WorkspaceStorage>;
  readonly engines: EngineDirectory;
  readonly memento: vscode.Memento;
  readonly drafts: Drafts;
  /** New at each activation. */
  readonly hostEpoch: string;
}

export class PanelPictures {
  readonly #options: PanelPicturesOptions;

  constructor(options: PanelPicturesOptions) {
    this.#options = options;
  }

  /**
   * The whole picture, with the newest page of a room; what running turns say is put in when it is sent.
   * @param wanted - the room; one that is not there gives way to the last one shown, then to the first.
   */
  async whole(wanted: string | null): Promise<Omit<Message<'snapshot'>, 'live'> & { readonly open: OpenConversation }> {
    const { session, memento, drafts, hostEpoch } = this.#options;
    const open = await session.open();
    const { state } = await open.conversation.status();
    const known = [wanted, memento.get<string>(MEMENTO.room), [...state.rooms.keys()][0]];
    const roomId = known.find((id) => state.rooms.has(id ?? '')) ?? '';
    await memento.update(MEMENTO.room, roomId);
    const page = await this.#readPage(open, state, roomId, { revision: state.revision + 1, index: 0 });
    return {
      open,
      type: 'snapshot',
      hostEpoch,
      revision: state.revision,
      conversation: this.#view(open, state),
      roomId,
      drafts: drafts.of(open.conversation.runId),
      ...page,
    };
  }

  /** The posts before a place. */
  async older(roomId: string, before: TranscriptPlace): Promise<Message<'page'>> {
    const open = await this.#options.session.open();
    const { state } = await open.conversation.status();
    return { type: 'page', roomId, ...(await this.#readPage(open, state, roomId, before)) };
  }

  changes(open: OpenConversation, { from, to, events, state }: RecordChange): Message<'changes'> {
    const context = { team: open.conversation.team, rooms: state.rooms };
    return {
      type: 'changes',
      hostEpoch: this.#options.hostEpoch,
      from,
      to,
      conversation: this.#view(open, state),
      posts: events.flatMap(transcriptOf).map((entry) => postView(entry, context)),
    };
  }

  async #readPage({ conversation }: OpenConversation, state: LiveState, roomId: string, before: TranscriptPlace) {
    const { storage } = await this.#options.storage();
    const page = await readTranscriptPage(storage, conversation.runId, { roomId, before, limit: PAGE });
    const context = { team: conversation.team, rooms: state.rooms };
    const view = (entry: TranscriptEntry) => postView(entry, context);
    return { posts: page.entries.map(view), hasOlder: page.hasOlder };
  }

  #view({ conversation, forkOf }: OpenConversation, state: LiveState): ConversationView {
    const { runId, team } = conversation;
    const { session, engines } = this.#options;
    return conversationView(state, { runId, forkOf, team, runner: session.runnerPlace(), engines });
  }
}
