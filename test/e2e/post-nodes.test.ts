// The nodes of posts, drawn in a browser under the panel's own policy, with this test for their host.
import { build } from 'esbuild';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { root } from '../../scripts/paths.mjs';
import { safeNodes } from '../../src/editor/markdown/safe-nodes.js';
import { panelPolicy } from '../../src/editor/panel-policy.js';
import { HOSTILE_TEXTS } from '../support/hostile-texts.js';
import { openBrowser } from './lab/browser.js';
import { removeFolder, temporaryFolder } from './lab/temporary.js';

/** Draws what `draw` is given; what the nodes ask for is kept in `asked`, pictures are told by `picture`. */
const HARNESS = `
  import { signal } from '@preact/signals';
  import { h, render } from 'preact';
  import { Nodes } from './webview/transcript/nodes.js';
  const images = new Map();
  const image = (path) => images.get(path) ?? images.set(path, signal({ kind: 'loading' })).get(path);
  const onOpen = (target) => asked.push({ open: target });
  const onImage = (path) => asked.push({ image: path });
  window.asked = [];
  window.ran = [];
  window.alert = (what) => ran.push(what);
  window.draw = (nodes) => render(h(Nodes, { nodes, onOpen, onImage, image }), document.getElementById('place'));
  window.picture = (path, state) => (image(path).value = state);
`;

const NONCE = 'nodes';
/** Never asked of the net: the browser gets it from here. */
const PAGE = 'https://own.example/';
const folder = temporaryFolder();
let browser: BrowserContext;
let html: string;
let page: Page;
let requests: string[];

beforeAll(async () => {
  const bundled = await build({
    absWorkingDir: root,
    stdin: { contents: HARNESS, resolveDir: root, loader: 'js' },
    bundle: true,
    write: false,
    format: 'iife',
    charset: 'utf8',
    platform: 'browser',
    target: 'es2024',
    jsx: 'automatic',
    jsxImportSource: 'preact',
  });
  const script = (bundled.outputFiles[0]?.text ?? '').replaceAll('</script', '<\\/script');
  html = `<!doctype html><meta http-equiv="Content-Security-Policy" content="${panelPolicy('https://own.example/own/', NONCE)}">
    <div id="place"></div><script nonce="${NONCE}">${script}</script>`;
  browser = await openBrowser(join(folder, 'browser'));
  await browser.route(PAGE, (route) => route.fulfill({ contentType: 'text/html; charset=utf-8', body: html }));
});

afterAll(async () => {
  await browser.close();
  removeFolder(folder);
});

beforeEach(async () => {
  page = await browser.newPage();
  requests = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(PAGE);
  await page.waitForFunction('typeof draw === "function"');
  requests = [];
  return () => page.close();
});

async function draw(text: string, mentions: readonly string[] = []): Promise<void> {
  const roster = { lead: 'ada', members: [{ id: 'ada', name: 'Ada' }] };
  await page.evaluate(`draw(${JSON.stringify(safeNodes(text, { mentions, roster }))})`);
}

const asked = (): Promise<unknown> => page.evaluate('asked');

test('WX-1 WX-4 hostile texts run nothing, load nothing and make no element or attribute but ours', async () => {
  const elements = new Set<string>();
  const attributes = new Set<string>();
  for (const text of HOSTILE_TEXTS) {
    await draw(text);
    for (const [name, ...rest] of await page.evaluate<string[][]>(
      `[...document.querySelectorAll('#place *')].map((one) => [one.localName, ...one.getAttributeNames()])`,
    )) {
      elements.add(name ?? '');
      for (const attribute of rest) attributes.add(attribute);
    }
  }
  const ours =
    'a blockquote br button code div em figcaption figure hr li ol p pre s span strong table tbody td th thead tr ul';
  expect([...elements].filter((name) => !ours.split(' ').includes(name))).toEqual([]);
  const quiet = ['class', 'role', 'tabindex', 'title', 'type', 'scope', 'start'];
  expect([...attributes].filter((name) => !quiet.includes(name) && !name.startsWith('aria-'))).toEqual([]);
  expect(await page.evaluate('ran')).toEqual([]);
  expect(requests).toEqual([]);
});

test('WX-4 the policy alone stops what would get past the nodes', async () => {
  await page.evaluate(`
    var stopped = [];
    document.addEventListener('securitypolicyviolation', (event) => stopped.push(event.effectiveDirective));
    document.getElementById('place').innerHTML = '<img src="https://evil.example/a.png" onerror="ran.push(1)">' +
      '<a id="bad" href="javascript:ran.push(2)">x</a><iframe src="https://evil.example/"></iframe>';
    document.getElementById('bad').click();
  `);
  // One picture or frame may be stopped more than once; what counts is what was stopped.
  await expect.poll(() => page.evaluate('new Set(stopped).size')).toBeGreaterThanOrEqual(4);
  const stopped = await page.evaluate<string[]>('[...new Set(stopped)].sort()');
  expect(stopped).toEqual(['frame-src', 'img-src', 'script-src-attr', 'script-src-elem']);
  expect(await page.evaluate('ran')).toEqual([]);
});

describe('links', () => {
  test('a link asks the host, by mouse and by key, says where it leads, and goes nowhere by itself', async () => {
    await draw('[the plan](https://x.example/plan "mine") and [code](src/a.ts:12)');
    const web = page.getByRole('link', { name: 'the plan' });
    expect(await web.getAttribute('title')).toBe('https://x.example/plan\nmine');
    expect(await web.getAttribute('href')).toBeNull();
    await web.click();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await asked()).toEqual([
      { open: { kind: 'web', url: 'https://x.example/plan' } },
      { open: { kind: 'file', path: 'src/a.ts', line: 12 } },
    ]);
    expect(page.url()).toBe(PAGE);
  });

  test('WX-3 a picture on the web is a link that loads nothing', async () => {
    await draw('![cat](https://x.example/cat.png)');
    await page.getByRole('link', { name: 'cat' }).click();
    expect(await asked()).toEqual([{ open: { kind: 'web', url: 'https://x.example/cat.png' } }]);
    expect(await page.locator('img').count()).toBe(0);
    expect(requests).toEqual([]);
  });

  test('WX-3 a picture of the workspace is asked for once, and shown from a blob only', async () => {
    await draw('![shot](img/shot.png)');
    await page.getByRole('link', { name: 'shot' }).waitFor();
    await draw('![shot](img/shot.png)\n');
    await page.evaluate(`picture('img/shot.png', { kind: 'shown', url: 'https://evil.example/shot.png' })`);
    expect(await page.locator('img').count()).toBe(0);
    const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    await page.evaluate(`picture('img/shot.png', { kind: 'shown', url: URL.createObjectURL(
      new Blob([Uint8Array.from(atob('${pixel}'), (one) => one.charCodeAt(0))], { type: 'image/png' })) })`);
    // Looked at from outside: the page's own policy lets nothing be evaluated in it.
    await expect.poll(() => page.evaluate(`document.querySelector('img')?.naturalWidth`)).toBe(1);
    await page.getByRole('img', { name: 'shot' }).click();
    expect(await asked()).toEqual([{ image: 'img/shot.png' }, { open: { kind: 'file', path: 'img/shot.png' } }]);
    expect(requests.filter((url) => !url.startsWith('blob:'))).toEqual([]);
  });

  test('a picture that is refused says why beside its link', async () => {
    await draw('![shot](img/shot.png)');
    await page.evaluate(`picture('img/shot.png', { kind: 'refused', reason: 'it is no picture' })`);
    await page.getByText('(it is no picture)').waitFor();
    await page.getByRole('link', { name: 'shot' }).waitFor();
  });
});

test('code has its language and a button that copies exactly the code', async () => {
  await draw('```ts\nconst a = "<b>";\n  b();\n```');
  await page.getByRole('figure', { name: 'Code, ts' }).waitFor();
  await page.getByRole('button', { name: 'Copy code' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe('const a = "<b>";\n  b();');
});

test('where the clipboard is closed, the button selects the code and says which key copies it', async () => {
  await draw('```\nlet a;\n```');
  await page.evaluate(`navigator.clipboard.writeText = async () => { throw new Error('closed') }`);
  await page.getByRole('button', { name: 'Copy code' }).click();
  await page.getByRole('button', { name: /^Selected: press / }).waitFor();
  expect(await page.evaluate('getSelection().toString()')).toBe('let a;');
});

test('what stands in a post has the roles that a screen reader looks for', async () => {
  await draw('# Plan\n\n- [x] one\n- [ ] two\n\n3. three\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n@Ada', ['ada']);
  await page.getByRole('heading', { name: 'Plan', level: 3 }).waitFor();
  await page
    .getByRole('listitem')
    .filter({ has: page.getByRole('img', { name: 'Done' }) })
    .filter({ hasText: 'one' })
    .waitFor();
  await page
    .getByRole('listitem')
    .filter({ has: page.getByRole('img', { name: 'To do' }) })
    .filter({ hasText: 'two' })
    .waitFor();
  expect(await page.locator('ol').getAttribute('start')).toBe('3');
  await page.getByRole('region', { name: 'Table' }).getByRole('columnheader', { name: 'a' }).waitFor();
  expect(await page.locator('.mention').textContent()).toBe('@Ada');
});
