// The task board as a person uses it: by mouse, by keyboard, over a reload, and against somebody who was quicker.
// The tests follow each other.
import type { Locator } from 'playwright-core';
import { afterEach, expect, test } from 'vitest';
import { TeamPanel } from './lab/team-panel.js';
import { useLab } from './lab/use-lab.js';
import { waitFor } from './lab/wait.js';
import type { Workbench } from './lab/workbench.js';

const use = useLab();
const panel = new TeamPanel(() => use.workbench);

let second: Workbench | null = null;

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') await second?.screenshot('failed-board-window-2').catch(String);
});

const boardOf = async (one: TeamPanel): Promise<Locator> =>
  (await one.frame()).getByRole('region', { name: 'Task board' });
const board = (): Promise<Locator> => boardOf(panel);
const column = async (name: string, one = panel): Promise<Locator> =>
  (await boardOf(one)).getByRole('region', { name: new RegExp(`^${name}`) });
const card = async (id: string, one = panel): Promise<Locator> => (await boardOf(one)).locator(`[data-task="${id}"]`);
const button = async (name: string): Promise<Locator> => (await board()).getByRole('button', { name, exact: true });

/** Waits until a card stands in a column. */
async function stands(id: string, name: string, one = panel): Promise<void> {
  await waitFor(`${id} in ${name}`, async () =>
    (await (await column(name, one)).locator(`[data-task="${id}"]`).count()) === 1 ? true : undefined,
  );
}

/** Carries a card to a column with the mouse. */
async function drag(id: string, to: string, window = use.workbench, one = panel): Promise<void> {
  const { mouse } = window.page;
  const from = await (await card(id, one)).locator('.card-subject').boundingBox();
  const over = await (await column(to, one)).boundingBox();
  if (from === null || over === null) throw new Error('The card and the column are on screen.');
  await mouse.move(from.x + 5, from.y + 5);
  await mouse.down();
  await mouse.move(over.x + over.width / 2, over.y + 60, { steps: 8 });
  await mouse.up();
}

/** What in the panel has the focus, by its name or its words. */
async function focused(): Promise<string> {
  return (await panel.frame()).evaluate<string>(
    `document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? ''`,
  );
}

/** Presses a key until the focus is where it is wanted. */
async function go(key: string, to: RegExp, window: Workbench = use.workbench): Promise<void> {
  for (let pressed = 0; pressed < 40; pressed += 1) {
    if (to.test(await focused())) return;
    await window.page.keyboard.press(key);
  }
  throw new Error(`${key} does not lead to ${String(to)}; the focus is at "${await focused()}".`);
}

/** Opens the board of a window that may have come up with what another one of the workspace had open there. */
async function openCleanBoard(one: TeamPanel): Promise<void> {
  if (!(await (await boardOf(one)).isVisible())) await one.click(/^Task board/);
  await (await column('Completed', one)).waitFor();
  const form = (await boardOf(one)).getByRole('button', { name: 'Close Form' });
  if (await form.isVisible()) await form.click();
  await one.clickIfThere('Drop Changes');
  await one.clickIfThere('Close Task');
}

test('The board is opened from the room, and tasks are put on it, one that waits for the other', async () => {
  await panel.open();
  await panel.click(/^Task board: no tasks/);
  await panel.sees('No tasks yet');
  await (await button('New Task')).first().click();
  await (await button('Create Task')).click();
  await panel.sees('Say in a few words what is to be done.');
  const form = (await board()).getByRole('complementary');
  await form.getByLabel('Subject').fill('Draft the note');
  await form.getByLabel('Description').fill('One paragraph.');
  await form.getByLabel('Writes to').fill('docs');
  await (await button('Create Task')).click();
  await panel.sees('task-1 · revision 1');

  await (await button('New Task')).click();
  await form.getByLabel('Subject').fill('Check the note');
  await form.getByLabel('Description').fill('Every claim.');
  await form.getByRole('checkbox', { name: /task-1/ }).check();
  await (await button('Create Task')).click();
  await panel.sees('task-2 · revision 1');
  await (await button('Close Task')).click();
  await stands('task-1', 'Ready');
  await stands('task-2', 'Blocked');
  await panel.sees('Waits for task-1');
});

test('TB-7 A card is carried to In Progress; one that waits is refused with the reason and its code, and stays', async () => {
  await drag('task-1', 'In Progress');
  await stands('task-1', 'In Progress');
  expect(await (await card('task-1')).innerText()).toMatch(/r2[^]*You/);

  await drag('task-2', 'Completed');
  await panel.sees(/“Move to Completed” was refused: The task task-2 cannot be claimed: it waits for task-1\./);
  await panel.sees('TEAM_TASK_BLOCKED');
  await stands('task-2', 'Blocked');
  await (await card('task-2')).getByRole('button', { name: 'Dismiss' }).click();
  await panel.losesSight('TEAM_TASK_BLOCKED');
});

test('TB-14 An edge that closes a circle is refused in the form, with the path; what was written outlives a reload', async () => {
  await (await card('task-1')).locator('.card-main').click();
  await (await button('Edit')).click();
  const form = (await board()).getByRole('complementary');
  await form.getByRole('checkbox', { name: /task-2/ }).check();
  await (await button('Save')).click();
  await panel.sees(/The dependency cycle includes task-\d → task-\d → task-\d/);
  await form.getByRole('checkbox', { name: /task-2/ }).uncheck();
  await form.getByLabel('Subject').fill('Draft the short note');
  await use.workbench.reload();
  await waitFor('what was written', async () => {
    const field = (await board()).getByLabel('Subject');
    return (await field.count()) === 1 && (await field.inputValue()) === 'Draft the short note' ? true : undefined;
  });
  await (await button('Save')).click();
  await panel.sees('task-1 · revision 3');
  await panel.sees('You: subject changed');
  await (await button('Close Task')).click();
  await stands('task-1', 'In Progress');
});

test('WX-11 By keyboard alone: from card to card, along the columns, by the menu, and the focus stays with the card', async () => {
  const { page } = use.workbench;
  await page.keyboard.press('Escape');
  await (await board()).waitFor({ state: 'detached' });
  await use.workbench.runCommand('Teamroom: Open Task Board');
  await waitFor('the focus at the head of the board', async () => ((await focused()) === 'Board' ? true : undefined));
  await go('Tab', /^task-2/);
  await page.keyboard.press('ArrowRight');
  expect(await focused()).toMatch(/^task-1/);
  await page.keyboard.press('Alt+ArrowRight');
  await stands('task-1', 'Completed');
  await stands('task-2', 'Ready');
  expect(await focused()).toMatch(/^task-1/);

  await page.keyboard.press('ArrowLeft');
  expect(await focused()).toMatch(/^task-2/);
  await page.keyboard.press('Tab');
  expect(await focused()).toBe('Move task-2…');
  await page.keyboard.press('Enter');
  await go('ArrowDown', /^Assign to Writer$/);
  await page.keyboard.press('Enter');
  await stands('task-2', 'In Progress');
  expect(await (await card('task-2')).innerText()).toContain('Writer');
  await waitFor('the focus at the card', async () => (/^task-2/.test(await focused()) ? true : undefined));

  await page.keyboard.press('Alt+ArrowLeft');
  await stands('task-2', 'Ready');
  await page.keyboard.press('Enter');
  await panel.sees('You: released');
  expect(await focused()).toMatch(/^task-2 · revision 3/);
  await page.keyboard.press('Escape');
  await waitFor('the focus at the card', async () => (/^task-2, revision/.test(await focused()) ? true : undefined));
  await page.keyboard.press('Escape');
  await (await board()).waitFor({ state: 'detached' });
});

test('TB-1 A stale move is refused with who changed the task meanwhile, and the board shows it as it is', async () => {
  const { lab, workbench } = use;
  const before = lab.hosts();
  const other = await lab.openWorkbench();
  second = other;
  const theirs = new TeamPanel(() => other);
  const host = lab.hosts().find((pid) => !before.includes(pid));
  if (host === undefined) throw new Error('The second window has a host.');
  await theirs.open();
  await openCleanBoard(theirs);
  await stands('task-2', 'Ready', theirs);
  // Its host hears nothing of what the first window does, until the move has been asked for.
  process.kill(host, 'SIGSTOP');
  try {
    await workbench.page.bringToFront();
    await workbench.runCommand('Teamroom: Open Task Board');
    await drag('task-2', 'In Progress');
    await stands('task-2', 'In Progress');
    await other.page.bringToFront();
    await stands('task-2', 'Ready', theirs);
    await drag('task-2', 'Completed', other, theirs);
  } finally {
    process.kill(host, 'SIGCONT');
  }
  await theirs.sees(/“Move to Completed” was refused: You saw revision 3 of task-2; it is at 4 now\./);
  await theirs.sees('You changed it meanwhile: in progress, owned by you (revision 4).');
  await stands('task-2', 'In Progress', theirs);
  await other.close();
  second = null;
  await workbench.page.bringToFront();
});

test('A task in the sidebar opens the board there; one that others wait for is not deleted, and says who they are', async () => {
  const { page } = use.workbench;
  await panel.open();
  await use.workbench.clickActivityBar('Teamroom');
  await page
    .locator('.sidebar')
    .getByRole('treeitem', { name: /Draft the short note/ })
    .first()
    .click();
  await panel.sees('task-1 · revision 4');
  await (await button('Delete…')).click();
  await panel.sees('task-2 waits for it: change that first.');
  expect(await (await board()).getByRole('button', { name: 'Delete', exact: true }).count()).toBe(0);
  await (await button('Keep')).click();
  await (await button('Reopen')).click();
  await panel.sees('You: reopened');
  await (await button('Close Task')).click();
  await stands('task-1', 'Ready');
});
