// A folder that was renamed: its conversations are with the old name's storage, and are got back by a command.
import { renameSync } from 'node:fs';
import { expect, test } from 'vitest';
import { RELEASE_NOTE, SUGGESTION } from './lab/demo-team.js';
import { TeamPanel } from './lab/team-panel.js';
import { useLab } from './lab/use-lab.js';
import { waitFor } from './lab/wait.js';

const use = useLab();
const panel = new TeamPanel(() => use.workbench);

test('ST-10 Conversations of a renamed folder are found by what their records say, and copied by Recover Conversations', async () => {
  const { lab } = use;
  await panel.open();
  await panel.click(`Post “${SUGGESTION}”`);
  expect(await panel.waitForPosts(6)).toEqual(RELEASE_NOTE);
  await use.workbench.close();

  const renamed = `${lab.workspace}-renamed`;
  renameSync(lab.workspace, renamed);
  use.workbench = await lab.openWorkbench(lab.addressOf(renamed));
  await panel.open();
  expect(await panel.posts()).toEqual([]);
  await panel.post('hello');
  await panel.waitForPosts(2);

  const { page } = use.workbench;
  await use.workbench.runCommand('Teamroom: Recover Conversations');
  const row = page.locator('.quick-input-list .monaco-list-row').filter({ hasText: SUGGESTION });
  await row.waitFor();
  expect(await row.innerText()).toContain(lab.workspace);
  await row.click();
  await page.keyboard.press('Enter');
  expect(await panel.waitForPosts(6)).toEqual(RELEASE_NOTE);
  await waitFor('the message', async () =>
    (await use.workbench.notifications()).some((text) => text.includes('1 conversation was recovered.'))
      ? true
      : undefined,
  );

  await panel.post('hello');
  expect(await panel.waitForPosts(8)).toHaveLength(8);
  await use.workbench.runCommand('Teamroom: Recover Conversations');
  await waitFor('the message', async () =>
    (await use.workbench.notifications()).some((text) => text.startsWith('No other workspace')) ? true : undefined,
  );
});

test('RM-4 A folder that is reached by another address is offered its earlier conversations, once', async () => {
  const { lab } = use;
  const elsewhere = lab.addressOf(`${lab.workspace}-renamed`).replace('127.0.0.1', 'localhost');
  const offer = 'Earlier team conversations of this folder are kept with another workspace.';
  await use.workbench.close();
  use.workbench = await lab.openWorkbench(elsewhere);
  const { page } = use.workbench;
  await waitFor('the offer', async () => ((await use.workbench.notifications()).includes(offer) ? true : undefined));
  await page.getByRole('button', { name: 'Recover Conversations…' }).click();
  await page.locator('.quick-input-list .monaco-list-row').filter({ hasText: SUGGESTION }).first().click();
  await page.keyboard.press('Enter');
  await panel.waitForPosts(6);
  await use.workbench.reload();
  await panel.waitForPosts(6);
  expect(await use.workbench.notifications()).not.toContain(offer);
});
