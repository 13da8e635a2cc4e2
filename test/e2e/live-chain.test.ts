// A chain of three members without a word in between, the room file that follows it, and what the members thought. The
// tests of this file follow each other. TEAMROOM_LONG=1 plays the chain with reloads and with killed hosts too.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  goOnTo,
  interruptions,
  newConversation,
  playScenario,
  PLAINLY,
  SCENARIO_LIMIT,
  type Interruption,
  type ScenarioStep,
} from './lab/scenario.js';
import { scriptedTeam } from './lab/scripted-team.js';
import { TeamPanel } from './lab/team-panel.js';
import { useLab } from './lab/use-lab.js';
import { waitFor } from './lab/wait.js';

const SEARCH = {
  call: 'search_code',
  input: { query: 'parser' },
  result: '3 files',
  steps: [
    { think: 'The first of them is the one.' },
    { call: 'read_file', input: { path: 'src/parser.ts' }, result: 'export const parse = 1;' },
  ],
};

const use = useLab({
  workspaceFiles: scriptedTeam({
    id: 'trio',
    room: { id: 'build', name: 'Build' },
    members: [
      {
        id: 'ada',
        script: [
          {
            when: { contains: ['parser'] },
            steps: [{ think: 'Ben writes tests.' }, SEARCH],
            say: '@ben Please write the tests of the parser.',
            pauseMs: 2000,
            usage: { model: 'sonnet', inputTokens: 12_000, outputTokens: 800, cost: 0.02 },
          },
          { say: 'Noted: {text}' },
        ],
      },
      { id: 'ben', script: [{ say: '@cleo Please review the tests of the parser.', pauseMs: 2000, stream: true }] },
      { id: 'cleo', script: [{ say: 'All twelve tests pass.', pauseMs: 2000 }] },
    ],
  }),
});
const panel = new TeamPanel(() => use.workbench);

const STEPS: readonly ScenarioStep[] = [
  { what: 'the room is empty', act: () => panel.isReady() },
  {
    what: 'the only post of the person is there',
    act: async () => {
      await panel.post('Test the parser');
      await panel.waitForPosts(1);
    },
  },
  ...['Ada', 'Ben', 'Cleo'].map((name, index) => ({
    what: `${name} is at work`,
    act: () => goOnTo(panel, index + 1, name),
  })),
  { what: 'the chain is over', act: () => goOnTo(panel, 4) },
];

async function playChain(interruption: Interruption): Promise<void> {
  const screen = await playScenario({ lab: use.lab, workbench: use.workbench, panel }, STEPS, interruption);
  expect(screen).toEqual({
    title: 'Test the parser',
    draft: '',
    rows: [
      'You → @Ada Test the parser',
      'A Ada Lead → @Ben answers you @ben Please write the tests of the parser. Reasoning',
      'B Ben → @Cleo · hop 1 of 8 answers Ada @cleo Please review the tests of the parser. Reasoning',
      'C Cleo · hop 2 of 8 answers Ben All twelve tests pass. Reasoning',
    ],
  });
}

test('C06 A chain of three members goes without a word in between, and shows who answers whom and the hop of the cap', async () => {
  await playChain(PLAINLY);
});

test('C18 The reasoning of a post shows a call with the call inside of it, and opens as a document', async () => {
  const frame = await panel.frame();
  const post = frame.getByRole('article', { name: /^Ada to @Ben/ });
  await post.getByRole('button', { name: 'Reasoning' }).click();
  await post.getByText('Ben writes tests.').waitFor();
  const inside = post.getByRole('list', { name: 'Inside search_code' });
  await inside.getByText('read_file', { exact: true }).waitFor();
  await inside.getByText('export const parse = 1;').waitFor();
  await post.getByText('12,000 tokens in, 800 out · $0.02 · sonnet').waitFor();
  await use.workbench.screenshot('live-reasoning');
  await post.getByRole('button', { name: 'Open as Document' }).click();
  const tab = use.workbench.page.locator('.tabs-container').getByRole('tab', { name: /^Ada, turn 1\.md/ });
  await tab.click();
  const text = await use.workbench.editorText();
  expect(text).toMatch(/^# Ada: reasoning of turn 1\n/);
  for (const words of ['Ben writes tests.', 'search_code', 'read_file', 'export const parse = 1;']) {
    expect(text).toContain(words);
  }
  await use.workbench.runCommand('View: Close Editor');
});

test.for(interruptions(null))('The chain ends the same %s', { timeout: SCENARIO_LIMIT }, playChain);

test('C02 `tail -f` on the room file, started before three posts, shows all three as they come', async () => {
  const { workbench } = use;
  await newConversation({ workbench, panel });
  await panel.click('Reveal Room File');
  const message = await waitFor('the path of the room file', async () =>
    (await workbench.notifications()).find((one) => one.startsWith('Room file: ')),
  );
  const path = message.slice('Room file: '.length);
  await panel.open();
  const tail = spawn('tail', ['-F', '-n', '+1', path], { stdio: ['ignore', 'pipe', 'ignore'] });
  let shown = '';
  tail.stdout.setEncoding('utf8').on('data', (piece: string) => (shown += piece));
  try {
    for (const [index, text] of ['One thing', 'Two things', 'Three things'].entries()) {
      await panel.post(text);
      await panel.waitForPosts(2 * (index + 1));
      await waitFor(`"${text}" and its answer`, () => (shown.endsWith(`: Noted: ${text}\n`) ? true : undefined));
    }
  } finally {
    tail.kill();
  }
  expect(shown).toBe(readFileSync(path, 'utf8'));
  expect(shown.split('\n').map((line) => line.replace(/^(\w+) \[.*?\]/, '$1'))).toEqual([
    'you: One thing',
    'ada: Noted: One thing',
    'you: Two things',
    'ada: Noted: Two things',
    'you: Three things',
    'ada: Noted: Three things',
    '',
  ]);
});
