// A folder that is not trusted: a conversation can be read, nothing is started or posted, and the panel says why.
import { expect, test } from 'vitest';
import { TeamPanel } from './lab/team-panel.js';
import { useLab } from './lab/use-lab.js';

const use = useLab({ trusted: false });
const panel = new TeamPanel(() => use.workbench);

test('In Restricted Mode no conversation begins, and the panel says why; once the folder is trusted, it does', async () => {
  await use.workbench.runCommand('Teamroom: Open Team Panel');
  await panel.sees('This folder is not trusted');
  await use.workbench.screenshot('problem-restricted');
  await panel.click('Manage Trust');
  await trust('Trust');
  await panel.open();
  await panel.sees('Your team is ready');
  await panel.post('hello');
  await panel.waitForPosts(2);
});

test('Back in Restricted Mode the conversation can be read but nothing can be posted', async () => {
  const { lab, workbench } = use;
  await workbench.runCommand('Workspaces: Manage Workspace Trust');
  const folders = workbench.page
    .locator('.workspace-trust-editor')
    .locator('.monaco-list-row')
    .filter({ hasText: lab.workspace });
  await folders.hover();
  await folders.getByLabel('Delete Path').click();
  await workbench.page
    .getByRole('button', { name: /Restricted Mode/ })
    .first()
    .waitFor();
  await panel.open();
  expect(await panel.waitForPosts(2)).toHaveLength(2);
  await panel.sees(/This folder is in Restricted Mode: the conversation can be read, but nothing can be posted/);
  await panel.post('Is anybody here?');
  expect(await panel.draft()).toContain('Is anybody here?');
  await workbench.runCommand('Teamroom: Resume Team');
  await workbench.sees(/This folder is in Restricted Mode/);
  expect(await panel.posts()).toHaveLength(2);
  await workbench.screenshot('restricted');

  await workbench.runCommand('Workspaces: Manage Workspace Trust');
  await trust('Trust');
  await panel.open();
  await (await panel.composer()).press('Enter');
  expect((await panel.waitForPosts(4))[2]).toMatchObject({ who: 'You', text: 'Is anybody here?' });
});

async function trust(button: string): Promise<void> {
  const editor = use.workbench.page.locator('.workspace-trust-editor');
  await editor.getByRole('button', { name: button, exact: true }).first().click();
}
