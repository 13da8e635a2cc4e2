// A panel that VS Code could not load is said to be blank, and its rooms can be read all the same. The tests follow each
// other.
import { readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { TeamPanel } from './lab/team-panel.js';
import { useLab } from './lab/use-lab.js';
import { waitFor } from './lab/wait.js';

const use = useLab();
const panel = new TeamPanel(() => use.workbench);

/** What the panel's page runs, where the extension is installed. */
function script(): string {
  const { extensions } = use.lab.folders;
  const ours = readdirSync(extensions).find((name) => name.startsWith('teamroom.teamroom-'));
  return join(extensions, ours ?? 'none', 'dist', 'webview', 'main.js');
}

test('A panel that says nothing for five seconds is offered to be made anew or to be read as text', async () => {
  const { workbench } = use;
  renameSync(script(), `${script()}.gone`);
  await workbench.runCommand('Teamroom: Open Team Panel');
  await workbench.sees(/did not load the team panel/);
  await workbench.page.getByRole('button', { name: 'Open as Text' }).first().click();
  await workbench.tab('release.txt').waitFor();
});

test('It is whole once its page can be loaded', async () => {
  const { workbench } = use;
  renameSync(`${script()}.gone`, script());
  await workbench.runCommand('Teamroom: Open Team Panel');
  await waitFor('the composer', async () => ((await (await panel.composer()).isVisible()) ? true : undefined), 30_000);
});
