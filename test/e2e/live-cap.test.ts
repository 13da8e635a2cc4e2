// A chain that reaches its cap: the notice, Continue by mouse and by keyboard, and who set the cap. The tests of this file
// follow each other. TEAMROOM_LONG=1 plays the scenario with reloads and with killed hosts too.
import type { Frame } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  goOnUntil,
  interruptions,
  playScenario,
  PLAINLY,
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
    id: 'ring',
    room: { id: 'build', name: 'Build' },
    limits: { hopCap: 2 },
    members: [
      { id: 'ada', script: [{ say: '@ben Take the next chapter, please.' }] },
      { id: 'ben', script: [{ say: '@cleo Take the chapter after mine.' }] },
      { id: 'cleo', script: [{ say: '@ada We begin anew with chapter one.' }] },
    ],
  }),
});
const panel = new TeamPanel(() => use.workbench);

async function stopsAfter(hops: number): Promise<void> {
  await goOnUntil(panel, `the notice of ${hops} hops`, () => panel.shows(`Stopped after ${hops} hops`));
  await (await panel.frame()).getByRole('button', { name: 'Continue' }).waitFor();
}

/** Goes through what Tab reaches, backwards from the composer, until Continue has the focus. */
async function tabToContinue(frame: Frame): Promise<void> {
  await (await panel.composer()).click();
  for (let press = 0; press < 30; press += 1) {
    await frame.page().keyboard.press('Shift+Tab');
    if ((await frame.locator(':focus').allInnerTexts()).some((words) => words.trim() === 'Continue')) return;
  }
  throw new Error('Continue is not reached by Tab.');
}

const STEPS: readonly ScenarioStep[] = [
  {
    what: 'the chain has reached its cap',
    act: async () => {
      await panel.post('Write the book');
      await stopsAfter(2);
    },
  },
  {
    what: 'Continue was clicked, and the cap is reached again',
    act: async () => {
      await panel.click('Continue');
      await stopsAfter(4);
    },
  },
  {
    what: 'Continue was pressed by keyboard, and the cap is reached again',
    act: async ({ workbench }) => {
      await tabToContinue(await panel.frame());
      await workbench.page.keyboard.press('Enter');
      await stopsAfter(6);
    },
  },
];

async function playCap(interruption: Interruption): Promise<void> {
  const screen = await playScenario({ lab: use.lab, workbench: use.workbench, panel }, STEPS, interruption);
  const ada = '@ben Take the next chapter, please. Reasoning';
  const ben = '@cleo Take the chapter after mine. Reasoning';
  const cleo = '@ada We begin anew with chapter one. Reasoning';
  expect(screen).toEqual({
    title: 'Write the book',
    draft: '',
    rows: [
      'You → @Ada Write the book',
      `A Ada Lead → @Ben answers you ${ada}`,
      `B Ben → @Cleo · hop 1 of 2 answers Ada ${ben}`,
      `C Cleo → @Ada · hop 2 of 2 answers Ben ${cleo}`,
      'Stopped after 2 hops: @Ada was next.',
      `A Ada Lead → @Ben · hop 3 of 4 answers Cleo ${ada}`,
      `B Ben → @Cleo · hop 4 of 4 answers Ada ${ben}`,
      'Stopped after 4 hops: @Cleo was next.',
      `C Cleo → @Ada · hop 5 of 6 answers Ben ${cleo}`,
      `A Ada Lead → @Ben · hop 6 of 6 answers Cleo ${ada}`,
      'Stopped after 6 hops: @Ben was next. Continue',
    ],
  });
}

test('C07 A chain stops at its cap and says so; Continue grants as much again, by mouse and by keyboard', async () => {
  await playCap(PLAINLY);
});

test('C28 The limits say that the team file set the cap, and that the others are defaults', async () => {
  const frame = await panel.frame();
  await frame.getByRole('button', { name: /^Usage and limits/ }).click();
  const facts = frame.getByRole('dialog', { name: /^Usage and limits/ });
  await facts.waitFor();
  const limits = (await facts.getByRole('listitem').allInnerTexts()).map((words) => words.replace(/\s+/g, ' '));
  expect(limits[0]).toBe('2 hops a chain · from the team file');
  expect(limits.slice(1).every((words) => words.endsWith('· default'))).toBe(true);
  await use.workbench.screenshot('live-limits');
  await frame.page().keyboard.press('Escape');
  await facts.waitFor({ state: 'hidden' });
});

test('The chain that waits is told in the status bar, and offers Continue once', async () => {
  const { page } = use.workbench;
  await page.locator('#teamroom\\.teamroom\\.teamroom\\.status').filter({ hasText: '1 waiting' }).waitFor();
  const { rows } = await readScreen(panel);
  expect(rows.filter((row) => row.endsWith('Continue'))).toHaveLength(1);
});

test.for(interruptions(null))('The cap and Continue end the same %s', { timeout: SCENARIO_LIMIT }, playCap);
