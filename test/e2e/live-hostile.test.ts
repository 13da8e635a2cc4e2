// Texts that try to become something else, through everything that a panel shows: posts, answers, names, titles, tasks,
// what tools were given and gave back, names of files. Nothing runs, nothing is asked of the net, and all of it is read
// as text. The tests of this file follow each other.
import type { Frame } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { HOSTILE_TEXTS } from '../support/hostile-texts.js';
import { scriptedTeam } from './lab/scripted-team.js';
import { TeamPanel } from './lab/team-panel.js';
import { useLab } from './lab/use-lab.js';
import { waitFor } from './lab/wait.js';

/** One text for many places: out of attributes, scripts, comments and elements at once. */
const POLYGLOTS = [
  `jaVasCript:/*-/*\`/*\\\`/*'/*"/**/(/* */oNcliCk=alert(1) )//%0D%0A%0d%0a//</stYle/</titLe/</teXtarEa/</scRipt/--!>\\x3csVg/<sVg/oNloAd=alert(1)//>\\x3e`,
  `">><marquee><img src=x onerror=alert(1)></marquee>"></plaintext\\></|\\><plaintext/onmouseover=alert(1)><script>alert(1)</script>`,
  `'"--></style></script><svg onload=alert(1)>{{7*7}}\${7*7}<%= 7*7 %>`,
  `<img src=x id="' onerror=alert(1)//"><a href="java&#x0A;script:alert(1)">x</a>`,
];
const MARKUP = '<img src=x onerror=alert(1)>';
const FILE = `x" onerror="alert(1).png`;
const PER_POST = 12;

const texts = [...HOSTILE_TEXTS, ...POLYGLOTS, `![${MARKUP}](<${FILE}>)`, `[${MARKUP}](<${FILE}>)`];
const groups = Array.from({ length: Math.ceil(texts.length / PER_POST) }, (_, at) =>
  texts.slice(at * PER_POST, (at + 1) * PER_POST).join('\n\n'),
);

const use = useLab({
  workspaceFiles: {
    ...scriptedTeam({
      id: 'hostile',
      name: `Team ${MARKUP}`,
      suggestion: `Begin ${MARKUP}`,
      room: { id: 'build', name: `Room ${MARKUP}` },
      members: [
        {
          id: 'ada',
          name: `Ada" onmouseover="alert(1)" x="1`,
          role: MARKUP,
          script: [
            {
              steps: [
                { think: '{text}' },
                { plan: [{ text: '{text}', status: 'in_progress' }] },
                { call: MARKUP, input: { '<svg onload=alert(1)>': '{text}' }, result: '{text}' },
                { call: 'team_task_create', input: { subject: MARKUP, description: '{text}' } },
                { call: 'team_task_list' },
                { error: '{text}' },
              ],
              say: '{text}',
              usage: { model: MARKUP, inputTokens: 1, outputTokens: 1, cost: 0 },
            },
          ],
        },
        { id: 'ben', role: `"><script>alert(1)</script>`, script: [{ fail: `Failed ${MARKUP}` }] },
      ],
    }),
    [FILE]: 'This is no picture.',
  },
});
const panel = new TeamPanel(() => use.workbench);

const requests: string[] = [];
const dialogs: string[] = [];
beforeAll(async () => {
  const browser = await use.lab.browser();
  browser.on('request', (request) => requests.push(request.url()));
  use.workbench.page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
});

/** From here on every frame keeps what runs in it, and the panel's what its policy had to stop. */
async function watch(): Promise<void> {
  for (const frame of use.workbench.page.frames()) {
    await frame.evaluate(`
      if (window.ran === undefined) {
        window.ran = [];
        for (const name of ['alert', 'confirm', 'prompt', 'print']) window[name] = (what) => void window.ran.push(name + ' ' + what);
        window.stopped = [];
        document.addEventListener('securitypolicyviolation', (event) => window.stopped.push(event.effectiveDirective));
      }
    `);
  }
}

interface Seen {
  readonly ran: readonly string[];
  readonly stopped: readonly string[];
}

async function seen(): Promise<Seen[]> {
  return Promise.all(
    use.workbench.page.frames().map((frame) => frame.evaluate<Seen>('({ ran: window.ran, stopped: window.stopped })')),
  );
}

/** What no text of a member or a person can make, wherever it is in the panel; and addresses and handlers. */
const STRANGE = `[...document.querySelectorAll('#teamroom-root *')].flatMap((one) => [
  ...('script iframe object embed img svg math form base meta link style video audio source marquee template plaintext'
    .split(' ').includes(one.localName) ? [one.localName] : []),
  ...one.getAttributeNames().filter((name) => /^(on|src|href|style$|formaction|xlink)/.test(name) &&
    !(name === 'style' && one.matches('.space'))).map((name) => one.localName + ' ' + name),
])`;

async function nothingStrange(frame: Frame): Promise<void> {
  expect(await frame.evaluate<string[]>(STRANGE)).toEqual([]);
  expect((await seen()).filter(({ ran, stopped }) => ran.length > 0 || stopped.length > 0)).toEqual([]);
  expect(dialogs).toEqual([]);
}

/** Hosts that a window of the editor asks: its own server and where it keeps the pages of webviews. */
function hosts(urls: readonly string[]): string[] {
  const remote = urls.filter((url) => /^(https?|wss?):/.test(url)).map((url) => new URL(url).hostname);
  return [...new Set(remote)].filter((host) => host !== '127.0.0.1').toSorted();
}

test('WX-1 Names of team, room and member, roles and the suggestion are text before anything was said', async () => {
  await use.workbench.clickActivityBar('Teamroom');
  await panel.open();
  await watch();
  await panel.sees(`Team ${MARKUP}`);
  await panel.sees(`Post “Begin ${MARKUP}”`);
  await panel.write('@');
  await panel.sees(`"><script>alert(1)</script>`);
  await (await panel.composer()).fill('');
  await nothingStrange(await panel.frame());
});

test('WX-1 WX-4 Posts, answers, reasoning and tasks: nothing runs, nothing is loaded, all is text', async () => {
  const known = hosts(requests);
  const frame = await panel.frame();
  const box = await panel.composer();
  for (const [index, text] of groups.entries()) {
    await box.fill(`Part ${index + 1} begins\n\n${text}\n\nPart ${index + 1} ends`);
    await box.press('Enter');
    const answer = frame.getByRole('article', { name: /^Ada/ }).filter({ hasText: `Part ${index + 1} begins` });
    await answer.waitFor({ timeout: 60_000 });
    await panel.losesSight('is working');
    await answer.getByRole('button', { name: 'Reasoning' }).click();
    await answer.getByText('team_task_list', { exact: true }).waitFor();
    // The name of a tool, and the subject of a task in what that tool answers.
    expect(await answer.getByText(MARKUP).count()).toBeGreaterThanOrEqual(2);
    await nothingStrange(frame);
  }
  await use.workbench.screenshot('live-hostile');
  await panel.sees(MARKUP);
  expect(requests.filter((url) => /evil\.example|good\.example/.test(url))).toEqual([]);
  expect(hosts(requests)).toEqual(known);
});

test('WX-1 A failure, the name of a conversation and the list of them are text, also after a reload', async () => {
  const { workbench } = use;
  await panel.post('@ben Try it');
  await panel.sees(`Failed ${MARKUP}`);
  await workbench.runCommand('Teamroom: Rename Conversation…');
  const input = workbench.page.locator('.quick-input-widget:visible input').first();
  await waitFor('the box', async () => ((await input.inputValue().catch(() => '')) === '' ? undefined : true));
  await input.fill(`Name ${MARKUP}`);
  await input.press('Enter');
  await panel.sees(`Name ${MARKUP}`);
  await workbench.reload();
  await panel.isReady();
  await watch();
  await panel.sees(`Name ${MARKUP}`);
  await panel.sees(`Failed ${MARKUP}`);
  const frame = await panel.frame();
  await frame.getByRole('button', { name: /^Conversation: / }).click();
  await frame
    .getByRole('listitem')
    .filter({ hasText: `Name ${MARKUP}` })
    .waitFor();
  await nothingStrange(frame);
  await frame.page().keyboard.press('Escape');
  expect(requests.filter((url) => /evil\.example|good\.example/.test(url))).toEqual([]);
});

test('What ran or was stopped would have been seen', async () => {
  const frame = await panel.frame();
  await frame.evaluate(`
    const bad = document.createElement('img');
    bad.src = 'https://evil.example/control.png';
    document.body.append(bad);
    alert('control');
  `);
  await frame.waitForFunction('window.stopped.length > 0');
  expect((await seen()).flatMap(({ ran, stopped }) => [...ran, ...stopped])).toEqual(['alert control', 'img-src']);
});
