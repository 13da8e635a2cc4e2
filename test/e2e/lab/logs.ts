// What the editor wrote down, for a failing test's report and for knowing that an extension host has come up.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const EXTENSION = 'teamroom.teamroom';

/** @returns log files below a user-data folder, oldest first */
export function logFiles(user: string): string[] {
  const logs = join(user, 'logs');
  if (!existsSync(logs)) return [];
  return readdirSync(logs, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.log'))
    .sort()
    .map((name) => join(logs, name));
}

/**
 * @param user the editor's user-data folder
 * @returns how many times our extension was activated since this editor exists, in all windows
 */
export function activations(user: string): number {
  const hosts = logFiles(user).filter((file) => file.endsWith('remoteexthost.log'));
  const line = new RegExp(`_doActivateExtension ${EXTENSION}\\b`, 'g');
  return hosts.reduce((sum, file) => sum + [...readFileSync(file, 'utf8').matchAll(line)].length, 0);
}

/** @returns our extension's own logs, with the file each is from; and what its hosts said of errors */
export function extensionLog(user: string): string {
  return logFiles(user)
    .flatMap((file) => {
      const text = readFileSync(file, 'utf8');
      const ours = file.includes(EXTENSION);
      const lines = text.split('\n').filter((line) => line !== '' && (ours || line.includes(EXTENSION)));
      return lines.length === 0 ? [] : [`--- ${relative(user, file)}`, ...lines.slice(-200)];
    })
    .join('\n');
}
