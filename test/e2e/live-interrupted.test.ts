// Turns that a reload cuts off and turns that fail: nothing runs again by itself, and Resume, Retry and Skip do what they
// say. The tests of this file follow each other. TEAMROOM_LONG=1 plays the scenario with reloads and killed hosts too.
import { expect, test } from 'vitest';
import { readRecord, textOf } from './lab/record.js';
import {
  goOnTo,
  goOnUntil,
  interruptions,
  newConversation,
  playScenario,
  SCENARIO_LIMIT,
  type Interruption,
  type ScenarioStep,
} from './lab/scenario.js';
import { readScreen } from './lab/screen.js';
import { scriptedTeam } from './lab/scripted-team.js';
import { TeamPanel } from './lab/team-panel.js';
import { useLab } from './lab/use-lab.js';

const use = useLab({
  workspaceFiles: scriptedTeam({
    id: 'trio',
    room: { id: 'build', name: 'Build' },
    members: [
      {
        id: 'ada',
        script: [{ think: ['Where was I?'], say: '@ben Copy the files, please.', pauseMs: 5000 }],
      },
      {
        id: 'ben',
        script: [
          { when: { retried: true }, say: 'Now there is room: all files are copied.' },
          { fail: 'The disk is full.' },
        ],
      },
      { id: 'cleo', script: [{ say: 'Counted to three.', pauseMs: 3000 }] },
    ],
  }),
});
const panel = new TeamPanel(() => use.workbench);

/** How often a turn was begun, by the record. */
async function begun(position: string): Promise<number> {
  const events = await readRecord(use.lab);
  return events.filter(
    ({ type, ...event }) =>
      /^graph:node-(attempt-started|resumed)$/.test(type) && textOf({ type, ...event }, 'position') === position,
  ).length;
}

async function button(name: string): Promise<void> {
  await (await panel.frame()).getByRole('button', { name, exact: true }).first().waitFor();
}

test('C14 A turn that a reload cuts off is shown as interrupted, and nothing runs by itself while others answer', async () => {
  const { workbench } = use;
  await newConversation({ workbench, panel });
  await panel.post('Copy the project');
  await panel.sees('Ada is working');
  await workbench.reload();
  await panel.sees('Ada was interrupted.');
  await button('Resume');
  await button('Skip');
  expect(await begun('team/ada/1')).toBe(1);
  // Somebody else takes three seconds, by the clock of the record: Ada has begun nothing meanwhile.
  await panel.post('@cleo Count to three');
  await panel.waitForPosts(3);
  await panel.losesSight('is working');
  expect(await begun('team/cleo/1')).toBe(1);
  expect(await begun('team/ada/1')).toBe(1);
  expect(await panel.shows('Ada was interrupted.')).toBe(true);
});

test('Resume lets it answer once, and whom it mentions follows; Retry lets the turn that failed answer', async () => {
  await panel.click('Resume');
  await panel.sees('Ben could not answer: The disk is full.');
  await button('Retry');
  await button('Skip');
  await use.workbench.screenshot('live-failed');
  await panel.click('Retry');
  await panel.waitForPosts(5);
  await panel.losesSight('is working');
  expect((await readScreen(panel)).rows).toEqual([
    'You → @Ada Copy the project',
    'You → @Cleo @cleo Count to three',
    'C Cleo answers you Counted to three. Reasoning',
    'A Ada Lead → @Ben answers you @ben Copy the files, please. Reasoning',
    'Ben could not answer: The disk is full. Reasoning',
    'B Ben · hop 1 of 8 answers Ada Now there is room: all files are copied. Reasoning',
  ]);
  // The same turn, begun again at the same place.
  const events = await readRecord(use.lab);
  const ends = events.filter(({ type }) => type === 'graph:node-completed').map((event) => textOf(event, 'position'));
  expect(ends).toEqual(['team/cleo/1', 'team/ada/1', 'team/ben/2']);
  expect(await begun('team/ada/1')).toBe(2);
});

const STEPS: readonly ScenarioStep[] = [
  {
    what: 'Ada is at work',
    act: async () => {
      await panel.post('Copy the project');
      await goOnTo(panel, 1, 'Ada');
    },
  },
  {
    what: 'Ada has answered and Ben has failed',
    act: () => goOnUntil(panel, 'the failure', () => panel.shows('Ben could not answer: The disk is full.')),
  },
  {
    what: 'Retry was pressed and Ben has answered',
    act: async () => {
      await panel.click('Retry');
      await goOnTo(panel, 3);
    },
  },
];

async function playFailure(interruption: Interruption): Promise<void> {
  const screen = await playScenario({ lab: use.lab, workbench: use.workbench, panel }, STEPS, interruption);
  expect(screen).toEqual({
    title: 'Copy the project',
    draft: '',
    rows: [
      'You → @Ada Copy the project',
      'A Ada Lead → @Ben answers you @ben Copy the files, please. Reasoning',
      'Ben could not answer: The disk is full. Reasoning',
      'B Ben · hop 1 of 8 answers Ada Now there is room: all files are copied. Reasoning',
    ],
  });
}

test.for(interruptions(null))('Resume and Retry end the same %s', { timeout: SCENARIO_LIMIT }, playFailure);

test('Skip leaves a turn that failed out, and it is not offered again after a reload', async () => {
  const { workbench } = use;
  await newConversation({ workbench, panel });
  await panel.post('@ben Copy the project');
  await panel.sees('Ben could not answer: The disk is full.');
  await panel.click('Skip');
  await panel.sees('The turn of Ben was skipped.');
  const { rows } = await readScreen(panel);
  await workbench.reload();
  await panel.waitForPosts(1);
  await panel.sees('The turn of Ben was skipped.');
  expect((await readScreen(panel)).rows).toEqual(rows);
  expect(rows.some((row) => /Retry|Skip$/.test(row))).toBe(false);
});
