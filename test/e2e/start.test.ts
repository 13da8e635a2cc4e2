// The panel that opens by itself, for those who want it (`npm start` does).
import { expect, test } from 'vitest';
import { TeamPanel } from './lab/team-panel.js';
import { useLab } from './lab/use-lab.js';

const use = useLab({ settings: { 'teamroom.openPanelOnStartup': true } });
const panel = new TeamPanel(() => use.workbench);

test('With teamroom.openPanelOnStartup the panel is there when the window is, once, also after a reload', async () => {
  const { workbench } = use;
  await panel.sees('Your team is ready');
  await workbench.reload();
  await panel.sees('Your team is ready');
  expect(await workbench.tab('Team').count()).toBe(1);
});

test('Without the setting no panel opens', async () => {
  const { lab } = use;
  await lab.restartBrowser();
  lab.changeSettings('user', { 'teamroom.openPanelOnStartup': undefined });
  use.workbench = await lab.openWorkbench();
  await use.workbench.runCommand('View: Close All Editors');
  await use.workbench.reload();
  await use.workbench.clickActivityBar('Teamroom');
  await use.workbench.page.getByRole('treeitem', { name: 'Lead' }).first().waitFor();
  expect(await use.workbench.tab('Team').count()).toBe(0);
});
