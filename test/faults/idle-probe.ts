// Counts what a process does while it should do nothing: timers that fire, and what is read of the file system. Imported
// before anything that sets a timer or reads a file.
import { createHook } from 'node:async_hooks';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

export interface Doings {
  /** Delays in milliseconds of the timers that fired. */
  readonly timers: number[];
  /** Names of the calls that read the file system, by how often they were made. */
  readonly reads: Record<string, number>;
}

let doings: Doings = { timers: [], reads: {} };

/** Forgets what was counted. */
export function forget(): void {
  doings = { timers: [], reads: {} };
}

export function counted(): Doings {
  return doings;
}

const delays = new Map<number, number>();
createHook({
  init(id, type, _trigger, resource) {
    if (type === 'Timeout' && '_idleTimeout' in resource) delays.set(id, Number(resource._idleTimeout));
  },
  before(id) {
    const delay = delays.get(id);
    if (delay !== undefined) doings.timers.push(delay);
  },
}).enable();

const READS = ['statSync', 'lstatSync', 'readFileSync', 'openSync', 'readSync', 'readdirSync', 'existsSync'] as const;
for (const name of READS) {
  const original = fs[name].bind(fs) as (...given: unknown[]) => unknown;
  Reflect.set(fs, name, (...given: unknown[]): unknown => {
    doings.reads[name] = (doings.reads[name] ?? 0) + 1;
    return original(...given);
  });
}
syncBuiltinESMExports();
