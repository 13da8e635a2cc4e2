// The panel's page by itself, in a browser, with this test for its host: what it draws and says of what it is told.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ensureBuilt } from '../../scripts/build.mjs';
import { root } from '../../scripts/paths.mjs';
import type { HostMessage, PanelMessage } from '../../src/protocol/messages.js';
import { changesOf, conversation, member, post, snapshot } from '../unit/webview-pictures.js';
import { openBrowser } from './lab/browser.js';
import { removeFolder, temporaryFolder } from './lab/temporary.js';

const HOST = `
  var sent = [];
  var acquireVsCodeApi = () => ({ postMessage: (one) => sent.push(one), getState: () => undefined, setState: () => {} });
`;

const folder = temporaryFolder();
let browser: BrowserContext;
let page: Page;

beforeAll(async () => {
  await ensureBuilt();
  browser = await openBrowser(join(folder, 'browser'));
});

afterAll(async () => {
  await browser.close();
  removeFolder(folder);
});

beforeEach(async () => {
  page = await browser.newPage();
  await page.setContent('<div id="teamroom-root"></div>');
  await page.addScriptTag({ content: HOST });
  await page.addScriptTag({ type: 'module', content: readFileSync(join(root, 'dist/webview/main.js'), 'utf8') });
  await page.waitForFunction('sent.length > 0');
  return () => page.close();
});

async function tell(message: HostMessage): Promise<void> {
  await page.evaluate(`window.dispatchEvent(new MessageEvent('message', { data: ${JSON.stringify(message)} }))`);
}

test('WX-8 An action that is refused on the page of a problem says why there', async () => {
  const problem = { title: 'It cannot be read', detail: 'Why.', actions: ['newConversation' as const] };
  await tell({ type: 'problem', hostEpoch: 'e1', problem });
  await page.getByRole('button', { name: 'New Conversation' }).click();
  expect(await page.evaluate<PanelMessage>('sent.at(-1)')).toEqual({
    type: 'problemAction',
    action: 'newConversation',
  });
  await tell({ type: 'refused', requestId: null, message: 'The disk is full.' });
  await page.getByRole('alert').filter({ hasText: 'The disk is full.' }).waitFor();
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await page.getByText('The disk is full.').waitFor({ state: 'detached' });
});

test('A room without the lead names the member who answers in it', async () => {
  const [main] = conversation().rooms;
  if (main === undefined) throw new Error('The picture has no room.');
  const rooms = [{ ...main, members: ['helper'], contact: 'helper' }];
  const members = [member('lead', { name: 'Ada' }), member('helper', { name: 'Bo' })];
  await tell(snapshot(10, { conversation: conversation({ rooms, members }), posts: [] }));
  await page.getByText('Say what you need, and Bo answers.').waitFor();
  await page.getByText('→ Bo will answer').waitFor();
});

test('WX-8 The live region takes two equal posts as two, and a member that begins to work', async () => {
  await tell(snapshot(10));
  await page.evaluate(`
    var heard = [];
    new MutationObserver((all) => all.forEach(({ addedNodes }) => addedNodes.forEach((one) => heard.push(one.textContent))))
      .observe([...document.querySelectorAll('[aria-live="polite"]')].at(-1), { childList: true, subtree: true });
  `);
  for (const revision of [11, 12]) {
    await tell(changesOf(revision - 1, revision, { posts: [post(revision, { text: 'Done.' })] }));
    await page.waitForFunction(`heard.length === ${String(revision - 10)}`);
  }
  const members = [member('lead', { name: 'Ada', status: 'running' }), member('helper')];
  await tell(changesOf(12, 13, { posts: [], conversation: conversation({ members }) }));
  await page.waitForFunction('heard.length === 3');
  expect(await page.evaluate('heard')).toEqual(['helper: Done.', 'helper: Done.', 'Ada is working.']);
});

test('WV-6 Typing draws none of the posts again, and neither does a member that begins to work', async () => {
  const posts = Array.from({ length: 50 }, (_, at) => post(at + 1));
  await tell(snapshot(50, { posts }));
  await page.locator('article').nth(49).waitFor();
  // Every post that is drawn writes its time.
  await page.evaluate(`
    var drawn = 0;
    var { get } = Object.getOwnPropertyDescriptor(Intl.DateTimeFormat.prototype, 'format');
    Object.defineProperty(Intl.DateTimeFormat.prototype, 'format', { get() { drawn += 1; return get.call(this); } });
  `);
  const box = page.getByRole('textbox');
  await box.pressSequentially('hello there');
  expect(await box.inputValue()).toBe('hello there');
  expect(await page.evaluate('drawn')).toBe(0);
  const members = [member('lead', { name: 'lead', status: 'running' }), member('helper')];
  await tell(changesOf(50, 51, { posts: [], conversation: conversation({ members }) }));
  await page.getByText('is working').first().waitFor();
  // Nothing but the line of the day.
  expect(await page.evaluate('drawn')).toBeLessThan(10);
});
