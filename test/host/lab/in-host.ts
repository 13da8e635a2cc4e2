// The small test runner that runs inside the extension host. A suite file calls `hostTest`; the editor calls `run`.
import { appendFileSync } from 'node:fs';

export interface HostResult {
  readonly name: string;
  readonly milliseconds: number;
  /** The error's stack when it failed. */
  readonly error?: string;
}

/** The environment variable with the file that results are appended to, one JSON text per line. */
export const RESULTS = 'TEAMROOM_HOST_RESULTS';

const LIMIT = 30_000;
const tests: { readonly name: string; readonly body: () => void | Promise<void> }[] = [];

/**
 * Adds a test; they run in order, each to its end.
 *
 * @param name a sentence, with the case's id
 * @param body throws when it fails (node:assert/strict); longer than 30 s is a failure
 */
export function hostTest(name: string, body: () => void | Promise<void>): void {
  tests.push({ name, body });
}

/**
 * Runs all tests of the bundle.
 *
 * @returns when all have passed
 * @throws when one has failed, so that the editor ends the run with code 1
 */
export async function run(): Promise<void> {
  let failed = 0;
  for (const { name, body } of tests) {
    const started = performance.now();
    const error = await attempt(body);
    if (error !== undefined) failed += 1;
    const milliseconds = Math.round(performance.now() - started);
    report(error === undefined ? { name, milliseconds } : { name, milliseconds, error });
  }
  if (failed > 0) throw new Error(`${failed} of ${tests.length} tests failed.`);
}

async function attempt(body: () => void | Promise<void>): Promise<string | undefined> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`It took longer than ${LIMIT / 1000} s.`)), LIMIT);
  try {
    await Promise.race([Promise.resolve(body()), late.promise]);
    return undefined;
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  } finally {
    clearTimeout(timer);
  }
}

function report(result: HostResult): void {
  const file = process.env[RESULTS];
  if (file === undefined)
    console.log(`${result.error === undefined ? 'passed' : 'FAILED'} ${result.name}`, result.error ?? '');
  else appendFileSync(file, `${JSON.stringify(result)}\n`);
}
