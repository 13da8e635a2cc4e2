// What a started program left running: looked up by process group, ended by id.
import { readdirSync, readFileSync } from 'node:fs';

/**
 * @typedef {{ pid: number, parent: number, group: number, zombie: boolean, command: string }} Process
 * @returns {Process[]} all processes (Linux); empty elsewhere
 */
export function processes() {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        // The name in brackets may hold anything; the fields begin after the last bracket.
        const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        return [{ pid: Number(name), parent: Number(parent), group: Number(group), zombie: state === 'Z', command }];
      } catch {
        return []; // It ended while we looked.
      }
    });
}

/**
 * @param {number} group id of a process group
 * @returns {boolean} whether something of it still runs
 */
export function groupRuns(group) {
  // A zombie that nobody collects (containers often have no init) still answers signal 0, but runs no more.
  if (process.platform === 'linux') return processes().some((one) => one.group === group && !one.zombie);
  return signalGroup(group, 0);
}

/**
 * @param {number} group id of a process group
 * @param {NodeJS.Signals | 0} signal
 * @returns {boolean} whether somebody got it
 */
export function signalGroup(group, signal) {
  try {
    process.kill(-group, signal);
    return true;
  } catch (error) {
    if (error.code === 'ESRCH' || error.code === 'EPERM') return false;
    throw error;
  }
}
