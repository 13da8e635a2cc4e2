// The worker's side: one task, then it ends.
import { parentPort, workerData } from 'node:worker_threads';
import { StorageError } from '../error.js';
import { perform } from './worker-tasks.js';

/* What comes is what `inWorker` sent: both sides are of one build. */
const order = workerData as Parameters<typeof perform>[0];
try {
  parentPort?.postMessage({ done: await perform(order) });
} catch (error) {
  if (!(error instanceof StorageError)) throw error;
  const { code, message, details } = error;
  parentPort?.postMessage({ refused: { code, message, details } });
}
