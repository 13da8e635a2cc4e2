// What can be asked of a storage worker.
import { importRunHere, type ImportRules } from './import-run.js';
import { verifyRunHere, type RunPlace } from './maintenance.js';
import { exportRunHere, salvageRunHere } from './transfer-tasks.js';

export type Order =
  | ({ readonly task: 'verify' } & RunPlace)
  | ({ readonly task: 'export' | 'salvage'; readonly target: string } & RunPlace)
  | { readonly task: 'import'; readonly source: string; readonly directory: string; readonly rules: ImportRules };

/** Does one task on this thread. @throws StorageError */
export function perform(order: Order): unknown {
  switch (order.task) {
    case 'verify':
      return verifyRunHere(order);
    case 'export':
      return exportRunHere(order, order.target);
    case 'salvage':
      return salvageRunHere(order, order.target);
    case 'import':
      return importRunHere(order.source, order.directory, order.rules);
  }
}
