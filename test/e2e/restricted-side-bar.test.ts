// The side bar alone, with no panel open, in a folder that becomes trusted.
import { test } from 'vitest';
import { useLab } from './lab/use-lab.js';
import { waitFor } from './lab/wait.js';

const use = useLab({ trusted: false });

test('The side bar says that the folder is not trusted, and shows the team as soon as it is', async () => {
  const { workbench } = use;
  const sidebar = workbench.page.locator('.sidebar');
  await workbench.clickActivityBar('Teamroom');
  await sidebar.getByText('This folder is not trusted').first().waitFor();
  await workbench.runCommand('Workspaces: Manage Workspace Trust');
  const editor = workbench.page.locator('.workspace-trust-editor');
  await editor.getByRole('button', { name: 'Trust', exact: true }).first().click();
  await waitFor('the room and the members in the side bar', async () =>
    (await sidebar.getByRole('treeitem').count()) === 4 ? true : undefined,
  );
});
