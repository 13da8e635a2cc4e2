// `npm start` as a person has it: one command, a line with the address, a panel that is open, and the same conversation
// the next time.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../../scripts/paths.mjs';
import { processes } from '../../scripts/process-tree.mjs';
import { openBrowser } from './lab/browser.js';
import { RELEASE_NOTE, SUGGESTION } from './lab/demo-team.js';
import { TeamPanel } from './lab/team-panel.js';
import { removeFolder, temporaryFolder } from './lab/temporary.js';
import { waitFor } from './lab/wait.js';
import { Workbench } from './lab/workbench.js';

let base: string;
let port: number;
beforeAll(async () => {
  base = temporaryFolder();
  port = await freePort();
});
afterAll(() => removeFolder(base));

/** Starts it with data of its own; the first port is asked for once, as a person would who has it taken. */
function start(choice: NodeJS.ProcessEnv): { child: ChildProcess; output: () => string; ended: Promise<unknown[]> } {
  const env = { ...process.env, XDG_DATA_HOME: join(base, 'data'), TEAMROOM_DROP_STATE: '1', ...choice };
  const child = spawn(process.execPath, [join(root, 'scripts', 'start.mjs')], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => (text += `${line}\n`));
  }
  return { child, output: () => text, ended: once(child, 'exit') };
}

async function address(output: () => string): Promise<string> {
  return waitFor('the address', () => /^Teamroom is ready: (http:\S+)$/m.exec(output())?.[1], 300_000);
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const found = probe.address();
  probe.close();
  await once(probe, 'close');
  if (found === null || typeof found === 'string') throw new Error('No port was given.');
  return found.port;
}

test('npm start says where the team is, opens its panel, says a taken port, ends with all it started, and knows it the next day', async () => {
  const first = start({ TEAMROOM_PORT: String(port) });
  const url = await address(first.output);
  expect(new URL(url).port).toBe(String(port));
  expect(new URL(url).searchParams.get('tkn')).toMatch(/^[0-9a-f]{32,}$/);
  const browser = await openBrowser(join(base, 'browser'));
  try {
    const page = browser.pages()[0] ?? (await browser.newPage());
    const workbench = new Workbench(
      page,
      () => 0,
      () => Promise.resolve(),
    );
    const panel = new TeamPanel(() => workbench);
    await workbench.goto(url);
    await panel.sees('Your team is ready', 60_000);
    await panel.click(`Post “${SUGGESTION}”`);
    expect(await panel.waitForPosts(6, 60_000)).toEqual(RELEASE_NOTE);

    const second = start({});
    expect((await second.ended)[0]).toBe(1);
    expect(second.output()).toContain(`Port ${port} is taken`);

    first.child.kill('SIGINT');
    await first.ended;
    expect(
      processes().filter(({ command, zombie }) => command.includes(base) && !zombie && !command.includes('browser')),
    ).toEqual([]);

    const again = start({});
    const next = await address(again.output);
    expect(new URL(next).port).toBe(String(port));
    await workbench.goto(next);
    await panel.isReady();
    expect(await panel.waitForPosts(6, 60_000)).toEqual(RELEASE_NOTE);
    again.child.kill('SIGINT');
    await again.ended;
  } finally {
    await browser.close();
    first.child.kill('SIGINT');
  }
});
