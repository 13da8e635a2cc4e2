// What the window shows of the open conversation outside of the panel: the status bar and the context keys.
import * as vscode from 'vscode';
import type { LiveState } from '../core/team/live-state.js';
import type { EngineDirectory } from '../runtime/ports/engines.js';
import { ContextKeys } from './context-keys.js';
import { conversationView } from './conversation-view.js';
import { messageOf } from './errors.js';
import { StatusBar } from './status-bar.js';
import type { OpenConversation, TeamSession } from './team-session.js';

export interface TeamStatusOptions {
  readonly session: TeamSession;
  readonly engines: EngineDirectory;
  readonly log: vscode.LogOutputChannel;
}

/** Opens nothing by itself: before somebody has opened the conversation there is nothing to say. */
export class TeamStatus implements vscode.Disposable {
  readonly #options: TeamStatusOptions;
  readonly #bar = new StatusBar();
  readonly #keys = new ContextKeys();
  readonly #listening: vscode.Disposable;

  constructor(options: TeamStatusOptions) {
    this.#options = options;
    const { session } = options;
    this.#listening = vscode.Disposable.from(
      session.onDidOpen((open) => void this.#look(open)),
      session.onDidReopen(() => void this.#look(session.current)),
      session.onDidChange(({ state }) => {
        if (session.current !== null) this.#show(session.current, state);
      }),
    );
    void this.#look(session.current);
  }

  dispose(): void {
    this.#listening.dispose();
    this.#bar.dispose();
  }

  async #look(open: OpenConversation | null): Promise<void> {
    try {
      if (open === null) {
        this.#bar.show(null);
        this.#keys.show(null);
        return;
      }
      const { state } = await open.conversation.status();
      if (this.#options.session.current === open) this.#show(open, state);
    } catch (error) {
      this.#options.log.warn(messageOf(error));
    }
  }

  #show({ conversation, forkOf }: OpenConversation, state: LiveState): void {
    const { session, engines } = this.#options;
    const { runId, team } = conversation;
    const view = conversationView(state, { runId, forkOf, team, engines, runner: session.runnerPlace() });
    this.#bar.show(view);
    this.#keys.show(view);
  }
}
