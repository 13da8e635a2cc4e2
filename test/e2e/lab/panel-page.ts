// The panel's page by itself, in a browser, with the test for its host.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { ensureBuilt } from '../../../scripts/build.mjs';
import { root } from '../../../scripts/paths.mjs';
import { parsePanelMessage, type HostMessage, type PanelMessage } from '../../../src/protocol/messages.js';
import { openBrowser } from './browser.js';
import { removeFolder, temporaryFolder } from './temporary.js';

/** @param kept what an earlier panel kept. */
const host = (kept: unknown): string => `
  var sent = [];
  var kept = ${kept === undefined ? 'undefined' : JSON.stringify(kept).replaceAll('<', '\\u003c')};
  var acquireVsCodeApi = () => ({
    postMessage: (one) => sent.push(one),
    getState: () => kept,
    setState: (one) => (kept = one),
  });
`;

export interface PanelPage {
  /** The page of the running test. */
  readonly page: Page;
  /** Makes the panel anew, with what it kept and nothing else. */
  reload(): Promise<void>;
  /** Says something to the panel as its host. */
  tell(message: HostMessage): Promise<void>;
  /** What the panel has said of one type, in order; each is part of the protocol. */
  sent<Type extends PanelMessage['type']>(type: Type): Promise<Extract<PanelMessage, { type: Type }>[]>;
}

async function load(page: Page, kept: unknown): Promise<void> {
  await page.setContent('<div id="teamroom-root"></div>');
  await page.addStyleTag({ content: readFileSync(join(root, 'dist/webview/main.css'), 'utf8') });
  await page.addScriptTag({ content: host(kept) });
  await page.addScriptTag({ type: 'module', content: readFileSync(join(root, 'dist/webview/main.js'), 'utf8') });
  await page.waitForFunction('sent.length > 0');
}

/** Opens a new page with the panel and its looks for every test of the file. */
export function usePanelPage(): PanelPage {
  const folder = temporaryFolder();
  let browser: BrowserContext | undefined;
  let page: Page | undefined;
  const open = (): Page => {
    if (page === undefined) throw new Error('The page is opened before each test.');
    return page;
  };

  beforeAll(async () => {
    await ensureBuilt();
    browser = await openBrowser(join(folder, 'browser'));
  });
  afterAll(async () => {
    await browser?.close();
    removeFolder(folder);
  });
  beforeEach(async () => {
    const made = await browser?.newPage();
    if (made === undefined) throw new Error('The browser is open before the first test.');
    page = made;
    await made.setViewportSize({ width: 1000, height: 700 });
    await load(made, undefined);
    return () => made.close();
  });
  return {
    get page() {
      return open();
    },
    reload: async () => {
      const kept = await open().evaluate<unknown>('kept');
      await open().goto('about:blank');
      await load(open(), kept);
    },
    tell: (message) =>
      open().evaluate(`window.dispatchEvent(new MessageEvent('message', { data: ${JSON.stringify(message)} }))`),
    sent: async <Type extends PanelMessage['type']>(type: Type) => {
      const all = (await open().evaluate<unknown[]>('sent')).map(parsePanelMessage);
      return all.filter((one): one is Extract<PanelMessage, { type: Type }> => {
        if (one === null) throw new Error('The panel said something that is no part of the protocol.');
        return one.type === type;
      });
    },
  };
}
