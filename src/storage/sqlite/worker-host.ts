// The host's side of a storage worker: long work never runs on the calling thread.
import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { StorageError, type StorageErrorCode } from '../error.js';
import type { Order } from './worker-tasks.js';

type Answer = { readonly done: unknown } | { readonly refused: Refusal };
interface Refusal {
  readonly code: StorageErrorCode;
  readonly message: string;
  readonly details: StorageError['details'];
}

/**
 * Does one task in a worker of its own.
 * @param options - `background`: nobody's process is kept alive for it.
 * @returns what the task returns.
 * @throws StorageError of the task; Error when the worker cannot be started.
 */
export async function inWorker<Result>(order: Order, options: { readonly background?: boolean } = {}): Promise<Result> {
  const { url, execArgv } = entry();
  const worker = new Worker(url, { workerData: order, execArgv });
  if (options.background === true) worker.unref();
  const answer = await new Promise<Answer>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('The storage worker ended without an answer.')));
  });
  if ('refused' in answer) throw new StorageError(answer.refused.code, answer.refused.message, answer.refused.details);
  // Both sides are of one build, and the order says what comes back.
  return answer.done as Result;
}

/** Where the worker's program lies: among the chunks of the bundle, or in the sources. */
function entry(): { readonly url: URL; readonly execArgv: string[] } {
  const here = import.meta.url;
  if (here.endsWith('.ts')) {
    const loader = new URL('../../../scripts/from-source.mjs', here);
    return { url: new URL('./worker.ts', here), execArgv: ['--import', loader.href] };
  }
  const places = ['./', './chunks/', '../chunks/'].map((folder) => new URL(`${folder}storage-worker.js`, here));
  const found = places.find((url) => existsSync(url));
  if (found === undefined) throw new Error(`The storage worker is missing beside ${here}.`);
  return { url: found, execArgv: [] };
}
