// The conversations of this workspace, for everything that shows them: listed, opened, changed, forked.
import * as vscode from 'vscode';
import { ConversationList } from '../../runtime/conversation-list.js';
import { forkConversation } from '../../runtime/fork.js';
import { systemClock } from '../../runtime/system-clock.js';
import type { LocalRunStorage } from '../../storage/port.js';
import { titleOf } from '../conversation-view.js';
import type {
  ConversationAction,
  ConversationPage,
  ConversationQuery,
  ConversationsHost,
} from '../conversations-host.js';
import { messageOf, RestrictedError } from '../errors.js';
import { Pace } from '../pace.js';
import type { OpenConversation, TeamSession } from '../team-session.js';
import type { WorkspaceStorage } from '../workspace-storage.js';
import { renameConversation, setArchived } from './changes.js';
import { askAndDelete } from './deletion.js';
import { exportAsMarkdown, exportRecord } from './export.js';
import { copyLink } from './links.js';

export interface ConversationsOptions {
  readonly session: TeamSession;
  readonly storage: () => Promise<WorkspaceStorage>;
  readonly log: vscode.LogOutputChannel;
}

/** How often it is said that the list has changed, in milliseconds. */
const EVERY_MS = 1_000;

export class Conversations implements ConversationsHost, vscode.Disposable {
  readonly #options: ConversationsOptions;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #pace = new Pace(systemClock, EVERY_MS, () => this.#changed.fire());
  readonly #lists = new WeakMap<LocalRunStorage, ConversationList>();
  readonly #disposables: vscode.Disposable[];
  #watching: Disposable | null = null;

  readonly onDidChange = this.#changed.event;

  constructor(options: ConversationsOptions) {
    this.#options = options;
    const { session } = options;
    this.#disposables = [
      session.onDidChange(() => this.#pace.ask()),
      session.onDidReopen(() => this.#pace.ask()),
      session.onDidOpen(
        (open) => void this.#watch(open).catch((error: unknown) => options.log.error(messageOf(error))),
      ),
    ];
  }

  async list(query: ConversationQuery): Promise<ConversationPage> {
    const { current } = this.#options.session;
    const { storage } = await this.#options.storage();
    const open = current === null ? {} : { open: (await current.conversation.status()).state };
    const { items, hasMore } = await this.#listOf(storage).list({ ...query, ...open });
    const isOpen = (runId: string): boolean => runId === current?.conversation.runId;
    return { items: items.map((item) => ({ ...item, isOpen: isOpen(item.runId) })), hasMore };
  }

  async open(runId: string): Promise<void> {
    const { session } = this.#options;
    if (session.current?.conversation.runId === runId) return;
    await this.#known(runId);
    await session.show(runId);
  }

  async act(action: ConversationAction, runId: string): Promise<void> {
    const { storage: opened, session, log } = this.#options;
    const item = await this.#known(runId);
    const place = await opened();
    switch (action) {
      case 'rename':
        await renameConversation(session, item);
        break;
      case 'archive':
      case 'unarchive':
        await setArchived(session, runId, action === 'archive');
        break;
      case 'delete':
        await askAndDelete({ session, place, item, next: () => this.#newest() });
        break;
      case 'exportMarkdown':
        await exportAsMarkdown(place.storage, item);
        break;
      case 'exportRecord':
        await exportRecord(place, item, log);
        break;
      case 'copyLink':
        await copyLink(runId);
    }
    this.#pace.ask();
  }

  async fork(postId: string): Promise<void> {
    if (!vscode.workspace.isTrusted) throw new RestrictedError();
    const { session, storage: opened } = this.#options;
    const { conversation } = await session.open();
    const { storage } = await opened();
    const title = titleOf((await conversation.status()).state);
    const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.toString());
    const working = { location: vscode.ProgressLocation.Window, title: vscode.l10n.t('Forking the conversation…') };
    const runId = await vscode.window.withProgress(working, () =>
      forkConversation({ storage }, conversation.runId, postId, {
        folders,
        ...(title === null ? {} : { name: forkName(title) }),
      }),
    );
    await session.show(runId);
  }

  dispose(): void {
    this.#watching?.[Symbol.dispose]();
    this.#pace[Symbol.dispose]();
    for (const disposable of this.#disposables) disposable.dispose();
    this.#changed.dispose();
  }

  #listOf(storage: LocalRunStorage): ConversationList {
    const list = this.#lists.get(storage) ?? new ConversationList(storage);
    this.#lists.set(storage, list);
    return list;
  }

  /** A conversation of this workspace. @throws Error when there is none of that id, or its file cannot be read at all. */
  async #known(runId: string) {
    const { storage } = await this.#options.storage();
    const item = await this.#listOf(storage).find(runId);
    if (item === null) {
      throw new Error(vscode.l10n.t('There is no such conversation in this workspace. It may have been deleted.'));
    }
    if (item.isFile) {
      throw new Error(
        vscode.l10n.t('{problem} The file stays as it is, in {folder}.', {
          problem: item.problem ?? '',
          folder: (await this.#options.storage()).directory,
        }),
      );
    }
    return item;
  }

  /** Run id of the conversation with the newest activity that can be read and is not put away. */
  async #newest(): Promise<string | null> {
    const { storage } = await this.#options.storage();
    const { items } = await this.#listOf(storage).list({ query: '', archived: false, limit: 20 });
    return items.find(({ problem }) => problem === null)?.runId ?? null;
  }

  /** Follows the open conversation, should another window delete it. */
  async #watch({ conversation: { runId } }: OpenConversation): Promise<void> {
    const { storage } = await this.#options.storage();
    this.#watching?.[Symbol.dispose]();
    const gone = (): Promise<void> => this.#leave(storage, runId);
    this.#watching = storage.runs.watch(
      runId,
      () => void gone().catch((error: unknown) => this.#options.log.error(messageOf(error))),
    );
  }

  async #leave(storage: LocalRunStorage, runId: string): Promise<void> {
    const { session } = this.#options;
    const isOpen = (): boolean => session.current?.conversation.runId === runId;
    const stream = { namespace: storage.record.namespace, streamId: runId };
    if (!isOpen() || (await storage.eventStore.head(stream)) > 0 || !isOpen()) return;
    await session.discard(() => this.#newest());
    void vscode.window.showInformationMessage(vscode.l10n.t('The conversation was deleted in another window.'));
  }
}

function forkName(title: string): string {
  const mark = vscode.l10n.t('(fork)');
  const short = title.length > 100 ? `${title.slice(0, 99).toWellFormed()}…` : title;
  return short.endsWith(mark) ? short : `${short} ${mark}`;
}
