// The status bar's word on the team: Stop while something runs or waits its turn, else how much waits for the person.
import * as vscode from 'vscode';
import type { ConversationView } from '../protocol/view.js';
import { COMMANDS } from './contributions.js';

export interface StatusWords {
  readonly text: string;
  readonly tooltip: string;
  readonly command: typeof COMMANDS.stop | typeof COMMANDS.openPanel;
}

/** @returns null where there is nothing to say */
export function statusWords(
  view: Pick<ConversationView, 'members' | 'busy' | 'waits' | 'waiting'>,
): StatusWords | null {
  const { l10n } = vscode;
  const running = view.members.filter(({ status }) => status === 'running' || status === 'stopping').length;
  if (running > 0 || view.busy) {
    const queued = view.members.reduce((sum, member) => sum + member.queued, 0);
    return {
      text: `$(debug-stop) ${running > 0 ? l10n.t('Team: {count} running', { count: running }) : l10n.t('Team: {count} queued', { count: queued })}`,
      tooltip: l10n.t('Stop everything that runs or waits in the conversation ({running} running, {queued} queued)', {
        running,
        queued,
      }),
      command: COMMANDS.stop,
    };
  }
  const waiting = view.waits.length + view.waiting;
  if (waiting === 0) return null;
  return {
    text: `$(bell-dot) ${l10n.t('Teamroom: {count} waiting', { count: waiting })}`,
    tooltip: l10n.t('Turns and chains that wait for you. Open the team panel.'),
    command: COMMANDS.openPanel,
  };
}

export class StatusBar implements vscode.Disposable {
  readonly #item: vscode.StatusBarItem;

  constructor() {
    this.#item = vscode.window.createStatusBarItem('teamroom.status', vscode.StatusBarAlignment.Left, 10);
    this.#item.name = vscode.l10n.t('Team');
  }

  /** @param view - null when no conversation is open. */
  show(view: ConversationView | null): void {
    const words = view === null ? null : statusWords(view);
    if (words === null) {
      this.#item.hide();
      return;
    }
    const { text, tooltip, command } = words;
    Object.assign(this.#item, {
      text,
      tooltip,
      command,
      accessibilityInformation: { label: `${spoken(text)}. ${tooltip}` },
    });
    this.#item.show();
  }

  dispose(): void {
    this.#item.dispose();
  }
}

function spoken(text: string): string {
  return text.replace(/^\$\([\w-]+\) /, '');
}
