// Pictures of the panel without VS Code, for whoever works on its looks: a stand-in host, three themes, two widths.
// `node test/preview/preview.mjs [scene …]` writes out/preview/<scene>-<theme>-<width>.png. Not a test, not shipped.
import { build } from 'esbuild';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { BOARD_SCENES } from './board-scenes.mjs';
import { SCENES } from './scenes.mjs';
import { TRANSCRIPT_SCENES } from './transcript-scenes.mjs';
import { THEMES } from './themes.mjs';

const root = join(import.meta.dirname, '..', '..');
const place = join(root, 'out', 'preview');
const WIDTHS = [1100, 300];
const HEIGHT = 720;

// Stands in for VS Code: answers `ready` with the scene, and a post with a refusal where the scene wants one.
const HOST = `
const scene = JSON.parse(document.getElementById('scene').textContent);
const say = (message) => setTimeout(() => window.postMessage(message, '*'), 0);
window.acquireVsCodeApi = () => ({
  postMessage(message) {
    for (const reply of scene.replies[message.type] ?? []) say({ ...reply, ...(message.position === undefined ? {} : { position: message.position }), ...('requestId' in reply ? { requestId: message.requestId } : {}) });
    if (message.type === 'ready' && scene.answer) say(scene.answer);
    if (message.type === 'post' && scene.refuse) say({ type: 'refused', requestId: message.requestId, message: 'The post could not be saved: the disk is full.' });
  },
  getState: () => undefined,
  setState() {},
});
`;

function page(scene, theme) {
  const variables = Object.entries(theme.variables).map(([name, value]) => `--vscode-${name}: ${value};`);
  const data = JSON.stringify({
    answer: scene.answer(),
    refuse: scene.refuse ?? false,
    replies: scene.replies?.() ?? {},
  }).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self' file: 'nonce-preview'; font-src file:; img-src file:; script-src 'nonce-preview'">
<style nonce="preview">:root { ${variables.join(' ')} }</style>
<link rel="stylesheet" href="codicon.css"><link rel="stylesheet" href="main.css"></head>
<body class="${theme.bodyClass}" data-vscode-theme-kind="${theme.bodyClass}"><div id="teamroom-root"></div>
<script nonce="preview" id="scene" type="application/json">${data}</script>
<script nonce="preview" src="host.js"></script>
<script nonce="preview" type="module" src="main.js"></script></body></html>`;
}

async function bundle() {
  await mkdir(place, { recursive: true });
  const result = await build({
    absWorkingDir: root,
    entryPoints: ['webview/main.tsx'],
    outdir: place,
    bundle: true,
    // Not a module here: a page of the file system may not load modules.
    format: 'iife',
    minify: true,
    charset: 'utf8',
    platform: 'browser',
    target: 'es2024',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { 'process.env.NODE_ENV': '"production"' },
    metafile: true,
  });
  for (const name of ['codicon.css', 'codicon.ttf']) {
    await copyFile(join(root, 'node_modules/@vscode/codicons/dist', name), join(place, name));
  }
  await writeFile(join(place, 'host.js'), HOST);
  for (const [file, { bytes }] of Object.entries(result.metafile.outputs)) console.log(`${file}: ${bytes} bytes`);
}

async function picture(browser, name, themeName, width) {
  const scene = SCENES[name];
  const file = join(place, `${name}-${themeName}.html`);
  await writeFile(file, page(scene, THEMES[themeName]).replace(' type="module"', ''));
  const tab = await browser.newPage({ viewport: { width, height: HEIGHT }, reducedMotion: 'reduce' });
  const where = `${name}-${themeName}-${width}`;
  tab.on('console', (message) => console.log(`${where}: ${message.text()}`));
  tab.on('pageerror', (error) => console.log(`${where}: ${error.message}`));
  await tab.goto(pathToFileURL(file).href);
  await tab.locator('#teamroom-root > *').first().waitFor();
  if (scene.hover) await tab.locator(scene.hover).hover();
  for (const selector of [scene.click ?? []].flat()) await tab.locator(selector).click();
  if (scene.type) await tab.locator('textarea').focus();
  for (const [index, line] of (scene.type ?? '').split('\n').entries()) {
    if (index > 0) await tab.keyboard.press('Shift+Enter');
    await tab.keyboard.type(line);
  }
  if (scene.press) await tab.keyboard.press(scene.press);
  if (scene.refuse) await tab.locator('.complaint').waitFor();
  await tab.evaluate('document.fonts.ready');
  const wide = await tab.evaluate('document.documentElement.scrollWidth');
  if (wide > width) console.log(`${where}: overflows to ${wide} px`);
  await tab.screenshot({ path: join(place, `${where}.png`) });
  await tab.close();
}

Object.assign(SCENES, TRANSCRIPT_SCENES, BOARD_SCENES);
await bundle();
const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(SCENES);
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  for (const name of wanted) {
    for (const theme of Object.keys(THEMES)) {
      for (const width of SCENES[name].width ? [SCENES[name].width] : WIDTHS)
        await picture(browser, name, theme, width);
    }
  }
} finally {
  await browser.close();
}
