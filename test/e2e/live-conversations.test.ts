// Three conversations in the list behind the panel's title: new, switch, rename, archive, and their order. Played
// plainly; TEAMROOM_LONG=1 plays it with reloads and with killed hosts too.
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  interruptions,
  playSteps,
  PLAINLY,
  SCENARIO_LIMIT,
  type Interruption,
  type ScenarioStep,
} from './lab/scenario.js';
import { scriptedTeam } from './lab/scripted-team.js';
import { TeamPanel } from './lab/team-panel.js';
import { useLab } from './lab/use-lab.js';
import { waitFor } from './lab/wait.js';

const use = useLab({
  workspaceFiles: scriptedTeam({
    id: 'solo',
    name: 'Solo',
    room: { id: 'build', name: 'Build' },
    members: [{ id: 'ada', script: [{ say: 'Noted: {text}' }] }],
  }),
});
const panel = new TeamPanel(() => use.workbench);

const quickInput = (): Locator => use.workbench.page.locator('.quick-input-widget:visible input').first();

/** The list behind the panel's title, opened when it is not. */
async function list(): Promise<Locator> {
  const frame = await panel.frame();
  const dialog = frame.getByRole('dialog', { name: 'Conversations' });
  if ((await dialog.count()) === 0) await frame.getByRole('button', { name: /^Conversation: / }).click();
  await dialog.waitFor();
  return dialog;
}

/** The titles in the list, from the top, once they are those. */
async function listed(...titles: readonly string[]): Promise<void> {
  await waitFor(`the list ${titles.join(', ')}`, async () => {
    const rows = (await list()).getByRole('listitem');
    const found = (await rows.allInnerTexts()).map(
      (words) => /\b(Alpha|Beta|Gamma|Delta) at \w+/.exec(words)?.[0] ?? words,
    );
    return found.join('\n') === titles.join('\n') ? true : undefined;
  });
}

async function close(): Promise<void> {
  await use.workbench.page.keyboard.press('Escape');
  await (await panel.frame()).getByRole('dialog', { name: 'Conversations' }).waitFor({ state: 'hidden' });
}

async function fromMenu(title: string, entry: string): Promise<void> {
  const dialog = await list();
  await dialog.getByRole('button', { name: `More actions for ${title}` }).click();
  await dialog.getByRole('menuitem', { name: entry }).click();
}

async function title(): Promise<string> {
  return (await panel.frame()).getByRole('button', { name: /^Conversation: / }).innerText();
}

async function isOpen(name: string): Promise<void> {
  await waitFor(`${name} to be open`, async () => ((await title()).trim() === name ? true : undefined));
}

async function say(text: string, posts: number): Promise<void> {
  await panel.post(text);
  await panel.waitForPosts(posts);
  await panel.losesSight('is working');
}

/** @param round goes into the titles, so that each round has three conversations of its own */
const stepsOf = (round: string): readonly ScenarioStep[] => [
  {
    what: 'three conversations were begun from the list',
    act: async () => {
      for (const [index, text] of [`Alpha ${round}`, `Beta ${round}`, `Gamma ${round}`].entries()) {
        if (index > 0 || (await panel.posts()).length > 0) {
          await (await list()).getByRole('button', { name: 'New Conversation' }).click();
          await isOpen('New conversation');
        }
        await say(text, 2);
      }
    },
  },
  {
    what: 'the first one is open again, and a post has moved it to the top',
    act: async () => {
      await find(round, `Gamma ${round}`, `Beta ${round}`, `Alpha ${round}`);
      await (
        await list()
      )
        .getByRole('button', { name: new RegExp(`Alpha ${round}`) })
        .first()
        .click();
      await isOpen(`Alpha ${round}`);
      await say('More of it', 4);
      await find(round, `Alpha ${round}`, `Gamma ${round}`, `Beta ${round}`);
      await close();
    },
  },
  {
    what: 'the last one has another name',
    act: async ({ workbench }) => {
      await find(round, `Alpha ${round}`, `Gamma ${round}`, `Beta ${round}`);
      await fromMenu(`Beta ${round}`, 'Rename…');
      await waitFor('the name as it was', async () =>
        (await quickInput()
          .inputValue()
          .catch(() => '')) === `Beta ${round}`
          ? true
          : undefined,
      );
      await quickInput().fill(`Delta ${round}`);
      await workbench.page.keyboard.press('Enter');
      await find(round, `Alpha ${round}`, `Gamma ${round}`, `Delta ${round}`);
      await close();
    },
  },
  {
    what: 'the one in the middle is archived',
    act: async () => {
      await find(round, `Alpha ${round}`, `Gamma ${round}`, `Delta ${round}`);
      await fromMenu(`Gamma ${round}`, 'Archive');
      await find(round, `Alpha ${round}`, `Delta ${round}`);
      await close();
    },
  },
];

/** Narrows the list down to the conversations of a round. */
async function find(round: string, ...titles: readonly string[]): Promise<void> {
  await (await list()).getByRole('textbox', { name: 'Search conversations' }).fill(round);
  await listed(...titles);
}

async function playThree(round: string, interruption: Interruption): Promise<void> {
  await playSteps({ lab: use.lab, workbench: use.workbench, panel }, stepsOf(round), interruption);
  await isOpen(`Alpha ${round}`);
  expect((await panel.posts()).map(({ who, text }) => `${who}: ${text}`)).toEqual([
    `You: Alpha ${round}`,
    `Ada: Noted: Alpha ${round}`,
    'You: More of it',
    'Ada: Noted: More of it',
  ]);
  await find(round, `Alpha ${round}`, `Delta ${round}`);
  await use.workbench.screenshot('live-conversations');
  const dialog = await list();
  await dialog.getByRole('button', { name: 'Show archived conversations' }).click();
  await listed(`Gamma ${round}`);
  await dialog.getByRole('button', { name: 'Show archived conversations' }).click();
  await listed(`Alpha ${round}`, `Delta ${round}`);
  await close();
}

test('C17 Three conversations are begun, switched, renamed and archived in the list, newest activity first', async () => {
  await panel.open();
  await playThree('at noon', PLAINLY);
});

test('The one that was archived is read as it was, and comes back into the list', async () => {
  const dialog = await list();
  await dialog.getByRole('button', { name: 'Show archived conversations' }).click();
  await listed('Gamma at noon');
  await dialog
    .getByRole('button', { name: /Gamma at noon/ })
    .first()
    .click();
  await waitFor('its posts', async () =>
    (await panel.posts()).some(({ text }) => text === 'Noted: Gamma at noon') ? true : undefined,
  );
  expect(await title()).toMatch(/Archived$/);
  await use.workbench.runCommand('Teamroom: Unarchive Conversation');
  await isOpen('Gamma at noon');
  await find('at noon', 'Alpha at noon', 'Gamma at noon', 'Delta at noon');
  await close();
});

test.for(interruptions(null))(
  'The list and the open conversation end the same %s',
  { timeout: SCENARIO_LIMIT },
  (interruption) => playThree(interruption.includes('reload') ? 'at dusk' : 'at night', interruption),
);
