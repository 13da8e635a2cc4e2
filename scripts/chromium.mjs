// A Chromium for the browser tests: one that is there, else the system's package, else Playwright's own download.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { capture } from './command.mjs';
import { cacheRoot, root } from './paths.mjs';
import { say, step } from './progress.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const MAC = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';
const INSTALL = ['install', '-y', '--no-install-recommends', 'chromium'];

/**
 * @returns {Promise<string>} the browser's executable
 * @throws with the command to run when there is none and none can be got
 */
export async function chromium() {
  const chosen = process.env.TEAMROOM_CHROMIUM;
  if (chosen) {
    if (existsSync(chosen)) return chosen;
    throw new Error(`TEAMROOM_CHROMIUM is ${chosen}, and there is no such file.`);
  }
  return present() ?? (await fromSystem()) ?? (await fromPlaywright());
}

function present() {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((file) => existsSync(file));
  return found ?? (existsSync(MAC) ? MAC : undefined);
}

async function fromSystem() {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || !existsSync('/usr/bin/apt-get')) return undefined;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const result = await step('Installing the system package chromium', async () => {
    await capture('apt-get', ['update'], { env });
    return capture('apt-get', INSTALL, { env });
  });
  if (result.code !== 0) say(`apt-get could not install chromium:\n${result.output.trimEnd()}`);
  return present();
}

async function fromPlaywright() {
  // Its own folder, so that other projects' browsers are left alone.
  process.env.PLAYWRIGHT_BROWSERS_PATH = join(cacheRoot, 'browsers');
  const cli = join(root, 'node_modules', 'playwright-core', 'cli.js');
  const { chromium: browser } = await import('playwright-core');
  if (!existsSync(browser.executablePath())) {
    const result = await step("Getting Playwright's Chromium", () =>
      capture(process.execPath, [cli, 'install', 'chromium'], { env: process.env }),
    );
    if (result.code !== 0) say(result.output.trimEnd());
  }
  if (existsSync(browser.executablePath())) return browser.executablePath();
  throw new Error(
    'The browser tests need a Chromium. Install one, for instance with\n' +
      `    sudo apt-get ${INSTALL.join(' ')}\n` +
      'or name one: TEAMROOM_CHROMIUM=/path/to/chromium npm test',
  );
}
