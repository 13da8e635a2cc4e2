// The panel over a real record, in Chromium: how soon a long conversation is there, how soon a post is seen, and how
// evenly the page draws while an answer streams in.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { ensureBuilt } from '../scripts/build.mjs';
import { root } from '../scripts/paths.mjs';
import { parseTeamFile } from '../src/core/team/team-file.ts';
import { transcriptOf } from '../src/core/team/transcript.ts';
import { Conversation } from '../src/runtime/conversation.ts';
import { newDomainEvent } from '../src/runtime/live-record.ts';
import { readTranscriptPage } from '../src/runtime/transcript-pages.ts';
import { createLocalRunStorage } from '../src/storage/sqlite/storage.ts';
import { openBrowser } from '../test/e2e/lab/browser.ts';
import { LIVE } from './live.mjs';
import { median } from './median.mjs';

const MEMBERS = ['ana', 'ben'];
const TEAM = parseTeamFile(
  JSON.stringify({
    id: 'bench',
    lead: 'ana',
    data: { communication: { rooms: [{ id: 'room', members: MEMBERS }], tailMessages: 20 } },
    nodes: MEMBERS.map((id) => ({ id, data: { role: id, brief: 'Answer.', engine: 'silent' } })),
    edges: [],
  }),
  'bench',
);
const engine = { id: 'silent', label: 'Silent', runTurn: () => Promise.resolve({ text: '' }) };
const clock = { now: () => Date.now() };
const PAGE = 50;
const ROUNDS = 5;

function host(storage) {
  return { storage, engines: { find: () => engine }, runnerId: randomUUID(), onError: () => undefined };
}

/** A conversation with that many posts, opened once, so that its snapshot is there. */
async function conversationOf(directory, posts) {
  const storage = createLocalRunStorage({ directory, ...LIVE });
  const conversation = await Conversation.start(host(storage), TEAM, []);
  const { runId } = conversation;
  const stream = { namespace: LIVE.namespace, streamId: runId };
  let revision = await storage.eventStore.head(stream);
  for (let made = 0; made < posts;) {
    const batch = Array.from({ length: Math.min(500, posts - made) }, (_, index) => past(runId, made + index));
    revision = await storage.eventStore.append(stream, revision, batch);
    made += batch.length;
  }
  await conversation.status();
  await conversation.close();
  return runId;
}

function past(runId, index) {
  const sender = index % 2 === 0 ? 'you' : 'ana';
  const text = `Post ${index}: ${'words of a post '.repeat(1 + (index % 9))}${index % 7 === 0 ? '\n\n- one\n- two' : ''}`;
  const at = new Date(1_700_000_000_000 + index * 60_000).toISOString();
  const payload = {
    id: `past/${index + 1}`,
    sender,
    roomId: 'room',
    text,
    mentions: [],
    unresolved: [],
    at,
    position: null,
  };
  return newDomainEvent({ runId, clock }, { event: { type: 'post:inherited', payload } });
}

/** The host's own pictures, with its words put in. */
async function loadViews(place) {
  const file = join(place, 'views.mjs');
  await build({
    stdin: {
      contents: `export { conversationView } from './src/editor/conversation-view.ts'; export { postView } from './src/editor/post-view.ts';`,
      resolveDir: root,
    },
    bundle: true,
    format: 'esm',
    platform: 'node',
    outfile: file,
    alias: { vscode: join(root, 'bench', 'vscode-words.mjs') },
    banner: { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);` },
    logLevel: 'error',
  });
  return import(pathToFileURL(file).href);
}

const PAGE_HOST = `
  window.sent = [];
  window.acquireVsCodeApi = () => ({ postMessage: (one) => sent.push(one), getState: () => undefined, setState: () => {} });
  window.say = (data) => window.dispatchEvent(new MessageEvent('message', { data }));
  window.painted = (selector) => new Promise((resolve) => {
    const look = () => document.querySelector(selector) === null
      ? requestAnimationFrame(look)
      : requestAnimationFrame(() => setTimeout(resolve));
    look();
  });
`;

async function newPanel(browser) {
  const page = await browser.newPage();
  await page.setViewportSize({ width: 1000, height: 700 });
  await page.setContent('<div id="teamroom-root"></div>');
  await page.addStyleTag({ content: readFileSync(join(root, 'dist/webview/main.css'), 'utf8') });
  await page.addScriptTag({ content: PAGE_HOST });
  await page.addScriptTag({ type: 'module', content: readFileSync(join(root, 'dist/webview/main.js'), 'utf8') });
  await page.waitForFunction('sent.length > 0');
  return page;
}

/** Opens a stored conversation and shows it. @returns milliseconds until its first posts are painted, and the rest */
async function open(browser, directory, runId, views) {
  const page = await newPanel(browser);
  const storage = createLocalRunStorage({ directory, ...LIVE });
  const whole = { isWhole: true, streams: [], damagedArtifacts: [], problem: null, runId };
  const { runs } = storage;
  // What verifies beside it is measured apart.
  const quiet = Object.assign(Object.create(runs), { verify: () => Promise.resolve(whole) });
  for (const name of ['list', 'listDamaged', 'watch', 'tryHold', 'isHeld', 'quarantine', 'cache'])
    quiet[name] = runs[name].bind(runs);
  const began = performance.now();
  const conversation = await Conversation.open(host({ ...storage, runs: quiet }), runId);
  const { state } = await conversation.status();
  const { entries, hasOlder } = await readTranscriptPage(storage, runId, {
    roomId: 'room',
    before: { revision: state.revision + 1, index: 0 },
    limit: PAGE,
  });
  const context = { team: TEAM, rooms: state.rooms };
  const view = (of) =>
    views.conversationView(of, { runId, forkOf: null, team: TEAM, engines: { find: () => engine }, runner: 'nobody' });
  const message = {
    ...{ type: 'snapshot', hostEpoch: 'bench', revision: state.revision, conversation: view(state), roomId: 'room' },
    ...{ posts: entries.map((entry) => views.postView(entry, context)), hasOlder, drafts: {}, live: [] },
  };
  const shown = page.evaluate(`(say(${JSON.stringify(message)}), painted('[data-post]'))`);
  await shown;
  const took = performance.now() - began;
  const rows = await page.evaluate(`document.querySelectorAll('[data-post]').length`);
  return { page, conversation, took, rows, view, context };
}

/** Milliseconds from a post of the person until it is painted. */
async function push({ page, conversation, view, context }, round) {
  const pushed = Promise.withResolvers();
  const subscription = conversation.onDidChange(({ from, to, events, state }) => {
    const posts = events.flatMap(transcriptOf).map((entry) => context.views.postView(entry, context));
    if (posts.length === 0) return;
    const message = { type: 'changes', hostEpoch: 'bench', from, to, conversation: view(state), posts };
    const selector = `[data-post="${posts[0].id}"]`;
    pushed.resolve(page.evaluate(`(say(${JSON.stringify(message)}), painted(${JSON.stringify(selector)}))`));
  });
  const began = performance.now();
  await conversation.post({ requestId: `push-${round}-${randomUUID()}`, roomId: 'room', text: 'One more.' });
  await await pushed.promise;
  const took = performance.now() - began;
  subscription[Symbol.dispose]();
  return took;
}

/** Frame times in milliseconds over three seconds, while `during` goes on. */
async function frames(page, during) {
  const measured = page.evaluate(`new Promise((resolve) => {
    const times = []; let last = performance.now(); const end = last + 3000;
    const tick = (now) => { times.push(now - last); last = now; now < end ? requestAnimationFrame(tick) : resolve(times.slice(5)); };
    requestAnimationFrame(tick);
  })`);
  await during;
  return measured;
}

/** An answer of 200 tokens a second, as the host sends it: twenty messages of ten. */
async function stream(page, runId) {
  let from = 0;
  for (let sent = 0; sent < 60; sent += 1) {
    const text = 'ten more of the tokens that an answer is made of '.slice(0, 48);
    const message = { type: 'live', runId, position: 'team/ana/1', memberId: 'ana', roomId: 'room', from, text };
    from += text.length;
    await page.evaluate(`say(${JSON.stringify(message)})`);
    await new Promise((resolve) => setTimeout(resolve, 48));
  }
}

const p95 = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? Number.NaN;

/** Everything about the panel, small and large in turn. */
export async function measurePanel(place) {
  await ensureBuilt();
  const views = await loadViews(place);
  const lengths = [50, 50_000];
  const stores = [];
  for (const length of lengths) {
    const directory = join(place, `posts-${length}`);
    await mkdir(directory, { recursive: true });
    stores.push({ directory, runId: await conversationOf(directory, length) });
  }
  const browser = await openBrowser(join(place, 'browser'));
  try {
    const opens = [[], []];
    const pushes = [[], []];
    let rows = 0;
    const still = { idle: [], streaming: [] };
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const [index, { directory, runId }] of stores.entries()) {
        const opened = await open(browser, directory, runId, views);
        opened.context.views = views;
        const pushed = await push(opened, round);
        // The first of all warms up.
        if (round > 0) {
          opens[index].push(opened.took);
          pushes[index].push(pushed);
        }
        rows = Math.max(rows, opened.rows);
        if (index === 1 && round > 0) {
          still.idle.push(await frames(opened.page, Promise.resolve()));
          still.streaming.push(await frames(opened.page, stream(opened.page, runId)));
        }
        await opened.conversation.close();
        await opened.page.close();
      }
    }
    const ratioOf = (of) => median(of[1].map((value, index) => value / of[0][index]));
    const frameRatio = (take) => median(still.streaming.map((times, index) => take(times) / take(still.idle[index])));
    return {
      open: { ratio: ratioOf(opens), short: median(opens[0]), long: median(opens[1]) },
      push: { ratio: ratioOf(pushes), short: median(pushes[0]), long: median(pushes[1]) },
      rows,
      frame: {
        median: frameRatio(median),
        p95: frameRatio(p95),
        idle: median(still.idle.map(median)),
        streaming: median(still.streaming.map(p95)),
      },
    };
  } finally {
    await browser.close();
  }
}
