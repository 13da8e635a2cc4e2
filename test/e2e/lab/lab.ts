// A lab: one VS Code server with data folders of its own and the packaged extension installed, and one browser profile.
// Made per test file; everything is gone at `close()`.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { ensurePackaged } from '../../../scripts/package.mjs';
import { processes } from '../../../scripts/process-tree.mjs';
import {
  installExtensions,
  serverFolders,
  startServer,
  type RunningServer,
  type ServerFolders,
} from '../../../scripts/server-process.mjs';
import { openBrowser } from './browser.js';
import { activations, extensionLog } from './logs.js';
import { changeSettings, QUIET_SETTINGS, settingsFile, type Settings, type SettingsLevel } from './settings.js';
import { removeFolder, temporaryFolder, writeFiles } from './temporary.js';
import { waitFor } from './wait.js';
import { Workbench } from './workbench.js';

export interface LabOptions {
  /** User settings, over the quiet ones that every lab has. */
  readonly settings?: Settings;
  /** Machine settings (executables and the like). */
  readonly machineSettings?: Settings;
  /** The files of the workspace, by path. */
  readonly workspaceFiles?: Readonly<Record<string, string>>;
  /** Added to the environment of the server, and so of the extension host. */
  readonly env?: NodeJS.ProcessEnv;
  /** Added to the server's arguments. */
  readonly extraArgs?: readonly string[];
  /** Further packages to install (a test's own extension), or, with `onlyThese`, instead of ours. */
  readonly packages?: readonly string[];
  readonly onlyThese?: boolean;
  /** Trust the workspace (as after a person's *Trust*). Default true; false begins in restricted mode. */
  readonly trusted?: boolean;
}

/** @returns a running lab, with no window open yet */
export async function startLab(options: LabOptions = {}): Promise<Lab> {
  const base = temporaryFolder();
  const folders = serverFolders(base);
  const workspace = join(base, 'workspace');
  try {
    writeFiles(workspace, options.workspaceFiles ?? { 'README.md': '# A workspace\n' });
    changeSettings(settingsFile('user', folders.user, workspace), { ...QUIET_SETTINGS, ...options.settings });
    changeSettings(settingsFile('machine', folders.user, workspace), options.machineSettings ?? {});
    const ours = options.onlyThese ? [] : [(await ensurePackaged()).file];
    await installExtensions(base, [...ours, ...(options.packages ?? [])]);
    const trust = options.trusted === false ? [] : ['--disable-workspace-trust'];
    const args = [...trust, ...(options.extraArgs ?? [])];
    const token = randomBytes(24).toString('hex');
    // All state is dropped between any two events: what is shown comes from the record.
    const env = { TEAMROOM_DROP_STATE: '1', ...options.env };
    const start = (port: number) => startServer({ base, token, port, args, env });
    return new Lab({ base, folders, workspace, token, start, server: await start(0) });
  } catch (error) {
    removeFolder(base);
    throw error;
  }
}

interface LabParts {
  readonly base: string;
  readonly folders: ServerFolders;
  readonly workspace: string;
  readonly token: string;
  readonly start: (port: number) => Promise<RunningServer>;
  readonly server: RunningServer;
}

export class Lab {
  /** The folder that is open in the editor. */
  readonly workspace: string;
  readonly folders: ServerFolders;
  readonly #parts: LabParts;
  #server: RunningServer;
  #browser: BrowserContext | undefined;

  constructor(parts: LabParts) {
    this.#parts = parts;
    this.#server = parts.server;
    this.workspace = parts.workspace;
    this.folders = parts.folders;
  }

  get port(): number {
    return this.#server.port;
  }

  /** The address of a window on the workspace, token included. */
  get url(): string {
    return this.addressOf(this.workspace);
  }

  /** The address of a window on another folder. */
  addressOf(folder: string): string {
    return this.#address({ folder });
  }

  /** The address of a window without a folder. */
  get emptyUrl(): string {
    return this.#address({ ew: 'true' });
  }

  /** The browser, started when first asked for; its profile lives as long as the lab. */
  async browser(): Promise<BrowserContext> {
    this.#browser ??= await openBrowser(join(this.#parts.base, 'browser'));
    return this.#browser;
  }

  /** Opens a window and waits until our extension is active in it. A second one gets another storage folder. */
  async openWorkbench(url = this.url): Promise<Workbench> {
    const browser = await this.browser();
    const [blank] = browser.pages();
    const page = blank?.url() === 'about:blank' ? blank : await browser.newPage();
    const workbench = new Workbench(
      page,
      () => activations(this.folders.user),
      (before) => this.#activeAfter(before),
    );
    await workbench.goto(url);
    return workbench;
  }

  /** Changes settings while the editor runs. */
  changeSettings(level: SettingsLevel, changes: Settings): void {
    changeSettings(settingsFile(level, this.folders.user, this.workspace), changes);
  }

  /** @returns ids of the extension hosts of this server, one per window */
  hosts(): number[] {
    return processes()
      .filter((one) => one.parent === this.#server.pid && !one.zombie && one.command.includes('--type=extensionHost'))
      .map((one) => one.pid);
  }

  /** Kills the extension host without warning and waits until our extension is active in a new one. */
  async killHost(): Promise<void> {
    const [host, ...others] = this.hosts();
    if (host === undefined || others.length > 0) {
      throw new Error(`One extension host was expected, ${String(this.hosts().length)} run.`);
    }
    const before = activations(this.folders.user);
    process.kill(host, 'SIGKILL');
    await waitFor('a new extension host', () => this.hosts().find((pid) => pid !== host));
    await this.#activeAfter(before);
  }

  /** Closes the browser and opens its profile again, as on the next day. Open windows are gone. */
  async restartBrowser(): Promise<void> {
    await this.#browser?.close();
    this.#browser = undefined;
    await waitFor('the extension hosts to end', () => (this.hosts().length === 0 ? true : undefined));
  }

  /** Ends the server and starts it again on the same port and folders. Reload the windows afterwards. */
  async restartServer(): Promise<void> {
    const { port } = this;
    await this.#server.stop();
    this.#server = await this.#parts.start(port);
  }

  /** @returns what is worth reading when a test fails: our extension's logs and what the server printed */
  report(): string {
    return [
      extensionLog(this.folders.user),
      '--- server',
      this.#server.output().split('\n').slice(-40).join('\n'),
    ].join('\n');
  }

  /** Ends browser and server and removes all folders. */
  async close(): Promise<void> {
    await this.#browser?.close();
    await this.#server.stop();
    removeFolder(this.#parts.base);
  }

  #address(where: Readonly<Record<string, string>>): string {
    const query = new URLSearchParams({ tkn: this.#parts.token, ...where });
    return `http://127.0.0.1:${this.port}/?${query.toString()}`;
  }

  async #activeAfter(before: number): Promise<void> {
    const { user } = this.folders;
    try {
      await waitFor('the extension to be active', () => (activations(user) > before ? true : undefined));
    } catch (error) {
      throw new Error(`The extension is not active.\n${this.report()}`, { cause: error });
    }
  }
}
