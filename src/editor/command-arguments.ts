// What a command is about: an id that a program gives, a row of the sidebar, or what the person picks.
import * as vscode from 'vscode';

/** The id of a room: the id itself, a row of the sidebar, or `{roomId}`. */
export function roomOf(argument: unknown): string | null {
  return idOf(argument, 'roomId');
}

/** The id of a member: the id itself, a row of the sidebar, or `{memberId}`. */
export function memberOf(argument: unknown): string | null {
  return idOf(argument, 'memberId');
}

/** The id of a task: the id itself, a row of the sidebar, or `{taskId}`. */
export function taskOf(argument: unknown): string | null {
  return idOf(argument, 'taskId');
}

function idOf(argument: unknown, key: string): string | null {
  if (typeof argument === 'string') return argument;
  if (typeof argument !== 'object' || argument === null) return null;
  const value = Object.entries(argument).find(([name]) => name === key)?.[1] as unknown;
  if (typeof value === 'string') return value;
  if ('item' in argument && argument.item instanceof vscode.TreeItem) return argument.item.id ?? null;
  return null;
}

export interface Choice<Value> extends vscode.QuickPickItem {
  readonly value: Value;
}

/**
 * Lets the person pick one; of one alone there is nothing to pick.
 * @returns null when they pick none, or there is none.
 */
export async function pickOne<Value>(choices: readonly Choice<Value>[], placeHolder: string): Promise<Value | null> {
  const [only] = choices;
  if (only === undefined) return null;
  if (choices.length === 1) return only.value;
  return (await vscode.window.showQuickPick(choices, { placeHolder }))?.value ?? null;
}
