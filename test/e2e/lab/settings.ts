// The settings of a lab's editor, on the levels that a person has: user, machine (where machine-scoped keys are read
// from) and workspace. The editor follows the files while it runs.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export type Settings = Readonly<Record<string, unknown>>;

export type SettingsLevel = 'user' | 'machine' | 'workspace';

/** What every lab starts with: nothing that would stand in a person's way or in a picture. */
export const QUIET_SETTINGS: Settings = {
  'workbench.startupEditor': 'none',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.tips.enabled': false,
  'extensions.ignoreRecommendations': true,
  'extensions.autoCheckUpdates': false,
  'telemetry.telemetryLevel': 'off',
};

/**
 * @param level which file
 * @param user the editor's user-data folder
 * @param workspace the folder that is open
 */
export function settingsFile(level: SettingsLevel, user: string, workspace: string): string {
  switch (level) {
    case 'user':
      return join(user, 'User', 'settings.json');
    case 'machine':
      return join(user, 'Machine', 'settings.json');
    case 'workspace':
      return join(workspace, '.vscode', 'settings.json');
  }
}

/** Puts keys into a settings file and leaves its others as they are; `undefined` takes a key out. */
export function changeSettings(file: string, changes: Settings): void {
  const before: unknown = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ ...(before as object), ...changes }, null, 2)}\n`);
}
