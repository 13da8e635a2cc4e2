// How the panel looks, in each theme and width: pictures for a person in out/screenshots, and what can be measured (no
// text runs out of the panel, all text has a contrast of 4.5 : 1). TEAMROOM_LONG=1 adds themes and widths.
import { expect, test } from 'vitest';
import { SUGGESTION } from './lab/demo-team.js';
import { measureLooks } from './lab/looks.js';
import { TeamPanel } from './lab/team-panel.js';
import { useLab } from './lab/use-lab.js';
import { waitFor } from './lab/wait.js';

const isLong = process.env['TEAMROOM_LONG'] === '1';

/** Themes by the name of their picture, with the class that a page wears in them. */
const THEMES = [
  { name: 'dark', theme: 'Dark 2026', wears: 'vscode-dark' },
  { name: 'light', theme: 'Light 2026', wears: 'vscode-light' },
  ...(isLong
    ? [
        { name: 'dark-modern', theme: 'Dark Modern', wears: 'vscode-dark' },
        { name: 'light-modern', theme: 'Light Modern', wears: 'vscode-light' },
        { name: 'dark-plus', theme: 'Dark+', wears: 'vscode-dark' },
        { name: 'light-plus', theme: 'Light+', wears: 'vscode-light' },
        { name: 'hc-dark', theme: 'Default High Contrast', wears: 'vscode-high-contrast' },
        { name: 'hc-light', theme: 'Default High Contrast Light', wears: 'vscode-high-contrast-light' },
      ]
    : []),
] as const;

/** Of the window; its panel is 55 px narrower with the side bar closed. */
const WIDTHS = isLong ? [1400, 1000, 640, 480, 355] : [1400, 355];
const HEIGHT = 900;
const LONG = `${'Donaudampfschifffahrtsgesellschaft'.repeat(6)} https://example.com/${'a-very-long-path/'.repeat(12)}?q=1`;

const use = useLab();
const panel = new TeamPanel(() => use.workbench);

test('WX-5 An empty room', async () => {
  await panel.open();
  await panel.sees('Your team is ready');
  await use.workbench.runCommand('View: Toggle Primary Side Bar Visibility');
  await inAllLooks('empty');
});

test('WX-5 A team at work', async () => {
  await panel.click(`Post “${SUGGESTION}”`);
  await panel.sees('Reviewer is working');
  await use.workbench.screenshot('running-light-1400');
  await panel.waitForPosts(6);
});

test('WX-5 A conversation with long words, a mention of nobody and a list of members', async () => {
  await panel.post(`@nobody ${LONG}`);
  await panel.waitForPosts(8);
  await panel.losesSight('is working');
  await inAllLooks('conversation');
  await panel.write('@');
  await (await panel.frame()).getByRole('option').first().waitFor();
  await inAllLooks('mention');
  await (await panel.composer()).fill('');
});

test('WX-5 The task board with a card that was refused, and a task beside it', async () => {
  await use.workbench.runCommand('Teamroom: Open Task Board');
  const board = (await panel.frame()).getByRole('region', { name: 'Task board' });
  const press = (name: string): Promise<void> => board.getByRole('button', { name, exact: true }).first().click();
  for (const subject of ['Draft', LONG.slice(0, 190)]) {
    await press('New Task');
    await board.getByLabel('Subject').fill(subject);
    await board.getByLabel('Description').fill(LONG);
    await board.getByLabel('Writes to').fill('docs/a/very/long/path/that/does/not/end');
    for (const box of await board.getByRole('checkbox').all()) await box.check();
    await press('Create Task');
    await panel.sees('You: created');
  }
  await press('Close Task');
  await press('Move task-2…');
  await board.getByRole('menuitem', { name: 'Move to In Progress' }).click();
  await panel.sees('TEAM_TASK_BLOCKED');
  await inAllLooks('board');
  await board.getByRole('button', { name: /^task-2/ }).click();
  await panel.sees('You: created');
  await inAllLooks('board-task');
  await press('Back to the room');
});

test('WX-5 An interrupted turn', async () => {
  await panel.post(SUGGESTION);
  await panel.sees('Writer is working');
  await use.lab.killHost();
  await panel.sees('was interrupted');
  await inAllLooks('interrupted');
  await use.workbench.runCommand('View: Toggle Primary Side Bar Visibility');
  await use.workbench.clickActivityBar('Teamroom');
  for (const { name, theme, wears } of THEMES) {
    await wear(theme, wears);
    await use.workbench.screenshot(`sidebar-${name}`);
  }
});

/** Takes a picture in each theme and width, and measures each. */
async function inAllLooks(scene: string): Promise<void> {
  const { page } = use.workbench;
  for (const { name, theme, wears } of THEMES) {
    await wear(theme, wears);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: HEIGHT });
      const looks = await waitFor(`a panel for a window of ${width} px`, async () => {
        const now = await measureLooks(await panel.frame()).catch(() => undefined);
        return now !== undefined && now.width <= width && now.width > width - 400 ? now : undefined;
      });
      await use.workbench.screenshot(`${scene}-${name}-${width}`);
      expect.soft(looks, `${scene} in ${theme} at ${width}`).toMatchObject({ faint: [], wide: [], scrolls: false });
      expect(looks.texts).toBeGreaterThan(3);
    }
  }
  await page.setViewportSize({ width: 1400, height: HEIGHT });
}

async function wear(theme: string, wears: string): Promise<void> {
  use.lab.changeSettings('workspace', { 'workbench.colorTheme': theme });
  await waitFor(`the theme ${theme}`, async () => {
    const body = (await panel.frame()).locator('body');
    const worn = [await body.getAttribute('class'), await body.getAttribute('data-vscode-theme-id')].join(' ');
    return worn.split(' ').includes(wears) && worn.includes(theme) ? true : undefined;
  });
}
