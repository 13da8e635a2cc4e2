// Runs suites in the extension host of a real VS Code, with this checkout as the extension under development, and gives
// each of their tests a Vitest test of its own.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ensureBuilt } from '../../../scripts/build.mjs';
import { root } from '../../../scripts/paths.mjs';
import { installExtensions, serverFolders, startServer } from '../../../scripts/server-process.mjs';
import { openBrowser } from '../../e2e/lab/browser.js';
import { extensionLog } from '../../e2e/lab/logs.js';
import { changeSettings, QUIET_SETTINGS, settingsFile, type Settings } from '../../e2e/lab/settings.js';
import { removeFolder, temporaryFolder, writeFiles } from '../../e2e/lab/temporary.js';
import { bundleSuites } from './bundle.js';
import { type HostResult, RESULTS } from './in-host.js';

export interface HostOptions {
  readonly settings?: Settings;
  readonly machineSettings?: Settings;
  readonly workspaceFiles?: Readonly<Record<string, string>>;
  readonly env?: NodeJS.ProcessEnv;
  /** Further extensions to install (VSIX files). */
  readonly packages?: readonly string[];
  /** Begin in restricted mode. */
  readonly untrusted?: boolean;
  /** The extension under development; default is this checkout. */
  readonly extension?: string;
}

export interface HostRun {
  /** 0, or 1 when `run()` rejected. */
  readonly code: number;
  readonly results: readonly HostResult[];
  /** The extension's logs and the host's console, for a failure's report. */
  readonly log: string;
}

const LIMIT = 5 * 60_000;

// What the editor says about services that are not reachable here.
const NOISE = /AgentHost|ENOTFOUND|native-watchdog|sqlite3/;

/**
 * Loads a module with an exported `run()` in the extension host of a window of its own.
 *
 * @param module absolute path
 * @returns how it ended
 * @throws when the window does not come to an end in five minutes
 */
export async function runInHost(module: string, options: HostOptions = {}): Promise<HostRun> {
  if (options.extension === undefined) await ensureBuilt();
  const base = temporaryFolder();
  const folders = serverFolders(base);
  const workspace = join(base, 'workspace');
  const resultFile = join(base, 'results.jsonl');
  writeFiles(workspace, options.workspaceFiles ?? { 'README.md': '# A workspace\n' });
  changeSettings(settingsFile('user', folders.user, workspace), { ...QUIET_SETTINGS, ...options.settings });
  changeSettings(settingsFile('machine', folders.user, workspace), options.machineSettings ?? {});
  if (options.packages !== undefined) await installExtensions(base, options.packages);
  const token = randomBytes(24).toString('hex');
  const trust = options.untrusted === true ? [] : ['--disable-workspace-trust'];
  const server = await startServer({
    base,
    token,
    port: 0,
    // Only with this driver does the workbench listen to what the address says about extensions and tests.
    args: ['--enable-smoke-test-driver', ...trust],
    env: { ...options.env, [RESULTS]: resultFile },
  });
  const browser = await openBrowser(join(base, 'browser'));
  try {
    const lines: string[] = [];
    const ended = Promise.withResolvers<number>();
    const [page = await browser.newPage()] = browser.pages();
    await page.exposeFunction('codeAutomationLog', (type: string, args: unknown) => {
      const line = `[${type}] ${JSON.stringify(args)}`;
      if (!NOISE.test(line)) lines.push(line);
    });
    await page.exposeFunction('codeAutomationExit', (code: number) => ended.resolve(code));
    const remote = (path: string): string => `vscode-remote://127.0.0.1:${server.port}${path}`;
    const payload = JSON.stringify([
      ['extensionDevelopmentPath', remote(options.extension ?? root)],
      ['extensionTestsPath', remote(module)],
      ['skipWelcome', 'true'],
    ]);
    const query = new URLSearchParams({ tkn: token, folder: workspace, payload });
    const limit = setTimeout(() => ended.reject(new Error(`No end in sight.\n${lines.slice(-50).join('\n')}`)), LIMIT);
    await page.goto(`http://127.0.0.1:${server.port}/?${query.toString()}`);
    const code = await ended.promise.finally(() => clearTimeout(limit));
    const log = [extensionLog(folders.user), '--- console', ...lines.slice(-50)].join('\n');
    return { code, results: readResults(resultFile), log };
  } finally {
    await browser.close();
    await server.stop();
    removeFolder(base);
  }
}

/**
 * Runs suite files together in one window and declares a test for each of theirs. Call it with `await` at the top of a
 * `*.test.ts` file.
 *
 * @param name of the group; also of the bundle
 * @param suites suite files, from the checkout: `test/host/suite/activation.ts`
 */
export async function describeInHost(
  name: string,
  suites: readonly string[],
  options: HostOptions = {},
): Promise<void> {
  const { code, results, log } = await runInHost(await bundleSuites(name, suites), options);
  describe(name, () => {
    for (const result of results) {
      test(result.name, () => {
        if (result.error !== undefined) throw new Error(`${result.error}\n${log}`);
      });
    }
    test(`${name}: the run ends with the code that its results ask for`, () => {
      expect(results, log).not.toHaveLength(0);
      expect(code, log).toBe(results.some((result) => result.error !== undefined) ? 1 : 0);
    });
  });
}

function readResults(file: string): HostResult[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as HostResult);
}
