// A task in the sidebar: what it is, how it stands and whose it is. A click opens the board there.
import * as vscode from 'vscode';
import { PERSON } from '../core/team/live-state.js';
import type { TaskColumn, TaskItem } from '../protocol/board.js';
import { COMMANDS } from './contributions.js';

const ICONS: Readonly<Record<TaskColumn, string>> = {
  blocked: 'lock',
  ready: 'circle-outline',
  in_progress: 'play-circle',
  completed: 'pass-filled',
};

/** @param nameOf the name that a member's id is shown under */
export function taskTreeItem(task: TaskItem, nameOf: (id: string) => string): vscode.TreeItem {
  const { id, subject, column, owner, blockedBy } = task;
  const item = new vscode.TreeItem(subject);
  const words = columnWords(column);
  const whose = owner === null ? '' : owner === PERSON ? vscode.l10n.t('you') : nameOf(owner);
  item.id = id;
  item.description = whose === '' ? words : `${words} · ${whose}`;
  const waits = column === 'blocked' ? vscode.l10n.t('Waits for {tasks}', { tasks: blockedBy.join(', ') }) : '';
  item.tooltip = [`${id}: ${subject}`, item.description, waits].filter((line) => line !== '').join('\n');
  item.iconPath = new vscode.ThemeIcon(ICONS[column]);
  item.contextValue = `task.${column}`;
  item.command = {
    command: COMMANDS.openBoard,
    title: vscode.l10n.t('Open Task Board'),
    arguments: [{ taskId: id }],
  };
  return item;
}

function columnWords(column: TaskColumn): string {
  switch (column) {
    case 'blocked':
      return vscode.l10n.t('blocked');
    case 'ready':
      return vscode.l10n.t('ready');
    case 'in_progress':
      return vscode.l10n.t('in progress');
    case 'completed':
      return vscode.l10n.t('completed');
  }
}
