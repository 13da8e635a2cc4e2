// What the commands and menus of the editor are shown and enabled by.
import * as vscode from 'vscode';
import { CONTEXT_KEYS } from './contributions.js';
import type { ConversationView } from '../protocol/view.js';

type Key = keyof typeof CONTEXT_KEYS;

export class ContextKeys {
  readonly #set = new Map<Key, boolean>();

  /** Sets the keys to what is so in a conversation; null when none is open. */
  show(view: Pick<ConversationView, 'members' | 'busy' | 'waits'> | null): void {
    const { members = [], busy = false, waits = [] } = view ?? {};
    this.#put(
      'running',
      members.some(({ status }) => status === 'running'),
    );
    this.#put('busy', busy || members.some(({ status }) => status === 'stopping'));
    this.#put(
      'turnWaits',
      waits.some(({ kind }) => kind === 'turn'),
    );
    this.#put(
      'chainWaits',
      waits.some(({ kind }) => kind === 'limit'),
    );
  }

  #put(key: Key, value: boolean): void {
    if (this.#set.get(key) === value) return;
    this.#set.set(key, value);
    void vscode.commands.executeCommand('setContext', CONTEXT_KEYS[key], value);
  }
}
